"""The command that explains a recall: why."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from memory_db.cli.common import (
    Command,
    cell_text,
    print_json,
    print_table,
    printable,
    reading,
    take_in_answered,
)
from memory_db.cli.options import (
    reading_options,
)
from memory_db.errors import InputError
from memory_db.index import build as index
from memory_db.recall.explain import association, why_not
from memory_db.recall.explain import why as reasons
from memory_db.text.wording import describe_wording


@click.command(cls=Command)
@click.argument("recall_id", required=False)
@click.argument("uid", required=False)
@click.option("--not", "missed", metavar="UID|WORDS", help="Why this was not shown, in plain words.")
@reading_options
def why(recall_id: str | None, uid: str | None, missed: str | None, database: Path | None, as_json: bool) -> None:
    """Explain why a recall showed what it showed.

    RECALL_ID is the uid that was printed with the answer; without it, the last recall of the file is meant. With UID:
    one hit of it, shown or not, with every signal to the last digit.
    """
    if uid and missed:
        raise InputError(f"Ask one thing: UID {uid!r} for its numbers, or --not for why it was not shown.")
    take_in_answered(database)
    with reading(database) as db:
        recall_id = recall_id or reasons.last_recall(db)
        if missed:
            answer = why_not.why_not(db, recall_id, missed, semantic=lambda: index.open_semantic(db))
            print_json(answer) if as_json else print_why_not(answer)
            return
        if uid:
            reason = reasons.explain_hit(db, recall_id, uid, semantic=index.open_semantic(db))
            if as_json:
                print_json(reason)
                return
            click.echo(f"{reason['uid']}: {reason['outcome']}")
            print_table(
                ("signal", "weight", "value", "part"),
                [(p["signal"], p["weight"], repr(p["value"]), repr(p["part"])) for p in reason["parts"]],
            )
            click.echo(f"score {reason['score']!r}, logged {reason['logged_score']!r}")
            for line in association.describe(reason["earlier_prompts"]):
                click.echo(printable(line, 300))
            click.echo("features " + json.dumps(reason["features"]))
            return
        found = reasons.explain_recall(db, recall_id)
    if as_json:
        print_json(found)
        return
    click.echo(f"{found['recall']}: {printable(found['query'], 200)}")
    click.echo(
        f"asked {found['asked_at']} by {found['surface']}, profile {found['profile']}, {found['duration_ms']:.1f} ms,"
        f" {found['considered_count']:,} considered"
    )
    for line in describe_wording(found["features"].get("variants", {}), found["features"].get("corrected", {})):
        click.echo(printable(line, 200))
    if window := found["context"].get("window"):
        click.echo(f"{printable(window['words'], 80)}: read as {found['read_as']}")
    for each in found["procedures"]:
        click.echo(f"shown first: {printable(each['text'], 400)} ({printable(each['reason'], 120)})")
    print_table(
        ("rank", "uid", "score", "outcome", "strongest signals", "text"),
        [
            (
                hit["rank"],
                hit["uid"],
                hit["score"],
                hit["left_out_reason"] or "shown",
                hit["strongest"],
                cell_text(hit["text"])[:50],
            )
            for hit in found["hits"][: max(15, found["shown_count"])]
        ],
    )
    click.echo("left out: " + (", ".join(f"{n:,} {reason}" for reason, n in found["left_out"].items()) or "none"))


def print_why_not(answer: dict[str, Any]) -> None:
    """Prints why something was not shown, and what its signals cost it."""
    for line in why_not.describe_why_not(answer):
        click.echo(printable(line, 400))
    if answer.get("differences"):
        last = answer["beside"]
        against = printable(last["uid"], 40) if last else "most"
        rows = [(d["signal"], d["weight"], d["value"], d["other_value"], d["cost"]) for d in answer["differences"]]
        print_table(("signal", "weight", "value", against, "cost it"), rows)
