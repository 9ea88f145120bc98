"""The explorer: weights of one's own, saving them as a profile, what the hook would show, and how long a page gets."""

from __future__ import annotations

import json
import re
import sqlite3
import subprocess
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, quote, urlsplit

import pytest
from bs4 import BeautifulSoup
from hypothesis import given
from hypothesis import strategies as st

from memory_db.errors import InputError
from memory_db.pages import ask, compare, weights
from memory_db.recall import scoring
from memory_db.recall.brief import allowed
from memory_db.recall.brief import select as brief
from memory_db.recall.search import Profile, Question, load_profile
from memory_db.store.connection import connect
from tests.pages.test_pages import fill
from tests.support.hook_process import COMMAND, PATIENT
from tests.support.in_process import guest, signed_in
from tests.support.patience import WAIT_S
from tests.support.rows import rows

QUESTION = "how to run migrations"


@pytest.fixture
def filled(db: sqlite3.Connection, db_path: Path, now: datetime) -> Path:
    fill(db, now)
    return db_path


@pytest.fixture
def served_file(filled: Path) -> Path:
    return filled


def cookies(server: Any, *, root: bool) -> dict[str, str]:
    return signed_in(server) if root else guest(server)


async def get(server: Any, path: str, *, root: bool = False) -> Any:
    return await server.client.get(path, cookies=cookies(server, root=root))


async def save(server: Any, fields: dict[str, Any], *, root: bool = True) -> Any:
    """What a program sends, in the name of root or of somebody who may only read."""
    return await server.client.post(
        "/-/memory/profiles.json", cookies=cookies(server, root=root), content=json.dumps(fields),
        headers={"content-type": "application/json", "authorization": "Bearer of-a-plugin"},
    )  # fmt: skip


def ranked(panel: dict[str, Any], scaled: dict[str, float]) -> dict[str, float]:
    """What a slider does: the sum of weights and signals of each hit of a panel, best first."""
    names, hits = panel["data"]["signals"], panel["data"]["hits"]
    scores = {
        hit[0]: sum(scaled.get(name, 0.0) * value for name, value in zip(names, hit[-1], strict=True)) for hit in hits
    }
    return dict(sorted(scores.items(), key=lambda item: -item[1]))


# ---------------------------------------------------------- weights of one's own


async def test_weights_in_the_address_rank_by_the_formula(server: Any) -> None:
    plain = (await get(server, f"/-/memory/recall.json?q={quote(QUESTION)}")).json()
    data = (await get(server, f"/-/memory/recall.json?q={quote(QUESTION)}&w.recency=3&w.keyword=0")).json()
    assert data["tried"] and not plain["tried"]
    given_weights = data["answer"]["profile"]["weights"]
    before = plain["answer"]["profile"]["weights"]
    assert sum(given_weights.values()) == pytest.approx(1)
    assert "keyword" not in given_weights
    assert given_weights["recency"] / given_weights["scope"] == pytest.approx(3 / before["scope"])
    hits = [*data["answer"]["hits"], *data["answer"]["others"]]
    for hit in hits:
        assert hit["score"] == pytest.approx(scoring.score(given_weights, hit["signals"]), abs=1e-12)
    by_score = sorted(hits, key=lambda hit: hit["position"])
    assert all(a["score"] >= b["score"] for a, b in pairwise(by_score))
    assert {hit["uid"] for hit in hits} == {
        hit["uid"] for hit in [*plain["answer"]["hits"], *plain["answer"]["others"]]
    }


async def test_what_the_sliders_get_gives_the_scores_and_the_order_that_the_server_has(server: Any) -> None:
    plain = (await get(server, f"/-/memory/recall.json?q={quote(QUESTION)}")).json()
    for more in ("", "&w.recency=3", "&w.semantic=0&w.importance=0.7"):
        data = (await get(server, f"/-/memory/recall.json?q={quote(QUESTION)}{more}")).json()
        hits = [*data["answer"]["hits"], *data["answer"]["others"]]
        theirs = {f"{hit['type']}-{hit['uid']}": hit["score"] for hit in hits}
        ours = ranked(plain["panel"], data["answer"]["profile"]["weights"])
        assert ours == pytest.approx(theirs, abs=1e-6)
        in_their_order = [theirs[name] for name in ours]
        assert all(a >= b - 1e-6 for a, b in pairwise(in_their_order))


@pytest.mark.slow
async def test_tried_weights_are_not_logged_and_said_to_be_ones_own(server: Any, db: sqlite3.Connection) -> None:
    page = await get(server, f"/-/memory/recall?q={quote(QUESTION)}&w.recency=3", root=True)
    assert "with your weights" in page.text and page.status_code == 200
    assert rows(db, "select count(*) from recalls") == [(0,)]
    same = await get(server, f"/-/memory/recall?q={quote(QUESTION)}&w.recency=0.01&threshold=0", root=True)
    assert "with your weights" not in same.text
    assert rows(db, "select count(*) from recalls") == [(1,)]


@pytest.mark.slow
async def test_the_form_without_a_script_sends_what_the_page_shows(server: Any) -> None:
    page: Any = BeautifulSoup((await get(server, f"/-/memory/recall?q={quote(QUESTION)}")).text, "html.parser")
    form = page.select_one("#weights-form")
    fields = [(each["name"], each["value"]) for each in form.select("input[name]")]
    assert {name.removeprefix("w.") for name, _ in fields if name.startswith("w.")} == set(scoring.SIGNALS)
    query = "&".join(f"{name}={quote(value)}" for name, value in fields)
    data = (await get(server, f"{form['action']}.json?{query}")).json()
    assert not data["tried"] and data["asked"]["q"] == QUESTION


async def test_a_threshold_of_ones_own_leaves_out(server: Any) -> None:
    data = (await get(server, f"/-/memory/recall.json?q={quote(QUESTION)}&threshold=1")).json()
    assert data["tried"] and data["answer"]["abstained"]
    assert set(data["answer"]["left_out"]) == {"below the threshold"}


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("w.nope=1", "No signal 'nope'. There are: keyword"),
        ("w.keyword=much", "w.keyword 'much' cannot be used"),
        ("w.keyword=-1", "w.keyword '-1' cannot be used"),
        ("w.keyword=nan", "w.keyword 'nan' cannot be used"),
        ("w.keyword=1e9", "w.keyword '1e9' cannot be used"),
        ("threshold=2", "threshold '2' cannot be used"),
        ("profile=keyword_only&w.keyword=0", "All weights are 0"),
        ("as=other", "as 'other' cannot be used"),
        ("as=hook&w.keyword=1", "The hook asks by its own profile"),
    ],
)
@pytest.mark.slow
async def test_bad_weights_are_refused_in_one_line(server: Any, query: str, words: str) -> None:
    for path in ("/-/memory/recall", "/-/memory/recall.json"):
        response = await get(server, f"{path}?q=x&{query}")
        assert response.status_code == 400
        assert words in BeautifulSoup(response.text, "html.parser").get_text()
    assert "\n" not in response.json()["error"]


@given(st.dictionaries(st.sampled_from(sorted(scoring.SIGNALS)), st.floats(0, 100), min_size=1))
@pytest.mark.slow
def test_whatever_is_tried_sums_to_one(changes: dict[str, float]) -> None:
    profile = Profile(1, "p", 1, {"keyword": 0.25, "scope": 0.75}, 0.0)
    fields = {f"w.{name}": [repr(value)] for name, value in changes.items()}
    try:
        own = weights.tried(fields, profile)
    except InputError:
        assert sum({**profile.weights, **changes}.values()) <= 0
        return
    if own:
        assert sum(own.weights.values()) == pytest.approx(1) and min(own.weights.values()) > 0


async def test_hits_carry_what_is_believed_of_them(server: Any, db: sqlite3.Connection) -> None:
    data = (await get(server, f"/-/memory/recall.json?q={quote(QUESTION)}")).json()
    for hit in [*data["answer"]["hits"], *data["answer"]["others"]]:
        if hit["type"] == "entry":
            assert hit["belief"] is None
            continue
        row = db.execute("select * from beliefs where uid = ?", [hit["uid"]]).fetchone()
        assert hit["belief"]["confidence"] == row["confidence"]
        assert hit["belief"]["evidence_for"] == row["evidence_for"]


# --------------------------------------------------------------------- profiles


@pytest.mark.slow
async def test_saving_needs_the_permission(server: Any, db: sqlite3.Connection) -> None:
    before = rows(db, "select * from profiles")
    response = await save(server, {"name": "mine", "based_on": "default"}, root=False)
    assert response.status_code == 403
    assert rows(db, "select * from profiles") == before
    assert "weights-save" not in (await get(server, f"/-/memory/recall?q={quote(QUESTION)}")).text


@pytest.mark.slow
async def test_a_saved_profile_has_the_weights_and_its_row_in_the_log(server: Any, db: sqlite3.Connection) -> None:
    fields = {"w.recency": "0.5", "w.keyword": "0", "threshold": "0.1", "q": QUESTION, "project": "shop"}
    response = await save(server, {"name": "mine", "based_on": "default@1", **fields})
    assert response.status_code == 200
    done = response.json()
    profile = load_profile(db, "mine")
    assert done["profile"] == "mine@1" and dict(profile.weights) == done["weights"]
    assert profile.threshold == 0.1 and "keyword" not in profile.weights
    assert sum(profile.weights.values()) == pytest.approx(1)
    described = db.execute("select description, fitted_on from profiles where name = 'mine'").fetchone()
    assert "by root" in described["description"] and "default 1" in described["description"]
    assert "by hand" in described["fitted_on"]
    logged = db.execute("select actor, action, target, outcome from audit_log").fetchall()
    assert [tuple(row) for row in logged] == [("root", "profiles", "/-/memory/profiles", "done")]
    there = urlsplit(done["there"])
    assert there.path == "/-/memory/compare"
    assert parse_qs(there.query) == {"q": [QUESTION], "project": ["shop"], "profile": ["default@1", "mine@1"]}
    page = BeautifulSoup((await get(server, done["there"])).text, "html.parser")
    ticked = [box["value"] for box in page.select("input[name=profile][checked]")]
    assert ticked == ["default", "mine"]
    assert [head.get_text().split()[0] for head in page.select("table.sides thead th")[1:]] == ["default", "mine"]


@pytest.mark.parametrize(
    ("fields", "status", "words"),
    [
        ({}, 400, "A profile needs a name"),
        ({"name": "default"}, 400, "There is a profile 'default' already"),
        ({"name": "two words"}, 400, "cannot be called"),
        ({"name": "x" * 61}, 400, "cannot be called"),
        ({"name": "mine", "based_on": "nobody"}, 404, "No profile 'nobody'"),
        ({"name": "mine", "w.nope": 1}, 400, "No signal 'nope'"),
        ({"name": "mine", "threshold": "-1"}, 400, "threshold '-1' cannot be used"),
    ],
)
@pytest.mark.slow
async def test_what_cannot_be_saved_is_refused_in_one_line(
    server: Any, db: sqlite3.Connection, fields: dict[str, object], status: int, words: str
) -> None:
    before = rows(db, "select * from profiles")
    response = await save(server, fields)
    assert response.status_code == status
    assert words in response.json()["error"] and "\n" not in response.json()["error"]
    assert rows(db, "select * from profiles") == before
    assert rows(db, "select outcome from audit_log") == [("refused",)]


@pytest.mark.slow
async def test_a_new_version_of_a_name_is_made_where_it_is_meant(server: Any, db: sqlite3.Connection) -> None:
    done = (await save(server, {"name": "hook", "new_version": "1", "based_on": "hook@1", "w.recency": "0.5"})).json()
    assert done["profile"] == "hook@2" and "the hook" in done["said"]
    page = BeautifulSoup((await get(server, f"{done['there']}&q={quote(QUESTION)}")).text, "html.parser")
    ticked = [box["value"] for box in page.select("input[name=profile][checked]")]
    assert ticked == ["hook", "hook@1"]


def test_from_a_past_recall_the_effect_is_seen_on_it(filled: Path, db: sqlite3.Connection, now: datetime) -> None:
    answer = brief.ask(db, Question(QUESTION), surface="cli", now=now)
    done = weights.save(
        filled, {"name": ["mine"], "recall": [str(answer.recall_id)], "q": [QUESTION], "w.scope": ["0.9"]},
        saved_by="root", now=now,
    )  # fmt: skip
    asked = parse_qs(urlsplit(done["there"]).query)
    assert asked == {"recall": [str(answer.recall_id)], "profile": ["default@1", "mine@1"]}
    data = compare.compare(filled, asked, now=now)
    first, second = (column for column in zip(*(row["cells"] for row in data["sides"]["rows"]), strict=True))
    assert any(cell and cell["was"] == 1 for cell in second)
    assert all(cell["was"] == place for place, cell in enumerate(filter(None, first), start=1))


async def test_ones_own_profiles_are_compared_without_being_named(server: Any) -> None:
    await save(server, {"name": "mine", "based_on": "default", "w.recency": "0.5"})
    data = (await get(server, "/-/memory/compare.json")).json()
    assert "mine@1" in data["asked"]["profiles"]
    assert next(box for box in data["ticks"] if box["value"] == "mine")["ticked"]


@pytest.mark.slow
async def test_the_way_from_a_question_to_two_profiles(server: Any) -> None:
    page = await get(server, f"/-/memory/recall?q={quote(QUESTION)}&profile=default&profile=memem")
    soup: Any = BeautifulSoup(page.text, "html.parser")
    assert [option["value"] for option in soup.select("select[name=profile] option[selected]")] == ["default", "memem"]
    assert soup.select_one("button[formaction='/-/memory/compare']")
    link = next(each for each in soup.select(".summary a") if "Compare with" in each.get_text())
    data = (await get(server, link["href"].replace("/compare?", "/compare.json?"))).json()
    assert data["asked"]["profiles"] == ["default@1", "memem@1"] and data["sides"]["rows"]


# --------------------------------------------------------------------- the hook


def printed_by_the_hook(path: Path, prompt: str, folder: str) -> str:
    """What the real hook prints for a prompt, in a session of its own."""
    payload = {"prompt": prompt, "hook_event_name": "UserPromptSubmit", "cwd": folder, "session_id": "new-session"}
    ended = subprocess.run(
        [*COMMAND, "user-prompt", "-d", str(path), *PATIENT],
        input=json.dumps(payload).encode(), capture_output=True, check=True, timeout=WAIT_S,
    )  # fmt: skip
    return re.sub(r"r[0-9a-f]{8}", "r00000000", ended.stdout.decode())


@pytest.mark.slow
@pytest.mark.parametrize(
    ("prompt", "outcome"),
    [
        ("how do we run the migrations", "shown"),
        ("why is the stations page slow when it filters by harbour?", "shown"),
        ("stations page is slow when it filters by harbour", "shown"),
        ("ok thanks, go on", "skipped"),
        ("/clear", "skipped"),
        ("<task-notification>done</task-notification>", "skipped"),
        ("zebra quantum flamingo", "silent"),
        ("...", "silent"),
        ("how do we run the migrations? " * 300, "shown"),
        ("how do we run the migrations " + "x = 1\n" * 1500, "silent"),
    ],
)
@pytest.mark.parametrize("project", ["tidepool", ""])
def test_the_preview_is_what_the_hook_prints(sample_path: Path, prompt: str, outcome: str, project: str) -> None:
    with connect(sample_path) as db:
        folder = db.execute("select canonical_path from projects where name = ?", [project]).fetchone()
        counts = rows(db, "select (select count(*) from recalls), (select count(*) from hook_runs)")
    fields = {"q": [prompt], "as": ["hook"], "project": [project]}
    data = ask.explore(sample_path, fields, now=datetime.now(UTC), log=True)
    with connect(sample_path) as db:
        assert rows(db, "select (select count(*) from recalls), (select count(*) from hook_runs)") == counts
        printed = printed_by_the_hook(sample_path, prompt, folder[0] if folder else "")
        run = db.execute("select outcome, reason, shown_tokens from hook_runs order by id desc").fetchone()
    assert data["hook"]["output"] == printed
    assert (data["hook"]["outcome"], data["hook"]["reason"]) == (run[0], run[1])
    assert data["hook"]["tokens"] == run[2]
    if project:
        assert data["hook"]["outcome"] == outcome
    if data["hook"]["outcome"] == "shown":
        assert data["hook"]["text"] == json.loads(printed)["hookSpecificOutput"]["additionalContext"]


@pytest.mark.slow
async def test_the_page_says_what_the_hook_would_do(server: Any, db: sqlite3.Connection) -> None:
    skipped = await get(server, "/-/memory/recall?q=ok&as=hook", root=True)
    assert "It would show nothing: an acknowledgement." in BeautifulSoup(skipped.text, "html.parser").get_text()
    silent = await get(server, "/-/memory/recall?q=zebra+quantum&as=hook&project=shop", root=True)
    assert "It would show nothing: nothing near enough." in BeautifulSoup(silent.text, "html.parser").get_text()
    shown = await get(server, f"/-/memory/recall?q={quote(QUESTION)}&as=hook&project=shop", root=True)
    assert "What the hook would show" in shown.text and "memory-brief" in shown.text
    assert rows(db, "select (select count(*) from recalls), (select count(*) from hook_runs)") == [(0, 0)]


# --------------------------------------------------------------------- the size


@pytest.mark.parametrize("limit", [10, 100])
@pytest.mark.slow
async def test_no_answer_makes_a_page_too_long(server: Any, db: sqlite3.Connection, limit: int) -> None:
    text = "migrations run 日本語のとても長い本文 & < \" '" + " migrations 長い本文" * 400
    for number in range(120):
        db.execute(
            "insert into entries (uid, session_id, role, kind, text, created_at)"
            " values (?, 1, 'user', 'prompt', ?, '2026-10-01T00:00:00Z')",
            [f"long-{number:04}", f"{number} {text}"],
        )
    path = f"/-/memory/recall?q={quote(QUESTION)}&limit={limit}"
    response = await get(server, path, root=True)
    assert response.status_code == 200 and len(response.content) < 150_000
    data = (await get(server, path.replace("recall?", "recall.json?"))).json()
    assert len(data["answer"]["hits"]) == limit
    soup = BeautifulSoup(response.text, "html.parser")
    assert len(soup.select("article.hit")) == min(limit, ask.MOST_DRAWN)
    assert len(soup.select(".others li")) == len(data["answer"]["listed"]) <= ask.MOST_OTHERS
    assert all(each.get_text(strip=True) for each in soup.select(".others .reason"))


def test_what_repeats_a_hit_shown_earlier_stays_out() -> None:
    """The source of a memory that the session knows already must not come in when a weight is moved."""

    def hit(uid: str, sort: str, number: int, reason: str | None) -> dict[str, Any]:
        key = {"memory_version_id": number, "entry_id": None} if sort == "memory" else {
            "memory_version_id": None, "entry_id": number}  # fmt: skip
        return {"uid": uid, "type": sort, "position": number, "rank": None if reason else 1, "left_out_reason": reason,
                "features": {}, "signals": {}, **key}  # fmt: skip

    hits = [hit("m1", "memory", 1, allowed.SHOWN_EARLIER), hit("e1", "entry", 2, allowed.SOURCE_OF.format("m1")),
            hit("m2", "memory", 3, None), hit("e2", "entry", 4, allowed.SOURCE_OF.format("m2"))]  # fmt: skip
    rows = {str(row[0]): row for row in weights.hits_data(hits, ["keyword"])}
    assert rows["entry-e1"][2:6] == [0, allowed.SOURCE_OF.format("m1"), 1, []]
    assert rows["entry-e2"][2:5] == [0, allowed.SOURCE_OF.format("m2"), 0] and len(rows["entry-e2"][5]) == 1  # type: ignore[arg-type]
    assert rows["memory-m2"][2:6] == [1, "", 0, []]
