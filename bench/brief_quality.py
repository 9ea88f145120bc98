"""What agents read, line by line: 300 prompts asked of three files as a hook asks, each line labelled by a reader.

`python -m bench brief_quality` measures on bench/data/brief_quality, whose README says who wrote what. A line counts as
its label says: useful, harmless or noise; one without a label counts as noise. `python -m bench.brief_quality --show`
prints the briefs, `--unlabelled` the lines that wait for a reader, `--take FILE` keeps what that reader wrote.
"""

from __future__ import annotations

import argparse
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import yaml

from bench.labels import mean, read_rows, share, write_rows
from memory_db.agents.warm import Warm
from memory_db.index.semantic import open_semantic
from memory_db.recall.brief.render import estimated_tokens
from memory_db.sample.build import session_id, write_history
from memory_db.sample.file import ensure_sample, run_hook
from memory_db.store.connection import connect
from memory_db.store.dates import parse_utc
from memory_db.store.schema import open_database
from memory_db.upkeep import pipeline

SET = Path(__file__).parent / "data" / "brief_quality"

FILES = ("young", "grown", "hostile")
"""A day's work; the sample history and more; a new client's plumbing in long sessions."""

COLD, WARM = "cold", "warm"
"""Ways to ask: as the hook's own process answers, and as one does that has the model loaded."""

LABELS = ("useful", "harmless", "noise")

ANSWERABLE = ("answerable", "how-to", "task-implied", "another-project")
"""Sorts of prompts that something in the file helps with."""

SILENT = ("off-topic", "small-talk")
"""Sorts that nothing in it helps with."""

UID = re.compile(r"\b[emp][0-9a-f]{8,32}\b")

PLUMBING = re.compile(
    r"<(system-reminder|command-[a-z]+|local-command-[a-z]+|task-notification|user-prompt-submit-hook)|^Caveat: "
    r"|\[Request interrupted|This session is being continued"
)
"""What a client wraps around what was said. Source: the records that Claude Code 2.1 writes."""

PAUSE = timedelta(minutes=3)
"""Between two prompts."""


@dataclass(slots=True, frozen=True)
class Prompt:
    """One prompt of the set: when and where it is asked, of which sort, and what an ideal brief would say."""

    id: str
    after: str
    project: str
    sort: str
    prompt: str
    wanted: str
    thread: str

    @property
    def is_second_half(self) -> bool:
        """Whether it belongs to the half whose lines are read once, when the code stands."""
        return int(re.sub(r"\D", "", self.id)) % 2 == 0


@dataclass(slots=True, frozen=True)
class Briefed:
    """A prompt and the lines that an agent was given, without headings and marks."""

    prompt: Prompt
    lines: tuple[str, ...]
    tokens: int


Label = dict[tuple[str, str], str]
"""What a reader says of a line, by the prompt's id and the line without uids."""


# ------------------------------------------------------------------ asking


def prompts_of(name: str) -> list[Prompt]:
    """The prompts of a file, in the order of asking."""
    read = yaml.safe_load((SET / name / "prompts.yaml").read_text("utf-8"))
    return [
        Prompt(
            each["id"], each["after"].removesuffix(".yaml"), each["project"], each["sort"], str(each["prompt"]),
            " ".join(str(each["wanted"]).split()), str(each.get("thread") or each["id"]),
        )
        for each in read
    ]  # fmt: skip


def ask_all(name: str, folder: Path, way: str) -> Iterator[Briefed]:
    """Every prompt of a file, asked when the sessions it comes after are in it, by a cold hook or a warm one."""
    dialogues = sorted((SET / name / "sessions").glob("*.yaml"))
    path = ensure_sample(folder) if name == "grown" else folder / "memory.db"
    prompts = prompts_of(name)
    moments = sorted({prompt.after for prompt in prompts}, key=lambda after: (after == "all", after))
    for after in moments:
        known = [each for each in dialogues if after == "all" or each.stem <= after]
        at = taken_in(path, folder / "history", known)
        for number, prompt in enumerate(each for each in prompts if each.after == after):
            yield briefed(path, prompt, at + number * PAUSE, way)


def taken_in(path: Path, history: Path, dialogues: Sequence[Path]) -> datetime:
    """A file with those sessions in it; gives the morning after the last of them."""
    write_history(history, dialogues)
    last = max(yaml.safe_load(each.read_text("utf-8"))["start"] for each in dialogues)
    now = parse_utc(f"{last + timedelta(days=1):%Y-%m-%d}T09:00:00Z")
    with closing(open_database(path, now=now)) as db:
        pipeline.run(db, [history], now=now)
    return now


def briefed(path: Path, prompt: Prompt, at: datetime, way: str) -> Briefed:
    """What the hook gives for a prompt."""
    if way == WARM:
        with closing(connect(path)) as db:
            index = open_semantic(db)
            warm = Warm(index) if index else None
            text = run_hook(path, "user-prompt", payload_of(prompt), at, warm=warm)
    else:
        text = run_hook(path, "user-prompt", payload_of(prompt), at)
    lines = tuple(line for line in text.splitlines() if line.startswith(("- ", "`")) or PLUMBING.search(line))
    return Briefed(prompt, lines, estimated_tokens(text) if text else 0)


def payload_of(prompt: Prompt) -> dict[str, Any]:
    """What the client hands to the hook."""
    return {
        "session_id": session_id(f"prompt/{prompt.thread}"), "transcript_path": "", "cwd": prompt.project,
        "hook_event_name": "UserPromptSubmit", "prompt": prompt.prompt,
    }  # fmt: skip


# ------------------------------------------------------------------ labels


def plain(line: str) -> str:
    """A line without uids and quotation marks, which change with the code, nor who is named for its source."""
    return UID.sub("…", " ".join(line.replace('"', "").replace(", the agent, session", ", session").split()))


def labels() -> Label:
    """What readers said so far."""
    return {(each["id"], plain(each["line"])): each["label"] for each in read_rows(SET / "labels.jsonl")}


def keep(new: Label) -> None:
    """Writes labels down beside those that are there, in order."""
    write_rows(
        SET / "labels.jsonl",
        ({"id": prompt, "line": line, "label": label} for (prompt, line), label in sorted((labels() | new).items())),
    )


def unlabelled(asked: Iterable[Briefed], known: Label) -> list[dict[str, Any]]:
    """The prompts with lines that no reader has seen, with room for their labels."""
    waiting, listed = [], set(known)
    for each in asked:
        new = [line for line in dict.fromkeys(map(plain, each.lines)) if (each.prompt.id, line) not in listed]
        listed |= {(each.prompt.id, line) for line in new}
        if new:
            waiting.append({
                "id": each.prompt.id, "project": each.prompt.project, "sort": each.prompt.sort,
                "prompt": each.prompt.prompt, "wanted": each.prompt.wanted,
                "lines": [{"line": line, "label": ""} for line in new],
            })  # fmt: skip
    return waiting


def read_labels(path: Path) -> Label:
    """Labels that a reader filled in. Raises: ValueError for one that is none."""
    found: Label = {}
    for each in yaml.safe_load(path.read_text("utf-8")):
        for line in each["lines"]:
            if line["label"] not in LABELS:
                raise ValueError(f"{each['id']}: {line['label']!r} is no label; write one of {', '.join(LABELS)}")
            found[each["id"], plain(line["line"])] = line["label"]
    return found


# ------------------------------------------------------------------ figures


def figures(asked: Sequence[Briefed], known: Label) -> dict[str, Any]:
    """Shares from 0 to 1 of some prompts and their lines, and tokens for each useful line."""
    said = [[known.get((each.prompt.id, plain(line)), "") for line in each.lines] for each in asked]
    count = Counter(label for line in said for label in line)
    total = sum(count.values())
    answerable = [labels for each, labels in zip(asked, said, strict=True) if each.prompt.sort in ANSWERABLE]
    silent = [not each.lines for each in asked if each.prompt.sort in SILENT]
    return {
        "prompts": len(asked),
        "lines": total,
        "useful": share(count["useful"], total),
        "harmless": share(count["harmless"], total),
        "noise": share(count["noise"] + count[""], total),
        "without a label": share(count[""], total),
        "plumbing": sum(bool(PLUMBING.search(line)) for each in asked for line in each.lines),
        "answerable shown something": share(sum(map(bool, answerable)), len(answerable)),
        "answerable with a useful line": share(sum("useful" in labels for labels in answerable), len(answerable)),
        "first line right, where shown": mean(labels[0] == "useful" for labels in answerable if labels),
        "first line right, of all answerable": mean(labels[:1] == ["useful"] for labels in answerable),
        "silent where nothing answers": mean(silent),
        "tokens per useful line": round(sum(each.tokens for each in asked) / max(1, count["useful"])),
        "tokens per prompt": mean(each.tokens for each in asked),
    }


def by_sort(asked: Sequence[Briefed], known: Label) -> dict[str, dict[str, Any]]:
    """For each sort of prompts: how many, how many are shown something, and what the lines are."""
    found = {}
    for sort in dict.fromkeys(each.prompt.sort for each in asked):
        own = figures([each for each in asked if each.prompt.sort == sort], known)
        shown = share(sum(bool(each.lines) for each in asked if each.prompt.sort == sort), own["prompts"])
        found[sort] = {
            "prompts": own["prompts"], "shown something": shown, "lines": own["lines"], "useful": own["useful"],
            "noise": own["noise"],
        }  # fmt: skip
    return found


def measured() -> dict[str, Any]:
    """Figures of all prompts, of each file, of the half that was read once, and by sort of prompt."""
    known = labels()
    return {way: of_way(ask_everything(way), known) for way in (COLD, WARM)}


def of_way(asked: dict[str, list[Briefed]], known: Label) -> dict[str, Any]:
    """The figures of one way to ask."""
    every = [each for of_file in asked.values() for each in of_file]
    return {
        "shares": {
            "all": figures(every, known),
            **{name: figures(of_file, known) for name, of_file in asked.items()},
            "second half": figures([each for each in every if each.prompt.is_second_half], known),
        },
        "by sort": by_sort(every, known),
    }


def ask_everything(way: str, names: Sequence[str] = FILES) -> dict[str, list[Briefed]]:
    """The briefs of each file's prompts, each file made anew."""
    found = {}
    for name in names:
        with tempfile.TemporaryDirectory() as folder:
            found[name] = list(ask_all(name, Path(folder), way))
    return found


def main() -> None:
    """Shows the briefs, lists what waits for a reader, or keeps what one wrote."""
    parser = argparse.ArgumentParser(prog="python -m bench.brief_quality", description=__doc__)
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--show", action="store_true", help="print every prompt with its brief and labels")
    what.add_argument("--unlabelled", action="store_true", help="print the lines that no reader has seen, as YAML")
    what.add_argument("--take", type=Path, metavar="FILE", help="keep the labels of such YAML, filled in")
    parser.add_argument("--half", choices=("first", "second"), help="only prompts of that half")
    parser.add_argument("--way", choices=(COLD, WARM), help="who answers: the hook itself, or a reader; else both")
    parser.add_argument("--file", choices=FILES, action="append", help="only prompts of that file")
    given = parser.parse_args()
    if given.take:
        keep(read_labels(given.take))
        return
    asked = [
        each
        for way in ([given.way] if given.way else (COLD, WARM))
        for of_file in ask_everything(way, given.file or FILES).values()
        for each in of_file
        if given.half is None or each.prompt.is_second_half == (given.half == "second")
    ]
    known = labels()
    if given.unlabelled:
        yaml.safe_dump(unlabelled(asked, known), sys.stdout, allow_unicode=True, sort_keys=False, width=1000)
        return
    for each in asked:
        print(f"{each.prompt.id} {each.prompt.sort}: {each.prompt.prompt}\n  wanted: {each.prompt.wanted}")
        for line in each.lines:
            print(f"  {known.get((each.prompt.id, plain(line)), '?'):8} {line}")


if __name__ == "__main__":
    main()
