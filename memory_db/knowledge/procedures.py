"""How things are done in a project: the commands that succeeded, as procedures.

In: the steps of a project's sessions, in order. Out: `Procedure`s. Pure, without a clock or a model. Invariants: what
never succeeded is no procedure; what is shown is the form that was used most, of those used as often the one used last;
a form that was cut, because it was of single files or tests, is shown only where there is no other.
"""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from operator import attrgetter

from memory_db.knowledge.procedure_steps import FAILED, SUCCEEDED, Step
from memory_db.store.dates import parse_utc
from memory_db.text.commands.purposes import ABOUT_CODE

HALF_LIFE_DAYS = 30.0
"""For how long a use counts half as much towards which procedure of a purpose goes first.

Source: ours; a tool that replaced another one three weeks ago goes before it after as many uses.
"""

USUALLY = 0.5
"""The share of successes before which a command must have run to be what usually comes before."""

LEAST_BEFORE = 2
"""Successes before which it must have run, at the least: once is chance."""

MOST_FAILED_BEFORE = 3
"""Other commands that failed before which a procedure keeps, the latest."""


@dataclass(slots=True)
class Procedure:
    """How something is done: `failures_since` counts from the last success on.

    `recent_uses` are the successes, each halved for every thirty days before the newest of its purpose. `preceded_by`
    ran right before `preceded_count` of them. `failed_before` are other commands of the purpose that failed in a
    session before this one succeeded: `command`, `times`, `last_at`. `actions` are (action, place on line, outcome).
    """

    purpose: str
    normal_form: str
    command: str = ""
    successes: int = 0
    failures: int = 0
    failures_since: int = 0
    first_success_at: str = ""
    last_success_at: str = ""
    last_used_at: str = ""
    recent_uses: float = 0.0
    preceded_by: str | None = None
    preceded_count: int = 0
    failed_before: list[dict[str, object]] = field(default_factory=list)
    actions: list[tuple[int, int, str]] = field(default_factory=list)


def procedures_of(steps: Iterable[Step]) -> list[Procedure]:
    """The procedures of one project, by purpose and normal form; `steps` come session by session, in their order."""
    uses: dict[tuple[str, str], list[Step]] = defaultdict(list)
    before: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    wrong: dict[tuple[str, str], dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    shown: dict[str, str] = {}
    session_id: int | None = None
    last: Step | None = None
    failed: dict[str, list[Step]] = defaultdict(list)
    for step in steps:
        if session_id != step.session_id:
            session_id, last, failed = step.session_id, None, defaultdict(list)
        form = step.form
        key = form.purpose, form.normal_form
        if form.purpose:
            uses[key].append(step)
            if step.outcome == SUCCEEDED:
                if last is not None and last.form.normal_form != form.normal_form:
                    before[key][last.form.normal_form] += 1
                    shown[last.form.normal_form] = last.form.shown
                for other in failed.pop(form.purpose, ()):
                    if other.form.normal_form != form.normal_form:
                        wrong[key][other.form.normal_form].append(other.ran_at)
                        shown[other.form.normal_form] = other.form.shown
            elif step.outcome == FAILED and (step.is_wrong or form.purpose not in ABOUT_CODE):
                failed[form.purpose].append(step)
        if step.outcome != FAILED:
            last = step
    working = {key for key, own in uses.items() if any(step.outcome == SUCCEEDED for step in own)}
    found = [made(key, uses[key], before[key], shown) for key in sorted(working)]
    for procedure in found:
        times = wrong[procedure.purpose, procedure.normal_form]
        never = [
            other
            for other in times
            if (procedure.purpose, other) not in working
            or last_success(uses[procedure.purpose, other]) < max(times[other])
        ]
        never.sort(key=lambda other: (max(times[other]), other), reverse=True)
        procedure.failed_before = [
            {"command": shown[other], "times": len(times[other]), "last_at": max(times[other])}
            for other in never[:MOST_FAILED_BEFORE]
        ]
    weigh(found, uses)
    return found


def last_success(uses: Sequence[Step]) -> str:
    """When a command succeeded last."""
    return max(step.ran_at for step in uses if step.outcome == SUCCEEDED)


def made(key: tuple[str, str], uses: Sequence[Step], before: Counter[str], shown: dict[str, str]) -> Procedure:
    """One procedure from the uses of its command, of which one at least succeeded."""
    ordered = sorted(uses, key=attrgetter("ran_at", "action_id", "position"))
    successes = [step for step in ordered if step.outcome == SUCCEEDED]
    failures = [step for step in ordered if step.outcome == FAILED]
    procedure = Procedure(
        *key,
        command=most_used(successes),
        successes=len(successes),
        failures=len(failures),
        failures_since=sum(step.ran_at > successes[-1].ran_at for step in failures),
        first_success_at=successes[0].ran_at,
        last_success_at=successes[-1].ran_at,
        last_used_at=ordered[-1].ran_at,
        actions=[(step.action_id, step.position, step.outcome) for step in ordered],
    )
    for other, count in sorted(before.items(), key=lambda item: (-item[1], item[0]))[:1]:
        if count >= max(LEAST_BEFORE, USUALLY * len(successes)):
            procedure.preceded_by, procedure.preceded_count = shown[other], count
    return procedure


def most_used(successes: Sequence[Step]) -> str:
    """The form that was used most, then last; whole ones go before those that were cut from a narrow use."""
    whole = [step for step in successes if not step.form.is_narrow] or successes
    times = Counter(step.form.shown for step in whole)
    latest = {step.form.shown: place for place, step in enumerate(whole)}
    return max(times, key=lambda text: (times[text], latest[text]))


def weigh(procedures: Iterable[Procedure], uses: dict[tuple[str, str], list[Step]]) -> None:
    """Notes how much each one is used, counted to the newest success of its purpose."""
    newest: dict[str, str] = {}
    for each in procedures:
        newest[each.purpose] = max(newest.get(each.purpose, ""), each.last_success_at)
    for each in procedures:
        moment = parse_utc(newest[each.purpose])
        days = [
            (moment - parse_utc(step.ran_at)).total_seconds() / 86_400
            for step in uses[each.purpose, each.normal_form]
            if step.outcome == SUCCEEDED
        ]
        each.recent_uses = round(sum(0.5 ** (day / HALF_LIFE_DAYS) for day in days), 4)


def uid_of(project: str, procedure: Procedure) -> str:
    """A name for a procedure: p and eight hexadecimal digits, from the project's path, purpose and normal form."""
    text = "\0".join((project, procedure.purpose, procedure.normal_form))
    return f"p{hashlib.sha256(text.encode(errors='surrogatepass')).hexdigest()[:8]}"
