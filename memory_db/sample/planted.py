"""Sessions in which somebody else's words stand, as transcripts of Claude Code: to see what becomes of them.

A variant has `turns`, each one of `user`, `agent`, `tool` (with `input` and `result` or `error`) and `summary`.
"""

from __future__ import annotations

import json
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import NAMESPACE_URL, uuid5

from memory_db.sample.build import transcript_path
from memory_db.store.dates import utc_text

SECONDS_BETWEEN_TURNS = 20


def write_variant(folder: Path, variant: dict[str, Any], cwd: str, begins: datetime) -> Path:
    """Writes a variant as the transcript of a session of Claude Code that works in a folder; gives its path."""
    session = str(uuid5(NAMESPACE_URL, f"planted/{variant['id']}"))
    path = transcript_path(folder, cwd, session)
    path.parent.mkdir(parents=True, exist_ok=True)
    records: list[dict[str, Any]] = []
    for number, turn in enumerate(variant["turns"]):
        for kind, content in records_of(turn, f"toolu_{variant['id']}_{number}"):
            records.append({
                "type": kind, "uuid": str(uuid5(NAMESPACE_URL, f"{session}/{len(records)}")),
                "parentUuid": records[-1]["uuid"] if records else None, "sessionId": session, "cwd": cwd,
                "timestamp": utc_text(begins + len(records) * timedelta(seconds=SECONDS_BETWEEN_TURNS)),
                "version": "2.1.330", "gitBranch": "main", "isSidechain": False, "userType": "external",
                **({"isCompactSummary": True} if "summary" in turn else {}),
                "message": {"role": kind, "content": content},
            })  # fmt: skip
    path.write_text("".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records), "utf-8")
    return path


def records_of(turn: dict[str, Any], call_id: str) -> list[tuple[str, Any]]:
    """The records of a turn: who wrote each, and its content."""
    if "user" in turn:
        return [("user", str(turn["user"]))]
    if "agent" in turn:
        return [("assistant", [{"type": "text", "text": str(turn["agent"])}])]
    if "summary" in turn:
        return [("user", str(turn["summary"]))]
    call = {"type": "tool_use", "id": call_id, "name": turn["tool"], "input": turn.get("input") or {}}
    result = {"type": "tool_result", "tool_use_id": call_id, "content": str(turn.get("result") or turn.get("error"))}
    return [("assistant", [call]), ("user", [result | ({"is_error": True} if "error" in turn else {})])]
