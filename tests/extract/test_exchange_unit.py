"""Exchanges: what a message answers, what followed it, where its words come from, what backs the word of an agent."""

from __future__ import annotations

import json
import sqlite3

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_db.extract.rules.backing import ACCEPTED, BUILT_ON, RERUN, backing_of, is_rejected
from memory_db.extract.rules.error_fixes import ActionRow
from memory_db.extract.rules.exchanges import Conversation, conversation
from memory_db.extract.rules.frames import found_alone
from memory_db.extract.rules.messages import read_message
from memory_db.extract.rules.phrasing import tidied
from memory_db.extract.rules.questions import chosen
from memory_db.extract.rules.replies import read_reply
from memory_db.extract.rules.titles import titled
from memory_db.extract.rules.unfit import unfit
from memory_db.text.provenance import DENIAL, PASTED, TYPED, only, spans_of, typed_and_pasted

REFUSAL = f"The user doesn't want to proceed with this tool use. To tell you how to proceed, {DENIAL}"

MADE = sqlite3.connect(":memory:")
"""Makes rows of entries; closed by nobody, for it holds no file."""
MADE.row_factory = sqlite3.Row

Turn = tuple[str, ...]
"""("user", text), ("say", text), ("bash", command, result or "fails"), ("edit", path, old, new), ("write", path, text),
("denied", remark)."""


def rows(turns: list[Turn]) -> tuple[list[sqlite3.Row], list[ActionRow]]:
    """Entries and actions as the rules read them."""
    entries: list[sqlite3.Row] = []
    actions: list[ActionRow] = []

    def add(role: str, kind: str, text: str) -> int:
        number = len(entries) + 1
        sql = "select ? as id, 'e' || ? as uid, ? as role, ? as kind, ? as text, 0 as is_sidechain, 1 as project_id"
        entries.append(MADE.execute(sql, [number, number, role, kind, text]).fetchone())
        return number

    for sort, *said in turns:
        if sort == "user":
            add("user", "prompt", said[0])
        elif sort == "say":
            add("assistant", "reply", said[0])
        else:
            refused = said[-1] if len(said) == (3 if sort == "bash" else 4) and said[-1].startswith(REFUSAL) else ""
            call = add("assistant", "tool_call", said[0])
            result = refused or (said[1] if sort == "bash" else "done")
            given = json.dumps({"old_string": said[1], "new_string": said[2]}) if sort == "edit" else "{}"
            given = json.dumps({"content": said[1]}) if sort == "write" else given
            tool = {"edit": "Edit", "write": "Write"}.get(sort, "Bash")
            answer = add("tool", "tool_result", result)
            is_error = result.startswith(("fails", REFUSAL))
            actions.append(ActionRow(call, answer, tool, said[0], given, is_error, result))
    return entries, actions


def talk(*turns: Turn) -> Conversation:
    entries, actions = rows(list(turns))
    return conversation(entries, actions, {})


def kept(*turns: Turn) -> list[str]:
    """The texts of what the user's messages say."""
    return [found.text for exchange in talk(*turns).exchanges for found in read_message(exchange)]


SAID = st.sampled_from(
    ["no, use uv", "yes, off", "why?", "set it to 20", "> quoted", "```\ncode\n```", "ok", "we use tabs here"]
)
TURN = st.one_of(
    st.tuples(st.just("user"), SAID),
    st.tuples(st.just("say"), st.sampled_from(["Should I leave it on or off?", "Done.", "The cause is a race."])),
    st.tuples(
        st.just("bash"), st.sampled_from(["make test", "ls"]), st.sampled_from(["ok", "fails", REFUSAL + "not here"])
    ),
)


@given(st.lists(TURN, max_size=12))
def test_each_message_and_each_reply_stands_in_one_exchange(turns: list[Turn]) -> None:
    entries, actions = rows(turns)
    found = conversation(entries, actions, {})
    messages = [
        entry["id"] for entry in entries
        if entry["kind"] == "prompt" or (entry["kind"] == "tool_result" and DENIAL in entry["text"])
    ]  # fmt: skip
    assert [exchange.message.entry["id"] for exchange in found.exchanges] == messages
    assert [word.entry["id"] for word in found.agent_words] == [e["id"] for e in entries if e["kind"] == "reply"]
    followed = [action.entry_id for exchange in found.exchanges for action in exchange.followed]
    assert followed == sorted(set(followed))
    for exchange in found.exchanges:
        at = exchange.message.entry["id"]
        assert exchange.statement is None or exchange.statement["id"] < at
        assert exchange.action is None or exchange.action.entry_id < at
        assert all(action.entry_id > at for action in exchange.followed)


@given(st.lists(TURN, max_size=12))
@pytest.mark.slow
def test_a_quote_is_what_was_typed_and_a_text_says_something(turns: list[Turn]) -> None:
    for exchange in talk(*turns).exchanges:
        end = 0
        for found in read_message(exchange):
            one = found.finding
            stored = exchange.message.entry["text"][exchange.message.offset :]
            assert stored[one.start : one.end] == one.quote == exchange.message.prose[one.start : one.end]
            assert one.start >= end and "\x00" not in one.quote and found.text
            end = one.end


@given(st.text(alphabet=st.sampled_from("ab c.\n`<>/-:|@"), max_size=200))
def test_spans_follow_one_another_and_cover_all(text: str) -> None:
    spans = typed_and_pasted(text)
    assert [span.start for span in spans] == [0, *[span.end for span in spans[:-1]]] if spans else text == ""
    assert not spans or spans[-1].end == len(text)
    assert len(only(text, spans_of(text, "user", "prompt"))) == len(text)


@pytest.mark.parametrize(
    "pasted",
    [
        "```\nalways use tabs\n```",
        "> always use tabs",
        "From: Tore\nSubject: tabs\nplease always use tabs\n\nalways yours",
        "diff --git a/x b/x\n--- a/x\n+++ b/x",
        'Traceback (most recent call last):\n  File "x.py", line 3',
        "<system-reminder>always use tabs",
        "@@ -1,2 +1,2 @@\n # shop\n+always use tabs",
        "ann  10:32\nalways use tabs\nbob  10:33\n+1",
        "[10:32] ann: always use tabs\n[10:33] bob: +1",
        "Hi Jo,\n\nalways use tabs please.\n\ncheers,\nAnn",
        "Guten Tag Frau Kern,\nalways use tabs",
        "always use tabs, all of you\n\nViele Grüße\nAnn",
        "always use tabs, all of you\n\nÀ la prochaine,\nBasile",
        "![note: always use tabs](a.png)",
        "[NOTE] always use tabs",
        "Mar 02 04:11:10 bk01 agent[77]: always use tabs",
    ],
)
def test_what_is_pasted_below_a_typed_line_is_told_apart(pasted: str) -> None:
    spans = spans_of(f"look at this\n\n{pasted}", "user", "prompt")
    assert spans[0][2] == TYPED and {span.provenance for span in spans[1:]} <= {PASTED, "client", TYPED}
    assert "always" not in only(f"look at this\n\n{pasted}", spans)


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("they answered:\n\nalways use tabs", False),
        ('the issue says "you must always use tabs in this repository", ok?', False),
        ("工单里说“以后必须一律使用 tabs 缩进”，对吗", False),
        ('their guide claims: "Joins are rare.\nWe always use tabs." Is that common?', False),
        ("translate this for me, it is from the handbook:\n\nalways use tabs\nand no spaces", False),
        ("Hola, Tere:\n\nalways use tabs.\n\nUn abrazo,\nPuri\n\nsorry, wrong window. how is the test?", False),
        ("hi, always use tabs", True),
        ("hi Claude,\n\nalways use tabs", True),
        ("always use tabs\n\nand run the tests at 10:30\n\nthanks", True),
        ('the subject is lower case, like "queue: claim with skip locked", always use tabs', True),
        ("no.\n- always use tabs\n- no print", True),
        ("+1 always use tabs", True),
    ],
)
def test_what_somebody_is_said_to_have_said_is_not_typed(text: str, kept: bool) -> None:
    assert ("tabs" in only(text, spans_of(text, "user", "prompt"))) == kept


OPTIONS = st.lists(
    st.sampled_from(["a) ", "b) ", "(1) ", "2. ", "12", " or ", "?", "keep it", ".", " ", ": ", "x"]), max_size=12
)


@given(OPTIONS, st.sampled_from(["a", "b", "2", "the first", "das zweite", "neither"]))
def test_an_option_is_a_piece_of_its_reply(parts: list[str], answer: str) -> None:
    reply = "".join(parts)
    assert " ".join(chosen(reply, answer).split()) in " ".join(reply.split())


# --- answers, objections, values -------------------------------------------------------------------------------------

HELLO = ("user", "have a look at the mails")


@pytest.mark.parametrize(
    ("turns", "text"),
    [
        (
            [("say", "Should I leave the retry on or off?"), ("user", "yes, off")],
            "Asked whether to leave the retry on or off, the user said: off.",
        ),
        (
            [("say", "Options: a) Celery with Redis; b) a jobs table in Postgres."), ("user", "b, no new service")],
            'Asked "Options: a) Celery with Redis; b) a jobs table in Postgres.", the user chose a jobs table in '
            'Postgres ("b, no new service").',
        ),
        (
            [("say", "Should the fee follow (1) the hour of the reading or (2) the hour of the upload? I would put it "
              "in fees.toml."), ("user", "The second, please")],
            'Asked "Should the fee follow (1) the hour of the reading or (2) the hour of the upload?", the user chose '
            'the hour of the upload ("The second, please").',
        ),
        (
            [("say", "Which end holds: (a) twelve months from the sale or (b) the end of May?"), ("user", "a")],
            'Asked "Which end holds: (a) twelve months from the sale or (b) the end of May?", the user chose twelve '
            'months from the sale ("a").',
        ),
        (
            [("say", "Soit a) on renvoie `null`, soit b) on saute la mesure. Tu préfères quoi ?"), ("user", "a")],
            'Asked "Soit a) on renvoie `null`, soit b) on saute la mesure. Tu préfères quoi ?", the user chose on '
            'renvoie `null` ("a").',
        ),
        (
            [("say", "How many hours: a) 12 or b) 24?"), ("user", "b")],
            'Asked "How many hours: a) 12 or b) 24?", the user chose 24 ("b").',
        ),
        (
            [("say", "Entweder (1) wir bleiben beim Namen, oder (2) wir nehmen ofen_nr. Was ist dir lieber?"),
             ("user", "das zweite, name is zu schwammig")],
            'Asked "Entweder (1) wir bleiben beim Namen, oder (2) wir nehmen ofen_nr. Was ist dir lieber?", the user '
            'chose wir nehmen ofen_nr ("das zweite, name is zu schwammig").',
        ),
        (
            [("say", "Deux options : (1) garder la colonne ou (2) en créer une autre. Laquelle ?"),
             ("user", "la première")],
            'Asked "Deux options : (1) garder la colonne ou (2) en créer une autre. Laquelle ?", the user chose garder '
            'la colonne ("la première").',
        ),
        (
            [("say", "Two ways: sort with `by: true`, or write the names as W07. Which do you prefer?"),
             ("user", "the first")],
            'Asked "Two ways: sort with `by: true`, or write the names as W07. Which do you prefer?", the user chose '
            'sort with `by: true` ("the first").',
        ),
        (
            [("say", "Two ways: sort by the number within the name, or write the names as W07. Which do you prefer?"),
             ("user", "the first, nobody would type the zero")],
            'Asked "Two ways: sort by the number within the name, or write the names as W07. Which do you prefer?", '
            'the user chose sort by the number within the name ("the first, nobody would type the zero").',
        ),
        (
            [("say", "The mail goes out one day before."), ("user", "too short, make it three days"),
             ("edit", "src/remind.py", "DAYS = 1", "DAYS = 3")],
            'On "The mail goes out one day before.", the user said: Too short, make it three days (in `remind.py` '
            "`DAYS = 1` became `DAYS = 3`).",
        ),
        (
            [("say", "The pool is at 40 on both machines. Twenty five each would leave ten for consoles."),
             ("user", "25 it is then"), ("edit", "db.toml", "pool = 40", "pool = 25")],
            'On "The pool is at 40 on both machines. Twenty five each would leave ten for consoles.", the user said: '
            "25 it is then (in `db.toml` `pool = 40` became `pool = 25`).",
        ),
        (
            [("user", "does the parser still need the shim?"),
             ("say", "No, the new feed sends UTF-8. Only replays of old files need it."),
             ("user", "leave it for replays then")],
            'Asked "does the parser still need the shim?", the agent said "No, the new feed sends UTF-8. Only replays '
            'of old files need it." and the user said: Leave it for replays then.',
        ),
        (
            [("say", "They are kept 400 days."), ("user", "400 was for the audit, audit is over, 90 is plenty"),
             ("edit", "logs.toml", "keep_days = 400", "keep_days = 90")],
            "400 was for the audit, audit is over, 90 is plenty (in `logs.toml` `keep_days = 400` became "
            "`keep_days = 90`).",
        ),
        (
            [("say", "The compiler is pinned to 1.70. Raise it, or use an older parser?"),
             ("user", "older. the box on the roof has rustc 1.70 and i build there")],
            'Asked "The compiler is pinned to 1.70. Raise it, or use an older parser?", the user said: older. the box '
            "on the roof has rustc 1.70 and i build there.",
        ),
        (
            [("user", "lets move the queue to kafka"), ("say", "I can. It needs three brokers. Do you want it still?"),
             ("user", "no forget it, stays in postgres")],
            'Asked "lets move the queue to kafka: It needs three brokers. Do you want it still?", the user said: no '
            "forget it, stays in postgres.",
        ),
        (
            [("say", "The doubles are gone. Shall I deploy to staging?"), ("user", "Please. It's just `make ship`.")],
            "Asked whether to deploy to staging, the user said: It's just `make ship`.",
        ),
        (
            [("say", "The digest still goes out on the first, which is a holiday."),
             ("user", "nobody reads it on a holiday. second then")],
            'On "The digest still goes out on the first, which is a holiday.", the user said: Nobody reads it on a '
            "holiday. second then.",
        ),
        (
            [("say", "Gauge 7 is silent for an hour twice a week. It looks planned, not broken."),
             ("user", "ah right, thats the tanker, it docks mondays and fridays and hides the sensor")],
            'On "Gauge 7 is silent for an hour twice a week. It looks planned, not broken.", the user said: Thats the '
            "tanker, it docks mondays and fridays and hides the sensor.",
        ),
        (
            [("bash", "make load", "ok"), ("user", "lower the workers a little, 20? so they don't eat the whole pool"),
             ("edit", "pool.toml", "workers = 25", "workers = 20")],
            "Lower the workers a little, 20? so they don't eat the whole pool (in `pool.toml` `workers = 25` became "
            "`workers = 20`).",
        ),
        (
            [("say", "Sent."), ("user", "no emoji in the mail, half of them see a box. and text only, no html")],
            "No emoji in the mail, half of them see a box. and text only, no html.",
        ),
        (
            [("say", "Paste this."),
             ("user", "i am on fish, heredoc does not work there. give me one liners when i must paste")],
            "I am on fish, heredoc does not work there. give me one liners when i must paste.",
        ),
        (
            [("say", "Is the hour still right?"),
             ("user", "the ferry goes from the new pier so gauge 7 is never hidden any more. half an hour for all"),
             ("edit", "gaps.toml", 'after = "60m"', 'after = "30m"')],
            "The ferry goes from the new pier so gauge 7 is never hidden any more. half an hour for all (in "
            '`gaps.toml` `after = "60m"` became `after = "30m"`).',
        ),
        (
            [("user", "send one to me"), ("bash", "./remind --to me", "ok"),
             ("user", "arrived. one day, people with children cannot plan. too short, make it three"),
             ("edit", "remind.ts", "DAYS = 1", "DAYS = 3")],
            "When the agent ran `./remind --to me`, the user said: One day, people with children cannot plan. too "
            "short, make it three (in `remind.ts` `DAYS = 1` became `DAYS = 3`).",
        ),
        (
            [("edit", "schema.ts", "// todo", "answer: ['yes', 'no', 'maybe']"),
             ("user", "maybe? no maybe. our conductor goes mad with maybes. yes or no, and no row = not answered")],
            "When the agent edited `schema.ts` (`// todo` became `answer: ['yes', 'no', 'maybe']`), the user said: No "
            "maybe. our conductor goes mad with maybes. yes or no, and no row = not answered.",
        ),
        (
            [("say", "The server takes only its own address. I can set Reply-To to Hanna."),
             ("user", "reply-to yes but Tore, he keeps the list. Hanna does not read mail")],
            'On "The server takes only its own address. I can set Reply-To to Hanna.", the user said: Reply-to yes but '
            "Tore, he keeps the list. Hanna does not read mail.",
        ),
        (
            [("user", "LabelCloud mailed that the batch ceiling is doubled on our plan, so chunk accordingly"),
             ("edit", "batch.ex", "chunk_every(50)", "chunk_every(100)")],
            "LabelCloud mailed that the batch ceiling is doubled on our plan, so chunk accordingly (in `batch.ex` "
            "`chunk_every(50)` became `chunk_every(100)`).",
        ),
        (
            [("edit", "flags.toml", "a = 1", "a = 2"),
             ("user", "never do flags like that, we keep them in the database")],
            "When the agent edited `flags.toml` (`a = 1` became `a = 2`), the user said: Never do flags like that, we "
            "keep them in the database.",
        ),
        (
            [("bash", "git commit --skip", REFUSAL + "no --skip please", REFUSAL + "no --skip please")],
            "When the agent ran `git commit --skip`, the user said: No --skip please.",
        ),
        (
            [("bash", "pip install x", "ok"), ("user", "no, not pip, use uv")],
            "When the agent ran `pip install x`, the user said: Not pip, use uv.",
        ),
    ],
)  # fmt: skip
def test_what_leans_on_the_turn_before_becomes_a_text_that_stands_alone(turns: list[Turn], text: str) -> None:
    turns = [(turn[0], turn[1], turn[2]) if turn[0] == "bash" else turn for turn in turns]
    assert kept(HELLO, *turns) == [text]


@pytest.mark.parametrize(
    "turns",
    [
        [("say", "Shall I commit it?"), ("user", "yes")],
        [("user", "Use a subagent to find the port")],
        [("user", "Testing special characters: café")],
        [("user", "what if we moved all this to a google sheet")],
        [("user", "lets move to postgres while we are at it"), ("say", "Still?"), ("user", "no forget it")],
        [("user", "does replay read zst")],
        [("user", "use a subagent and look which port the proxy listens on, i forgot")],
        [("user", "Rename fetchAll to fetchPage everywhere.")],
        [("user", "draft the release notes, do not publish yet")],
        [("user", "don't touch any file for the next five minutes, I am measuring")],
        [("user", "We should read the trace before we go on, show me its last 30 lines.")],
        [("user", "ok, you can go on.")],
        [("user", "mute the flaky test for now and run the others")],
    ],
)
def test_what_is_for_now_is_not_kept(turns: list[Turn]) -> None:
    assert kept(HELLO, ("say", "Done."), *turns) == []


@pytest.mark.parametrize(
    "opening",
    [
        "A riddle to go with the coffee. Two drivers got sent to the same gate for the same parcel. Have a look?",
        "Hello. New scales have landed, the Grommet T5s, and they nod off all the time. We lose them. Have a look?",
        "Nothing gets imported since monday of course. rebuild the importer",
        "Letters for all who did not pay. printed at night on the server. start with the template",
    ],
)
def test_the_trouble_that_a_session_begins_with_is_its_task(opening: str) -> None:
    assert kept(("user", opening)) == []


def test_how_something_stood_the_last_time_is_not_kept() -> None:
    assert kept(("user", "back. docs for the API keys were open")) == []
    assert kept(("user", "The tests of the importer were still missing. write them")) == []
    assert kept(("user", "the port was open to everybody until monday. from now on it is closed")) != []


def test_what_a_session_begins_with_may_still_tell_a_change_or_a_rule() -> None:
    assert kept(("user", "the standup goes to ten from now on, same room. fix the reminder")) != []
    assert kept(("user", "we always keep a PDF of every order here. add it to the export")) != []


def test_a_rule_that_is_said_again_answers_nothing_else() -> None:
    texts = kept(
        HELLO, ("say", "Where should the bar appear, around the sources or around each track?"),
        ("user", "uv, always uv, told you yesterday. and pin it exactly. that goes for all of my projects"),
    )  # fmt: skip
    assert texts and not any("bar" in text for text in texts)
    said = " ".join(texts).lower()
    assert "always uv" in said and "pin it exactly" in said and "all of my projects" in said


def test_a_rule_on_commits_keeps_what_it_is_about() -> None:
    assert kept(HELLO, ("say", "Done."), ("user", "commit, in english also when i write the app in polish")) == [
        "Commit, in english also when i write the app in polish."
    ]


def test_a_candidate_of_a_model_is_judged_by_its_exchange() -> None:
    said = "tore wrote this\n\n> please always keep a PDF of every order"
    exchanges = talk(HELLO, ("user", said), ("user", "we always keep a PDF here")).exchanges
    assert unfit(exchanges[1], "please always keep a PDF of every order") == "it was pasted, not typed"
    assert unfit(exchanges[2], "we always keep a PDF here") == ""


# --- the word of an agent ---------------------------------------------------------------------------------------------

CAUSE = "The root cause is a race: `create` selects first and inserts later."


@pytest.mark.parametrize(
    ("after", "backing"),
    [
        ([("user", "ah right, that's it")], ACCEPTED),
        ([("bash", "make test", "ok"), ("user", "next")], RERUN),
        ([("user", "then lock what create selects, the race must go")], BUILT_ON),
        ([("user", "next")], None),
    ],
)
def test_what_follows_backs_a_finding(after: list[Turn], backing: str | None) -> None:
    word = talk(HELLO, ("bash", "make test", "fails"), ("say", CAUSE), *after).agent_words[0]
    found = backing_of(word)
    assert (found.kind if found else None) == backing


def found(*turns: Turn) -> list[str]:
    """The texts of what the agent's replies say."""
    words = talk(*turns).agent_words
    return [text for word in words for one in read_reply(word) if (text := found_alone(word, tidied(one.quote)))]


def test_a_no_to_the_question_of_a_reply_does_not_reject_what_it_says() -> None:
    said = "emptyDb() has no rows and enforces foreign keys, so tests that insert need seededDb(). Shall I sort them?"
    turns = [HELLO, ("bash", "make test", "fails"), ("bash", "make test", "ok"), ("say", said)]
    assert found(*turns, ("user", "no sorting please"))
    assert not found(*turns, ("user", "no, wrong, that helper is old"))


def test_thanks_back_what_was_looked_up_and_not_what_was_explained() -> None:
    said, thanks = ("say", "Caddy forwards shop.example to 127.0.0.1:3008."), ("user", "thx. commit")
    ask = ("user", "look which port the proxy uses for us")
    assert backing_of(talk(ask, ("bash", "cat Caddyfile", "ok"), said, thanks).agent_words[0])
    assert backing_of(talk(ask, said, thanks).agent_words[0]) is None


def test_what_the_agent_found_says_what_it_was_asked() -> None:
    told = "The viewer reads it too, and rejects unknown keys (deny_unknown_fields)."
    asked = ("user", "check if any other crate reads ingest.toml")
    assert found(asked, ("bash", "grep -rl ingest.toml", "ok"), ("say", told), ("user", "good catch")) == [
        f'Asked "check if any other crate reads ingest.toml", the agent found: {told}'
    ]


def test_what_the_user_rejects_is_no_finding() -> None:
    word = talk(HELLO, ("say", CAUSE), ("user", "no, that's not it")).agent_words[0]
    assert is_rejected(word) and read_reply(word) == []


# --- titles -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("The bikes table is in the fleet schema, that's Joris' team.", "Bikes table in the fleet schema"),
        ("Never edit a migration that is already on main.", "Never edit a migration that is already on main"),
        (
            "One day, people need time to plan. make it three (in `remind.py` `DAYS = 1` became `DAYS = 3`).",
            "One day, people need time to plan (`DAYS = 3`)",
        ),
        ("When the agent ran `pip install x`, the user said: Use uv here, because CI does.", "Use uv here"),
        ("Sorry, dentist just called, exports go out on Mondays now.", "Exports go out on Mondays now"),
        ("A mail from legal, invoices stay ten years.", "Invoices stay ten years"),
        ("The landlord of the box wrote that port 25 is closed.", "Port 25 is closed"),
        ("I see, but please never seed from production.", "Never seed from production"),
        ("The rule of this house is: every release has a tag.", "Every release has a tag"),
        ("timezones: the feed is in local time.", "timezones: the feed is in local time"),
        ("If somebody called, the job must not stop.", "If somebody called, the job must not stop"),
        ("Backups go to the second disk on Sunday nights only.", "Backups go to the second disk on Sunday nights only"),
        ("Backups go to the second disk and those of the shop to the first one.", "Backups go to the second disk…"),
    ],
)
def test_a_title_says_what_it_is_about(text: str, title: str) -> None:
    assert titled(text) == title


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("Never apply, not even a dry plan, until I say so.", "Never apply, not even a dry plan, until I say so"),
        ("Don't restart the proxy, whatever the monitor of the provider tells you at night, unless Ines says so.",
         "Don't restart the proxy…"),
        ("Yes, in the pantry, but never on the top shelf.", "Yes, in the pantry, but never on the top shelf"),
        ("We ship the archive to a second site, but to the one in Oslo and not to the one in Bergen, by law.",
         "We ship the archive to a second site…"),
        ("Keep 3 hourly, 9 daily and 4 monthly.", "Keep 3 hourly, 9 daily and 4 monthly"),
        ("The feed runs on port 8123, 8080 is taken by the wiki.", "Feed runs on port 8123"),
        ("Please never mend a broken build by skipping a test or a suite, find the cause.",
         "Never mend a broken build by skipping a test or a suite"),
        ("After every release look at the queue of the mailer for a quarter of an hour before you go home.",
         "After every release look at the queue…"),
        ("When the agent ran `docker volume prune --all --force && reboot`, the user said: Not with --all! it is used.",
         "`docker volume prune --all --force…`: not with --all"),
        ('Asked "The gate is closed until noon. Shall I wait?", the user said: oh right, monday. good, wait.',
         "Shall I wait: oh right, monday"),
        ("When I rebase this, keep the merges.", "When I rebase this, keep the merges"),
        ("The release day is friday from this month on, still before lunch.",
         "Release day is friday from this month on"),
        ("So that it doesn't fail again move the sync to 03:30.",
         "So that it doesn't fail again move the sync to 03:30"),
        ("Rule for the whole site, prices are shown with tax.", "Prices are shown with tax"),
        ("I don't like it, then nobody can tell.", "I don't like it"),
    ],
)  # fmt: skip
def test_a_title_does_not_say_the_opposite_of_its_text(text: str, title: str) -> None:
    assert titled(text) == title


@given(st.text(max_size=300))
def test_a_title_has_few_words(text: str) -> None:
    title = titled(text)
    assert len(title.split()) <= 16 and len(title) <= 80
