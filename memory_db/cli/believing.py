"""Commands by which a person says what is true: confirm, feedback, lock, unlock, retire, restore."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path

import click

from memory_db.cli.common import Command, moment, print_json, writing
from memory_db.cli.options import WORDS, changing_options, note_option
from memory_db.index import build as index
from memory_db.knowledge import evidence as beliefs
from memory_db.knowledge import locks
from memory_db.knowledge import retire as retiring
from memory_db.knowledge.succession import PERSON, memory_row


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
    """Take retired memory UID into use again."""
    believe(
        uid, lambda db: bool(retiring.restore(db, uid, by=PERSON, reason=note or "restored by hand", now=moment())),
        ("restored", ""), database, dry_run, as_json,
    )  # fmt: skip


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
        belief = db.execute("select * from beliefs where memory_id = ?", [memory["id"]]).fetchone()
    if as_json:
        columns = ("uid", "tier", "alpha", "beta", "confidence", "evidence_for", "evidence_against")
        standing = {"status": memory["status"], "lock_level": memory["lock_level"]}
        print_json({name: belief[name] for name in columns} | standing | {"is_new": is_new, "dry_run": dry_run})
        return
    kept = " (not kept: dry run)" if dry_run else ""
    locked = "" if memory["lock_level"] == "none" else f", lock {memory['lock_level']}"
    click.echo(
        f"{uid} {words[0] if is_new else words[1]}: {memory['status']}{locked}, confidence"
        f" {belief['confidence']:.3f} ({belief['tier']}; {belief['evidence_for']} for,"
        f" {belief['evidence_against']} against){kept}"
    )


__all__ = ["confirm", "feedback", "lock", "restore", "retire", "unlock"]
