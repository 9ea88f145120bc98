"""How well the rules tell what is worth keeping in ten languages other than English.

`python -m bench cues` reads bench/data/cues, whose README says who wrote it; `python -m bench.cues --errors [LANGUAGE]`
prints what went wrong in the seen half of each language. Rules may be changed with that half in view alone.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from memory_db.extract.rules.measure import ExtractionFigures, measure

SET = Path(__file__).parent / "data" / "cues"

SEEN, UNSEEN = HALVES = ("seen half", "unseen half")

SHARES = ("precision", "recall", "kind_accuracy", "scope_accuracy")


def messages(language: str, half: str) -> list[dict[str, Any]]:
    """The messages of one half, by the number in their id: even ones may be looked at."""
    read = (json.loads(line) for line in (SET / f"{language}.jsonl").read_text("utf-8").splitlines())
    return [each | {"role": "user"} for each in read if (int(each["id"].rsplit("-", 1)[1]) % 2 == 0) == (half == SEEN)]


def languages() -> list[str]:
    """The languages of the set, by their two letters."""
    return sorted(path.stem for path in SET.glob("*.jsonl"))


def measured() -> dict[str, Any]:
    """Shares from 0 to 1, by half and language."""
    found: dict[str, Any] = {}
    for half in HALVES:
        every = [each for language in languages() for each in messages(language, half)]
        found[half] = {"all": shares(measure(every))}
        found[half] |= {language: shares(measure(messages(language, half))) for language in languages()}
    return found


def shares(figures: ExtractionFigures) -> dict[str, Any]:
    """What a table says of one language."""
    return {"messages": len(figures.outcomes), "to keep": figures.positives} | {
        name: round(getattr(figures, name), 3) for name in SHARES
    }


def main(arguments: list[str]) -> int:
    """Prints the figures, or with --errors what went wrong in the seen half."""
    if "--errors" not in arguments:
        print(json.dumps(measured(), indent=2))
        return 0
    for language in [each for each in arguments if not each.startswith("--")] or languages():
        for item, outcome, findings in measure(messages(language, SEEN)).outcomes:
            if outcome in ("missed", "false alarm"):
                said = "; ".join(", ".join(found.cues) for found in findings)
                print(f"{outcome:12} {item['id']} {item['text']!r} {said}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
