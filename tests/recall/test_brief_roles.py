"""Roles: which part of a brief a memory stands in, and how the budget is shared."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_db.recall.brief.render import estimated_tokens
from memory_db.recall.brief.roles import (
    ALL_PARTS,
    BY_KIND,
    ROLES,
    BriefLine,
    TokenBudget,
    allot,
    heading_tokens,
    role_of,
    share_of,
)
from memory_db.store.seeds import KINDS

DOCS = Path(__file__).resolve().parents[2] / "docs" / "briefs.md"

lines = st.lists(
    st.builds(BriefLine, st.sampled_from([role.name for role in ROLES]), st.integers(1, 120), st.booleans()),
    max_size=25,
)


def cost(chosen: list[BriefLine]) -> int:
    """What lines cost with the headings of their roles."""
    return sum(line.tokens for line in chosen) + sum(heading_tokens(role) for role in {line.role for line in chosen})


@given(lines, st.integers(0, 1500))
def test_a_budget_is_never_exceeded_and_nothing_that_fits_is_dropped(given_lines: list[BriefLine], budget: int) -> None:
    token_budget = TokenBudget(budget)
    taken = allot(given_lines, token_budget)
    chosen = [given_lines[place] for place in taken]
    assert cost(chosen) == token_budget.spent <= budget
    assert taken == sorted(set(taken))
    for place, line in enumerate(given_lines):
        if place not in taken:
            assert cost([*chosen, line]) > budget


@given(lines, st.integers(50, 1500))
def test_each_role_has_its_share_before_others_take_more(given_lines: list[BriefLine], budget: int) -> None:
    """The best line of a role that fits in the share of that role is shown, unless locked ones took the room."""
    unlocked = [BriefLine(line.role, line.tokens) for line in given_lines]
    taken = allot(unlocked, TokenBudget(budget))
    for role in ROLES:
        own = [place for place, line in enumerate(unlocked) if line.role == role.name]
        if own and unlocked[own[0]].tokens + heading_tokens(role.name) <= share_of(role.name, budget):
            assert own[0] in taken


@given(lines, st.integers(0, 1500))
@pytest.mark.slow
def test_what_the_user_locked_comes_first(given_lines: list[BriefLine], budget: int) -> None:
    alone = allot([line for line in given_lines if line.is_locked], TokenBudget(budget))
    locked = [place for place, line in enumerate(given_lines) if line.is_locked]
    assert {locked[place] for place in alone} <= set(allot(given_lines, TokenBudget(budget)))


def test_without_a_budget_all_is_shown() -> None:
    assert allot([BriefLine("background", 10_000)] * 3, TokenBudget()) == [0, 1, 2]


def test_shares_are_of_the_whole() -> None:
    assert ALL_PARTS == 51
    assert sum(share_of(role.name, 5100) for role in ROLES) == 5100
    assert share_of("index", 5100) == 0


def test_a_heading_costs_what_it_says() -> None:
    for role in ROLES:
        assert heading_tokens(role.name) == estimated_tokens(f"{role.name}:\n")


@pytest.mark.parametrize(
    ("kind", "given", "role"),
    [
        ("decision", {}, "decisions"),
        ("decision", {"lock_level": "user"}, "constraints"),
        ("issue", {"lock_level": "promoted"}, "constraints"),
        ("fix", {"contradicted": True}, "open tensions"),
        ("fix", {"contradicted": True, "lock_level": "user"}, "constraints"),
        ("convention", {}, "constraints"),
        ("convention", {"user_scope": True}, "preferences"),
        ("correction", {"user_scope": True}, "constraints"),
        ("preference", {}, "preferences"),
        ("issue", {}, "open tensions"),
        ("reply", {}, "background"),
        ("", {}, "background"),
    ],
)
def test_the_role_of_a_memory(kind: str, given: dict[str, object], role: str) -> None:
    assert role_of(kind, **given) == role  # type: ignore[arg-type]


def test_every_kind_has_a_role() -> None:
    assert {kind.name for kind in KINDS} == set(BY_KIND)


def test_the_docs_name_every_role_with_its_share_and_kinds() -> None:
    text = DOCS.read_text("utf-8")
    for role in ROLES:
        row = re.search(rf"^\| {role.name} \| {role.parts} \| (.*) \|", text, re.M)
        assert row, role.name
        assert set(role.kinds) <= set(re.findall(r"\w+", row[1])), role.name
