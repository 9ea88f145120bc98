"""Contests as Markdown: what each ranking finds, by which questions, and when it stays silent.

In: contests as `rankings.kept` stores them. Out: blocks of Markdown. Invariant: every number comes from the figures.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bench.markdown import NOTHING, is_more_than_luck, percent, points, table

BASELINE = "keyword_only"
NAMES = {"default": "**`default`**", BASELINE: "plain FTS5 (`keyword_only`)", "fitted": "`fitted`, on other folds"}
"""What the rankings are called; a preset by its name."""

MAIN = ("default", "hook", "fitted", BASELINE, "cosine", "rank fusion, k=60", "rank fusion, k=5")
"""Rankings that are told by parts of the questions; the order of all."""

SILENT = ("default", "hook", "fitted", BASELINE, "cosine")
"""Rankings whose silence is told."""

Contest = Mapping[str, Any]


def named(name: str) -> str:
    """A ranking's name in a table."""
    return NAMES.get(name, name if name == "cosine" or " " in name else f"`{name}`")


def in_order(profiles: Mapping[str, Any]) -> list[str]:
    """The rankings: ours, the baselines, then the presets."""
    return [*(name for name in MAIN if name in profiles), *(name for name in profiles if name not in MAIN)]


def blocks(found: Contest) -> list[str]:
    """Everything about one contest but its silence."""
    profiles = found["profiles"]
    order = in_order(profiles)
    shown = [
        setting(found),
        describe_contest(found),
        table(
            ("ranking", "recall@1", "recall@5", "recall@10", "@10 against plain FTS5", "nDCG@10", "MRR"),
            (found_row(name, profiles[name]) for name in order),
        ),
        table(
            ("ranking", "evidence in 1,000 characters", "2,500", "4,000", "2,500 against plain FTS5", "ceiling of pool",
             "time, plain FTS5 = 1"),
            (brief_row(name, profiles) for name in order),
        ),
        completeness(found),
        told_table(found),
        staleness(found),
    ]  # fmt: skip
    for part, title in (("by_style", "sort of question"), ("by_overlap", "question and answer")):
        shown.append(parts_table(profiles, part, title))
    return [block for block in shown if block]


def setting(found: Contest) -> str:
    """How many questions, on what."""
    left_out = ", ".join(f"{count:,} {name.replace('_', ' ')}" for name, count in found["left_out"].items())
    dropped = f"; left out: {left_out}" if left_out else ""
    silent = f", {found['negatives']:,} without" if found["negatives"] else ""
    folds = f"; folds of `fitted`: {found['split']}" if found["split"] else ""
    return (
        f"{found['answerable']:,} questions with an answer{silent}; {found['items']:,} entries and memories; model"
        f" {found['semantic_model'] or 'none'}{folds}{dropped}."
    )


def found_row(name: str, figures: Mapping[str, Any]) -> tuple[str, ...]:
    """What a ranking finds."""
    return (
        named(name),
        percent(figures.get("recall@1"), interval=False),
        percent(figures.get("recall@5")),
        percent(figures.get("recall@10")),
        points(figures["difference"].get("recall@10")),
        percent(figures.get("ndcg@10"), interval=False),
        percent(figures.get("mrr"), interval=False),
    )


def brief_row(name: str, profiles: Mapping[str, Any]) -> tuple[str, ...]:
    """What a ranking brings into a brief, what it could at most, and how long it takes."""
    figures, base = profiles[name], profiles[BASELINE]["median_ms"]
    took = figures["median_ms"]
    return (
        named(name),
        percent(figures.get("evidence@1000"), interval=False),
        percent(figures.get("evidence@2500")),
        percent(figures.get("evidence@4000"), interval=False),
        points(figures["difference"].get("evidence@2500")),
        percent(figures.get("ceiling"), interval=False),
        f"{took / base:.2f}" if took and base else NOTHING,
    )


COMPLETE = {
    "all_of@5": "all answers in the first five",
    "precision@5": "share of the first five that answers",
    "decisive@1000": "the decisive sentence in 1,000 characters",
    "decisive@2500": "2,500",
}
"""Columns on what a brief must have at once, and how much else it has."""

KEPT = {
    "negatives": "silent where nothing answers, 80 % kept",
    "deleted": "silent with the answers taken away",
    "precision": "share of five that answers, 80 % kept",
}
"""Columns where four fifths of the answerable questions are shown something."""


def completeness(found: Contest) -> str:
    """Whether all is there, what else is, and how often nothing is shown; nothing where no figure tells."""
    profiles = found["profiles"]
    told_at = {name: each["abstention"].get("silence") or {} for name, each in profiles.items()}
    columns = [name for name in COMPLETE if any(name in each for each in profiles.values())]
    kept = [name for name in KEPT if any(name in at for at in told_at.values())]
    if not columns:
        return ""
    return table(
        ("ranking", *(COMPLETE[name] for name in columns), *(KEPT[name] for name in kept)),
        (
            (named(each), *(percent(profiles[each].get(name)) for name in columns),
             *(percent(told_at[each].get(name)) for name in kept))
            for each in in_order(profiles)
        ),
    )  # fmt: skip


def told_table(found: Contest) -> str:
    """How often a prompt's brief says what the answer hangs on, by who answers; nothing where that is not known."""
    told = found.get("told", {})
    return table(
        ("a prompt's brief", "says what decides in 1,000 characters", "2,500"),
        ((way, percent(figures.get("told@1000")), percent(figures.get("told@2500"))) for way, figures in told.items()),
    ) if told else ""  # fmt: skip


def staleness(found: Contest) -> str:
    """How often something outdated or misleading is among the first five; nothing where no question could tell."""
    profiles = found["profiles"]
    names = [name for name in ("outdated@5", "must_not@5") if any(name in figures for figures in profiles.values())]
    if not names:
        return ""
    heads = {"outdated@5": "an outdated note in the first five", "must_not@5": "one that must not be shown"}
    return table(
        ("ranking", *(heads[name] for name in names)),
        ((named(each), *(percent(profiles[each].get(name)) for name in names)) for each in in_order(profiles)),
    )


def parts_table(profiles: Mapping[str, Any], part: str, title: str) -> str:
    """recall@10 of the main rankings for each part of the questions; nothing where there is one part alone."""
    names = [name for name in MAIN if name in profiles]
    groups = profiles[BASELINE][part]
    if len(groups) < 2:
        return ""
    return table(
        (f"recall@10 by {title}", "questions", *map(named, names)),
        (
            (group or "other", f"{groups[group]['queries']:,}",
             *(percent(profiles[name][part].get(group, {}).get("recall@10"), interval=name == "default")
               for name in names))
            for group in groups
        ),
    )  # fmt: skip


def describe_contest(found: Contest) -> str:
    """The paragraph in plain words."""
    profiles = found["profiles"]
    ours, plain = profiles["default"], profiles[BASELINE]
    difference = ours["difference"]["recall@10"]
    others = [name for name in profiles if name not in ("default", "hook", "fitted", BASELINE)]
    best = max(others, key=lambda name: profiles[name]["recall@10"][0])
    luck = "more than luck" if is_more_than_luck(difference) else "which may be luck"
    text = (
        f"Among its first ten hits `default` has {percent(ours['recall@10'])} % of the answers, plain FTS5"
        f" {percent(plain['recall@10'], interval=False)} %: {points(difference)} points, {luck}. The best of the other"
        f" rankings is {named(best)} with {percent(profiles[best]['recall@10'], interval=False)} %."
    )
    if "fitted" in profiles:
        fitted = profiles["fitted"]
        text += (
            f" Weights fitted on other questions than those they rank reach"
            f" {percent(fitted['recall@10'], interval=False)} %."
        )
    text += (
        f" {percent(ours['ceiling'], interval=False)} % of the answers are considered at all, so no weights could find"
        f" more. In a brief of 2,500 characters stand {percent(ours['evidence@2500'], interval=False)} % of them."
    )
    if ours.get("outdated@5"):
        text += (
            f" In {percent(ours['outdated@5'], interval=False)} % of the questions it shows an outdated note in five."
        )
    return text


# ---------------------------------------------------------------------- silence


def silence(contests: Mapping[str, Contest]) -> list[str]:
    """When each ranking shows nothing, by data set."""
    shown = []
    for title, found in contests.items():
        profiles = {name: found["profiles"][name] for name in SILENT if name in found["profiles"]}
        fitted = {name: each for name, each in profiles.items() if "at_fitted_thresholds" in each["abstention"]}
        if fitted:
            shown += [f"### {title}", describe_abstention(fitted), fitted_table(fitted), points_table(profiles)]
    return [block for block in shown if block]


def describe_abstention(profiles: Mapping[str, Any]) -> str:
    """What the thresholds of the default reach."""
    at = profiles["default"]["abstention"]["at_fitted_thresholds"]
    text = f"At thresholds fitted on other folds `default` shows something for {percent(at['answerable'])} % of the"
    text += f" questions with an answer, and for {percent(at['deleted'])} % of the same with their answers taken away"
    if "negatives" in at:
        text += f"; of the questions that nothing answers, for {percent(at['negatives'])} %"
    points = profiles["default"]["abstention"]["points"]
    if at_80 := next((point for point in points if point["at_least"] == 0.8), None):
        text += f". Who wants {at_80['answerable']:.0%} of the first has {at_80['deleted']:.0%} of the second shown too"
    return f"{text}."


def fitted_table(profiles: Mapping[str, Any]) -> str:
    """What is shown at thresholds that were fitted on other folds."""
    sorts = ("answerable", "deleted", "negatives")
    return table(
        ("shown at fitted thresholds", "with an answer", "their answers taken away", "nothing answers"),
        (
            (named(name), *(percent(each["abstention"]["at_fitted_thresholds"].get(sort)) for sort in sorts))
            for name, each in profiles.items()
        ),
    )


def points_table(profiles: Mapping[str, Any]) -> str:
    """Points of the curve: what must be shown of the negative questions so that so many answerable ones are."""
    wanted = sorted({point["at_least"] for each in profiles.values() for point in each["abstention"]["points"]})
    rows = []
    for name, each in profiles.items():
        points = {point["at_least"]: point for point in each["abstention"]["points"]}
        rows.append((named(name), *(point_text(points.get(share)) for share in reversed(wanted))))
    head = ("negatives shown where this share of the answerable is", *(f"{share:.0%}" for share in reversed(wanted)))
    return table(head, rows)


def point_text(point: Mapping[str, float] | None) -> str:
    """One point: the share of the answerable questions without their answers, and of those that nothing answers."""
    if point is None:
        return NOTHING
    return " / ".join(f"{100 * point[sort]:.0f}" for sort in ("deleted", "negatives") if sort in point)
