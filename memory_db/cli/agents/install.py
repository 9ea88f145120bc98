"""Commands that put memory-db into agents and take it out: install, uninstall."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import click

import memory_db
from memory_db.agents.claude_code import install as installs
from memory_db.agents.claude_code import snippets
from memory_db.agents.claude_code.files import ConfigChange, diff
from memory_db.agents.claude_code.install import CLAUDE_CODE, InstallTarget
from memory_db.agents.claude_code.installed import NAMED, marketplace_plugins
from memory_db.agents.claude_code.plugin import HOOKS, MANIFEST, PLUGIN, SERVER, SERVERS, SLASH_COMMANDS, Places
from memory_db.cli.common import Command, chosen_path, expanded, moment, print_json, writing
from memory_db.cli.lazy import Group
from memory_db.cli.options import changing_options, database_option
from memory_db.errors import InputError
from memory_db.store.connection import is_file
from memory_db.store.schema import open_database


def scope_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options that say for whom something is installed: --user, --project, --folder."""
    for_user = click.option(
        "--user/--project", "for_user", default=True, help="For every session of yours (the usual), or for one project."
    )
    folder = click.option(
        "--folder", type=click.Path(path_type=Path, file_okay=False),
        help="With --project: the project's folder; else the one that you are in.",
    )  # fmt: skip
    return for_user(folder(command))


@click.group(cls=Group, invoke_without_command=True)
@click.option(
    "--schedule", "name", is_flag=False, flag_value="usual", type=click.Choice([*snippets.SCHEDULERS, "usual"]),
    metavar="[systemd|launchd|cron]",
    help="Print a timer that runs `memory-db work --once --import` every hour; nothing is written.",
)  # fmt: skip
@click.option(
    "--litestream", "replica", metavar="FOLDER|URL",
    help="Print a configuration of Litestream, which replicates the file there; nothing is written.",
)  # fmt: skip
@click.option(
    "--print", "is_print", is_flag=True, help="Print what makes another agent use memory-db; nothing is written."
)
@click.option(
    "--client", type=click.Choice(list(snippets.CLIENTS)), default=snippets.USUAL_CLIENT, show_default=True,
    help="With --print: which agent.",
)  # fmt: skip
@database_option
@click.pass_context
def install(
    ctx: click.Context, name: str | None, replica: str | None, is_print: bool, client: str, database: Path | None
) -> None:
    """Install into an agent, or print what it or a timer needs."""
    if is_print:
        snippet = snippets.snippet(client, places(database))
        click.echo(snippet.where, err=True)
        click.echo(snippet.text, nl=False)
    elif name is not None:
        path = chosen_path(database).absolute()
        command = [sys.executable, "-m", "memory_db", "-d", str(path), "work", "--once", "--import"]
        scheduler = snippets.usual_scheduler(sys.platform) if name == "usual" else name
        click.echo(snippets.schedule(scheduler, command), nl=False)
    elif replica is not None:
        place = replica if "://" in replica else str(expanded(Path(replica)).absolute())
        click.echo(snippets.litestream(str(chosen_path(database).absolute()), place), nl=False)
    elif ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


@install.command(CLAUDE_CODE, cls=Command)
@scope_options
@click.option(
    "--pre-tool-use/--no-pre-tool-use",
    default=None,
    help="Look at tool calls too: memories on the file in question, and commands that a locked memory forbids.",
)
@click.option("--diff", "with_diff", is_flag=True, help="Print every line of the files that change.")
@changing_options
def claude_code(
    for_user: bool,
    folder: Path | None,
    pre_tool_use: bool | None,
    with_diff: bool,
    database: Path | None,
    dry_run: bool,
    as_json: bool,
) -> None:
    """Install into Claude Code: hooks, the MCP server, and /mem:recall, why, correct, lock, review, pause.

    It makes one folder, `skills/mem` in ~/.claude (or in .claude of the project), and changes no other file.
    """
    target, used = target_of(for_user, folder), installs.checked(places(database))
    planned = installs.plan_install(target, used, pre_tool_use=pre_tool_use, now=moment())
    is_new_file = not is_file(used.database)
    is_there_by_name = any(each.meets(target.claude_folder) for each in marketplace_plugins(user_folder()))
    if not dry_run:
        with writing(database) as db:
            installs.install(db, planned, now=moment())
    if as_json:
        print_json(
            {**changes_json(target, planned.changes, dry_run=dry_run), "database": str(used.database),
             "other_memory_hooks": [hook.words for hook in installs.other_memory_hooks(target)],
             "marketplace_plugin": NAMED if is_there_by_name else None}
        )  # fmt: skip
        return
    print_changes(target, planned.changes, with_diff=with_diff)
    if not planned.changes:
        click.echo(f"Nothing to do: {target.folder} is as it shall be.")
    elif dry_run:
        click.echo("Nothing was written (dry run).")
    else:
        if not is_there_by_name:
            click.echo("It works from the next session on, or after /reload-plugins.")
        click.echo("`memory-db brief --start` shows what a session in this folder begins with.")
        click.echo("`memory-db doctor` tries the hooks, as Claude Code starts them.")
        if is_new_file:
            click.echo(f"{used.database} is new: `memory-db run` reads the sessions that you had before.")
    if is_there_by_name:
        click.echo(
            f"Claude Code has {NAMED} of the marketplace and does not load a second plugin of that name: take one out,"
            f" with `claude plugin uninstall {NAMED}` or `memory-db uninstall {CLAUDE_CODE}`.",
            err=True,
        )
    for hook in installs.other_memory_hooks(target):
        click.echo(f"Also in the settings there, at {hook.event}: {hook.words}. The agent would get both.", err=True)


@click.group(cls=Group)
def uninstall() -> None:
    """Remove memory-db from an agent."""


@uninstall.command(CLAUDE_CODE, cls=Command)
@scope_options
@changing_options
def out_of_claude_code(
    for_user: bool, folder: Path | None, database: Path | None, dry_run: bool, as_json: bool
) -> None:  # fmt: skip
    """Remove what `memory-db install claude-code` put in, and nothing else; the database stays."""
    target = target_of(for_user, folder)
    changes = installs.plan_uninstall(target)
    path = chosen_path(database)
    if not dry_run:
        if is_file(path):
            with closing(open_database(path, now=moment())) as db:
                installs.uninstall(db, target, changes, now=moment())
        else:
            installs.uninstall(None, target, changes, now=moment())
    if as_json:
        print_json(changes_json(target, changes, dry_run=dry_run))
        return
    if not changes:
        click.echo(f"Nothing to do: {target.folder} has nothing of memory-db.")
        return
    removed = sum(change.sort == "remove" for change in changes)
    click.echo(f"{removed:,} files of {target.folder} {'would go' if dry_run else 'are gone'}; {path} stays.")
    for change in changes:
        if change.sort == "keep":
            click.echo(f"Kept, because you changed it: {target.folder / change.place}")


def changed_places(changes: Sequence[ConfigChange]) -> dict[str, str]:
    """What happens to each file, by its place; the files of commands are one place, as are manifest and icon."""
    sorts: dict[str, set[str]] = {}
    for change in changes:
        folder = change.place.partition("/")[0]
        place = folder if folder in TOGETHER else change.place
        sorts.setdefault(place, set()).add(change.sort)
    return {place: found.pop() if len(found) == 1 else "change" for place, found in sorts.items()}


def hooks_after(changes: Sequence[ConfigChange]) -> dict[str, Any]:
    """The hooks that the changed hooks.json has."""
    after = next((change.after for change in changes if change.place == HOOKS and change.after), b"{}")
    found: dict[str, Any] = json.loads(after).get("hooks", {})
    return found


def target_of(for_user: bool, folder: Path | None) -> InstallTarget:
    """Where Claude Code looks: $CLAUDE_CONFIG_DIR or ~/.claude, or a project's .claude. Raises: InputError."""
    if for_user:
        return InstallTarget("user", user_folder())
    if folder and not expanded(folder).is_dir():
        raise InputError(f"There is no folder {folder}. Name that of a project.")
    return InstallTarget("project", (expanded(folder) if folder else Path.cwd()).absolute() / ".claude")


def user_folder() -> Path:
    """Where Claude Code keeps what holds for every session: $CLAUDE_CONFIG_DIR or ~/.claude. Raises: InputError."""
    return expanded(Path(os.environ.get("CLAUDE_CONFIG_DIR") or "~/.claude")).absolute()


def places(database: Path | None) -> Places:
    """This interpreter, this package, and the chosen file."""
    return Places(
        python=Path(sys.executable).absolute(),
        package=Path(memory_db.__file__).absolute().parent,
        database=chosen_path(database).absolute(),
    )


def changes_json(target: InstallTarget, changes: Sequence[ConfigChange], *, dry_run: bool) -> dict[str, object]:
    """Changes as JSON."""
    return {
        "client": CLAUDE_CODE,
        "scope": target.scope,
        "folder": str(target.folder),
        "changes": [
            {"path": str(target.folder / change.place), "change": change.sort,
             "backup": str(change.backup) if change.backup else None}
            for change in changes
        ],
        "diff": "\n".join(diff(target.folder, changes)),
        "dry_run": dry_run,
    }  # fmt: skip


ABOUT = MANIFEST.partition("/")[0]

TOGETHER = frozenset(("commands", ABOUT))
"""Folders of the plugin whose files are told as one."""

CONTENTS = {
    HOOKS: "hooks: {events}",
    SERVERS: f"the MCP server `{SERVER}`",
    "commands": f"for you: {', '.join(f'/{PLUGIN}:{command.name}' for command in SLASH_COMMANDS)}",
    ABOUT: "what Claude Code knows the plugin by",
    ".gitignore": "keeps the folder out of git: it names paths of this machine",
}
"""What each file of the plugin holds; commands together."""


def print_changes(target: InstallTarget, changes: Sequence[ConfigChange], *, with_diff: bool) -> None:
    """Prints what changes, by file or line by line, and where copies are of what a person had changed."""
    if with_diff:
        for line in diff(target.folder, changes):
            click.echo(line)
    elif changes:
        click.echo(f"In {target.folder}:")
        for place, sort in changed_places(changes).items():
            events = ", ".join(dict.fromkeys(hook.event for hook in installs.hooks_in(hooks_after(changes))))
            said = CONTENTS.get(place, "").format(events=events)
            click.echo(f"  {sort:<7} {place:<26} {said}".rstrip())
    for change in changes:
        if change.backup:
            click.echo(f"You had changed {target.folder / change.place}: a copy is {change.backup}")
