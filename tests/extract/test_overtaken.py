"""What an agent told of its work and what was changed again in the session is over, and not kept."""

from __future__ import annotations

import pytest

from memory_db.extract.rules.backing import is_rejected, what_mended
from memory_db.extract.rules.overtaken import is_overtaken
from tests.extract.test_exchange_unit import Turn, rows, talk

WROTE: Turn = ("edit", "release.sh", "ls", "ls | head -n -5")
SAID = "After a release, `release.sh` removes all but the newest 5."


@pytest.mark.parametrize(
    ("said", "later", "is_over"),
    [
        (SAID, ("edit", "release.sh", "ls | head -n -5", "ls | head -n -3"), True),
        (SAID, ("edit", "release.sh", "head -n -5", "head -n -3"), True),
        (SAID, ("edit", "release.sh", "ls | head -n -5", "ls | sort | head -n -5"), False),
        (SAID, ("edit", "release.sh", "retries = 5", "retries = 3"), False),  # another 5
        ("The names are sorted as numbers.", ("edit", "release.sh", "ls | head -n -5", "ls | head -n -3"), False),
        ("Two machines at 5 make 10.", ("edit", "release.sh", "ls | head -n -5", "ls | head -n -3"), False),
        (SAID, ("bash", "sed -i s/5/3/ other.sh", "ok"), False),
    ],
)
def test_a_value_that_was_told_and_taken_out_again_is_over(said: str, later: Turn, is_over: bool) -> None:
    entries, actions = rows([("user", "keep five"), WROTE, ("say", said), ("user", "hm, three"), later])
    reply = next(entry for entry in entries if entry["kind"] == "reply")
    assert is_overtaken(said, reply["id"], actions) is is_over


@pytest.mark.parametrize("said", ["nooo not in 001, that one ran ages ago", "no, not there"])
def test_a_long_no_is_a_no(said: str) -> None:
    word = talk(("user", "add a column"), WROTE, ("say", "`phone` is in 001_init.sql."), ("user", said)).agent_words[0]
    assert is_rejected(word)


CAUSE = "After `remove()` a new connection sees 2 rows: the delete is rolled back on close, as nothing commits it."
MEND: Turn = ("edit", "store.py", "db.execute(1)", "db.execute(1)\ndb.commit()")


@pytest.mark.parametrize(
    ("agreed", "is_told"),
    [
        ("yes thats it!! fits with what they say, gone on the page and back after a reload", True),
        ("Of course, that makes sense. Please correct it and add a test.", True),
        ("makes sense. now write the readme", False),
        ("hm, show me the log", False),
    ],
)
def test_what_was_explained_is_told_with_the_edit_that_the_user_agreed_to(agreed: str, is_told: bool) -> None:
    test: Turn = ("edit", "tests/test_store.py", "1", "2")
    word = talk(("user", "prove it"), ("bash", "python3 try.py", "1 2"), ("say", CAUSE), ("user", agreed), test, MEND,
                ("say", "Done.")).agent_words[0]  # fmt: skip
    assert what_mended(word, CAUSE) == ("in `store.py` added `db.commit()`" if is_told else "")


@pytest.mark.parametrize(
    ("said", "later", "is_over"),
    [
        ("The report waits for wait_days, at present 4.", ("edit", "c.json", '"wait_days": 4', '"wait_days": 9'), True),
        ("It keeps log_hours of logs, currently 12.", ("edit", "c.json", '"log_hours": 12', '"log_hours": 48'), True),
        ("The pool is 20 wide right now.", ("edit", "c.json", "pool = 20", "pool = 50"), True),
        ("At the moment 3 retries are made.", ("edit", "c.json", "retries = 3", "retries = 5"), True),
        ("So far the export runs at 6.", ("edit", "crontab", "0 6 * * * export", "0 4 * * * export"), True),
        ("For now the port is 8100.", ("edit", "c.json", '"port": 8100', '"port": 8200'), True),
        ("The report waits for wait_days, at present 4.", ("edit", "c.json", '"pool": 4', '"pool": 9'), False),
        ("The report waits for wait_days, at present 4.", ("bash", "cat c.json", "ok"), False),
        ("The pool is 20 wide since the driver hangs beyond.", ("edit", "c.json", "pool = 20", "pool = 50"), False),
        ("At the moment 3 retries are made.", ("edit", "c.json", "retries = 3", "retries = 3  # per call"), False),
        ("The port is 8100, as the firewall knows it.", ("edit", "c.json", '"port": 8100', '"port": 8200'), False),
        ("So far nothing reads the export.", ("edit", "crontab", "0 6 * * * export", "0 4 * * * export"), False),
    ],
)
def test_how_things_stand_at_present_is_over_when_the_session_changes_it(said: str, later: Turn, is_over: bool) -> None:
    entries, actions = rows([("user", "how is it set"), ("say", said), ("user", "change that"), later])
    reply = next(entry for entry in entries if entry["kind"] == "reply")
    assert is_overtaken(said, reply["id"], actions) is is_over
