"""How two statements stand to each other: examples by kind, properties on any text, and floors on labelled pairs."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from bench import relations as bench
from memory_db.text.change_markers import marks
from memory_db.text.changed_attributes import changed_attribute
from memory_db.text.pair_tests import IN_PART
from memory_db.text.relations import (
    CONTRADICTS,
    DUPLICATE,
    EXTENDS,
    RELATED,
    SUPERSEDES,
    Similarity,
    Statement,
    relation,
)
from memory_db.text.statements import READ_CHARACTERS, reading

EARLY, LATE = "2026-03-01T00:00:00Z", "2026-05-01T00:00:00Z"

WORDS = st.lists(
    st.sampled_from(
        """use never always not don't port 5432 5433 npm pnpm tabs spaces before after tests production the deploy main
        no longer instead of moved from to in on when . , ; src/app.py v1.2 two 30 seconds enable disable""".split()
    ),
    max_size=25,
).map(" ".join)
TEXTS = st.one_of(st.text(max_size=200), WORDS)


def relation_of(old: str, new: str, *, kind: str = "convention") -> str | None:
    """The kind of relation of a text to one that was said before it, in the same project."""
    found = relation(Statement(new, kind, "project", 1, LATE), Statement(old, kind, "project", 1, EARLY))
    return found.kind if found else None


@pytest.mark.parametrize(
    ("old", "new", "kind"),
    [
        ("Run the linter before pushing.", "run the linter before pushing", DUPLICATE),
        ("Postgres is at port 5432.", "Port 5432 is where Postgres listens.", DUPLICATE),
        ("Logs go to stderr.", "Logs go to stderr, one JSON object a line.", EXTENDS),
        ("Build with make.", "We moved from make to just for the build.", SUPERSEDES),
        ("Deploys happen on Fridays.", "From now on deploys happen on Mondays.", SUPERSEDES),
        ("The worker polls the queue.", "The worker no longer polls the queue.", SUPERSEDES),
        ("Install packages with npm.", "Install packages with yarn instead of npm.", SUPERSEDES),
        ("Postgres is at port 5432.", "Postgres is at port 5433.", CONTRADICTS),
        ("Use npm here.", "Use pnpm here.", CONTRADICTS),
        ("Always squash before merging.", "Never squash before merging.", CONTRADICTS),
        ("Run the seeds before the migrations.", "Run the seeds after the migrations.", CONTRADICTS),
    ],
)
def test_an_example_of_each_kind(old: str, new: str, kind: str) -> None:
    assert relation_of(old, new) == kind


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("The api listens on port 8000.", "The web client listens on port 3000."),
        ("Use SQLite in tests.", "Use Postgres in production."),
        ("Never skip the tests in CI.", "Skip the slow tests locally."),
        ("Use ruff for linting.", "Use ruff for sorting imports."),
        ("Pin versions in applications.", "Don't pin versions in libraries."),
        ("Never commit .env.", "Commit .env.example."),
        ("When on Windows, use backslashes.", "When on Linux, don't use backslashes."),
    ],
)
def test_another_subject_or_condition_is_no_contradiction(old: str, new: str) -> None:
    assert relation_of(old, new) in (None, RELATED)
    assert relation_of(new, old) in (None, RELATED)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('On "Docker isn\'t installed.", the user said: There is no docker on this laptop, its podman.',
         'On "Staging runs the new image. Shall I ship prod?", the user said: Not yet. let staging run ten minutes.'),
        ("neither. we use uv here, never pip",
         'On "At 02:15, from deploy/tidytrail.cron.", the user said: That collides with the backup at 2.'),
        ("`uv sync` inside the worktree gave it its own `.venv`, and all 14 pass.",
         'On "On 3.14 all 67 pass. The Dockerfile still says 3.13.", the user said: Tidepool is on 3.14 from today.'),
        ("Never rake test here, it's `bin/test`.", 'On "The sender is in.", the user said: Bin/test, not rake!'),
        ("don't use default exports, always named exports.",
         'When the agent edited `Chart.tsx` (added `export default function`), the user said: Named exports only.'),
        ("Raw mails go after 90 days, the orders stay.",
         'On "Shall I add Redis?", the user said: No redis. a table outbox and select for update skip locked, thats '
         "enough for 200 mails a day."),
        ("lib/larkpost/sender.rb: takes a batch, one smtp connection, 4xx goes to retry. use the config.",
         "now the worker loop, lib/larkpost/worker.rb: claim, reject, deliver. batch size from config."),
        ("Use 5480 for the shop, put it in the config.",
         "The shop needs Node 22 or newer; the server was raised and .nvmrc says 22 now."),
        ("The alarm of a station fires after 40 minutes.",
         'Asked "How often should a station poll?", the user said: every 3 minutes if they have data every 3.'),
        ("Requests go into develop; main is what is live.",
         'When the agent ran `gh pr create --base main`, the user said: Develop, not main!'),
        ("Ops wanted the map live. they can have 1s, more is pointless, the map polls every 5.",
         "Skip the long summaries at the end, i see the diff. one line."),
        ('Asked "A plugin, or twelve lines of our own?", the user said: The twelve lines, please.',
         "Skip the long summaries at the end, i see the diff. one line."),
        ("Leave the pushing to me, since commits are signed on my machine.",
         "No pushing. tags and pushes are mine, same as commits, in every project."),
        ("The record was written into a zone nobody asks.",
         'Asked "So the tool writes the record into a zone that nobody asks any more. Right?", the user said: yes'),
    ],
)  # fmt: skip
def test_what_a_text_quotes_or_goes_on_to_contradicts_nothing(old: str, new: str) -> None:
    assert relation_of(old, new) in (None, RELATED)


SET = "On 29 uA the user said: 2 s then (in `adv.c` `#define PAUSE_MS 1000` became `#define PAUSE_MS 2000`)."


@pytest.mark.parametrize(
    ("old", "new", "kind", "test"),
    [
        (SET, "Make it 4 s (in `adv.c` `#define PAUSE_MS 2000` became `#define PAUSE_MS 4000`).", SUPERSEDES,
         "edited_anew"),
        (SET, "Louder (in `adv.c` `#define VOLUME 2000` became `#define VOLUME 4000`).", None, ""),
        ("Hold is 72, the courier comes every third day.",
         "Two days now (in `store.py` `HOLD_HOURS = 72` became `HOLD_HOURS = 48`).", CONTRADICTS, "overwritten"),
        ("Hold goes from 72 to 48 hours.",
         "As told (in `store.py` `HOLD_HOURS = 72` became `HOLD_HOURS = 48`).", None, ""),
        ("We use zstd, level 9.", "Deflate then, zstd is out, speed or not.", SUPERSEDES, "explicit"),
        ("Dedupe on the Message-ID header.", "Ok message-id is out then, dedupe on a hash of the body.", SUPERSEDES,
         "explicit"),
        ("We decided on Celery, because it is known.", "So drop celery, use the jobs table.", SUPERSEDES, "explicit"),
        ("Use semicolons for payroll, their Excel is Dutch.", "So forget the semicolons, payroll takes tabs.",
         SUPERSEDES, "explicit"),
        ("Returns after 15 minutes cost 4 euro. Amounts are Decimal as elsewhere.",
         "No more Decimal, money is integer cents.", CONTRADICTS, "explicit_part"),
        ("Ada wants it rounded up to the full 10 ct, she hates coppers.",
         "They all pay by card since this month, so the 10 ct thing is off, she wants exact cents.", SUPERSEDES,
         "explicit"),
        ("The total stands in bold.", "The total is off by a cent, we round twice.", None, ""),
        ("Henrik does the rollout at the office every Tuesday.",
         "Henrik has just moved it: the rollout is on Thursdays from this week on, because they close on Tuesdays.",
         SUPERSEDES, "changed_setting"),
        ("Ines sends the timetable every Monday.", "They moved the timetable again: it comes on Wednesdays now.",
         SUPERSEDES, "changed_setting"),
        ("Raw lines pile up, drop what is older than 30 days.", "The lab needs the raw lines, so 90 days, not 30.",
         SUPERSEDES, "changed_setting"),
        ("Ines sends the timetable every Monday.", "They moved the stand-up: we meet on Wednesdays now.", None, ""),
        ("The invoices go into a table of the database.",
         "The invoices should not go into a table after all but into one PDF a month.", SUPERSEDES, "explicit"),
        ("Call the sheet leftovers, and name each row by its short code.",
         "The leftovers go into a mail after all, not into a sheet.", CONTRADICTS, "explicit_part"),
        ("`clean.py` leaves out what is empty.", "`reader.py` now leaves out what is twice.", None, ""),
        ("Old bundles fill the disk of the box. keep the last 5.",
         "Old bundles fill the disk of the box. keep the last 3, not 5.", SUPERSEDES, "explicit"),
        ('Asked "Which grid do you want?", the user said: polar, epsg 3995.',
         "Our grid is EPSG 3413 from now on, not 3995.", SUPERSEDES, "explicit"),
        ("We deploy on Thursdays now, not Tuesdays.", "Deploy day is wednesday from this week on.", SUPERSEDES,
         "changed_value, said to be new"),
        ("Deploys are tue and thu at 7.", "Deploys are only wednesdays from now on.", SUPERSEDES,
         "changed_value, said to be new"),
        ("Ada carries the plates to the shop thursdays after closing so we are in time.",
         "Mail from ada, she swapped shifts, the plates go down to the shop on mondays from now on, not thursdays.",
         SUPERSEDES, "explicit"),
        ("Titles are cut at 32 characters (WIDTH overrides it).",
         "Titles are cut at 28 characters (WIDTH overrides it), not 32.", SUPERSEDES, "explicit"),
        ("14 days of logs are enough, the disk is the limit.",
         "Ops just called, they look three weeks back. so 21 not 14, the disk be damned.", SUPERSEDES, "explicit"),
        ("The kiln goes to the fair with Tom.", "The kiln goes to the fair with Ada now, not with Tom.", SUPERSEDES,
         "explicit"),
        ("Helper scripts use clockjs with the locale plugin, the wrappers are in src/dates.",
         "I have had enough of its bugs. kick clockjs out and take tempo, the server has it.", SUPERSEDES, "explicit"),
        ("Kilnd since spring, it is cheaper, and a batch can be fired again.",
         "As I said. so the queue is emberd from today on, not kilnd.", SUPERSEDES, "explicit"),
        ("Never run reindexing yourself, not even here. I want to see the plan first.",
         "Forget what I said about reindexing, you can run it here yourself. The shop's stays with me.", SUPERSEDES,
         "explicit"),
        ("The mock scanner is on port 7311. whatever talks to it runs with make scan, which sets the address. make "
         "test is for the rest.",
         "ah, the mock scanner moved, it's on 7402 now. new config from Ada since monday. put it into the script.",
         CONTRADICTS, IN_PART),
        ("Asked \"How often is a letter tried again?\", the user said: twice, then the list. The 8:00 for the "
         "digests is right, they are of the day before.",
         "The digests: people with early shifts never see them. so from now on they go out at 19:30, not at 8 in the "
         "morning.", CONTRADICTS, IN_PART),
        ("Asked \"Is there a client that needs the totals?\", the user said: ada's kiosk doesn't, I asked her.",
         "Errors have a code, and ada's kiosk switches on the code.", None, ""),
        ("The oven glows for 5 years. nothing older is kept for the customer.",
         "They cut the photos for the customer down to 30 days by now, the disk was full. so no.", None, ""),
        ("Postgres holds the orders.", "From now on, sessions are in redis, not in postgres.", None, ""),
        ("Tokens expire after an hour.", "From now on, log the user id, not tokens.", None, ""),
        ("Invalid rows are logged with their number.", "throw invalid rows out after that and go on", None, ""),
        ("Players are kicked after three warnings.", "please kick players out after five minutes", None, ""),
        ("Redis holds the sessions.", "throw redis out in the tests, a fake is enough", None, ""),
        ("Use tabs in the makefiles.", "scrap the rule about tabs", SUPERSEDES, "explicit"),
        ("Every function has a docstring.", "scratch the rule about docstrings", SUPERSEDES, "explicit"),
        ("The queue is durable.", "The queue isn't, it is kept in memory.", CONTRADICTS, "opposed"),
        ("As long as the kiln is cold, no guests.", "Shortened is right. Now the guests.", None, ""),
        ("A reading has 14 columns.", "Keep the logs 21 days, not 14.", None, ""),
        ("Thursdays are for glazing.", "The van comes on mondays from now on, not fridays.", None, ""),
    ],
)  # fmt: skip
def test_what_is_over_is_told_by_its_words_and_its_edits(old: str, new: str, kind: str | None, test: str) -> None:
    later, earlier = Statement(new, "convention", "project", 1, LATE), Statement(old, "convention", "project", 1, EARLY)
    found = relation(later, earlier)
    if kind is None:
        assert found is None or found.test not in ("edited_anew", "overwritten", "opposed", "explicit", IN_PART)
    else:
        assert found is not None and (found.kind, found.test) == (kind, test)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("We decided to keep staging logs 60 days instead of 30.", "Timeouts are 30 seconds, not 60."),
        ("Sessions last 60 seconds.", "Timeouts are 30 seconds, not 60 seconds."),
        ("Batches have 500 rows.", "The gateway answers within 200 ms, not 500."),
    ],
)
def test_a_number_alone_names_nothing_that_is_over(old: str, new: str) -> None:
    assert relation_of(old, new, kind="environment") in (None, RELATED)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Timeouts are 60 seconds.", "Timeouts are 30 seconds, not 60."),
        ("Watch memory, the units have MemoryMax=512M.", "The 512 is history, pods now, 1Gi each."),
    ],
)
def test_a_number_of_the_same_is_over(old: str, new: str) -> None:
    assert relation_of(old, new, kind="environment") == SUPERSEDES


def test_two_projects_contradict_each_other_in_nothing() -> None:
    one = Statement("Use npm here.", "convention", "project", 1, EARLY)
    other = Statement("Use pnpm here.", "convention", "project", 2, LATE)
    apart = relation(other, one)
    assert apart is None or apart.kind == RELATED
    everywhere = replace(one, scope="user", project_id=None)
    found = relation(other, everywhere)
    assert found is not None and found.kind == CONTRADICTS


def test_only_what_was_said_later_supersedes() -> None:
    moved, plain = "We moved from npm to pnpm.", "Use npm to install."
    assert relation_of(plain, moved) == SUPERSEDES
    assert relation_of(moved, plain) != SUPERSEDES
    old, new = Statement(plain, said_at=LATE), Statement(moved, said_at=EARLY)
    found = relation(new, old)
    assert found is None or found.kind != SUPERSEDES


def test_a_fix_is_about_the_past_and_is_contradicted_by_nothing() -> None:
    assert relation_of("Set the port to 5432.", "Set the port to 5433.", kind="convention") == CONTRADICTS
    assert relation_of("Set the port to 5432.", "Set the port to 5433.", kind="fix") != CONTRADICTS


def test_a_similarity_alone_says_no_more_than_related() -> None:
    one, other = Statement("The cat sleeps on the mat."), Statement("Feline naps happen over the rug.")
    found = relation(other, one, Similarity(0.0, 0.99))
    assert found is not None and found.kind == RELATED
    assert relation(other, one, Similarity(0.0, 0.1)) is None


def test_a_hint_names_what_is_replaced() -> None:
    old = Statement("Reports are sent by cron at six.", said_at=EARLY)
    new = Statement("The scheduler sends them.", said_at=LATE, hint="reports sent by cron at six")
    found = relation(new, old)
    assert found is not None and (found.kind, found.test) == (SUPERSEDES, "hinted")


@settings(max_examples=300)
@given(one=TEXTS, other=TEXTS)
@example(one="", other="")
@example(one="not " * 500, other=", not " * 500)
@example(one="a/" * 3000, other="-" * 3000)
@pytest.mark.slow
def test_any_two_texts_have_an_answer_and_the_same_one_again(one: str, other: str) -> None:
    new, old = Statement(one, said_at=LATE), Statement(other, said_at=EARLY)
    found = relation(new, old)
    assert relation(new, old) == found
    if found is not None:
        assert (
            found.kind in (DUPLICATE, EXTENDS, SUPERSEDES, CONTRADICTS, RELATED)
            and 0.0 <= found.score <= 1.0
            and found.reason
        )


@settings(max_examples=200)
@given(text=TEXTS)
def test_the_same_text_is_a_duplicate(text: str) -> None:
    found = relation(Statement(text, said_at=LATE), Statement(text, said_at=EARLY))
    assert found is not None and (found.kind, found.score) == (DUPLICATE, 1.0)


@settings(max_examples=300)
@given(one=TEXTS, other=TEXTS)
@example(one="./", other="")
@pytest.mark.slow
def test_a_conflict_is_one_whichever_text_is_asked_about(one: str, other: str) -> None:
    first, second = Statement(one, said_at=EARLY), Statement(other, said_at=LATE)
    there, back = relation(second, first), relation(first, second)
    conflicts = (CONTRADICTS, SUPERSEDES)
    assert (there is not None and there.kind in conflicts) == (back is not None and back.kind in conflicts)
    if there is not None and there.kind in conflicts:
        assert there == back


@pytest.mark.slow
@settings(max_examples=200)
@given(text=TEXTS)
def test_what_stands_beyond_the_bound_is_not_read(text: str) -> None:
    long = (text + " ") * (READ_CHARACTERS // (len(text) + 1) + 1)
    assert reading(long[:READ_CHARACTERS]) == reading(long[:READ_CHARACTERS] + "no longer 5432")
    assert marks(long[:READ_CHARACTERS]) == marks(long[:READ_CHARACTERS] + " from now on")


FLOORS = {
    "writer": {"duplicate": (0.95, 0.95), "supersedes": (0.95, 0.9), "contradicts": (0.95, 0.9)},
    "later": {"duplicate": (0.95, 0.75), "supersedes": (0.95, 0.85), "contradicts": (0.95, 0.8)},
    "reader": {"supersedes": (0.95, 0.45), "contradicts": (0.95, 0.1)},
    "second": {"duplicate": (0.6, 0.25), "supersedes": (0.75, 0.45), "contradicts": (0.3, 0.1)},
}
"""Precision and recall that the labelled pairs must reach, by who wrote them: a little under what is measured."""


@pytest.mark.parametrize("by", FLOORS)
def test_labelled_pairs_are_told_as_well_as_they_were(by: str) -> None:
    pairs = [pair for pair in bench.read_pairs() if pair.by == by]
    figures = bench.figures(pairs, bench.static_cosines(pairs))
    for label, (precision, recall) in FLOORS[by].items():
        assert figures[label]["precision"] >= precision, label
        assert figures[label]["recall"] >= recall, label


def test_half_of_the_labelled_pairs_are_near_misses() -> None:
    pairs = bench.read_pairs()
    assert len({pair.id for pair in pairs}) == len(pairs)
    assert all(pair.label in (*bench.LABELS, bench.NEAR_MISS) and pair.by in bench.BY for pair in pairs)
    near = sum(pair.label == bench.NEAR_MISS for pair in pairs)
    assert 0.45 <= near / len(pairs) <= 0.6


CHANGES = (
    ("staging runs on 8081", "staging moved, it's 9090 now"),
    ("we deploy with fly", "goes to render now"),
    ("the export runs nightly at 2", "the export runs every six hours from now on"),
    ("retries are off for the webhook client", "turn the webhook retries back on"),
    ("the rate limit for partner keys is 50 a minute", "partners get 200 a minute from now on"),
    ("feature flags live in LaunchDarkly", "we switched the feature flags to Unleash"),
    ("logs are kept for 14 days", "Asked how long logs should be kept, the user said: make it 30"),
    ("use node 18 here, the lambda has nothing newer", "lambda finally got node 22, so we are on that now"),
)


@pytest.mark.parametrize(("old", "new"), CHANGES)
def test_another_value_of_the_same_is_a_change_in_whatever_words(old: str, new: str) -> None:
    found = relation(
        Statement(new, "environment", "project", 1, "2026-03-02"),
        Statement(old, "environment", "project", 1, "2026-03-01"),
    )
    assert found is not None and found.kind in (SUPERSEDES, CONTRADICTS), found


LOOK_ALIKES = (
    ("staging runs on 8081", "production moved, it's 9090 now"),
    ("the rate limit for partner keys is 50 a minute", "the rate limit for internal keys is 500 a minute"),
    ("retries are off for the webhook client", "retries are on for the mail client"),
    ("tests run with jest", "can we run the tests with vitest instead?"),
    ("use node 18 here, the lambda has nothing newer", "what if we moved the lambda to node 22?"),
    ("we deploy with fly", "at my last job we deployed with heroku"),
    ("the ingest job starts at 03:30", "the ingest job takes about 40 minutes"),
)


@pytest.mark.parametrize(("old", "new"), LOOK_ALIKES)
def test_another_value_of_something_else_is_no_change(old: str, new: str) -> None:
    found = relation(
        Statement(new, "environment", "project", 1, "2026-03-02"),
        Statement(old, "environment", "project", 1, "2026-03-01"),
    )
    assert found is None or found.kind == RELATED, found


@pytest.mark.parametrize(
    "old", [pair[0] for pair in CHANGES] + ["On the staging box the log-in page times out after 30 s."]
)
def test_a_hint_in_a_memorys_own_words_finds_it(old: str) -> None:
    new = Statement("Another thing holds by now.", "environment", "project", 1, "2026-03-02", hint=old[:200])
    found = relation(new, Statement(old, "environment", "project", 1, "2026-03-01"))
    assert found is not None and (found.kind, found.test) == (SUPERSEDES, "hinted")


@given(TEXTS, TEXTS)
def test_any_two_texts_can_be_asked_for_a_change(one: str, other: str) -> None:
    assert changed_attribute(one, other) == changed_attribute(one, other)


@pytest.mark.parametrize("by", ["wordings", "aside"])
def test_changes_in_other_words_are_told_from_look_alikes(by: str) -> None:
    pairs = [pair for pair in bench.read_pairs() if pair.by == by]
    changed = {pair.id: bench.labelled_as(bench.relation_of(pair)) in ("supersedes", "contradicts") for pair in pairs}
    real = [changed[pair.id] for pair in pairs if pair.label != bench.NEAR_MISS]
    others = [changed[pair.id] for pair in pairs if pair.label == bench.NEAR_MISS]
    assert sum(real) >= 0.9 * len(real) and sum(others) <= 0.1 * len(others)


@pytest.mark.parametrize(
    ("text", "gone"),
    [
        ('What cured it: edited `a.ts` (removed `{ name: "firefox", use: devices["Firefox"] },`).', ()),
        ("We removed `{}` from the call", ("{} from the call",)),
        ("It works since `build(fast)` was removed.", ()),
        ("We dropped Redis [for now", ()),
    ],
)
def test_a_piece_of_code_is_no_thing_that_is_over(text: str, gone: tuple[str, ...]) -> None:
    assert marks(text).gone == gone


def test_the_cure_of_one_error_does_not_contradict_the_cure_of_another() -> None:
    first = "`pnpm test` failed: no page. What cured it: edited `v.ts` (`{ name: 1 }` became `{ name: 2 }`)."
    second = "`pnpm e2e` failed: no GL. What cured it: edited `p.ts` (removed `{ name: 3, use: 1 },`)."
    assert relation_of(first, second, kind="fix") not in (CONTRADICTS, SUPERSEDES)


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        ("Translations come from Weblate.", "translations come from Crowdin now"),
        ("Backups are made with restic.", "we moved the backups to borg"),
        ("Payments go through Stripe.", "mollie takes the payments from now on"),
        ("Secrets are in ansible-vault.", "secrets moved to sops with age"),
    ],
)
def test_a_tool_takes_the_place_of_another_of_its_sort(earlier: str, later: str) -> None:
    old, new = (Statement(text, project_id=1, said_at=day) for text, day in ((earlier, "2026-04"), (later, "2026-05")))
    found = relation(new, old)
    assert found is not None and found.kind == SUPERSEDES
