"""Play a day of the sample's user: sessions as they go on, with the agent's hooks run where the agent runs them.

What enters: the dialogues below `day/`, written like those below `sessions/`, and a function that runs a hook. What
leaves: a transcript that grows as an agent's does, and whatever the hooks did. Invariant: what is said follows from the
dialogue alone; what memory says is asked of the hooks and written down as the agent does it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path

from memory_db.sample.build import line_of, load_session, open_thread, transcript_path, turns_of
from memory_db.sample.thread import Record, Thread

DAY = Path(__file__).parent / "day"
"""The folder of the dialogues of that day, a file a session."""

Hook = Callable[[str, Record, datetime], str]
"""Runs the hook of that name with a payload at a moment; the text that it gives the agent, or none."""

EVENTS = {
    "session-start": "SessionStart",
    "user-prompt": "UserPromptSubmit",
    "stop": "Stop",
    "session-end": "SessionEnd",
}
"""What the agent calls the events of our hooks."""


def day_sessions() -> list[Path]:
    """Give the day's dialogues in the order of their sessions."""
    return sorted(DAY.glob("*.yaml"), key=lambda path: load_session(path)["start"])


def play(dialogue: Path, folder: Path, hook: Hook, *, clock: Callable[[], datetime] | None = None) -> Path:
    """Play one session below a folder of transcripts; give its transcript.

    Its times are the dialogue's, or those of a clock where hooks go by one. Raises: SourceError, InputError, OSError.
    """
    session = load_session(dialogue)
    thread = open_thread(dialogue.stem, session, clock)
    path = transcript_path(folder, session["cwd"], thread.at.session_id)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("", encoding="utf-8")

    def run(name: str, **own: object) -> str:
        payload = {"session_id": thread.at.session_id, "transcript_path": str(path), "cwd": session["cwd"]}
        return hook(name, {**payload, "hook_event_name": EVENTS[name], **own}, thread.at.moment)

    write_context(thread, "SessionStart", run("session-start", source="startup"))
    for asked, answers in exchanges(turns_of(session["turns"])):
        thread.say_all([asked])
        prompt = str(next(iter(asked.values()))).rstrip()
        brief = run("user-prompt", prompt=prompt, permission_mode="default")
        write_context(thread, "UserPromptSubmit", brief)
        thread.say_all(answers)
        write(thread, path)
        last = next((item["say"].rstrip() for item in reversed(answers) if "say" in item), "")
        run("stop", stop_hook_active=False, last_assistant_message=last)
    run("session-end", reason="other")
    return path


def exchanges(turns: list[Record]) -> Iterator[tuple[Record, list[Record]]]:
    """Give each thing that the user typed with what the agent did about it."""
    begins = [number for number, item in enumerate(turns) if next(iter(item)) in ("user", "command")]
    for first, last in zip(begins, [*begins[1:], len(turns)], strict=True):
        yield turns[first], turns[first + 1 : last]


def write_context(thread: Thread, event: str, text: str) -> None:
    """Write what a hook gave the agent, if it gave anything."""
    if text:
        thread.say_all([{"hook": event, "context": True, "out": text}])


def write(thread: Thread, path: Path) -> None:
    """Let the transcript grow by the records that are new."""
    lines = "".join(line_of(record) + "\n" for record in thread.records)
    written = len(path.read_text(encoding="utf-8"))
    with path.open("a", encoding="utf-8", newline="\n") as file:
        file.write(lines[written:])
