"""Commands about what hooks may do: rule (commands that a locked memory forbids or asks for), pause."""

from __future__ import annotations

import sqlite3
from dataclasses import asdict
from pathlib import Path

import click

from memory_db.cli.common import Command, expanded, moment, print_json, print_table, printable, reading, writing
from memory_db.cli.lazy import Group
from memory_db.cli.options import changing_options, reading_options
from memory_db.errors import InputError, NotFoundError
from memory_db.hooks import command_rules, pauses
from memory_db.knowledge.succession import PERSON
from memory_db.store import settings
from memory_db.transcripts.projects import find_project, known_project

OFF = "Rules are not looked at: the setting pre_tool_use is off. `memory-db settings pre_tool_use on` turns it on."

UNASKED = "No agent has asked about a tool yet: `memory-db install claude-code --pre-tool-use` makes Claude Code ask."

project_option = click.option("--project", metavar="PATH", help="A project, by its path or name.")


def project_of(db: sqlite3.Connection, name: str | None) -> int | None:
    """The project that a person means by a folder in it, its path or its name. Raises: NotFoundError."""
    if name is None:
        return None
    folder = expanded(Path(name))
    found = find_project(db, name)
    # What is no folder is a name: as a path it would lie in this folder, and mean this folder's project.
    if found is None and folder.is_dir():
        found = known_project(db, folder.resolve())
    if found is None:
        raise NotFoundError(f"No project {name[:80]!r}. `memory-db project list` lists them.")
    return found


def hint(db: sqlite3.Connection) -> str:
    """Why rules may have no effect, or nothing."""
    if settings.get(db, "pre_tool_use") is False:
        return OFF
    asked = db.execute("select 1 from hook_runs where hook = 'pre-tool-use' limit 1").fetchone()
    return "" if asked else UNASKED


# --------------------------------------------------------------------- rule


@click.group(cls=Group)
def rule() -> None:
    """Rule on the commands that a locked memory forbids an agent, or makes it ask about.

    A PATTERN is a shell's (* any text, ? a character) and is compared with each command in a line, its beginning too:
    'git push --force' also means 'git push --force origin main'. It is no fence: what a variable, an alias, a script or
    another language makes of a text is not seen.
    """


@rule.command(cls=Command)
@click.argument("uid")
@click.argument("pattern")
@click.option("--deny", "is_denied", is_flag=True, help="The agent must not.")
@click.option("--ask", "is_asked", is_flag=True, help="The agent asks you each time.")
@changing_options
def add(
    uid: str, pattern: str, is_denied: bool, is_asked: bool, database: Path | None, dry_run: bool, as_json: bool
) -> None:
    """Let memory UID, which you locked, rule on commands like PATTERN."""
    decision = "deny" if is_denied else "ask"
    if is_denied == is_asked:
        raise InputError(f"Stop the agent, or let it ask? `memory-db hook rule add {uid} PATTERN --deny` or --ask.")
    with writing(database, dry_run=dry_run, create=False) as db:
        number = command_rules.add_rule(db, uid, pattern, decision=decision, by=PERSON, now=moment())
        advice = hint(db)
    if as_json:
        rule = {"id": number, "uid": uid, "pattern": pattern, "decision": decision}
        print_json({**rule, "hint": advice, "dry_run": dry_run})
        return
    verb = "is stopped from" if decision == "deny" else "asks before"
    click.echo(f"Rule {number}: the agent {verb} {pattern!r}, by {uid}{' (not kept: dry run)' if dry_run else ''}.")
    if advice:
        click.echo(advice, err=True)


@rule.command("list", cls=Command)
@reading_options
def list_(database: Path | None, as_json: bool) -> None:
    """List rules; those that have ended come last."""
    with reading(database) as db:
        rows = command_rules.list_rules(db)
        advice = hint(db)
    if as_json:
        print_json(rows)
        return
    columns = ("id", "decision", "pattern", "memory", "project", "in force", "since", "until", "what it says")
    print_table(
        columns,
        [[row["id"], row["decision"], row["pattern"], row["uid"], row["project"] or "any",
          "yes" if row["is_in_force"] else "no", row["created_at"], row["ended_at"], row["title"]] for row in rows],
        empty="There are no rules.",
    )  # fmt: skip
    if rows and advice:
        click.echo(advice, err=True)


@rule.command(cls=Command)
@click.argument("number", type=click.IntRange(1, 2**63 - 1), metavar="ID")
@changing_options
def end(number: int, database: Path | None, dry_run: bool, as_json: bool) -> None:
    """End the rule of this number."""
    with writing(database, dry_run=dry_run, create=False) as db:
        was_on = command_rules.end_rule(db, number, now=moment())
    if as_json:
        print_json({"id": number, "ended": was_on, "dry_run": dry_run})
        return
    note = " (not kept: dry run)" if dry_run else ""
    click.echo(f"Rule {number} {'ends' if was_on else 'had ended already'}{note}.")


@rule.command(cls=Command)
@click.argument("command")
@project_option
@reading_options
def test(command: str, project: str | None, database: Path | None, as_json: bool) -> None:
    """Test which rule would decide on COMMAND; it is not run."""
    with reading(database) as db:
        where_asked = project_of(db, project) if project else known_project(db, Path.cwd())
        verdict = command_rules.verdict_on(db, command, where_asked)
        elsewhere = "" if verdict else spoken_elsewhere(db, command)
        advice = hint(db)
    if as_json:
        print_json({"verdict": asdict(verdict) if verdict else None, "hint": advice})
        return
    if verdict is None:
        click.echo(f"No rule speaks about that{elsewhere}.")
    else:
        click.echo(f"{verdict.decision}, by rule {verdict.rule_id}: {verdict.command}\n{verdict.reason()}")
    if advice:
        click.echo(advice, err=True)


def spoken_elsewhere(db: sqlite3.Connection, command: str) -> str:
    """Where else a rule would speak about a command, in words; nothing where none does."""
    for project in db.execute("select id, name from projects order by name"):
        if verdict := command_rules.verdict_on(db, command, project["id"]):
            return f" here; in project {project['name']} rule {verdict.rule_id} says {verdict.decision}"
    return ""


# -------------------------------------------------------------------- pause


@click.command(cls=Command)
@click.option("--for", "length", metavar="TIME", help="Until then: 45m, 2h, 3d, 1w. Else until you end it.")
@click.option("--session", "session_uid", metavar="UID", help="Only in this session.")
@project_option
@click.option("--end", "is_end", is_flag=True, help="End what is paused, there or everywhere.")
@click.option("--list", "is_list", is_flag=True, help="List pauses.")
@changing_options
def pause(
    length: str | None,
    session_uid: str | None,
    project: str | None,
    is_end: bool,
    is_list: bool,
    database: Path | None,
    dry_run: bool,
    as_json: bool,
) -> None:
    """Pause all hooks for a while: agents are shown nothing.

    What is said meanwhile is imported all the same, and rules on commands hold.
    """
    for option, value in (("--for", length), ("--session", session_uid), ("--project", project)):
        if value is not None and not value.strip():
            raise InputError(f"{option} says nothing. Leave it out to mean everything, or name what you mean.")
    if is_list:
        list_pauses(database, as_json=as_json)
        return
    if is_end and length:
        raise InputError("A pause that ends has no length. Leave out --for, or --end.")
    lasts = pauses.read_length(length) if length else None
    with writing(database, dry_run=dry_run, create=False) as db:
        project_id = project_of(db, project)
        if is_end:
            ended = pauses.end_pauses(db, now=moment(), session_uid=session_uid, project_id=project_id)
            values: dict[str, object] = {"ended": ended}
            line = f"{ended:,} {'pause ends' if ended == 1 else 'pauses end'}" if ended else "Nothing was paused"
        else:
            number = pauses.pause(
                db, by=PERSON, now=moment(), length=lasts, session_uid=session_uid, project_id=project_id
            )
            values = {"id": number, "session_uid": session_uid, "project_id": project_id, "for": length}
            until = f"for {length}" if length else "until `memory-db hook pause --end`"
            name = (
                db.execute("select name from projects where id = ?", [project_id]).fetchone()["name"]
                if project_id
                else None
            )
            line = f"Hooks show nothing {until}{where(session_uid, name)} (pause {number})"
            if session_uid and not pauses.is_known(db, session_uid):
                line += f"; no session {printable(session_uid, 80)} is known so far"
    if as_json:
        print_json({**values, "dry_run": dry_run})
    else:
        click.echo(f"{line}{' (not kept: dry run)' if dry_run else ''}.")


def where(session_uid: str | None, project: str | None) -> str:
    """For what a pause is, in words."""
    said = f", in session {session_uid}" if session_uid else ""
    return printable(said + (f", in project {project}" if project else ""), 200)


def list_pauses(database: Path | None, *, as_json: bool) -> None:
    """Prints pauses, one a line."""
    with reading(database) as db:
        rows = pauses.list_pauses(db, now=moment())
    if as_json:
        print_json(rows)
        return
    print_table(
        ("id", "on", "session", "project", "since", "until", "ended"),
        [[row["id"], "yes" if row["is_on"] else "no", row["session_uid"] or "any", row["project"] or "any",
          row["created_at"], row["ends_at"] or "you end it", row["ended_at"]] for row in rows],
        empty="Nothing was ever paused.",
    )  # fmt: skip
