"""A question's filters, as one list of named clauses: what may be considered, and what of it may be shown.

In: a question. Out: its clauses on versions of memories, and on entries. The pool joins them; "why not" asks each alone
and says which one keeps a thing out. Invariant: a thing is let in exactly when no clause keeps it out.

A hook loads this: the standard library alone.
"""

from __future__ import annotations

from memory_db.knowledge.attributes import attributes_sql
from memory_db.knowledge.belonging import holds_in
from memory_db.records import dataclass, field
from memory_db.store.findable import findable

TYPE_CHECKING = False  # as in typing, which a hook need not load
if TYPE_CHECKING:
    import sqlite3

    from memory_db.recall.question import Question


@dataclass(slots=True, frozen=True)
class FilterClause:
    """One condition on a version of a memory, or an entry, `v`: SQL with its parameters, and what it says in words.

    `words` say why it keeps something out; they may name `{wanted}`, what the question asks for, and `{date}`,
    `{kind}`, `{project}`, `{status}` of what is kept out. `binds_outdated`: an outdated version, which is not shown but
    leads to its successors, must meet it too.
    """

    name: str
    sql: str
    words: str
    wanted: str = ""
    parameters: dict[str, object] = field(default_factory=dict)
    binds_outdated: bool = False


@dataclass(slots=True, frozen=True)
class Filter:
    """The clauses of a question on one table, joined.

    `considered` is a condition that begins with `and`; `shown` says whether what is considered may be shown itself.
    """

    table: str
    clauses: tuple[FilterClause, ...]
    considered: str
    shown: str
    parameters: dict[str, object]

    def against(self, db: sqlite3.Connection, identifier: int) -> list[FilterClause]:
        """The clauses that keep a version or an entry out, each asked alone."""
        columns = ", ".join(f"coalesce({clause.sql}, false)" for clause in self.clauses)
        sql = f"select {columns} from {self.table} v where v.id = :identifier"
        row = db.execute(sql, {**self.parameters, "identifier": identifier}).fetchone()
        return [clause for clause, is_met in zip(self.clauses, row, strict=True) if not is_met]


RETIRED = "status"
"""The clause that keeps out what is no longer there to be found, whatever is asked."""

OUTDATED = "holds"
"""The clause that only keeps outdated versions from being shown."""

SEARCHED = "searched"
"""The clause that full text itself keeps: it holds no other entries."""

ONLY_PROJECT = "it belongs to {project}, and only another one was asked"


def memory_filter(question: Question) -> Filter:
    """What may be considered among versions of memories.

    Outdated ones are: they lead to their successors. They are shown only where the question asks for what held before a
    date, or names a time in its words, and they held at its end. What is active and may not be shown leads nowhere: it
    would only take the place of others.
    """
    filters = question.filters
    then: dict[str, object] = {"as_of": filters.as_of} if filters.as_of else {}
    current = "v.recorded_to is null"
    if then:
        current = "(v.recorded_from <= :as_of and (v.recorded_to is null or v.recorded_to > :as_of))"
    found = "v.status in ('active', 'superseded')"
    clauses = [
        FilterClause("version", current, "it read otherwise then", parameters=then, binds_outdated=True),
        FilterClause(RETIRED, found, "it was {status} since {recorded}", binds_outdated=True),
        *time_clauses(question, "v.valid_from"),
    ]
    if filters.only_project:
        holds = holds_in("v", until=":as_of" if then else "")
        clauses.append(
            FilterClause(
                "project", holds, ONLY_PROJECT, parameters={"project_id": question.project_id}, binds_outdated=True
            )
        )
    if filters.kinds:
        words = "only the kind {wanted} was asked for, and it is of kind {kind}"
        clauses.append(one_of("kind", "v.kind in ({})", words, filters.kinds))
    if filters.tags:
        tagged = (
            f"v.memory_id in (select memory_id from ({attributes_sql('tag', filters.as_of)}) where value in ({{}}))"
        )
        clauses.append(one_of("tag", tagged, "only the tag {wanted} was asked for, which it has not", filters.tags))
    held: dict[str, object] = {}
    holds = "v.status = 'active'"
    if held_at := filters.before or (question.window.end if question.window else None):
        held["held_at"] = held_at
        holds = f"({holds} or v.valid_from < :held_at and v.valid_to >= :held_at)"
    clauses.append(FilterClause(OUTDATED, holds, "it no longer holds", parameters=held))
    shown = " and ".join(clause.sql for clause in clauses if not clause.binds_outdated)
    binding = [clause.sql for clause in clauses if clause.binds_outdated]
    considered = "".join(f" and {sql}" for sql in (*binding, f"(v.status = 'superseded' or {shown})"))
    return Filter("memory_versions", tuple(clauses), considered, f"({shown})", parameters_of(clauses))


def entry_filter(question: Question) -> Filter:
    """What may be considered among entries, and is shown then.

    Kinds and tags are of memories: a question that names one shows no entry.
    """
    filters = question.filters
    clauses = [FilterClause(SEARCHED, findable("v"), "an entry of kind {kind} like it is not searched")]
    if filters.kinds or filters.tags:
        clauses.append(FilterClause("of memories", "false", "a question for kinds or tags asks no entries"))
    clauses += time_clauses(question, "v.created_at")
    if filters.only_project:
        here = "v.session_id in (select id from sessions where project_id = :project_id)"
        clauses.append(FilterClause("project", here, ONLY_PROJECT, parameters={"project_id": question.project_id}))
    if filters.as_of:
        clauses.append(
            FilterClause(
                "said", "v.created_at <= :as_of", "it was said on {date}, the question is as of {wanted}",
                day(filters.as_of), {"as_of": filters.as_of},
            )
        )  # fmt: skip
    considered = "".join(f" and {clause.sql}" for clause in clauses)
    return Filter("entries", tuple(clauses), considered, "true", parameters_of(clauses))


def time_clauses(question: Question, column: str) -> list[FilterClause]:
    """From when on and before when something was said."""
    since, before = question.filters.since, question.filters.before
    clauses = []
    if since:
        words = "it is of {date}, and the question asks from {wanted} on"
        clauses.append(FilterClause("since", f"{column} >= :since", words, day(since), {"since": since}))
    if before:
        words = "it is of {date}, and the question asks before {wanted}"
        clauses.append(FilterClause("before", f"{column} < :before", words, day(before), {"before": before}))
    return clauses


def one_of(name: str, sql: str, words: str, values: tuple[str, ...]) -> FilterClause:
    """A clause that one of the values must meet."""
    parameters: dict[str, object] = {f"{name}_{number}": value for number, value in enumerate(values)}
    return FilterClause(
        name, sql.format(", ".join(f":{each}" for each in parameters)), words, ", ".join(values), parameters
    )


def parameters_of(clauses: list[FilterClause]) -> dict[str, object]:
    """The parameters of all clauses."""
    return {name: value for clause in clauses for name, value in clause.parameters.items()}


def day(moment: str) -> str:
    """A moment to the minute, for people."""
    return moment[:16].replace("T", " ")
