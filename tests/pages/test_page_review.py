"""The review page: what waits, decisions on it, what they would do, and undoing them."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from memory_db.gate.contradictions.in_words import found_in_words
from memory_db.gate.contradictions.pairs import RESOLUTIONS
from memory_db.gate.review import queue as review
from memory_db.index import build as index
from memory_db.knowledge import proposals
from memory_db.pages.draw.filters import shortened
from memory_db.pages.review.queue import ON_A_PAGE, SORTS, queue, review_summary
from memory_db.pages.web import compat
from memory_db.store.schema import open_database
from memory_db.text.names.citations import UID
from tests.gate.test_review import OLD, add_candidate
from tests.pages.test_pages import PAYLOADS
from tests.support.in_process import guest, open_to_all, served, soup, started, text_of
from tests.support.review_rows import ATTACK, full_queue, state

pytestmark = pytest.mark.slow

HERE = "/-/memory/review"


@pytest.fixture
def db(tmp_path: Path, now: datetime) -> Iterator[sqlite3.Connection]:
    with closing(full_queue(tmp_path / "memory.db", now)) as connection:
        index.run(connection, now=now, entries=False)  # what deciding does after it, and draws edges
        yield connection


@pytest.fixture
def served_file(db: sqlite3.Connection, db_path: Path) -> Path:
    return db_path


def root(server: Any) -> dict[str, str]:
    return {"ds_actor": server.sign({"a": {"id": "root"}}, "actor")}


async def get(server: Any, path: str = HERE, *, signed_in: bool = True) -> Any:
    return await server.client.get(path, cookies=root(server) if signed_in else guest(server))


async def post(server: Any, path: str = f"{HERE}.json", *, signed_in: bool = True, **fields: object) -> Any:
    """What a program sends, in the name of root or of somebody who may only read."""
    return await server.client.post(
        path, cookies=root(server) if signed_in else guest(server), content=json.dumps(fields),
        headers={"content-type": "application/json", "authorization": "Bearer of-a-plugin"},
    )  # fmt: skip


# ------------------------------------------------------------------ what waits


async def test_the_page_has_what_the_view_has(server: Any, db: sqlite3.Connection) -> None:
    waits = {row["item"]: row for row in review.queue(db) if row["waits_for"] == "a person"}
    data = (await get(server, f"{HERE}.json")).json()
    found = soup(await get(server))
    assert {item["item"] for item in data["items"]} == set(waits) and data["waiting"] == len(waits)
    assert [card["data-item"] for card in found.select("[data-item]")] == [item["item"] for item in data["items"]]
    for item in data["items"]:
        card = found.select_one(f"#{item['item']}")
        assert item["sides"][0]["text"] in card.get_text()
        assert item["reason"].startswith(waits[item["item"]]["reason"][:1]) and item["why"][:40] in text_of(card)
        told = [item["why"], *(action["would"] for action in item["actions"])]
        assert told and not [line for line in told if UID.search(line)], "a uid is no language"
        named = {button["name"] for button in card.select("button")}
        blocked = waits[item["item"]]["sort"] == "quarantined"
        wanted = set(RESOLUTIONS) if item["item"][0] == "x" else {"decline"} if blocked else {"accept", "decline"}
        assert named == wanted == {action["name"] for action in item["actions"]}
    counts = {row["sort"]: row["waiting"] for row in data["sorts"]}
    assert counts == {
        "contradiction": 1, "duplicate": 1, "proposal": 7, "candidate": 2, "quarantined": 1, "sighting": 1,
    }  # fmt: skip


async def test_a_contradiction_shows_both_sides_with_source_and_belief(server: Any) -> None:
    (item,) = (await get(server, f"{HERE}.json?sort=contradiction")).json()["items"]
    assert [side["text"] for side in item["sides"]] == [OLD[2], "Never indent SQL files with tabs."]
    found = soup(await get(server, f"{HERE}?sort=contradiction"))
    sides = found.select(".side")
    assert len(sides) == 2 and len(found.select("[data-item]")) == 1
    for side, known in zip(sides, item["sides"], strict=True):
        assert side.select_one(f'a[href="/-/memory/memories/{known["uid"]}"]')
        assert side.select_one('a[href^="/-/memory/sessions/s1?entry=e"]')
        shown = text_of(side)
        assert f"confidence {known['belief']['confidence']:.2f}, 1 for, 0 against" in shown and "2026-03-0" in shown


async def test_a_candidate_shows_what_it_would_do_and_what_is_near(server: Any, db: sqlite3.Connection) -> None:
    items = {item["sides"][0]["text"]: item for item in (await get(server, f"{HERE}.json")).json()["items"]}
    uid = db.execute("select uid from memories where id = 1").fetchone()[0]
    merge = items["Run the linter before each commit, with the strict profile."]
    assert merge["sides"][1]["uid"] == uid and merge["sides"][1]["label"] == "known already"
    assert merge["actions"][0]["would"] == "What is known already gets these words, with the quote."
    assert uid in merge["reason"] and "what is known already says more: " in merge["why"]
    assert merge["origin"]["prompt"] == "extract@2" and merge["origin"]["run"] == 3
    assert "cannot be kept (injection: override)" in items[ATTACK]["blocked"]
    db.execute("update decisions set memory_id = 4 where memory_id = 1")  # what the reason names stands beside no item
    (merge,) = [item for item in (await get(server, f"{HERE}.json?sort=candidate")).json()["items"]
                if item["sides"][0]["text"] == merge["sides"][0]["text"]]  # fmt: skip
    assert f"“{OLD[0]}” says more: " in merge["why"] and merge["sides"][1]["uid"] != uid


async def test_ages_and_filters(server: Any, db: sqlite3.Connection, now: datetime) -> None:
    data = queue(db, {}, now)
    assert data["age"]["over_7"] == 7 and data["age"]["over_30"] == 3 and data["age"]["oldest_days"] == 40
    assert sum(part["count"] for part in data["age"]["bar"]) == data["waiting"] == data["age"]["count"]
    assert abs(sum(part["width"] for part in data["age"]["bar"]) - 1000) < 1
    old = queue(db, {"age": ["30"]}, now)
    assert [item["kind"] for item in old["items"]] == ["retire", "merge", "supersede"] and old["age"]["count"] == 12
    assert [item["item"] for item in queue(db, {"sort": ["duplicate"]}, now)["items"]] == ["p2"]
    prompts = {each["value"]: each["count"] for each in data["choices"]["prompt"]}
    assert sum(prompts.values()) == 3
    for prompt, count in prompts.items():
        assert queue(db, {"prompt": [prompt]}, now)["matching"] == count
    assert queue(db, {"project": ["shop"], "run": ["3"]}, now)["matching"] == queue(db, {"run": ["3"]}, now)["matching"]
    assert queue(db, {"project": ["nowhere"]}, now)["items"] == []
    assert "No waiting item matches" in (await get(server, f"{HERE}?project=nowhere")).text


async def test_home_and_review_count_the_same(server: Any, db: sqlite3.Connection, now: datetime) -> None:
    home, review = review_summary(db), queue(db, {}, now)
    assert home["waiting"] == review["waiting"] == review["matching"] == 12
    assert home["sightings"] == review["sightings"] == 1
    listed = {each["sort"]: each["waiting"] for each in review["sorts"] if each["waiting"]}
    assert listed == {row["sort"]: row["waiting"] for row in home["sorts"]} | {"sighting": 1}
    for row in home["sorts"]:
        assert queue(db, {"sort": [row["sort"]]}, now)["matching"] == row["waiting"]
    shown = soup(await get(server, f"{HERE}?sort=sighting"))
    assert len(shown.select("[data-item]")) == 1 and "when you say it again" in shown.get_text()


def test_summary_for_other_pages(db: sqlite3.Connection) -> None:
    found = review_summary(db)
    assert {row["sort"]: row["waiting"] for row in found["sorts"]} == {
        "candidate": 2, "contradiction": 1, "duplicate": 1, "proposal": 7, "quarantined": 1,
    }  # fmt: skip
    assert found["waiting"] == 12 and found["sightings"] == 1
    assert found["oldest_age_days"] == max(row["oldest_age_days"] for row in found["sorts"])


@pytest.mark.parametrize(
    ("query", "status", "words"),
    [
        ("sort=zebra", 404, "No type of item"),
        ("age=x", 400, "age 'x' cannot be used"),
        ("run=0", 400, "run '0' cannot be used"),
        ("page=0", 400, "page '0' cannot be used"),
        ("page=99", 200, "Review"),
        ("done=x", 400, "done 'x'"),
        ("done=99", 200, "Review"),
    ],
)
async def test_what_the_address_cannot_mean_is_said_in_one_line(
    server: Any, query: str, status: int, words: str
) -> None:
    response = await get(server, f"{HERE}?{query}")
    assert response.status_code == status and words in soup(response).get_text()
    assert (await get(server, f"{HERE}.json?{query}")).status_code == status


async def test_an_empty_queue_says_what_would_fill_it(tmp_path: Path, now: datetime) -> None:
    open_database(tmp_path / "empty.db", now=now).close()
    async with served(tmp_path / "empty.db") as server:
        response = await get(server)
        assert response.status_code == 200 and "Nothing to review." in response.text
        assert "memory-db memory junk --propose" in response.text and not soup(response).select(".memory button")
        data = (await get(server, f"{HERE}.json")).json()
        assert data["items"] == [] and data["age"]["median_days"] is None and len(data["sorts"]) == len(SORTS)


async def test_a_thousand_waiting_items_fit_a_small_page(server: Any, db: sqlite3.Connection, now: datetime) -> None:
    long = "The settings of the exporter are read once, from the file beside it, and never again. " * 20
    for number in range(1_000):
        proposals.propose(
            db, "merge", number % 4 + 1, other_memory_id=(number + 1) % 4 + 1, reason=f"{number} {long}", by="test",
            now=now - timedelta(days=number % 80), text=f"{number} {long}",
        )  # fmt: skip
    db.execute("update memories set text = text || ? where id < 5", [long])
    response = await get(server)
    assert response.status_code == 200 and len(response.content) < 150_000
    assert len(soup(response).select("[data-item]")) == ON_A_PAGE
    pages = [item["item"] for page in range(1, 22) for item in
             (await get(server, f"{HERE}.json?page={page}")).json()["items"]]  # fmt: skip
    assert len(pages) == len(set(pages)) == 1_012
    named = (await get(server, f"{HERE}.json?item={pages[ON_A_PAGE * 3 + 2]}")).json()
    assert named["page"] == 4 and named["items"][2]["item"] == pages[ON_A_PAGE * 3 + 2]
    assert (await get(server, f"{HERE}.json?item=p99999&page=2")).json()["page"] == 2, "it does not wait, or no longer"
    for action in ("accept", "decline"):
        response = await get(server, f"{HERE}/preview?all=1&action={action}")
        assert response.status_code == 200 and len(response.content) < 150_000 and "812 more match" in response.text


async def test_what_anybody_wrote_is_shown_as_text(server: Any, db: sqlite3.Connection, now: datetime) -> None:
    for number, payload in enumerate(PAYLOADS.values()):
        add_candidate(db, f"hostile{number}", payload, entry=2)
        db.execute(
            "insert into decisions (candidate_id, action, memory_id, reason, decided_by, decided_at, effects) values"
            " ((select max(id) from candidates), 'propose', 1, ?, 'gate', ?, '{}')", [payload, now.isoformat()]
        )  # fmt: skip
        proposals.propose(db, "rewrite", 2, text=payload, reason=payload, by="test", now=now)
    db.execute("update sessions set title = ?", [PAYLOADS["script"]])
    for path in (HERE, f"{HERE}/preview?all=1&action=accept", f"{HERE}?project=%3Cscript%3Ealert(1)%3C/script%3E"):
        response = await get(server, path)
        assert response.status_code == 200
        assert "<script>alert" not in response.text and "\x1b" not in response.text and "\u202e" not in response.text
        found = soup(response)
        assert not found.select(".hit img, .hit script, .lines img")
        assert not [link for link in found.select("a") if "javascript:" in link.get("href", "")]


# ------------------------------------------------------------------ deciding


async def test_every_decision_does_what_its_preview_says_and_is_undone(server: Any, db: sqlite3.Connection) -> None:
    for item in [row["item"] for row in review.queue(db)]:
        for action in RESOLUTIONS if item[0] == "x" else ("accept", "decline"):
            before = state(db)
            note = "so be it" if item[0] == "x" else ""
            shown = (await get(server, f"{HERE}/preview.json?item={item}&action={action}&note={note}")).json()
            previewed = await post(server, items=[item], action=action, note=note, dry_run=True)
            assert state(db) == before
            done = await post(server, items=[item], action=action, note=note)
            if shown["leaving"]:
                assert done.status_code == 400 and done.json()["error"] == shown["leaving"][0]["left"]
                assert previewed.json()["items"][0]["left"] == shown["leaving"][0]["left"]
                continue
            assert done.status_code == 200, done.text
            assert done.json()["items"] == previewed.json()["items"]
            assert shown["doing"][0]["told"] == done.json()["items"][0]["told"]
            assert item not in [row["item"] for row in review.queue(db)]
            undone = await post(server, f"{HERE}/undo.json", batch=done.json()["batch"])
            assert undone.status_code == 200 and undone.json()["said"].startswith("Undone: 1 item.")
            assert without_edges(state(db)) == without_edges(before), (item, action)


def without_edges(found: dict[str, list[Any]]) -> dict[str, list[Any]]:
    """Without the edges that indexing draws again when words have changed."""
    return {name: value for name, value in found.items() if name != "edges"}


async def test_a_form_decides_goes_back_and_offers_undo(server: Any, db: sqlite3.Connection) -> None:
    fields = {"accept": "c5", "sort": "candidate", "next": "c6", "page": "1"}
    response = await server.client.post(HERE, cookies=root(server), data=fields,
                                        headers={"authorization": "Bearer of-a-plugin"})  # fmt: skip
    assert response.status_code == 303 and response.headers["location"] == f"{HERE}?sort=candidate&page=1&done=1#c6"
    found = soup(await get(server, f"{HERE}?sort=candidate&done=1"))
    assert found.select_one("#undo-last") and found.select_one("form.undo-last input[name=batch]")["value"] == "1"
    assert found.select_one('td form button[name=batch][value="1"]')
    data = (await get(server, f"{HERE}.json")).json()
    assert data["lately"][0]["examples"][0]["did"] == "merge" and data["lately"][0]["decided_by"] == "root"
    audit = db.execute("select actor, action, target, outcome, said from audit_log").fetchall()
    assert [tuple(row)[:4] for row in audit] == [("root", "review", HERE, "done")] and "c5 accepted: " in audit[0][
        "said"
    ]
    await post(server, f"{HERE}/undo.json", batch="1")
    found = soup(await get(server, f"{HERE}?done=1"))
    assert not found.select_one("#undo-last") and "undone" in text_of(found.select("table")[-1])


async def test_an_undo_says_what_it_undid_and_goes_back_to_it(server: Any, db: sqlite3.Connection) -> None:
    await post(server, items=["c5"], action="decline")
    answer = await server.client.post(f"{HERE}/undo", data={"batch": "1", "sort": "candidate"}, cookies=root(server),
                                      headers={"authorization": "Bearer of-a-plugin"})  # fmt: skip
    assert answer.headers["location"] == f"{HERE}?sort=candidate&undone=1#c5"
    page = soup(await server.client.get(f"{HERE}?sort=candidate&undone=1", cookies={**root(server), **answer.cookies}))
    assert page.select_one(".flash.stays") and not page.select_one("#undo-last")
    text = db.execute("select text from candidates where id = 5").fetchone()[0]
    assert f"Undone: c5 “{text[:20]}" in " ".join(page.select_one(".flash").get_text().split())


async def test_keys_and_the_bar_of_ages_are_those_that_tell_something(server: Any) -> None:
    both = soup(await get(server, HERE))
    keys = both.select_one("#review-keys").get_text()
    assert "accept" in keys and "keep the first" in keys and both.select_one("figure.ages svg.bar")
    alone = soup(await get(server, f"{HERE}?sort=contradiction"))
    keys = alone.select_one("#review-keys").get_text()
    assert "accept" not in keys and "keep the first" in keys
    assert not alone.select_one("figure.ages svg") and "oldest" in alone.select_one("figure.ages").get_text()


def test_opposed_texts_are_told_with_their_own_words() -> None:
    texts = "Raw readings stay, we convert on output. Convert once instead of on output."
    for reason, said in (
        ("sets aside output", "one sets aside what the other says: output"),
        ("opposed on convert, read", "one says to do what the other says not to do, on: readings, convert"),
        ("something else", "one says to do what the other says not to do (something else)"),
    ):
        assert found_in_words({"found_by": "opposed", "reason": reason}, texts) == said


async def test_the_preview_of_one_candidate_shows_what_is_near(server: Any, db: sqlite3.Connection) -> None:
    path = f"{HERE}/preview{{}}?item=c5&action=accept"
    (nearest, *_) = (await get(server, path.format(".json"))).json()["near"]
    assert nearest["text"] == OLD[0] and nearest["relation"]["kind"] == "extends"
    found = soup(await get(server, path.format("")))
    assert found.select_one(f'table a[href="/-/memory/memories/{nearest["uid"]}"]')
    assert (await get(server, f"{HERE}/preview.json?item=p1&action=accept")).json()["near"] is None


async def test_a_note_is_kept_with_a_contradiction(server: Any, db: sqlite3.Connection) -> None:
    assert (await post(server, both="x1", **{"note-x1": "one is for new files"})).status_code == 200
    assert db.execute("select note, resolution from contradictions").fetchone()[:] == ("one is for new files", "both")


async def test_a_note_stands_before_the_buttons_that_keep_it(server: Any) -> None:
    (item,) = soup(await get(server, f"{HERE}?sort=contradiction")).select("[data-item]")
    fields = item.select(".decide textarea, .decide button")
    assert [field.name for field in fields] == ["textarea", *["button"] * 4]
    previews = item.select(".decide a[href^='review/preview']")
    assert [text_of(link) for link in previews] == ["Preview"] * 3, "a link says that it is one"


async def test_what_was_decided_on_a_contradiction_is_told_of_both(server: Any) -> None:
    await post(server, second="x1")
    told = text_of(soup(await get(server)).select_one(".example"))
    assert "kept the second “Never indent SQL files with tabs.” stays" in told
    assert told.endswith("counts as replaced") and OLD[2][:40] in told


async def test_what_waits_for_nobody_is_told_apart_from_all(server: Any) -> None:
    nav = soup(await get(server)).select_one("nav.sorts")
    named = [int(link.b.text) for link in nav.select("a") if not link.find_previous_sibling("span")]
    assert named[0] == sum(named[1:]), "the tabs after the first add up to it"
    assert text_of(nav).endswith("not waiting for you: mentioned once 1")


async def test_many_are_previewed_decided_and_undone(server: Any, db: sqlite3.Connection) -> None:
    before = state(db)
    response = await get(server, f"{HERE}/preview?all=1&action=accept")
    previewed = (await get(server, f"{HERE}/preview.json?all=1&action=accept")).json()
    found = soup(response)
    named = [field["value"] for field in found.select("form.doing input[name=item]")]
    assert len(named) > 8 and "x1" not in named and "What would be skipped" in response.text
    assert state(db) == before
    done = (await post(server, items=named, action="accept")).json()
    assert [each["item"] for each in done["items"]] == named and not [each for each in done["items"] if "left" in each]
    shown = [text_of(line) for line in found.select(".lines div:not(.bad)")]
    lines = [line for each in previewed["doing"] for line in each["lines"]]
    assert shown == [shortened(line, 150) for line in lines] and len(lines) == sum(
        len(each["told"]) for each in done["items"]
    )
    assert not [line for line in lines if UID.search(line)], "a uid is no language"
    undone = (await post(server, f"{HERE}/undo.json", batch=done["batch"])).json()
    assert len(undone["items"]) == len(named) and without_edges(state(db)) == without_edges(before)
    prompt = (await get(server, f"{HERE}/preview.json?all=1&action=decline&prompt=extract@1")).json()
    assert prompt["doing"] and all(each["item"][0] == "c" for each in prompt["doing"])
    assert prompt["kept"] == {"prompt": "extract@1"}


async def test_what_cannot_be_is_left_and_told(server: Any, db: sqlite3.Connection) -> None:
    response = await post(server, items=["p1", "x1", "c999"], action="decline")
    found = {each["item"]: each for each in response.json()["items"]}
    assert found["p1"]["did"] == "declined" and "is a contradiction" in found["x1"]["left"]
    assert "no candidate c999" in found["c999"]["left"] and "Left: x1 is a contradiction" in response.json()["said"]


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({}, "No action given."),
        ({"items": ["c5"], "action": "eat"}, "No action 'eat'"),
        ({"action": "accept"}, "0 items are named"),
        ({"items": ["zebra"], "action": "accept"}, "is no item"),
        ({"accept": "c5", "decline": "c5"}, "2 buttons"),
        ({"items": ["c5"], "action": "accept", "note": "why"}, "kept with a contradiction alone"),
        ({"items": ["x1"], "action": "both", "note": "x" * 501}, "A note of 501"),
    ],
)
async def test_bad_orders_change_nothing(
    server: Any, db: sqlite3.Connection, fields: dict[str, Any], words: str
) -> None:
    before = state(db)
    response = await post(server, **fields)
    assert response.status_code == 400 and words in response.json()["error"]
    assert "\n" not in response.json()["error"] and state(db) == before
    assert db.execute("select outcome from audit_log").fetchone()[0] == "refused"


async def test_undoing_what_is_not_there(server: Any) -> None:
    for fields, status, words in (({}, 400, "Undo which"), ({"batch": "7"}, 404, "no batch 7"),
                                  ({"batch": "jdeadbeef"}, 404, "no batch 'jdeadbeef'")):  # fmt: skip
        response = await post(server, f"{HERE}/undo.json", **fields)
        assert response.status_code == status and words in response.json()["error"]


async def test_nobody_decides_without_signing_in(server: Any, db: sqlite3.Connection, tmp_path: Path) -> None:
    before = state(db)
    open_server = await started(tmp_path / "memory.db", open_to_all(tmp_path / "memory.db"))
    response = await open_server.client.get(HERE, cookies={})
    found = soup(response)
    assert response.status_code == 200 and "signed-in link" in response.text
    assert found.select("[data-item]") and not found.select("[data-item] button, input[type=checkbox], #batch")
    assert (await get(server, f"{HERE}/preview?item=c5&action=accept", signed_in=False)).status_code == 403
    assert (await post(server, items=["c5"], action="accept", signed_in=False)).status_code == 403
    assert (await post(server, f"{HERE}/undo.json", batch="1", signed_in=False)).status_code == 403
    form = await server.client.post(HERE, cookies=root(server), data={"accept": "c5"})
    assert form.status_code == 403 or compat.IS_ALPHA, "a form of another site carries no token"
    if not compat.IS_ALPHA:
        assert state(db) == before


async def test_reading_writes_nothing(server: Any, db: sqlite3.Connection) -> None:
    version = db.execute("pragma data_version").fetchone()[0]
    for path in (HERE, f"{HERE}.json", f"{HERE}/preview?all=1&action=accept"):
        assert (await get(server, path)).status_code == 200
    assert db.execute("pragma data_version").fetchone()[0] == version
    assert db.execute("select count(*) from audit_log").fetchone()[0] == 0


def test_ages_never_run_backwards(db: sqlite3.Connection) -> None:
    assert queue(db, {}, datetime(2020, 1, 1, tzinfo=UTC))["age"]["oldest_days"] == 0
