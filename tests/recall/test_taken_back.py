"""A prompt that takes back what a memory says is not told it; one that only goes against it is."""

from __future__ import annotations

import sqlite3
from datetime import datetime

import pytest

from memory_db.knowledge.effects import change
from memory_db.knowledge.memories import add_memory
from memory_db.recall.brief.allowed import TAKEN_BACK
from memory_db.recall.brief.select import ask
from memory_db.recall.brief.taken_back import is_taken_back
from memory_db.recall.search import Question

TAKES_BACK = (
    ("Leave the tagging to me, tags are signed on my laptop.", "You may tag now, the server signs."),
    ("No retries on the uploader, because the vendor counts each call.",
     "I changed my mind about the retries: three of them, the vendor has lifted the cap."),
    ("Labels are printed on the Zebra in the hall.", "From now on the labels go to the Brother in the office."),
    ("The nightly dump is taken at 2:30.", "Forget about the nightly dump, the provider takes snapshots."),
    ("Never write to the archive share.", "It may write to the archive share, Ines has given us a quota."),
    ("Every pull request needs two reviewers.",
     "Drop the two reviewers rule, we are three people. And look why the build is red."),
    ("Names of guests stay off the board, they did not want to be read.",
     "I have to take something back. The guests asked for it themselves. Their names go onto the board after all."),
    ("Please keep the summary out of the mail.", "We have had enough of the mails without a summary. Put it in."),
    ("We ship the maps as PNG.", "We don't ship the maps as PNG any more, SVG is it. Change the export."),
    ("Deploys run on Thursdays, Mirek is at the desk then.",
     "Mirek has changed shifts. From next week on it's Tuesdays for deploys."),
    ("Alte Bestellungen bleiben im Export.", "Ab sofort bleiben alte Bestellungen draußen, der Export war zu groß."),
)  # fmt: skip

TOLD_ANEW = (
    ("No match/case, the box at staging.tern.example has python 3.9, it would fall over there.",
     "nice, but: ada put 3.11 on the staging box over lunch, so match is legal again. leave it though"),
    ("The pair check flags a sample above 15 percent.", "Inga just wrote, QA wants the pair check at 12 percent now."),
    ("Deploys to the office box run on Thursdays.", "btw Mirek moved the deploys of the office box to Tuesdays"),
    ("The page listens on port 8080.", "facilities took 8080, the page runs on 8127 by now"),
    ("The nas fetches the backup folder at 4:10.", "the nas fetches the backup folder at 2:30 these days"),
)  # fmt: skip

STATES_NOTHING_ANEW = (
    ("Postgres for tern listens on port 5433, not on 5432.", "connect it to postgres on port 5432 for tern"),
    ("The staging box has python 3.9.", "put a 3.11 image next to it, not on the staging box"),
    ("The staging box has python 3.9.", "please set the staging box to 3.11"),
    ("The staging box has python 3.9.", "did ada put 3.11 on the staging box?"),
    ("The staging box has python 3.9.", "ada moved the staging box to the cellar"),
    ("The pair check flags a sample above 15 percent.", "12 percent of the wells failed, ada moved them"),
    ("The limit for a label is 28 characters.", "ilse moved to another desk, 3.11 is her room"),
    ("The nas fetches the backup folder at 4:10.", "it's 3:40 and the nas fetches the backup folder at 4:10"),
    ("Doors are patched on mondays only.", "she asks when the patch comes in, today is wednesday, give me a line"),
    ("The van leaves on fridays.", "tomorrow's tuesday, so when does the van come"),
)

GOES_AGAINST = (
    ("Never push to main.", "push it to main"),
    ("Never drop the staging database without a dump.", "drop the staging database and import it again"),
    ("No floats for money.", "store the price as a float, it's quicker"),
    ("Never commit on main.", "go back to main and commit the rest"),
    ("The tests need PORT=8081.", "the tests no longer pass, it says the port is taken"),
    ("Commit messages are lower case, one line, no prefix.", "i changed my mind on the colour: blue. then commit"),
    (
        "Files in sql/ that were shipped are never changed.",
        "The column is missing in sql/003. Change the file, please.",
    ),
    ("Don't forget the changelog when you commit.", "don't forget the changelog please"),
    ("The exporter is written in plain sh.", "Should we write the exporter in Go from now on?"),
    ("Pushes to main need a tag first.", "You may push to main now, all is reviewed."),
    ("The login page times out after 30 seconds.", "I can't log in any more, the page just times out"),
    ("Distances are whole metres.", "Show the distance behind each stop."),
)

SESSION = "5c1f9d5e-1111-4222-8333-944455556666"


@pytest.mark.parametrize(("memory", "prompt"), TAKES_BACK)
def test_what_is_taken_back_is_known(memory: str, prompt: str) -> None:
    assert is_taken_back(prompt, memory)


@pytest.mark.parametrize(("memory", "prompt"), TOLD_ANEW)
def test_what_is_told_with_another_value_is_not_told_back(memory: str, prompt: str) -> None:
    assert is_taken_back(prompt, memory)


@pytest.mark.parametrize(("memory", "prompt"), STATES_NOTHING_ANEW)
def test_who_asks_for_another_value_or_only_asks_states_none(memory: str, prompt: str) -> None:
    assert not is_taken_back(prompt, memory)


@pytest.mark.parametrize(("memory", "prompt"), GOES_AGAINST)
def test_who_only_asks_takes_nothing_back(memory: str, prompt: str) -> None:
    assert not is_taken_back(prompt, memory)


def test_the_prompt_that_takes_a_rule_back_is_not_told_it(db: sqlite3.Connection, now: datetime) -> None:
    given = {"kind": "correction", "scope": "user", "now": now}
    rule = add_memory(db, text="No tally of the berths on the harbour board, nobody reads it.", **given)  # type: ignore[arg-type]

    def left_out(prompt: str) -> str | None:
        question = Question(prompt, profile="hook", least_evidence=0.2, least_for_rules=0.2, is_unasked=True)
        hits = ask(db, question, surface="hook", now=now, log=False).hits
        return next(hit.left_out_reason for hit in hits if hit.uid == rule)

    assert left_out("Add a tally of the berths to the harbour board") is None
    assert left_out("I take that back: the tally of the berths goes onto the harbour board") == TAKEN_BACK
    change(db, rule, {"lock_level": "user"}, "locked", "user", now)
    assert left_out("I take that back: the tally of the berths goes onto the harbour board") is None
