"""A day with each version of Claude Code, with tools, a subagent and a compaction: what is read of it, and its cost."""

from __future__ import annotations

import json
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from memory_db.index import build as index
from memory_db.knowledge.memories import add_memory
from memory_db.store import settings
from memory_db.store.schema import open_database
from tests.support.claude_api import Reply, Request, Say, Use, claude_api, output_of, texts, usage_of
from tests.support.real_clients import ClientEnvironment, claudes, client_environment, give_time, memory_db
from tests.support.rows import named_rows

pytestmark = [pytest.mark.slow, pytest.mark.claude]

MODEL = "claude-sonnet-4-5-20250929"
"""A model whose price both the client and we know."""

FACT = "The test database of the shop listens on port 5433."
QUESTION = "Which port does the test database of the shop listen on?"
HAND_ON = "Let an agent find out which tools and reminders the shop has."
COMPACT = "/compact keep the port"
TASK = "Find the tools of the shop."
PLUMBING = (
    "<system-reminder", "<command-", "<local-command", "<task-notification", "<tool_use_error", "<new-diagnostics",
    "<ide_", "Caveat:", "SYSTEM NOTIFICATION", "[Request interrupted", "Continue from where you left off",
    "This session is being continued", "Conversation compacted", "deferred tools", "agentId:", "stand-in output",
    '{"',
)  # fmt: skip
"""What the client wraps words in, or says itself. Source: requests and transcripts of 2.1.197 and 2.1.330."""


@dataclass(frozen=True, slots=True)
class Day:
    """A file after a day, what the client said of each `claude -p`, and how many answers there were."""

    path: Path
    here: ClientEnvironment
    said: list[dict[str, Any]]
    answers: int


def plays(request: Request) -> Reply:
    """A model that runs a command, hands a task on, and sums up what it is told to."""
    last = "\n".join(texts(request.body["messages"][-1]["content"]))
    if TASK in last:
        return Say("The shop has a till.")
    if "<summary>" in last:
        return Say("<analysis>Ports.</analysis><summary>The shop's port was asked for.</summary>")
    if QUESTION in last and not request.results:
        return Use("Bash", {"command": "echo stand-in output", "description": "Look at the port"})
    if HAND_ON in last and "Agent" in request.tools and not any("till" in each for each in request.results):
        task = {"description": "Find tools", "prompt": TASK, "subagent_type": "general-purpose"}
        return Use("Agent", task)
    return Say("Understood.")


@pytest.mark.parametrize("claude", claudes())
def test_a_day(tmp_path: Path, claude: Path) -> None:
    """One test of all that is asked of a day, since to live it is what takes time."""
    day = lived(client_environment(tmp_path, claude=claude))
    all_that_was_written_is_known(day)
    no_brief_and_no_prompt_holds_what_the_client_says_itself(day)
    no_hook_failed(day)
    cost_is_what_the_client_says_and_the_bill_would(day)


def lived(here: ClientEnvironment) -> Day:
    """A day: a tool, a subagent, a compaction, and a question after it."""
    path = here.home / "memory.db"
    now = datetime.now(UTC)
    with closing(open_database(path, now=now)) as db:
        settings.put(db, "embedding_model", "none", now=now)
        add_memory(db, text=FACT, kind="environment", scope="user", now=now)
        index.run(db, now=now)
    give_time(Path(json.loads(memory_db(here, path, ["install", "claude-code", "--json"]))["folder"]))
    said: list[dict[str, Any]] = []
    with claude_api(plays) as api:
        here.variables |= {"ANTHROPIC_API_KEY": "of-a-stand-in", "ANTHROPIC_BASE_URL": api.url}
        for prompt in (QUESTION, HAND_ON, COMPACT, "What do reminders and notices of tools say?"):
            if prompt == COMPACT:
                memory_db(here, path, ["run"])  # so that the last prompt may be answered from what the first ones left
            again = ["--resume", said[0]["session_id"]] if said else []
            words = ["--output-format", "json", "--model", MODEL, "--allowedTools", "Bash,Agent,Task", *again]
            said.append(json.loads(here.run("claude", "-p", prompt, *words).stdout))
        answers = len(api.requests)
    memory_db(here, path, ["run"])
    return Day(path, here, said, answers)


def all_that_was_written_is_known(day: Day) -> None:
    """A record of a type that no list has, or that cannot be read, shows here first."""
    assert not [
        tuple(row) for row in named_rows(day.path, "select type, lines from skipped_records where not is_known")
    ]
    assert not [tuple(row) for row in named_rows(day.path, "select line, reason from source_problems")]
    kinds = {row["kind"] for row in named_rows(day.path, "select kind from entries")}
    assert {"prompt", "reply", "tool_call", "tool_result", "summary"} <= kinds


def no_brief_and_no_prompt_holds_what_the_client_says_itself(day: Day) -> None:
    shown = [row["shown_text"] for row in named_rows(day.path, "select shown_text from recalls")]
    assert any(FACT in text for text in shown)
    prompts = [
        row["text"] for row in named_rows(day.path, "select text from entries where kind in ('prompt', 'queue')")
    ]
    assert QUESTION in prompts and HAND_ON in prompts
    asked = [row["query"] for row in named_rows(day.path, "select query from recalls")]
    for text in (*shown, *asked, *prompts):
        assert not [each for each in PLUMBING if each in text], text


def no_hook_failed(day: Day) -> None:
    ran = [tuple(row) for row in named_rows(day.path, "select hook, outcome, reason from hook_runs")]
    assert {name for name, _, _ in ran} == {"session-start", "user-prompt", "stop", "pre-compact", "session-end"}
    assert not [each for each in ran if each[1] == "failed"]


def bill(answers: int) -> list[int]:
    """What the stand-in would send a bill for, in the order in which tokens are counted here."""
    used = [(usage_of(number), output_of(number)) for number in range(1, answers + 1)]
    split = [each["cache_creation"] for each, _ in used]
    return [
        sum(each["input_tokens"] for each, _ in used), sum(output for _, output in used),
        sum(each["ephemeral_5m_input_tokens"] for each in split),
        sum(each["ephemeral_1h_input_tokens"] for each in split),
        sum(each["cache_read_input_tokens"] for each, _ in used),
    ]  # fmt: skip


TOKENS = """
select sum(input_tokens), sum(output_tokens), sum(cache_write_5m_tokens), sum(cache_write_1h_tokens),
    sum(cache_read_tokens), sum(cost_nanocents) from call_costs
"""


def cost_is_what_the_client_says_and_the_bill_would(day: Day) -> None:
    """To the token and the nanocent where totals are written; elsewhere all but the compaction, which is said."""
    [row] = named_rows(day.path, TOKENS)
    *tokens, cost_nanocents = row
    cumulative = any("cost-state" in line for each in day.here.home.rglob("*.jsonl") for line in [each.read_text()])
    [missing] = [row[0] for row in named_rows(day.path, "select count(*) from uncounted_compactions")]
    costs = [round(each["total_cost_usd"] * 10**11) for each in day.said]
    if cumulative:
        assert (missing, tokens) == (0, bill(day.answers))
        assert abs(cost_nanocents - costs[-1]) <= 1
    else:
        compaction = day.said[2]["modelUsage"][MODEL]
        assert missing == 1
        assert tokens[0] + compaction["inputTokens"] == bill(day.answers)[0]
        assert tokens[1] + compaction["outputTokens"] == bill(day.answers)[1]
        assert abs(cost_nanocents + costs[2] - sum(costs)) <= 1
        assert "The cost of 1 compaction is in no sum" in memory_db(day.here, day.path, ["doctor"])
