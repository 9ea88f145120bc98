"""Render the sample history: `python -m memory_db.sample.build FOLDER`.

What enters: `sessions/*.yaml`. What leaves: JSONL files below a folder, laid out as Claude Code lays them out below
`~/.claude/projects`. Invariant: the same YAML gives the same bytes and file times, wherever it is rendered.

A session file holds: `cwd`, `branch`, `version`, `model`, `start` (UTC) and `turns`, a list of items. An item is what
the user typed (`user`), a block of the assistant (`think`, `say`), a tool call with its result (`bash`, `read`, `edit`,
`write`, `grep`, `glob`, `fetch`, `todo`, `task`, `tool`; `out`, `fails` or `denied`), or something rarer (see
`thread._WRITERS`). `resumes: NAME` repeats the records of another session first; `forks: NAME` with `at: N` repeats the
first N; `summary` adds a summary line at the head; `cut_last: true` cuts the last line short.
"""

import json
import os
import re
import sys
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import yaml

from memory_db.errors import InputError, SourceError
from memory_db.sample.fakes import FAKE_SECRETS, fill
from memory_db.sample.thread import Record, Start, Thread, name_uuid, stamp

__all__ = ["FAKE_SECRETS", "SESSIONS", "session_id", "write_history"]

SESSIONS = Path(__file__).parent / "sessions"
"""The folder of the dialogues."""

_MODELS = {
    "opus": "claude-opus-4-5-20251101",
    "sonnet": "claude-sonnet-4-5-20250929",
    "haiku": "claude-haiku-4-5-20251001",
}

_CUT_AT = 0.6  # share of the last line that survives a cut


def write_history(folder: Path, dialogues: Iterable[Path] | None = None) -> list[Path]:
    """Write the sample history, or other dialogues, below `folder`; give the files written, in the order of sessions.

    Each file is `<cwd with every other character than a letter or digit as ->/<session uuid>.jsonl`; a subagent's is
    `<session uuid>/subagents/agent-<id>.jsonl` beside it. A file's modification time is that of its last record.
    Raises: SourceError when a dialogue cannot be read; InputError when it says something unknown.
    """
    threads: dict[str, Thread] = {}
    written: list[Path] = []
    for path in sorted(SESSIONS.glob("*.yaml") if dialogues is None else dialogues):
        session = load_session(path)
        threads[path.stem] = thread = _render(path.stem, session, threads)
        written += _write(folder, path.stem, session, thread)
    return written


def session_id(name: str) -> str:
    """Give the session uuid of the dialogue `name` (its file name without `.yaml`)."""
    return name_uuid(f"session/{name}")


def load_session(path: Path) -> Record:
    """Give a dialogue, its fake secrets filled in. Raises: SourceError when it cannot be read."""
    try:
        session: Any = yaml.safe_load(path.read_text(encoding="utf-8"))
    except yaml.YAMLError as error:
        reason = " ".join(str(error).split())
        raise SourceError(f"the sample dialogue {path.name} is not YAML: {reason}; mend that line") from error
    if not isinstance(session, dict) or "turns" not in session:
        raise SourceError(f"the sample dialogue {path.name} holds no `turns`; add the list of what was said")
    filled: Record = fill(session)
    return filled


def open_thread(name: str, session: Record, clock: Callable[[], datetime] | None = None) -> Thread:
    """Give the thread of a dialogue before anything is said, at its own times unless there is a clock to go by."""
    begins: datetime = clock() if clock else session["start"].replace(tzinfo=UTC)
    model = _MODELS[session.get("model", "sonnet")]
    cwd, branch, version = session["cwd"], session.get("branch", "main"), session["version"]
    return Thread(Start(name, session_id(name), cwd, branch, version, model, begins), clock=clock)


def _render(name: str, session: Record, earlier: dict[str, Thread]) -> Thread:
    thread = open_thread(name, session)
    if "resumes" in session:
        _repeat(thread, _source(name, session["resumes"], earlier), None)
    elif "forks" in session:
        _repeat(thread, _source(name, session["forks"], earlier), int(session["at"]))
    thread.say_all(turns_of(session["turns"]))
    return thread


def turns_of(turns: list[Record]) -> list[Record]:
    """Give the items with short model names written out."""
    items = []
    for item in turns:
        if "set" in item and "model" in item["set"]:
            item = {"set": item["set"] | {"model": _MODELS[item["set"]["model"]]}}
        elif "task" in item and "model" in item:
            item = item | {"model": _MODELS[item["model"]]}
        items.append(item)
    return items


def _source(name: str, wanted: str, earlier: dict[str, Thread]) -> Thread:
    if wanted not in earlier:
        raise InputError(f"sample session {name!r} goes on from {wanted!r}, which does not come before it; rename it")
    return earlier[wanted]


def _repeat(thread: Thread, source: Thread, first: int | None) -> None:
    """Repeat the source's records under the new session's id; a fork (`first` given) says where each came from."""
    for record in [record for record in source.records if isinstance(record, dict)][:first]:
        copy = dict(record)
        if "sessionId" in copy:
            copy["sessionId"] = thread.at.session_id
        if first is not None and "uuid" in copy:
            copy["forkedFrom"] = {"sessionId": source.at.session_id, "messageUuid": copy["uuid"]}
        thread.records.append(copy)
        thread.parent = copy.get("uuid", thread.parent)
    thread.context_tokens = source.context_tokens


def transcript_path(folder: Path, cwd: str, session_uid: str) -> Path:
    """Give where Claude Code keeps the transcript of a session that works in a folder."""
    return folder / re.sub(r"[^A-Za-z0-9]", "-", cwd) / f"{session_uid}.jsonl"


def _write(folder: Path, name: str, session: Record, thread: Thread) -> list[Path]:
    path = transcript_path(folder, session["cwd"], thread.at.session_id)
    project = path.parent
    lines = [line_of(record) for record in thread.records]
    if "summary" in session:
        lines.insert(0, line_of({"type": "summary", "summary": session["summary"], "leafUuid": thread.parent}))
    text = "\n".join(lines) + "\n"
    if session.get("cut_last"):
        text = text[: len(text) - 1 - round(len(lines[-1]) * (1 - _CUT_AT))]
    paths = [_save(path, text, thread.at.moment)]
    for agent_id, records in thread.agents.items():
        agent = project / thread.at.session_id / "subagents" / f"agent-{agent_id}.jsonl"
        body = "".join(line_of(record) + "\n" for record in records)
        paths.append(_save(agent, body, _last_moment(records, thread.at.moment)))
    return paths


def line_of(record: Record | str) -> str:
    """Give a record as a line of a transcript."""
    return record if isinstance(record, str) else json.dumps(record, ensure_ascii=False, separators=(",", ":"))


def _last_moment(records: list[Record | str], otherwise: datetime) -> datetime:
    stamps = [record["timestamp"] for record in records if isinstance(record, dict) and "timestamp" in record]
    return datetime.fromisoformat(max(stamps, default=stamp(otherwise)))


def _save(path: Path, text: str, moment: datetime) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8", newline="\n")
    os.utime(path, (moment.timestamp(), moment.timestamp()))
    return path


def main(arguments: list[str]) -> int:
    """Render into the folder that the one argument names; give the exit code."""
    if len(arguments) != 1:
        print("usage: python -m memory_db.sample.build FOLDER", file=sys.stderr)
        return 1
    try:
        paths = write_history(Path(arguments[0]))
    except (InputError, SourceError) as error:
        print(f"Error: {error}", file=sys.stderr)
        return 1
    print(f"{len(paths)} files below {arguments[0]}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
