"""What a following day is told: the memories that readers want before each prompt, at the session's start or with it.

`python -m bench days` measures on bench/data/days, whose README says who wrote what. Each prompt is typed into a
session of its own, once behind the block that a session begins with and once without it. A memory that no reader has
seen counts as not wanted. `python -m bench.days --show` prints what is told, `--unread FILE` writes down the memories
that wait for a reader, `--take FILE` keeps what that reader wrote.
"""

from __future__ import annotations

import argparse
import re
import tempfile
from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

import yaml

from bench.brief_quality import COLD, PAUSE, WARM, taken_in
from bench.labels import mean, read_rows, share, write_rows
from memory_db.agents.warm import Warm
from memory_db.index.semantic import open_semantic
from memory_db.recall.brief.render import estimated_tokens
from memory_db.recall.brief.roles import INDEX
from memory_db.sample.build import session_id
from memory_db.sample.file import run_hook
from memory_db.store.connection import connect

SET = Path(__file__).parent / "data" / "days"

UNSEEN = frozenset({"leila", "gunnar"})
"""People whose days are for measuring alone."""

LINE = re.compile(r"^- \[([me][0-9a-f]{8,32})\]")
"""How a line of a brief begins that tells a memory or an exchange."""

KNOWN = "select uid, text, status from memories order by id"


@dataclass(slots=True, frozen=True)
class Wanted:
    """What a reader says of one memory: the prompts before which it is of use, and those whose matter it is."""

    useful: frozenset[int]
    harmless: frozenset[int]


Labels = dict[tuple[str, str], Wanted]
"""By person and the memory's text on one line."""


@dataclass(slots=True)
class Told:
    """One prompt: what its session began with, what the prompt brought behind that, and what it brings without it.

    `wanted` are the memories that a reader wants before it, `beside` those of its matter; `unread` those that no reader
    has seen. All by uid.
    """

    person: str
    number: int
    project: str
    prompt: str
    wanted: frozenset[str]
    beside: frozenset[str]
    unread: frozenset[str]
    start: tuple[str, ...]
    start_tokens: int
    behind: tuple[str, ...] = ()
    alone: tuple[str, ...] = ()
    texts: dict[str, str] = field(default_factory=dict)


# ------------------------------------------------------------------ asking


def people() -> list[str]:
    """Whose days there are."""
    return sorted(path.name for path in SET.iterdir() if path.is_dir())


def sessions_of(person: str, folder: Path) -> tuple[Path, datetime, list[dict[str, str]]]:
    """A file of all sessions of a person, when the following days begin, and their prompts with their folders."""
    path = folder / "memory.db"
    sessions = sorted((SET / person).glob("[0-9]*.yaml"))
    at = taken_in(path, folder / "history", sessions)
    folders = {Path(cwd).name: cwd for cwd in (yaml.safe_load(each.read_text("utf-8"))["cwd"] for each in sessions)}
    prompts = yaml.safe_load((SET / person / "prompts.yaml").read_text("utf-8"))
    return path, at, [each | {"cwd": folders[each["project"]]} for each in prompts]


def day_of(person: str, way: str, known: Labels) -> list[Told]:
    """Every prompt of a person's following days, with all of their sessions in one file."""
    with tempfile.TemporaryDirectory() as name:
        path, at, prompts = sessions_of(person, Path(name))
        with closing(connect(path)) as db:
            index = open_semantic(db) if way == WARM else None
            warm = Warm(index) if index else None
            return [
                told(path, person, number, each, at + number * PAUSE, warm, known)
                for number, each in enumerate(prompts)
            ]


def told(
    path: Path, person: str, number: int, prompt: dict[str, str], at: datetime, warm: Warm | None, known: Labels
) -> Told:
    """What one prompt is told, behind a start and without one."""
    session = session_id(f"{person}/{number}")
    start = hook(path, "session-start", session, prompt, at)
    behind = hook(path, "user-prompt", session, prompt, at, warm)
    alone = hook(path, "user-prompt", session_id(f"{person}/{number}/alone"), prompt, at, warm)
    with closing(connect(path)) as db:
        rows = db.execute(KNOWN).fetchall()
    labels = {row["uid"]: known.get((person, plain(row["text"]))) for row in rows}
    return Told(
        person, number, prompt["project"], prompt["prompt"],
        wanted=frozenset(uid for uid, label in labels.items() if label and number in label.useful),
        beside=frozenset(uid for uid, label in labels.items() if label and number in label.harmless),
        unread=frozenset(row["uid"] for row in rows if row["status"] == "active" and labels[row["uid"]] is None),
        start=lines(start.split(f"\n{INDEX}:")[0]), start_tokens=estimated_tokens(start),
        behind=lines(behind), alone=lines(alone), texts={row["uid"]: row["text"] for row in rows},
    )  # fmt: skip


def hook(path: Path, event: str, session: str, prompt: dict[str, str], at: datetime, warm: Warm | None = None) -> str:
    """What a hook prints."""
    payload: dict[str, Any] = {"session_id": session, "transcript_path": "", "cwd": prompt["cwd"]}
    if event == "session-start":
        return run_hook(path, event, payload | {"hook_event_name": "SessionStart", "source": "startup"}, at)
    payload |= {"hook_event_name": "UserPromptSubmit", "prompt": prompt["prompt"]}
    return run_hook(path, event, payload, at, warm=warm)


def lines(text: str) -> tuple[str, ...]:
    """The uids of the lines of a brief."""
    return tuple(found[1] for line in text.splitlines() if (found := LINE.match(line)))


# ------------------------------------------------------------------ labels


def plain(text: str) -> str:
    """A memory's text on one line."""
    return " ".join(text.split())


def labels() -> Labels:
    """What readers said so far."""
    return {
        (row["person"], row["memory"]): Wanted(frozenset(row["useful"]), frozenset(row["harmless"]))
        for row in read_rows(SET / "labels.jsonl")
    }


def keep(new: Labels) -> None:
    """Writes labels down beside those that are there, in order."""
    rows = sorted((labels() | new).items())
    write_rows(SET / "labels.jsonl", (
        {"person": person, "memory": text, "useful": sorted(said.useful), "harmless": sorted(said.harmless)}
        for (person, text), said in rows
    ))  # fmt: skip


def unread(asked: Iterable[Told]) -> list[dict[str, Any]]:
    """For each person the memories that no reader has seen, with room for the numbers of prompts, and the prompts."""
    found: dict[str, dict[str, Any]] = {}
    for each in asked:
        of_person = found.setdefault(each.person, {"person": each.person, "memories": {}, "prompts": {}})
        of_person["prompts"][each.number] = f"{each.project}: {each.prompt}"
        of_person["memories"] |= {plain(each.texts[uid]): None for uid in sorted(each.unread)}
    return [
        each | {"memories": [{"memory": text, "useful": [], "harmless": []} for text in each["memories"]]}
        for each in found.values()
        if each["memories"]
    ]


def read_labels(path: Path) -> Labels:
    """Labels that a reader filled in. Raises: ValueError for a prompt that there is not."""
    found: Labels = {}
    for each in yaml.safe_load(path.read_text("utf-8")):
        for memory in each["memories"]:
            if unknown := {*memory["useful"], *memory["harmless"]} - set(each["prompts"]):
                raise ValueError(f"{each['person']}: there is no prompt {min(unknown)}; the file lists all there are")
            said = Wanted(frozenset(memory["useful"]), frozenset(memory["harmless"]))
            found[each["person"], plain(memory["memory"])] = said
    return found


# ------------------------------------------------------------------ figures


def figures(asked: Sequence[Told]) -> dict[str, Any]:
    """Shares from 0 to 1 of prompts, of wanted memories and of lines; lines and tokens of a start."""
    wanting = [each for each in asked if each.wanted]
    nothing = [each for each in asked if not each.wanted]
    count = Counter(sort_of(each, uid) for each in asked for uid in each.behind)
    alone = Counter(sort_of(each, uid) for each in asked for uid in each.alone)
    goods = sum(len(each.wanted) for each in wanting)
    ever = {(each.person, uid) for each in asked for uid in each.wanted}
    starts = {(each.person, each.project): each for each in asked}.values()
    start_lines = [(each.person, uid) for each in starts for uid in each.start]
    return {
        "prompts": len(asked),
        "prompts that want something": len(wanting),
        "told something they want": mean(bool(each.wanted & {*each.start, *each.behind}) for each in wanting),
        "told all they want": mean(each.wanted <= {*each.start, *each.behind} for each in wanting),
        "at the start, something": mean(bool(each.wanted & set(each.start)) for each in wanting),
        "by the prompt alone, something": mean(bool(each.wanted & set(each.alone)) for each in wanting),
        "wanted memories": goods,
        "of them told": share(sum(len(each.wanted & {*each.start, *each.behind}) for each in wanting), goods),
        "of them told at the start": share(sum(len(each.wanted & set(each.start)) for each in wanting), goods),
        "lines of a start": mean(len(each.start) for each in starts),
        "tokens of a start": mean(each.start_tokens for each in starts),
        "lines of a start that are ever wanted": share(sum(each in ever for each in start_lines), len(start_lines)),
        "lines at prompts": sum(count.values()),
        "of them wanted": share(count["wanted"], sum(count.values())),
        "of them noise": share(count["noise"], sum(count.values())),
        "lines at prompts without a start": sum(alone.values()),
        "of those wanted": share(alone["wanted"], sum(alone.values())),
        "of those noise": share(alone["noise"], sum(alone.values())),
        "silent where nothing is wanted": mean(not each.behind for each in nothing),
        "memories that no reader has seen": len({(each.person, uid) for each in asked for uid in each.unread}),
    }


def sort_of(each: Told, uid: str) -> str:
    """What a line is to its prompt: wanted, harmless or noise."""
    return "wanted" if uid in each.wanted else "harmless" if uid in each.beside else "noise"


def measured() -> dict[str, Any]:
    """Figures of all people and of each half, asked by a cold hook and by a warm one."""
    known, found = labels(), {}
    for way in (COLD, WARM):
        asked = [each for person in people() for each in day_of(person, way, known)]
        found[way] = {
            "all": figures(asked),
            "seen": figures([each for each in asked if each.person not in UNSEEN]),
            "unseen": figures([each for each in asked if each.person in UNSEEN]),
        }
    return found


def main() -> None:
    """Shows what is told, lists what waits for a reader, or keeps what one wrote."""
    parser = argparse.ArgumentParser(prog="python -m bench.days", description=__doc__)
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--show", action="store_true", help="print every prompt with what is wanted and what is told")
    what.add_argument("--unread", type=Path, metavar="FILE", help="write the memories that no reader has seen, as YAML")
    what.add_argument("--take", type=Path, metavar="FILE", help="keep the labels of such YAML, filled in")
    parser.add_argument("--person", choices=people(), action="append", help="only that person's days")
    parser.add_argument("--way", choices=(COLD, WARM), default=WARM, help="who answers: the hook itself, or a reader")
    given = parser.parse_args()
    if given.take:
        keep(read_labels(given.take))
        return
    known = labels()
    asked = [each for person in given.person or people() for each in day_of(person, given.way, known)]
    if given.unread:
        given.unread.write_text(yaml.safe_dump(unread(asked), allow_unicode=True, sort_keys=False, width=1000), "utf-8")
        return
    for each in asked:
        print(f"{each.person} {each.number} {each.project}: {plain(each.prompt)}")
        for uid in sorted(each.wanted | set(each.behind)):
            where = "start" if uid in each.start else "prompt" if uid in each.behind else "not told"
            print(f"  {sort_of(each, uid):8} {where:8} {plain(each.texts.get(uid, uid))[:200]}")


if __name__ == "__main__":
    main()
