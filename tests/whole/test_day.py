"""A day of an agent's life through the real hook processes and the real worker, and what it leaves.

The sample history is known; then two sessions of the same project go on record by record, as an agent would write them,
with its hooks run by the command that is installed. Nobody runs a command between them. Every number below was worked
out by hand from the dialogues in memory_db/sample/day.
"""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from memory_db.recall.explain.why import explain_recall
from memory_db.sample import live
from memory_db.sample.build import write_history
from memory_db.store.schema import open_database
from memory_db.upkeep import pipeline
from memory_db.upkeep.check import check
from tests.support.hook_process import COMMAND, PATIENT
from tests.support.patience import WAIT_S, wait_for
from tests.support.rows import rows

pytestmark = pytest.mark.slow

CORRECTION = "the public api limit is 240 requests a minute per key"

OPUS = {"input": 500_000, "output": 2_500_000, "write_5m": 625_000, "write_1h": 1_000_000, "read": 50_000}
"""Nanocents for a token of Claude Opus 4.5. Source: Anthropic's price list: $5, $25, $6.25, $10 and $0.50 a million."""


@dataclass
class Day:
    """The file after the day, and what the agent was told at each event: (hook, prompt, text)."""

    path: Path
    folder: Path
    answers: list[tuple[str, str, str]] = field(default_factory=list)
    transcripts: list[Path] = field(default_factory=list)

    def hook(self, name: str, payload: dict[str, Any], _: datetime) -> str:
        """Runs a hook as the agent does, with time enough on a slow machine; the text that it is given."""
        command = [*COMMAND, name, "-d", str(self.path), *PATIENT]
        done = subprocess.run(
            command, input=json.dumps(payload).encode(), capture_output=True, timeout=WAIT_S,
            env={"HOME": str(self.path.parent), "PATH": os.environ["PATH"]},
        )  # fmt: skip
        assert (done.returncode, done.stderr) == (0, b""), done
        output = json.loads(done.stdout)["hookSpecificOutput"] if done.stdout else {}
        assert output.get("hookEventName", live.EVENTS[name]) == live.EVENTS[name]
        text = str(output.get("additionalContext", ""))
        self.answers.append((name, payload.get("prompt", ""), text))
        return text

    def wait_for_worker(self) -> None:
        """Waits until the worker, which a hook started, has nothing left to do."""
        left = "select 1 from jobs where kind = 'transcript' and state <> 'done'"
        wait_for("work is left", lambda: not rows(self.path, left), every_s=0.2)


@pytest.fixture(scope="module")
def day(tmp_path_factory: pytest.TempPathFactory) -> Day:
    folder = tmp_path_factory.mktemp("day")
    lived = Day(folder / "memory.db", folder / "projects")
    write_history(lived.folder)
    with closing(open_database(lived.path, now=datetime.now(UTC))) as db:
        pipeline.run(db, [lived.folder], now=datetime.now(UTC))
    for dialogue in live.day_sessions():
        played = live.play(dialogue, lived.folder, lived.hook, clock=lambda: datetime.now(UTC))
        lived.transcripts.append(played)
        lived.wait_for_worker()
    return lived


@pytest.fixture
def db(day: Day) -> Iterator[sqlite3.Connection]:
    with closing(open_database(day.path, now=datetime.now(UTC))) as connection:
        yield connection


def asked(db: sqlite3.Connection, prompt: str) -> sqlite3.Row:
    """The recall of a prompt."""
    row: sqlite3.Row = db.execute("select * from recalls where query = ? and surface = 'hook'", [prompt]).fetchone()
    return row


def test_every_event_is_a_row_and_none_failed(day: Day, db: sqlite3.Connection) -> None:
    runs = Counter(tuple(row) for row in db.execute("select hook, outcome from hook_runs"))
    assert runs["session-start", "shown"] == runs["session-end", "done"] == 2
    # 24 prompts: ok, thanks, go on, perfect, and twice that the day is done; a slash command; a notice; a short reply;
    # the weather. Silent: that, an http client that is asked for, what is to be done next with a fixture, the
    # correction of what was shown just before, and two questions that are answered by what the session began with.
    prompts = {outcome: count for (hook, outcome), count in runs.items() if hook == "user-prompt"}
    assert prompts == {"shown": 9, "skipped": 9, "silent": 6}
    assert sum(count for (hook, _), count in runs.items() if hook == "stop") == 24
    assert not any(outcome == "failed" for _, outcome in runs)
    assert list(day.path.parent.glob("*.spool*")) == []
    silent = [prompt for hook, prompt, text in day.answers if hook == "user-prompt" and not text]
    assert len(silent) == 15 and "what's the weather like in lisbon this week?" in silent


def test_what_was_corrected_in_one_session_is_shown_in_the_next(day: Day) -> None:
    starts = [text.casefold() for hook, _, text in day.answers if hook == "session-start"]
    assert CORRECTION not in starts[0] and CORRECTION in starts[1]
    landing_page = next(text for _, prompt, text in day.answers if prompt.startswith("the landing page should say"))
    assert CORRECTION not in landing_page.casefold(), "the session began with it"


def test_a_shown_brief_is_what_was_logged_and_its_scores_come_out_again(day: Day, db: sqlite3.Connection) -> None:
    for hook, prompt, text in day.answers:
        if text and hook == "user-prompt":
            recall = asked(db, prompt)
            assert recall["shown_text"] == text and recall["session_id"] is not None
            assert recall["shown_tokens"] <= 400
            explained = explain_recall(db, recall["uid"])
            assert [hit["rank"] for hit in explained["hits"] if hit["rank"]] == list(range(1, text.count("\n- [") + 1))
    differing = "select count(*) from recall_scores where abs(score - logged_score) > 1e-9"
    assert db.execute(differing).fetchone()[0] == 0
    assert check(db, thorough=True) == []


def test_what_came_of_the_briefs_is_evidence(db: sqlite3.Connection) -> None:
    kinds = Counter(row[0] for row in db.execute("select kind from evidence where recall_id is not null"))
    # Named in replies: the port, the index, the limit, the real database, the flaky test, the webhooks, the keys.
    assert kinds["cited"] == 7
    assert kinds["wrong"] == 1, "that's outdated"
    outdated = db.execute(
        "select m.text from evidence e join memories m on m.id = e.memory_id where e.kind = 'wrong'"
    ).fetchone()[0]
    assert "60 is too tight" in outdated
    repeated = db.execute(
        "select times_corrected_again, obeyed from obeyed where title like '%concurrently%'"
    ).fetchone()
    assert tuple(repeated) == (1, "not always")


def test_recall_health_counts_what_the_hooks_did(db: sqlite3.Connection) -> None:
    rows = {row["surface"]: row for row in db.execute("select * from recall_health")}
    prompts = rows["hook"]
    assert (prompts["recalls"], prompts["abstained"], prompts["skipped_prompts"]) == (15, 6, 9)
    start = rows["session-start"]
    assert (prompts["cited"] + start["cited"], prompts["wrong"] + start["wrong"]) == (7, 1)
    assert start["recalls"] == 2


def usage_of(path: Path) -> tuple[Counter[str], int]:
    """Tokens of a transcript by price, each message once by its last record, and the number of messages."""
    last: dict[str, dict[str, Any]] = {}
    for line in path.read_text("utf-8").splitlines():
        record = json.loads(line)
        if record["type"] == "assistant" and record["message"]["model"] != "<synthetic>":
            last[record["message"]["id"]] = record["message"]["usage"]
    total: Counter[str] = Counter()
    for usage in last.values():
        total["input"] += usage["input_tokens"]
        total["output"] += usage["output_tokens"]
        total["write_5m"] += usage["cache_creation"]["ephemeral_5m_input_tokens"]
        total["write_1h"] += usage["cache_creation"]["ephemeral_1h_input_tokens"]
        total["read"] += usage["cache_read_input_tokens"]
    return total, len(last)


def test_cost_is_that_of_the_transcripts(day: Day, db: sqlite3.Connection) -> None:
    for path in day.transcripts:
        tokens, messages = usage_of(path)
        cost = sum(tokens[name] * price for name, price in OPUS.items())
        row = db.execute(
            "select count(*), sum(k.cost_nanocents) from call_costs k join sessions s on s.id = k.session_id"
            " where s.uid = ?", [path.stem]
        ).fetchone()  # fmt: skip
        assert tuple(row) == (messages, cost)
        assert cost > 0


def test_savings_are_net_of_what_the_briefs_cost(day: Day, db: sqlite3.Connection) -> None:
    """Without memory nothing would have been read: what was saved is minus the price of the briefs."""
    shown_tokens = sum(-(-len(text.encode()) // 4) for _, _, text in day.answers if text)
    rows = {
        row["counterfactual"]: row
        for row in db.execute(
            "select counterfactual, sum(recalls) as recalls, sum(shown_tokens) as shown_tokens,"
            " sum(instead_tokens) as instead_tokens, sum(net_nanocents) as net from savings"
            " where project = 'tidepool' group by counterfactual"
        )
    }
    assert set(rows) == {"nothing", "instruction file", "whole sessions"}
    for row in rows.values():
        assert (row["recalls"], row["shown_tokens"]) == (11, shown_tokens)
        assert row["net"] == (row["instead_tokens"] - shown_tokens) * OPUS["input"]
    assert rows["nothing"]["instead_tokens"] == 0, "nothing else would have been read"
    assert rows["whole sessions"]["instead_tokens"] == read_instead(db)


def read_instead(db: sqlite3.Connection) -> int:
    """Tokens of the sessions that shown lines came from: a quarter of their bytes, each once for each reading session,
    and at most 200,000 for one recall."""
    total, read = 0, set()
    for recall in db.execute("select * from recalls where not abstained order by asked_at, id").fetchall():
        sources: set[int] = set()
        for hit in db.execute("select * from hits where recall_id = ? and rank is not null", [recall["id"]]).fetchall():
            sources |= {
                row[0]
                for row in db.execute(
                    "select e.session_id from entries e where e.id = ? or e.id in (select q.entry_id from"
                    " memory_sources q join memory_versions v on v.memory_id = q.memory_id where v.id = ?)",
                    [hit["entry_id"], hit["memory_version_id"]],
                )
            }
        needed = {
            each for each in sources if each != recall["session_id"] and (recall["session_uid"], each) not in read
        }
        read |= {(recall["session_uid"], each) for each in needed}
        texts = [db.execute("select text from entries where session_id = ?", [each]).fetchall() for each in needed]
        total += min(200_000, sum(-(-sum(len(row[0].encode()) for row in rows) // 4) for rows in texts))
    return total
