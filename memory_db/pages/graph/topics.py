"""The overview of the graph: which topics the memories of each project share.

In: a connection that reads, and perhaps a project. Out: projects with their topics, as plain dicts. A topic is what at
least two active memories of a project name: a file, command, package, symbol or host. Invariants: what is named here
more than elsewhere comes first, so that what every project names hides nothing; what is left out is counted.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from memory_db.errors import NotFoundError
from memory_db.pages.cache import cached, rows

MOST_PROJECTS = 9
"""Projects of the overview, those with the most memories."""

MOST_TOPICS = 7
"""Topics of a project among others."""

MOST_OF_ONE = 60
"""Topics of a project that is looked at alone."""

LEAST = 2
"""Memories that make a topic of what they name."""

TOPICS = """
with named as materialized (
    select coalesce(m.project_id, 0) as project_id, n.entity_id, count(*) as memories
    from memory_entities n join memories m on m.id = n.memory_id and m.status = 'active' group by 1, 2
),
everywhere as materialized (
    select entity_id, sum(memories) as memories, count(*) as projects from named group by entity_id
),
placed as (
    select d.project_id, d.entity_id, d.memories, a.projects, count(*) over (partition by d.project_id) as topics,
        row_number() over (partition by d.project_id
            order by 1.0 * d.memories * d.memories / a.memories desc, d.memories desc, d.entity_id) as place
    from named d join everywhere a using (entity_id) where d.memories >= :least
)
select x.project_id, x.entity_id as id, x.memories, x.projects, x.topics, e.kind, e.name
from placed x join entities e on e.id = x.entity_id
where x.place <= iif(:project is null, :most, :most_of_one) and (:project is null or x.project_id = :project)
order by x.project_id, x.place
"""
"""The better placed, the more of all that names it is of this project, and the more memories that are."""

PROJECTS = """
select coalesce(p.id, 0) as id, p.name, count(*) as memories
from memories m left join projects p on p.id = m.project_id where m.status = 'active' group by m.project_id
order by memories desc, id
"""


def topics(path: Path, name: str) -> dict[str, Any]:
    """The `projects` with most memories, each with its `topics`, `topic_count`, and `memories`; of one project more.

    `name` is that of a project, or empty for all; `projects_left` are those that are not among them, by name.
    Raises: NotFoundError.
    """
    known = cached(path, "graph projects", lambda db: rows(db, PROJECTS), by_table=True)
    chosen = [each for each in known if not name or each["name"] == name]
    if name and not chosen:
        raise NotFoundError(f"No project {name[:60]!r} with memories. /-/memory/projects lists all there are.")
    number = chosen[0]["id"] if name else None
    given = {"project": number, "least": LEAST, "most": MOST_TOPICS, "most_of_one": MOST_OF_ONE}
    found = cached(path, ("graph topics", number), lambda db: rows(db, TOPICS, given), by_table=True)
    shown = chosen[:MOST_PROJECTS]
    return {
        "project": name or None,
        "projects": [with_topics(each, [row for row in found if row["project_id"] == each["id"]]) for each in shown],
        "projects_left": [each["name"] for each in chosen[MOST_PROJECTS:] if each["name"]],
    }


def with_topics(project: dict[str, Any], found: list[dict[str, Any]]) -> dict[str, Any]:
    """A project with its topics; `size` of each, from 0 to 1, is as an area has it beside the largest."""
    most = max((row["memories"] for row in found), default=1)
    kept = ("id", "kind", "name", "memories", "projects")
    return {
        **project,
        "topic_count": found[0]["topics"] if found else 0,
        "topics": [{name: row[name] for name in kept} | {"size": (row["memories"] / most) ** 0.5} for row in found],
    }
