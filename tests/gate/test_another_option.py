"""What was chosen of several options is over once the user drops it and takes another one."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from typing import Any

import pytest

OFFER = (
    "Options: a) Gearman with Valkey, retries built in; b) a queue table that is polled each second, no new service "
    "needed; c) send it in the request, lost on a restart."
)
BAN = "sanne says no valkey on those machines, full stop, she runs them."
FIRST = [
    {"user": "the letters go out twice when the printer hangs. for the sending, what do you suggest"},
    {"say": OFFER},
    {"user": "a, i know gearman"},
    {"say": "Gearman it is."},
]


@pytest.mark.parametrize(
    "said",
    [
        "sanne says no valkey on those machines, full stop, she runs them. so drop gearman, do your option b, the "
        "queue table",
        "forget gearman, take option b, the queue table",
        "ok ditch gearman and go with option b, the table we poll",
    ],
)
def test_the_choice_is_closed_and_the_other_one_kept(lived: Callable[..., Any], said: str) -> None:
    later = [{"bash": "docket ship", "fails": "connection refused"}, {"user": said}, {"say": "Done."}]
    with closing(lived(FIRST, later)) as db:
        rows = {row["text"]: row["status"] for row in db.execute("select text, status from memories")}
    chosen = next(text for text in rows if "the user chose Gearman" in text)
    assert rows[chosen] == "superseded"
    assert [text for text, status in rows.items() if "option b" in text.lower() and status == "active"]


def test_who_rules_it_out_is_told_with_what_they_rule_out(lived: Callable[..., Any]) -> None:
    said = "sanne says no valkey on those machines, full stop, she runs them. so drop gearman, do your option b"
    with closing(lived(FIRST, [{"user": said}, {"say": "Done."}])) as db:
        texts = [row["text"] for row in db.execute("select text from memories where status = 'active'")]
    assert any("Sanne says no valkey" in text for text in texts)


@pytest.mark.parametrize(
    "said", ["sanne says no problem on those machines", "the log says no route on eth0, no idea", "sanne says no need"]
)
def test_no_other_no_is_a_rule(lived: Callable[..., Any], said: str) -> None:
    with closing(lived(FIRST, [{"user": said}, {"say": "Done."}])) as db:
        assert db.execute("select 1 from memories where text like '% says no %'").fetchone() is None


def test_the_command_that_took_it_out_does_not_stand_against_that(lived: Callable[..., Any]) -> None:
    later = [
        {"bash": "docket ship", "fails": "letterd.errors.BrokerError: connection refused by 127.0.0.1:6380"},
        {"user": f"{BAN} so drop gearman, do your option b, the queue table"},
        {"bash": "uv remove gearman valkey && docket new 'queue table'", "out": "- gearman==2.0.2"},
        {"bash": "docket ship", "out": "shipped"},
        {"say": "Done."},
    ]
    with closing(lived(FIRST, later)) as db:
        found = [tuple(row) for row in db.execute("select found_by, reason from contradictions")]
        texts = [row["text"] for row in db.execute("select text from memories where status = 'active'")]
    assert any("uv remove gearman" in text for text in texts)
    assert not found
