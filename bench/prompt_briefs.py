"""What the setting `prompt_briefs` costs and brings: tokens, and lines that readers want, over whole following days.

`python -m bench prompt_briefs` measures on bench/data/days. Other than `days`, which types each prompt into a session
of its own, all prompts of a person in a project stand in one session, in the order in which they were written: what was
told is not told again. Answered as where a reader with the model runs. With `tool` no prompt is told anything; what the
files of tools bring is not part of the data.
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

from bench.brief_quality import PAUSE
from bench.days import KNOWN, Labels, hook, labels, lines, people, plain, sessions_of
from bench.labels import share
from memory_db.agents.warm import Warm
from memory_db.index.semantic import open_semantic
from memory_db.recall.brief.render import estimated_tokens
from memory_db.recall.brief.roles import INDEX
from memory_db.sample.build import session_id
from memory_db.store import settings
from memory_db.store.connection import connect
from memory_db.store.schema import open_database

WAYS = ("every", "first", "tool")


@dataclass(slots=True, frozen=True)
class Lived:
    """One prompt of a following day: what it was told, and what of that its reader wants or wants not.

    `is_missed` says that it wants something of which neither it nor anything before it in its session was told.
    """

    tokens: int
    lines: int
    wanted: int
    noise: int
    wants: bool
    is_missed: bool


def days_of(person: str, known: Labels) -> dict[str, list[Lived]]:
    """A person's following days under each value of the setting, in one file."""
    with tempfile.TemporaryDirectory() as name:
        path, at, prompts = sessions_of(person, Path(name))
        by_project = sorted(enumerate(prompts), key=lambda each: each[1]["project"])
        found: dict[str, list[Lived]] = {}
        with closing(connect(path)) as db:
            warm = Warm(open_semantic(db))
            labelled = {row["uid"]: known.get((person, plain(row["text"]))) for row in db.execute(KNOWN)}
            for way in WAYS:
                with closing(open_database(path, now=at)) as writing:
                    settings.put(writing, "prompt_briefs", way, now=at)
                found[way] = []
                for project, group in groupby(by_project, lambda each: each[1]["project"]):
                    own = list(group)
                    session = session_id(f"{person}/{project}/{way}")
                    start = hook(path, "session-start", session, own[0][1], at)
                    told = set(lines(start.split(f"\n{INDEX}:")[0]))
                    for number, prompt in own:
                        text = hook(path, "user-prompt", session, prompt, at + number * PAUSE, warm)
                        told |= set(lines(text))
                        wanted = {uid for uid, label in labelled.items() if label and number in label.useful}
                        beside = {uid for uid, label in labelled.items() if label and number in label.harmless}
                        found[way].append(Lived(
                            estimated_tokens(text), len(lines(text)), len(wanted & set(lines(text))),
                            len(set(lines(text)) - wanted - beside), bool(wanted), bool(wanted) and not wanted & told,
                        ))  # fmt: skip
        return found


def figures(lived: Sequence[Lived]) -> dict[str, Any]:
    """Tokens a prompt, lines by what readers want, and the share of prompts that want something and go without."""
    count = sum(each.lines for each in lived)
    return {
        "prompts": len(lived),
        "tokens a prompt": round(sum(each.tokens for each in lived) / len(lived), 1),
        "lines": count,
        "of them wanted": share(sum(each.wanted for each in lived), count),
        "of them noise": share(sum(each.noise for each in lived), count),
        "wanted lines": sum(each.wanted for each in lived),
        "wants something, told none of it so far": share(
            sum(each.is_missed for each in lived), sum(each.wants for each in lived)
        ),
    }


def measured() -> dict[str, Any]:
    """Figures by value of the setting."""
    known = labels()
    found = [days_of(person, known) for person in people()]
    return {way: figures([each for one in found for each in one[way]]) for way in WAYS}
