"""Commands by which a person says what is true, what replaces what, and when a memory is shown.

confirm, feedback, lock, unlock, retire, restore; supersede, correct; layer, suppress.
"""

from __future__ import annotations

import shlex
import sqlite3
from collections.abc import Callable, Sequence
from pathlib import Path

import click

from memory_db.cli.common import Command, moment, print_json, print_table, reading, writing
from memory_db.cli.memory.redacted import note_redacted, redacted_in
from memory_db.cli.options import WORDS, changing_options, note_option, reason_option
from memory_db.errors import InputError
from memory_db.hooks.command_rules import lapsed_rules
from memory_db.index import build as index
from memory_db.knowledge import evidence as beliefs
from memory_db.knowledge import locks, memories, succession, suppressions
from memory_db.knowledge import retire as retiring
from memory_db.knowledge.succession import PERSON, memory_row
from memory_db.knowledge.wording import reword

AUTO = "auto"

REPLACED = "replaced on the command line"

TIERS = {"explicit": "stated by you", "signals": "taken from what was said", "inferred": "inferred"}
"""How a memory came to be known, in words."""


@click.command(cls=Command)
@click.argument("uid")
@note_option
@changing_options
def confirm(uid: str, note: str, database: Path | None, dry_run: bool, as_json: bool) -> None:
    """Confirm that memory UID is true.

    Its confidence rises as if you had said it yourself; only the first time on a day counts.
    """
    believe(
        uid, lambda db: beliefs.confirm(db, uid, note=note, now=moment()),
        ("counted", "counted already today"), database, dry_run, as_json,
    )  # fmt: skip


@click.command(cls=Command)
@click.argument("uid")
@click.argument("kind")
@click.option(
    "--recall", "recall_uid", type=WORDS, help="The recall that showed it, by uid or number; else it counts once a day."
)
@click.option("--take-back", is_flag=True, help="Withdraw what you gave before, for that recall or on any day.")
@note_option
@changing_options
def feedback(
    uid: str,
    kind: str,
    recall_uid: str | None,
    take_back: bool,
    note: str,
    database: Path | None,
    dry_run: bool,
    as_json: bool,
) -> None:
    """Rate memory UID: used, ignored, weak, wrong or contradicted.

    KIND is a row of the table `evidence_kinds`, which says if it is for or against, and how much it counts.
    """
    if take_back:
        believe(
            uid, lambda db: beliefs.take_back_feedback(db, uid, kind, recall=recall_uid, now=moment()) > 0,
            ("taken back", "not counted before"), database, dry_run, as_json,
        )  # fmt: skip
        return
    believe(
        uid, lambda db: beliefs.give_feedback(db, uid, kind, recall=recall_uid, note=note, now=moment()),
        ("counted", "counted already"), database, dry_run, as_json,
    )  # fmt: skip


@click.command(cls=Command)
@click.argument("uid")
@note_option
@changing_options
def lock(uid: str, note: str, database: Path | None, dry_run: bool, as_json: bool) -> None:
    """Lock memory UID, so that no program changes it.

    It is trusted like your own words: its prior is that of what you stated.
    """
    believe(
        uid, lambda db: locks.lock(db, uid, by=PERSON, reason=note or "locked by hand", now=moment()),
        ("locked", "locked already"), database, dry_run, as_json,
    )  # fmt: skip


@click.command(cls=Command)
@click.argument("uid")
@note_option
@changing_options
def unlock(uid: str, note: str, database: Path | None, dry_run: bool, as_json: bool) -> None:
    """Unlock memory UID."""
    believe(
        uid, lambda db: locks.unlock(db, uid, by=PERSON, reason=note or "unlocked by hand", now=moment()),
        ("unlocked", "not locked"), database, dry_run, as_json,
    )  # fmt: skip


@click.command(cls=Command)
@click.argument("uid")
@note_option
@changing_options
def retire(uid: str, note: str, database: Path | None, dry_run: bool, as_json: bool) -> None:
    """Take memory UID out of use; `restore` brings it back."""
    believe(
        uid, lambda db: retiring.retire(db, uid, by=PERSON, reason=note or "retired by hand", now=moment()),
        ("retired", "retired already"), database, dry_run, as_json,
    )  # fmt: skip


@click.command(cls=Command)
@click.argument("uid")
@note_option
@changing_options
def restore(uid: str, note: str, database: Path | None, dry_run: bool, as_json: bool) -> None:
    """Take retired memory UID into use again, or one that you corrected.

    What you corrected holds again as it was, and the correction is retired. One that was replaced before it was
    retired is replaced again.
    """
    told: list[str] = []

    def act(db: sqlite3.Connection) -> bool:
        reason = note or "restored by hand"
        if memory_row(db, uid)["status"] == "superseded":
            told.extend(retiring.restore_replaced(db, uid, by=PERSON, reason=reason, now=moment())[1:])
        else:
            status = retiring.restore(db, uid, by=PERSON, reason=reason, now=moment())
            if status == "superseded" and not dry_run:
                told.append(still_replaced(db, uid))
        return True

    believe(uid, act, ("restored", ""), database, dry_run, as_json)
    for line in () if as_json else told:
        click.echo(line)


def still_replaced(db: sqlite3.Connection, uid: str) -> str:
    """What replaces a memory that came back as superseded, and how it holds again."""
    heirs = [row["uid"] for row in db.execute(succession.REPLACED_BY, [memory_row(db, uid)["id"]] * 2)]
    if len(heirs) != 1:
        return f"{' and '.join(heirs)} replace it, as before."
    return f"{heirs[0]} replaces it, as before. To let {uid} hold again: memory-db memory restore {uid}"


def believe(
    uid: str,
    act: Callable[[sqlite3.Connection], bool],
    words: tuple[str, str],
    database: Path | None,
    dry_run: bool,
    as_json: bool,
) -> None:
    """Does one thing with a memory and prints what it is like then; `words` are for done and for done before."""
    with writing(database, dry_run=dry_run, create=False) as db:
        is_new = act(db)
        index.run(db, now=moment(), entries=False)
        memory = memory_row(db, uid)
        lapsed = lapsed_rules(db, uid) if is_new else []
        belief = db.execute("select * from beliefs where memory_id = ?", [memory["id"]]).fetchone()
    if as_json:
        columns = ("uid", "tier", "alpha", "beta", "confidence", "evidence_for", "evidence_against")
        standing = {"status": memory["status"], "lock_level": memory["lock_level"]}
        print_json({name: belief[name] for name in columns} | standing | {"is_new": is_new, "dry_run": dry_run})
        print_lapsed(lapsed)
        return
    kept = " (not kept: dry run)" if dry_run else ""
    locked = "" if memory["lock_level"] == "none" else f", lock {memory['lock_level']}"
    done = words[0] if is_new else words[1]
    status = "" if memory["status"] in done.split() else f"{memory['status']}{locked}, "
    click.echo(
        f"{uid} {done}: {status}confidence {belief['confidence']:.3f} ({TIERS[belief['tier']]}; evidence:"
        f" {belief['evidence_for']} for, {belief['evidence_against']} against){kept}"
    )
    print_lapsed(lapsed)


def print_lapsed(rules: list[dict[str, object]], successor: str = "") -> None:
    """Says on stderr which rules on commands no longer hold with a memory, and how to put them on its successor."""
    for rule in rules:
        click.echo(f"Rule {rule['id']} ({rule['decision']} {rule['pattern']!r}) no longer holds.", err=True)
        if successor:
            again = f"memory-db hook rule add {successor} {shlex.quote(str(rule['pattern']))} --{rule['decision']}"
            click.echo(f"To put the rule on the new memory: {again}", err=True)


@click.command(cls=Command)
@click.argument("old")
@click.argument("new")
@reason_option
@changing_options
def supersede(old: str, new: str, reason: str | None, database: Path | None, dry_run: bool, as_json: bool) -> None:
    """Replace memory OLD by memory NEW.

    OLD is outdated then: it is shown only for a time in which it held, and where it is found it brings NEW.
    """
    with writing(database, dry_run=dry_run, create=False) as db:
        is_new = succession.supersede(db, old, new, reason=reason or REPLACED, by=PERSON, now=moment())
        index.run(db, now=moment(), entries=False)
        lapsed = lapsed_rules(db, old) if is_new else []
    print_replaced(old, new, is_new=is_new, dry_run=dry_run, as_json=as_json)
    print_lapsed(lapsed, new)


@click.command(cls=Command)
@click.argument("text")
@click.option("--replaces", "old", help="The uid of the memory that is no longer true.")
@click.option("--wording-of", "mended", help="The uid of a memory that is true and only badly worded.")
@reason_option
@changing_options
def correct(
    text: str,
    old: str | None,
    mended: str | None,
    reason: str | None,
    database: Path | None,
    dry_run: bool,
    as_json: bool,
) -> None:
    """Replace a memory that is no longer true by a text of yours, or mend how one is worded.

    What replaces a memory is a new one, and the old one stays readable. One that is only worded otherwise stays the
    same, with its sources and its evidence.
    """
    if (old is None) == (mended is None):
        raise click.UsageError("Give the uid of a memory to --replaces, or to --wording-of.")
    with writing(database, dry_run=dry_run, create=False) as db:
        if mended is not None:
            is_new = reword(db, mended, text, reason=reason or "reworded on the command line", by=PERSON, now=moment())
        else:
            new = memories.correct(db, str(old), text, reason=reason or REPLACED, by=PERSON, now=moment())
            lapsed = lapsed_rules(db, str(old))
        index.run(db, now=moment(), entries=False)
    redacted = redacted_in(text)
    if not as_json:
        note_redacted(redacted, text)
    if mended is not None:
        print_reworded(mended, is_new=is_new, redacted=redacted, dry_run=dry_run, as_json=as_json)
    else:
        print_replaced(str(old), new, is_new=True, redacted=redacted, dry_run=dry_run, as_json=as_json)
        print_lapsed(lapsed, new)


def print_reworded(uid: str, *, is_new: bool, redacted: Sequence[str], dry_run: bool, as_json: bool) -> None:
    """Prints which memory has other words."""
    if as_json:
        print_json({"uid": uid, "is_new": is_new, "redacted": redacted, "dry_run": dry_run})
        return
    said = "is reworded" if is_new else "was worded like this already"
    click.echo(f"{uid} {said}{' (not kept: dry run)' if dry_run else ''}")


def print_replaced(
    old: str, new: str, *, is_new: bool, redacted: Sequence[str] = (), dry_run: bool, as_json: bool
) -> None:
    """Prints what replaced what."""
    if as_json:
        print_json({"uid": new, "replaces": old, "is_new": is_new, "redacted": list(redacted), "dry_run": dry_run})
        return
    click.echo(f"{new} replaces {old}{'' if is_new else ' already'}{' (not kept: dry run)' if dry_run else ''}")
    if is_new and not dry_run:
        click.echo(f"To take it back: memory-db memory restore {old}")


@click.command(cls=Command)
@click.argument("uid", required=False)
@click.argument("wanted", metavar="[0|1|2|3|auto]", required=False, type=click.Choice(["0", "1", "2", "3", AUTO]))
@changing_options
def layer(uid: str | None, wanted: str | None, database: Path | None, dry_run: bool, as_json: bool) -> None:
    """Choose when memory UID is shown, or leave it to the rules.

    0 is always shown, 1 at a session's beginning, 2 when asked, 3 in the background. With a UID alone it shows
    where that memory is and why; without, what each layer costs.
    """
    if uid is None:
        with reading(database) as db:
            rows = [dict(row) for row in db.execute("select * from layer_costs order by project, layer")]
        if as_json:
            print_json(rows)
        else:
            print_table(list(rows[0]) if rows else [], (list(row.values()) for row in rows), empty="No memories yet.")
        return
    if wanted is None:
        with reading(database) as db:
            row = locks.layer_of(db, uid)
    else:
        with writing(database, dry_run=dry_run, create=False) as db:
            locks.set_layer(db, uid, None if wanted == AUTO else int(wanted), by=PERSON, now=moment())
            index.run(db, now=moment(), entries=False)
            row = locks.layer_of(db, uid)
    if as_json:
        print_json({**dict(row), "dry_run": dry_run})
        return
    click.echo(f"{uid}: layer {row['layer']}, {row['reason']}{' (not kept: dry run)' if dry_run else ''}")


@click.command(cls=Command)
@click.argument("uid", required=False)
@click.option("--for", "pattern", metavar="WORDS", help="Questions that have all these words, in whatever form.")
@click.option("--reason", type=WORDS, help="Why, as it is kept and shown; --for needs it.")
@click.option("--list", "is_list", is_flag=True, help="List what is suppressed, and what was.")
@click.option(
    "--end", "ended", type=click.IntRange(1, 2**63 - 1), metavar="ID", help="End the suppression of this number."
)
@changing_options
def suppress(
    uid: str | None,
    pattern: str | None,
    reason: str | None,
    is_list: bool,
    ended: int | None,
    database: Path | None,
    dry_run: bool,
    as_json: bool,
) -> None:
    """Hold memory UID back from some questions.

    It stays among the hits of such a recall, not shown, with the reason; every other question may bring it.
    """
    if is_list or (uid is None and ended is None):
        with reading(database) as db:
            rows = suppressions.list_suppressions(db)
        print_suppressions(rows, as_json=as_json)
        return
    note = " (not kept: dry run)" if dry_run else ""
    with writing(database, dry_run=dry_run, create=False) as db:
        if ended is not None:
            was_held = suppressions.end_suppression(db, ended, now=moment())
            data: dict[str, object] = {"id": ended, "ended": was_held, "dry_run": dry_run}
            line = f"Suppression {ended} {'ends' if was_held else 'had ended already'}{note}."
        else:
            if not pattern or not reason:
                raise InputError(
                    f"Which questions, and why? `memory-db memory suppress {uid} --for WORDS --reason WHY`."
                )
            number = suppressions.suppress(db, str(uid), pattern, reason=reason, by=PERSON, now=moment())
            data = {"id": number, "uid": uid, "pattern": pattern, "dry_run": dry_run}
            line = f"Suppression {number}: {uid} is held back for questions with {pattern!r}{note}."
    print_json(data) if as_json else click.echo(line)


def print_suppressions(rows: list[dict[str, object]], *, as_json: bool) -> None:
    """Prints suppressions, one a line."""
    if as_json:
        print_json(rows)
        return
    names = ("id", "uid", "pattern", "reason", "created_at", "ended_at", "title")
    print_table(
        ("id", "memory", "for", "reason", "since", "until", "what it says"),
        [[row[name] for name in names] for row in rows],
        empty="Nothing is suppressed.",
    )
