"""The page that follows running agents: real hooks, one stream for each reader, and what a person does meanwhile."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import httpx2
import pytest

from memory_db.pages.web.serve import Served, running
from memory_db.recall.brief.select import ask
from memory_db.recall.search import Question
from memory_db.store.connection import connect
from tests.conftest import NOW
from tests.support.browsing import MARKS, a_visitor
from tests.support.hook_process import answered, without_runs
from tests.support.in_process import one, served, soup, text_of
from tests.support.patience import WAIT_S

TIDEPOOL, LANTERNFISH = "/home/sam/code/tidepool", "/home/sam/code/lanternfish"

NO_FEEDBACK = ("No feedback on these lines", "No feedback on this line")

PROMPTS = {"one": (TIDEPOOL, "what port does postgres use here?"), "two": (LANTERNFISH, "do we use npm or pnpm here?")}


@pytest.fixture
def served_file(sample_file: Path, tmp_path: Path, home: Path) -> Path:
    return without_runs(sample_file, tmp_path)


def prompt(path: Path, session: str) -> None:
    """A prompt as an agent's hook hands it over."""
    folder, text = PROMPTS[session]
    payload = {"session_id": session, "cwd": folder, "prompt": text, "transcript_path": ""}
    answered("user-prompt", path, json.dumps(payload).encode())


def transcript(home: Path, session: str) -> Path:
    """A running session's transcript: one answer with its usage, written twice as it grew, and a tool that failed."""
    path = home / ".claude/projects/here" / f"{session}.jsonl"
    path.parent.mkdir(parents=True)
    usage = {"input_tokens": 1_000, "output_tokens": 10, "cache_read_input_tokens": 10_000}
    call = {"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "docker login -p hunter2secret"}}
    lines = [
        {"type": "assistant", "uuid": f"u{number}", "sessionId": session, "timestamp": "2026-11-01T10:00:00.000Z",
         "requestId": "r1", "message": {"id": "m1", "role": "assistant", "model": "claude-sonnet-4-5-20250929",
         "usage": {**usage, "output_tokens": tokens}, "content": content}}
        for number, (tokens, content) in enumerate([(10, []), (100, [call])])
    ]  # fmt: skip
    result = {"type": "tool_result", "tool_use_id": "t1", "content": "refused", "is_error": True}
    lines.append({"type": "user", "uuid": "u9", "sessionId": session, "timestamp": "2026-11-01T10:00:05.000Z",
                  "message": {"role": "user", "content": [result]}})  # fmt: skip
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    return path


@pytest.mark.slow
async def test_two_sessions_stand_with_prompt_brief_and_cost(server: Any, served_file: Path, home: Path) -> None:
    for session in PROMPTS:
        prompt(served_file, session)
    path = transcript(home, "one")
    data = (await server.client.get("/-/memory/live.json")).json()
    assert data["is_running"] and {each["uid"] for each in data["sessions"]} == {"one", "two"}
    session = next(each for each in data["sessions"] if each["uid"] == "one")
    assert (session["project"], session["turns"][0]["query"]) == ("tidepool", PROMPTS["one"][1])
    assert [line["came"] for line in session["turns"][0]["lines"]].count("waiting") == len(session["turns"][0]["lines"])
    with closing(connect(served_file)) as db:
        row = db.execute(
            "select 1000 * input_nanocents + 100 * output_nanocents + 10000 * cache_read_nanocents from price_periods"
            " where model = 'claude-sonnet-4-5-20250929'"
        ).fetchone()
    assert (session["cost_nanocents"], session["calls"], session["errors"]) == (row[0], 1, 1)
    assert "hunter2secret" not in json.dumps(data) and session["tools"][0]["tool"] == "Bash"
    with path.open("a") as grown:
        grown.write(path.read_text("utf-8").splitlines()[0].replace('"m1"', '"m2"').replace("r1", "r2") + "\n{half")
    again = (await server.client.get("/-/memory/live.json")).json()
    assert next(each for each in again["sessions"] if each["uid"] == "one")["calls"] == 2
    shown = soup(await server.client.get("/-/memory/live"))
    assert len(shown.select(".live-session")) == 2 and "2 agents running" in text_of(shown.select_one(".live-status"))


async def test_without_a_running_agent_the_last_state_stands(server: Any) -> None:
    shown = soup(await server.client.get("/-/memory/live"))
    assert "No agent is running" in text_of(shown.select_one(".live-status"))
    assert shown.select_one(".live-status a")["href"] == "/-/memory/live"


async def test_what_became_of_a_session_is_told_in_words(sample_path: Path, home: Path) -> None:
    async with served(sample_path) as datasette:
        page = soup(await datasette.client.get("/-/memory/live"))
    told = text_of(page.select_one("main"))
    assert "by the hook itself in" in told and " ms cold" not in told
    assert "ended 2026-" in told and "last session end" not in told
    for turn in page.select("li.turn"):
        if any(words in text_of(turn) for words in NO_FEEDBACK):
            assert not turn.select(".shown-line .chip")
    assert any(words in told for words in NO_FEEDBACK)
    assert page.select(".live-pause details button"), "a pause for all is not one click away"


async def test_a_session_that_is_not_read_in_yet_has_a_page_with_what_it_asked(server: Any, served_file: Path) -> None:
    with closing(connect(served_file, write=True)) as db:
        answer = ask(db, Question("what port does postgres use?", session_uid="runs-still"), surface="hook", now=NOW)
    why = soup(await server.client.get(f"/-/memory/recalls/{answer.recall_uid}"))
    [link] = why.select('dl.facts a[href$="/sessions/runs-still"]')
    response = await server.client.get(link["href"])
    assert response.status_code == 200 and "not read in yet" in text_of(soup(response).select_one("main"))
    assert [each["href"] for each in soup(response).select("main ul.lines a")] == [
        f"/-/memory/recalls/{answer.recall_uid}"
    ]
    told = (await server.client.get(f"{link['href']}.json")).json()
    assert not told["is_read"] and [each["query"] for each in told["recalls"]] == ["what port does postgres use?"]
    missing = soup(await server.client.get("/-/memory/sessions/nobody"))
    assert "No session" in missing.get_text() and missing.select('.memory-nav a[href="/-/memory/tables"]')


async def send(server: Any, action: str, **fields: str) -> Any:
    """What a button of the page sends."""
    page = await server.client.get("/-/memory/live")
    token = soup(page).select_one("input[name=csrftoken]")["value"]
    cookies = {**server.client.cookies, **page.cookies}
    return await server.client.post(f"/-/memory/live/{action}", data={"csrftoken": token, **fields}, cookies=cookies)


@pytest.mark.slow
async def test_each_button_does_what_exists_under_another_name(server: Any, served_file: Path) -> None:
    prompt(served_file, "one")
    data = (await server.client.get("/-/memory/live.json")).json()
    [turn] = data["sessions"][0]["turns"]
    line = next(each for each in turn["lines"] if each["uid"])
    about = {"uid": line["uid"], "recall": turn["recall_uid"]}
    assert (await send(server, "wrong", **about)).status_code == 303
    assert (await send(server, "later", **about)).status_code == 303
    assert (await send(server, "never", **about, pattern="postgres port")).status_code == 303
    assert (
        await send(server, "remember", text="The staging database has a replica.", project="tidepool")
    ).status_code == 303
    assert (await send(server, "pause", session="one")).status_code == 303
    with closing(connect(served_file)) as db:
        wrong = (
            "select count(*) from evidence e join recalls r on r.id = e.recall_id where e.kind = 'wrong' and r.uid = ?"
        )
        assert one(db, wrong, turn["recall_uid"]) == 1
        assert one(db, "select count(*) from judgements where relevance = 0 and judged_by = 'root'") == 1
        assert one(db, "select pattern from suppressions where ended_at is null") == "postgres port"
        assert one(db, "select count(*) from memories where text = 'The staging database has a replica.'") == 1
        assert one(db, "select session_uid from pauses where ended_at is null") == "one"
    prompt(served_file, "one")
    after = (await server.client.get("/-/memory/live.json")).json()
    assert (after["sessions"][0]["is_paused"], after["sessions"][0]["turns"][0]["reason"]) == (True, "paused")
    assert (await send(server, "resume", session="one")).status_code == 303
    assert not (await server.client.get("/-/memory/live.json")).json()["pauses"]


@pytest.mark.slow
async def test_what_cannot_be_done_is_one_line(server: Any, served_file: Path) -> None:
    assert (await send(server, "dance")).status_code == 404
    missing = await send(server, "wrong", uid="m1")
    assert missing.status_code == 400 and "recall is missing" in missing.text


# ------------------------------------------------------------------ the stream


@pytest.fixture
def live_server(served_file: Path) -> Iterator[Served]:
    with running(served_file, open_to_this_machine=True) as served:
        yield served


def read_events(url: str, names: list[str], ready: threading.Barrier) -> None:
    """Follows the page until something changed."""
    with httpx2.stream("GET", f"{url}/-/memory/live?follow=1", timeout=WAIT_S) as stream:
        for text in stream.iter_lines():
            if text.startswith("event: "):
                names.append(text.removeprefix("event: "))
                if names == ["hello"]:
                    ready.wait(WAIT_S)
                if names[-1] == "changed":
                    return


@pytest.mark.pinned_datasette
@pytest.mark.slow
def test_all_readers_are_told_of_what_a_hook_writes(live_server: Served, served_file: Path) -> None:
    ready, told = threading.Barrier(3), ([], [])  # type: tuple[threading.Barrier, tuple[list[str], list[str]]]
    readers = [threading.Thread(target=read_events, args=(live_server.url, names, ready)) for names in told]
    for reader in readers:
        reader.start()
    ready.wait(WAIT_S)
    prompt(served_file, "one")
    for reader in readers:
        reader.join(WAIT_S)
    assert all(names[0] == "hello" and names[-1] == "changed" for names in told)


@pytest.mark.pinned_datasette
@pytest.mark.slow
def test_who_may_not_read_is_told_nothing(served_file: Path) -> None:
    with running(served_file) as served:
        answer = httpx2.get(f"{served.url}/-/memory/live?follow=1", timeout=WAIT_S)
    assert answer.status_code in (401, 403) and "event:" not in answer.text


class TestInChromium:
    """Driven as a person sees it."""

    pytestmark = MARKS

    def test_a_prompt_appears_by_itself_and_holds_still_on_demand(self, served_file: Path) -> None:
        with running(served_file) as served, a_visitor(served.link) as page:
            page.goto(f"{served.url}/-/memory/live")
            prompt(served_file, "one")
            page.locator(".turn .prompt", has_text=PROMPTS["one"][1]).wait_for(timeout=WAIT_S * 1000)
            page.locator("#hold").click()
            prompt(served_file, "two")
            page.wait_for_timeout(1_500)
            assert page.locator(".live-session").count() == 1
            page.locator("#hold").click()
            page.locator(".turn .prompt", has_text=PROMPTS["two"][1]).wait_for(timeout=WAIT_S * 1000)
