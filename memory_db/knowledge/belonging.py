"""What holds in a project: its own memories, those of the user, and those of projects that are linked to it.

The one clause that pools, hooks, rules on commands, timelines and readers ask by. A link goes one way and no further:
what a linked project is linked to does not hold.

A hook loads this: the standard library alone.
"""

from __future__ import annotations

LINKED = "select linked_project_id from project_links where project_id = "


def is_linked(project_id: str, *, project: str = ":project_id", until: str = "") -> str:
    """SQL that holds where an expression names a project that is linked to another one.

    `until` is SQL of a moment by which the link was drawn.
    """
    return f"{project_id} in ({LINKED}{project}{f' and created_at <= {until}' if until else ''})"


def holds_in(memory: str, *, project: str = ":project_id", until: str = "") -> str:
    """SQL that holds for the memories, or versions, of an alias that hold in a project; `until` as for `is_linked`."""
    linked = is_linked(f"{memory}.project_id", project=project, until=until)
    return f"({memory}.project_id = {project} or {memory}.scope = 'user' or {linked})"
