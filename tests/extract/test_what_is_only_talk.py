"""What a working day is full of and nobody wants back: questions without a mark, reports of trouble, talk; and rules
that stand between them."""

from __future__ import annotations

import sqlite3

import pytest

from memory_db.extract.rules.addressed import addressed_to
from memory_db.extract.rules.messages import read_message
from memory_db.extract.rules.prose import read_prose
from memory_db.extract.rules.where import goes_on_everywhere, scope_of
from memory_db.transcripts.projects import resolve_project
from tests.extract.test_exchange_unit import kept, talk
from tests.extract.test_run_on import BEGUN


@pytest.mark.parametrize(
    "said",
    [
        "why is the kiln log in your list of files, that one is huge",
        "so is everybody on the new glaze list",
        "the firing curve is hard coded, isn't it",
        "what happens when the mains fails in the middle of a firing",
        "the test plate is still in oven three, or did we take that out",
        "what does cone 6 mean, saw that in some manual",
        "how do i run the report for one oven again, the one before the audit",
        "whens the next firing, the boss wants to know",
        "quick one, was the sensor a type K or a type S",
        "ada asks why the curve has a step at 600",
        "why cone 6 in the oxide glazes, in plain words, no chemistry",
        "how does git find one file's log, i can never remember. asking because of ovens.py",
        "only look, no mending yet.",
        "ok commit the ovens and the plates, one each, then i'm out, the buns don't buy themselves",
        "off to glazes and invoices now, and i take back half of what i said about your headings",
    ],
)
def test_a_question_without_its_mark_is_no_memory(said: str) -> None:
    assert kept(*BEGUN, ("user", said)) == []


@pytest.mark.parametrize(
    "said",
    [
        "customers get the pickup mail twice sometimes",
        "the radio of oven two goes deaf after lunch",
        "labels get lost when the printer is off",
        "no readings from oven four since tuesday, look please",
        "the night job fell over again at 2:15",
        "the coffee machine on our floor is dead again, third time this month",
        "supplier sent this, i only need the drying time from it, the rest is advertising",
        "the shop wants a second list, with all plates that are older than a year",
        "i want to see just one oven, like --oven 3",
        "just thinking aloud, we could store the curve as integers everywhere",
        "and whats the call for the report, i keep forgetting",
        "nice :) now thinking aloud.. we could give every oven its own glaze",
        "wait before you run it",
        "my son has had a fever of 39 since monday, so i may be slow with the 40 plates today",
        "my eldest daughter just called, the oven at home smokes",
        "quick git thing, nothing to do with this: whats the difference between a tag and each branch of 40 commits",
        "write me 3 lines for the customers, until when they can fetch a plate of 40 cm",
        "you are right, i had only fired oven 12",
        "true, i didn't think of that..",
        "glazes: whoever invented them owes me a decade",
        "going for lunch, my cholesterol report for 2025 is due, so don't tell anyone",
        "see, today is friday and ada wants plate 40",
        "that cone 6 curve we put in `curves.csv`.. will it reach oven 12 by itself?",
        "error[E0502]: cannot borrow `ring`\n   |\n21 |  ring.pop();\n   |  ^^^^ mutable borrow occurs here, always",
        "ok, rules, since we apparently need some",
        "a neighbour has brought us two boxes of 40 apples and i am to peel them tonight",
        "how many plates of 40 cm in hall 2 all told, for a slide. once",
        "whats git stash vs git stash --keep-index again, always mix them up",
        "support is nagging that plates vanish after 40 minutes, can we go back to 60 or is there a reason we dont",
        "the potters lost in OT again, dont even ask",
        "ok so sum up what we changed for hall 2, max three bullets, no emojis",
        "thanks. hm, and for the tide warnings, would a package like timex make it nicer or do we not need it",
        "now the real problem - the list of oven 12 always shows up on the wrong day",
        "[error] Failed to start Listener in :ranch_tcp:listen([port: 4000]) for reason :eaddrinuse (must be free)",
        "two objections, and both are for all my projects",
        "oh, i had forgotten the 3 plates in `ovens.csv`",
        "Two updates to the firing policy we settled a while back.",
        "Three changes to the rules that we agreed on for glazes.",
        "ok, one more decision on the convention for oven two, please.",
        "tests for both ovens and commit",
        "no harm done, i am off to the kiln now",
        "i only want to see the curve, it does not have to fire",
        "i would like to store a phone number for each potter",
        "the last plate of a firing never shows up",
        "the glaze list sorts 1.10 before 1.2, looks silly",
        "now a flag --cone NUMBER which picks the cone of every oven",
        "the glaze list is in another order every time, the diff is useless",
        "instead please write me a little tools/cones.py which tells, for one oven, what may be fired next",
        "2014.3.1, get rid of it in my copy of the data",
        "ada also wants a button to switch one oven off, she has two that leak",
        "the import should warn when it's longer",
        "the coffee machine on our floor is dead",
        "levels of oven two are one degree wrong since march",
    ],
)
def test_trouble_wishes_and_talk_are_no_memories(said: str) -> None:
    assert kept(*BEGUN, ("user", said)) == []


@pytest.mark.parametrize(
    "said",
    [
        "Two notes on every invoice, the glaze and the oven.",
        "One update a week to the price list, always on Mondays, never more.",
        "Two changes to the glaze list: cone 6 is fired at 1222 from now on, and the oxide glazes are gone.",
    ],
)
def test_a_rule_that_begins_like_an_announcement_is_kept(said: str) -> None:
    assert kept(*BEGUN, ("user", said))


@pytest.mark.parametrize(
    "said",
    [
        "never let the vending machine give change before the coin is checked",
        "the coffee machine always gets its own id, we never share one",
        "never show more than 40 degrees in here, the sensor lies above that",
        "staging is down again, never deploy on a friday afternoon",
        "always run the linter before you push and commit",
        "now the kiln report goes out on mondays, always before ten",
        "instead of a csv we always hand out tab separated files here",
        "yes exactly, always with --cold, nobody may open a hot oven",
        "before i forget it: the kiln report goes out on wednesdays from this week on, no longer on thursdays",
        "the list must be in the same order every time, the auditors compare it",
    ],
)
def test_what_small_talk_is_about_may_be_what_a_project_is_about(said: str) -> None:
    assert kept(*BEGUN, ("user", said)) != []


@pytest.mark.parametrize(
    ("said", "text"),
    [
        ("and wheres the log? we always write the firing log before the report here, otherwise you never know if it "
         "is complete",
         "We always write the firing log before the report here, otherwise you never know if it is complete."),
        ("lol mail from the council, firings are only allowed on mondays from now on",
         "Mail from the council, firings are only allowed on mondays from now on."),
        ("glaze day is friday from this week on, still before ten", "Glaze day is friday from this week on, still "
         "before ten."),
        ("label messages are plain, lower case, no dot at the end. amend it",
         "Label messages are plain, lower case, no dot at the end."),
        ("Every script in the kiln folder starts with `set -e`, can you bring it in line", "Every script in the kiln "
         "folder starts with `set -e`."),
        ("The clay table belongs to the shop; we read it and nothing more. Then carry on.",
         "The clay table belongs to the shop; we read it and nothing more."),
        ("a long log, thanks. max two lines for me, no matter which project",
         "Max two lines for me, no matter which project."),
    ],
)  # fmt: skip
def test_a_rule_between_them_is_kept(said: str, text: str) -> None:
    assert kept(*BEGUN, ("user", said)) == [text]


def test_what_the_agent_did_and_must_not_do_stand_together() -> None:
    found = kept(("user", "make room please"), ("bash", "rm -f archive.db", "ok"), ("say", "The archive is removed."),
                 ("user", "you just deleted the archive??? dont ever do that"))  # fmt: skip
    assert len(found) == 1 and found[0].endswith("You just deleted the archive??? dont ever do that.")


def test_a_complaint_is_left_out_where_the_rule_stands_beside_it() -> None:
    found = kept(("user", "fix the label"), ("bash", "git commit -m label", "ok"), ("say", "Fixed and committed."),
                 ("user", "hey, i didnt ask for a commit. i do the commits myself, in all my repos"))  # fmt: skip
    assert found == ["I do the commits myself, in all my repos."]


def test_a_question_that_the_agent_answers_itself_asks_nothing() -> None:
    asked = "It keeps a second file. Should you care? You have one writer. Nothing is locked for long."
    assert kept(("user", "what is a journal"), ("say", asked), ("user", "uff, thats a wall of text")) == []


def test_general_knowledge_is_no_finding_of_the_project() -> None:
    told = "Both `git restore kiln.csv` and `git checkout -- kiln.csv` bring the file back from the index."
    conversation = talk(("user", "whats the difference between git restore and checkout?"), ("say", told),
                        ("user", "ah ok. next thing, the labels"))  # fmt: skip
    from_agent = [word for word in conversation.agent_words if word.entry["text"] == told]
    assert len(from_agent) == 1 and not from_agent[0].has_acted
    assert kept(("user", "whats the difference between git restore and checkout?"), ("say", told)) == []


@pytest.mark.parametrize(
    ("said", "scope"),
    [
        ("I always want a dry run first, before anything is deleted.", "user"),
        ("Never push for me, I push myself.", "user"),
        ("Max two lines for me, no matter which project, I read a lot.", "user"),
        ("Temperatures are integers everywhere, never floats, not even in a test.", "project"),
        ("I don't want a dependency for that.", "project"),
        ("In none of my repositories should you use git add with a dot.", "user"),
        ("No comments that only repeat the line, here or in any other code you write for me.", "user"),
        ("This got longer than I like, 500 lines.", "project"),
        ("The kiln controller needs up to 25 s for a long curve, it writes the plan before it answers.", "project"),
    ],
)
def test_only_what_is_said_of_the_user_holds_everywhere(said: str, scope: str) -> None:
    assert {scope_of(each, has_project=True) for each in read_prose(said, role="user", after_action=True)} == {scope}


def test_what_is_said_for_another_project_is_of_that_project(db: sqlite3.Connection, now: object) -> None:
    home, kilns, other = (resolve_project(db, f"/home/ada/{name}", now=now) for name in ("shop", "kilnlog", "labels"))
    assert addressed_to(db, "for kilnlog: the export moved to 14:00", home) == kilns
    assert addressed_to(db, "mail from the council, kilnlog only runs on mondays from now on", home) == kilns
    assert addressed_to(db, "for kilnlog: the export moved to 14:00", kilns) is None
    assert addressed_to(db, "do it like kilnlog does, with one table", home) is None
    assert addressed_to(db, "the export moved to 14:00", home) is None
    assert other not in (home, kilns)


@pytest.mark.parametrize(
    "said",
    [
        "ha, the glaze bit is good",
        "I told her that the kiln is not for sale.",
        "I have just asked Ada.",
        "Ada on the phone.",
        "argh, the phone again",
        "the postman is at the door",
        "Two things about the list.",
        "One more thing about the plates.",
        "A number of things have changed.",
        "I call frau odenthal.",
        "the value in the config, put the one in that we agreed on",
        "Only the field for now, the rest comes another day.",
        "commit the seal thing and i'm off, if anybody asks i am at the dentist",
        "guess who found out with the customer standing next to him",
        "I only wanted to print it and go home early",
        "is a type K the green or the white one, i never remember",
        "nothing changed here as far as i know except that the plug is new",
        "the ovens refuse every plate since last thursday and the kiln is fine",
        "The boss asks for something: behind each plate it should say how heavy it is.",
        "Ada from the shop wants to visit us. which oven was the new one",
        "The new plates are made of white clay. Are they heavier?",
        "and the importer dies on this:\n\n```\nTraceback (most recent call last):\n  oven.py, line 3\n```",
    ],
)
def test_what_leads_to_a_request_or_happens_beside_the_work_is_no_memory(said: str) -> None:
    assert kept(*BEGUN, ("user", said)) == []


@pytest.mark.parametrize(
    "said",
    [
        "We test the alarm on the phone",
        "I call the second shelf of an oven K2",
        "Orders come in on the phone, so an empty name is valid",
        "Shelf two is for test plates from now on. Which one is free?",
        "its kiln not oven, the printer only knows kiln. and where is the test",
        "I told you that plates are counted from one",
    ],
)
def test_a_rule_beside_such_talk_is_kept(said: str) -> None:
    assert len(kept(*BEGUN, ("user", said))) == 1


def test_an_answer_that_says_nothing_leaves_the_word_to_what_follows() -> None:
    asked = (("user", "three plates are missing"), ("say", "They have no weight. Is an empty weight a valid one?"))
    said = "You are right, I have just asked Ada. Raw plates are never weighed, so an empty weight is fine."
    assert kept(*asked, ("user", said)) == ["Raw plates are never weighed, so an empty weight is fine."]
    assert kept(*asked, ("user", "That explains everything, including the gaps.")) == []


@pytest.mark.parametrize(
    "said",
    [
        "my brother runs the ovens of hall 12, ask him before you change a curve",
        "what we store as `curve` must remain byte for byte what the oven sent, the auditor compares it",
        "write me a note before you delete any plate",
        "never fire what is cracked again in oven 12, ada throws it out",
        "two rules are for all my projects: tabs, and never a print",
        "a glaze has nothing to do with the oven, so never put one in `ovens.csv`",
    ],
)
def test_a_rule_that_looks_like_talk_is_kept(said: str) -> None:
    assert [text.rstrip(".").lower() for text in kept(*BEGUN, ("user", said))] == [said]


def test_who_a_text_is_for_is_told_with_the_rule_before_it() -> None:
    rule = "a plate that's fired is never fired again, we make a new one."
    (text,) = kept(*BEGUN, ("user", f"{rule} now write me a list for oskar, short, in dutch, he reads no english"))
    assert text.endswith("he reads no english.")
    (text,) = kept(*BEGUN, ("user", f"{rule} now write me a list of the glazes for oskar, short"))
    assert "oskar" not in text


@pytest.mark.parametrize(
    "said",
    [
        "not like that. ticket first, one line, no feat: and no co-author stuff, the bot reads the first word",
        "forget what i said about fire:cold, ada finished the second hall, so every plate is fine for you",
        "i think i know why, the simulator sits on 4000 and it can't be moved, so let's give our server 4017",
    ],
)
def test_a_colon_within_a_name_or_behind_a_prefix_announces_nothing(said: str) -> None:
    assert [text.rstrip(".").lower() for text in kept(*BEGUN, ("user", said))] == [said]


def test_a_count_of_what_follows_is_no_value() -> None:
    said = "no no, two things. pnpm only in this repo, npm breaks the lock file. and never fire oven 12 on a friday"
    texts = kept(("user", "move it"), ("say", "The list listens on 4315 now, the mock keeps 4310."), ("user", said))
    assert texts and not any("keeps 2" in text for text in texts)


def test_a_list_holds_where_the_line_above_it_says() -> None:
    said = (
        "make me a draft for hall 2 - and this holds everywhere, here and in ovens and whatever comes -\n"
        "- anything a potter reads is in English first, never in code\n- dates like 2025-11-03, never 03/11"
    )
    found = [one for exchange in talk(*BEGUN, ("user", said)).exchanges for one in read_message(exchange)]
    assert [one.text for one in found] == [
        "Anything a potter reads is in English first, never in code.", "Dates like 2025-11-03, never 03/11."
    ]  # fmt: skip
    assert all(goes_on_everywhere(said[: one.finding.start], one.finding.quote) for one in found)
