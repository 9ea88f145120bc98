"""docs/benchmarks.md, from stored results alone: `python -m bench --render` writes it.

In: results by name, and the sections. Out: the page. Figures of a contest have tables of their own, all others are
shown as they are nested. Invariants: the same results give the same page; no number stands in a text here;
what has not been measured yet is named with its command.
"""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from typing import Any

from bench import report_rankings
from bench.markdown import any_figures, said, table
from bench.results import Result
from bench.section import Section
from bench.sections import SECTIONS

HEAD = """# Benchmarks

Written by `make bench DATA=DIR` from what is kept in [bench/results](../bench/results): change no number here. A table
is measured again alone by its command, and the page keeps the others. Shares are in percent, with 95 % intervals by
resampling the questions in brackets; a difference is taken question by question and is more than luck where its
interval leaves out 0. [Measuring recall](evaluating.md) says what each figure is. Times depend on the machine: compare
ratios, whose parts were measured in turns."""

READING = """`fitted` is no profile that ships: it tells what the signals can do on questions that were not fitted on.
Presets of other systems are their documented formulas as weights, not those systems. `evidence in` counts the answers
whose line stands whole in the first so many characters of a brief. `silent` counts questions for which nothing is shown
at the highest threshold that still shows something for 80 % of those with an answer."""

SILENCE = """How often something is shown at all. Negative questions are the answerable ones with their answers taken
out of what is considered, and where a set has them, questions that nothing answers. The last table has both, in this
order, where the given share of the answerable questions is shown something."""


def section(name: str) -> Section:
    """The section of a measurement."""
    return next(each for each in SECTIONS if each.name == name)


def page(found: Mapping[str, Result]) -> str:
    """The whole page."""
    shown = [each for each in SECTIONS if each.name in found]
    blocks = [HEAD, overview([found[each.name] for each in shown])]
    contests: dict[str, Any] = {}
    for each in shown:
        own = contests_of(found[each.name])
        if own and not contests:
            blocks.append(READING)
        contests |= {
            f"{each.title}{f' ({title})' if len(own) > 1 else ''}": contest for title, contest in own.items()
        } if each.name in ASKED else {}  # fmt: skip
        blocks += section_blocks(each, found[each.name], own)
    if contests and (silent := report_rankings.silence(contests)):
        blocks += ["## When nothing is shown", SILENCE, *silent]
    waiting = [f"| {each.title} | `{each.command}` |" for each in SECTIONS if each.name not in found]
    if waiting:
        blocks += ["## Not measured yet", "\n".join(["| table | command |", "| --- | --- |", *waiting])]
    return "\n\n".join(wrapped(block) for block in blocks if block) + "\n"


def wrapped(block: str) -> str:
    """A paragraph in lines of at most 120 characters; anything else as it is."""
    if block.startswith(("|", "#", "`", "!", "**")):
        return block
    return textwrap.fill(block, 120, break_long_words=False, break_on_hyphens=False)


ASKED = ("locomo", "developer", "sample", "beam")
"""Contests whose silence is told."""


def overview(found: list[Result]) -> str:
    """When and under which conditions each table was measured."""
    head = ("table", "measured on", "minutes", "cores", "system", "Python", "SQLite")
    names = ("cores", "system", "python", "sqlite")
    return table(
        head,
        (
            (section(each.name).title, each.measured_on, f"{each.took_s / 60:.1f}",
             *(str(each.conditions.get(name, "")) for name in names))
            for each in found
        ),
    )  # fmt: skip


def contests_of(found: Result) -> dict[str, Any]:
    """The contests of a result by their data sets."""
    if "profiles" in found.figures:
        return {str(found.figures["dataset"]): found.figures}
    return {name: value for name, value in found.figures.items() if isinstance(value, Mapping) and "profiles" in value}


def section_blocks(each: Section, found: Result, contests: Mapping[str, Any]) -> list[str]:
    """One table with its command and its paragraph."""
    blocks = [f"## {each.title}", each.meaning, f"```text\n{found.command}\n```"]
    for title, contest in contests.items():
        blocks += [f"### {title}"] if len(contests) > 1 else []
        blocks += report_rankings.blocks(contest)
    rest = {name: value for name, value in found.figures.items() if name not in contests}
    if "profiles" not in found.figures:
        blocks += [said(each.sentences, found.figures), *any_figures(rest)]
    if each.picture:
        blocks.append(f"![{each.title}]({each.picture})")
    return blocks
