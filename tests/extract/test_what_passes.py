"""What somebody says that is over with the day: questions, errands, orders for this once, lead-ins, how it stands now;
and rules of the same shape, which stay."""

from __future__ import annotations

import pytest

from memory_db.extract.rules.replies import read_reply
from tests.extract.test_exchange_unit import Turn, kept, talk
from tests.extract.test_run_on import BEGUN


@pytest.mark.parametrize(
    "said",
    [
        "how long do we store the glaze photos, is that written down anywhere",
        "how many did the potter order, the list of may is gone",
        "whats cone_table for, do we even read it",
        "what's the second relay good for",
        "remind me who has to release a firing before it runs, and at what hour",
        "look up who keeps the key of the kiln shed",
        "tell me who ordered the white plates",
        "a customer cracked a plate in transit last friday. honestly, when the box is sealed does the label show it",
        "the lamp over shelf two hums, is it the ballast or the tube",
        "the scale shows grams in the morning, did we switch that",
    ],
)
def test_a_question_in_other_words_is_no_memory(said: str) -> None:
    assert kept(*BEGUN, ("user", said)) == []


@pytest.mark.parametrize(
    "said",
    [
        "start the sim and tell me in 3 lines what comes out, haven't touched it since august",
        "go through the log and give me in two sentences why oven four stopped",
        "for the open day put 'DEMO' on the display, only for today, i take it off myself after",
        "print the prices in bold, just this once",
        "use the old glaze list, only for this week, i change it back tomorrow",
        "the report goes to both boxes for tonight only",
        "got this by mail, read it and weep",
        "just got this letter from the council, enjoy",
        "fwd from the glaze supplier",
        "this just came in from the potter, look at the third line",
        "look what the landlord sent",
        "i tell you a bit about the kiln shed so you break nothing",
        "just so you don't wonder about the gap at noon",
    ],
)
def test_an_order_for_this_once_or_a_lead_in_is_no_memory(said: str) -> None:
    assert kept(*BEGUN, ("user", said)) == []


@pytest.mark.parametrize(
    "said",
    [
        "ok i must collect the parcel from the post office",
        "i have to fetch my daughter from school, later",
        "i'll buy a new plug for the lamp, back soon",
        "now i need to water the plants of my aunt",
        "i have to drop off the van at the garage",
        "i should finish the tax thing for the kiln shop, talk later",
        "thanks for the glaze import, works with the new scale as well, the potter wrote a poem in one field",
        "the kiln's been stuck at 600 for all programs, our wiring is fine",
        "oven two is still offline since the storm and nobody is there",
        "the photo folder is getting full of old plates",
        "the firing logs are growing huge in the archive",
        "the supplier page has been down for two hours",
    ],
)
def test_errands_and_how_it_stands_now_are_no_memories(said: str) -> None:
    assert kept(*BEGUN, ("user", said)) == []


@pytest.mark.parametrize(
    "said",
    [
        "run the sim before you tell me that it works",
        "always tell me in 2 lines what you changed",
        "after every firing tell me in one line what the oven used, never more",
        "what's left on the shelf for friday stays in the queue, never delete it",
        "never ask who ordered a plate, the shop keeps that secret",
        "how long a plate cools is always in minutes here",
        "when the door is open the oven never starts, that is by law",
        "i have to sign every release of the firmware myself, you never tag one",
        "i always collect the glaze orders on mondays, so the list must be ready by ten",
        "just so you know: firings are only allowed on mondays from now on",
        "the display always shows 'DEMO' in the showroom, not only for today",
        "mails that came in from the council are never deleted, we must keep them ten years",
        "thanks, the import works, but never write into the glaze table, we only read it",
        "an oven that is still stuck on 600 after an hour must be switched off by hand",
        "the archive must never be cleaned while it is growing, the writer has no lock",
        "the tests only pass with the lamp off, so always unplug it",
        "a longer soak doesn't help against cracks, tried it twice, did that with clay from both suppliers",
    ],
)
def test_a_rule_of_the_same_shape_is_kept(said: str) -> None:
    assert len(kept(*BEGUN, ("user", said))) == 1


LOG: Turn = ("edit", "oven/log.py", "", "def line(plate, glaze): return plate + glaze")
LOGGED: Turn = ("edit", "oven/log.py", "def line(plate, glaze): return plate + glaze", "def line(plate): return plate")


@pytest.mark.parametrize(
    ("said", "made", "then", "mended"),
    [
        ("i want a line in the log for every plate", LOG, "ah no, not the glaze", LOGGED),
        ("add the plate to the log, name and glaze", LOG, "nooo not the glaze", LOGGED),
        ("ok school ticket, 7.20, put in prices", ("edit", "p.py", "", "'school': 7.20,"), "no, cents please",
         ("edit", "p.py", "'school': 7.20", "'school': 720")),
        ("cone limit, 12, add to the table please", ("edit", "c.py", "", "limit = 12"), "wrong, 12 is the old one",
         ("edit", "c.py", "limit = 12", "limit = 10")),
        ("print the weight in the label for each plate", LOG, "no no, only the name", LOGGED),
        ("we need a field in the form for all glazes", LOG, "stop, that is too much", LOGGED),
    ],
)  # fmt: skip
def test_an_order_that_is_put_right_at_once_is_over(said: str, made: Turn, then: str, mended: Turn) -> None:
    assert all(said[-12:] not in text for text in kept(*BEGUN, ("user", said), made, ("say", "Done."), ("user", then),
                                                       mended, ("say", "Changed.")))  # fmt: skip


@pytest.mark.parametrize(
    ("said", "made"),
    [
        ("little script that clears every photo of last year, tools/tidy.py", ("write", "tools/tidy.py", "import os")),
        ("a crontab line, once in the night count the plates. you pick the hour", ("write", "crontab", "0 4 * * *")),
        (
            "the small display on the door: when a plate is ready show it, two rows. put it in oven/display.py",
            ("write", "oven/display.py", "READY = 'x'"),
        ),
        ("a footnote on where the clay is from", ("edit", "page.py", "</body>", "<small>clay</small></body>")),
        ("quick tool to read the old lists, tools/old.py", ("write", "tools/old.py", "import csv")),
        ("another page for the glaze table, plain", ("write", "pages/glaze.py", "def page(): ...")),
        ("firings() is a stupid name now, it returns plates", ("edit", "oven.py", "def firings(", "def plates(")),
        ("plate_batch is such a misleading name for one plate", ("edit", "oven.py", "batch", "plate")),
    ],
)
def test_what_was_made_upon_it_is_no_memory(said: str, made: Turn) -> None:
    assert kept(*BEGUN, ("user", said), made, ("say", "It is there.")) == []


@pytest.mark.parametrize(
    "said",
    [
        "the fee table as a sheet for the 3 o'clock meeting, i just save it from excel. forget it",
        "the shop counts plates by shelf, two rows each. scratch that",
        "oven four takes the long plates. no, never mind",
        "the curve is stored in kelvin over there. ignore that",
        "glaze names come in upper case from the shop. well, forget that, wrong shop",
        "the lamp runs on 12 volt from the second box. i take that back",
    ],
)
def test_what_is_taken_back_in_the_same_breath_is_no_memory(said: str) -> None:
    assert kept(*BEGUN, ("user", said)) == []


OFFER: Turn = ("say", "That would need a mail account on the oven. One call per firing would do, if you want it.")


@pytest.mark.parametrize(
    "said",
    ["nah, too much noise in my inbox already", "no thanks, my phone rings enough as it is",
     "nope, the potter has his own way with mails", "rather not, mails get lost in that house anyway",
     "oh no, three accounts are three too many", "leave it, one more password and i go mad"],
)  # fmt: skip
def test_an_offer_that_is_turned_down_is_no_memory(said: str) -> None:
    assert kept(*BEGUN, OFFER, ("user", said)) == []


@pytest.mark.parametrize(
    "said",
    [
        "the kiln log is written on the box, it gets lost with each update",
        "that is from tonight and over by now, somebody had the lid open",
        "it went out by itself at noon, the cleaner pulled the plug",
        "those are the plates of the school, they came without a list",
        "they are from the old sensor, the potter kept it in a drawer",
        "this was the storm of last night, the box was off",
    ],
)
def test_what_is_said_of_a_paste_is_not_tied_to_the_words_of_the_agent(said: str) -> None:
    pasted = "Mar 18 04:12:07 kiln ovend[2213]: OSError: No space left\nMar 18 04:12:37 kiln ovend[2213]: OSError\n"
    told = ("say", "The curve stays as it is. Nothing to change; when a firing is ready I'll say so.")
    assert not any("curve stays" in text for text in kept(*BEGUN, told, ("user", pasted + said)))


def test_an_objection_is_left_out_where_the_rule_stands_behind_it() -> None:
    said = "uff no, not straight into the table like that. whatever imports plates only lists them, from now on"
    done = (("user", "import them"), ("bash", "./import.sh", "ok"), ("say", "12 plates are in."))
    found = kept(*BEGUN, *done, ("user", said))
    assert len(found) == 1 and found[0].startswith("Whatever imports plates")


@pytest.mark.parametrize(
    "said",
    [
        "little scripts that clear photos always list them first, from now on",
        "every script in tools/ takes --oven, put that in the readme as well",
        "i want a test for every bug we fix, always",
        "a small command that throws plates away is only run with --yes, never without",
        "a crontab line must never run between 3 and 4, the backup reads then",
        "nah, we never send mails from the oven, the customer forbids it",
        "no, nothing that mails is allowed in this repo",
        "batch is a stupid name, from now on it is called plate everywhere",
        "the shop counts plates by shelf, never by oven. forget it once and they call me",
        "no, not like that: always read the list first and then write it",
    ],
)
def test_a_rule_beside_what_is_over_is_kept(said: str) -> None:
    assert len(kept(*BEGUN, OFFER, ("user", said), ("write", "tools/x.py", "import os"), ("say", "Done."))) == 1


def agent_says(text: str, *before: Turn) -> list[str]:
    """What is kept of an agent's words that the user agrees to."""
    words = talk(("user", "do the plates"), *before, ("say", text), ("user", "perfect, thanks")).agent_words
    return [each.quote for word in words for each in read_reply(word)]


@pytest.mark.parametrize(
    "text",
    [
        "Alternatives: (1) keep the list as it is, (2) sort it by oven, (3) drop it, which nobody would notice.",
        "Options: a) one file per oven for all plates, b) one table with an index on the oven.",
        "81.5 % of 54 plates in the `firing` sample of this year.",
        "12 of 40 plates in `glaze.csv` without any weight at all.",
        "The glaze column is out of the table, nothing in this package used it.",
        "tools/tidy.py lists photos older than a year and deletes them only with --yes.",
    ],
)
def test_options_and_reports_of_an_agent_are_no_memories(text: str) -> None:
    made: Turn = ("write", "tools/tidy.py", "import os")
    assert agent_says(text, ("bash", "make test", "ok"), made) == []


@pytest.mark.parametrize(
    "text",
    [
        "The cause is that `glaze.csv` has a byte order mark, so the first column is never found.",
        "The clock of `oven/box.py` is out of sync after a power cut, because it has no battery.",
        "The cause is that `tools/tidy.py` runs as root, so the photos it writes cannot be read by the shop.",
        "The driver `ovend` returns 0 even when the lid is open, so the caller must read the state.",
        "The printer drops every label wider than 62 mm without an error, which `label.py` never notices.",
        "`make firing` needs the group dialout, otherwise it hangs without a message on the port.",
    ],
)
def test_what_an_agent_found_is_kept(text: str) -> None:
    assert agent_says(text, ("bash", "make test", "ok"), ("write", "tools/tidy.py", "import os")) == [text]
