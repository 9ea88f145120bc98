"""The parts of a brief: which one a hit stands in, and how the token budget is shared between them.

In: what a hit is, what its line costs. Out: a role, and which lines fit. Invariants: pure, no database; a budget is
never exceeded; nothing stays out while there is room for it; a score is never changed, nor the order by score.
"""

from __future__ import annotations

from memory_db.records import dataclass, field

TYPE_CHECKING = False  # as in typing, which a hook need not load
if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(slots=True, frozen=True)
class Role:
    """A part of a brief: its share of the budget in parts of all, the kinds that stand in it, the one it goes without.

    A line under this heading leaves out the kind `plain`: characters are dear.
    """

    name: str
    parts: int
    kinds: tuple[str, ...]
    plain: str = ""


ROLES = (
    Role("constraints", 6, ("correction", "convention"), "convention"),
    Role("goals", 3, ("episode",), "episode"),
    Role("decisions", 5, ("decision",), "decision"),
    Role("preferences", 4, ("preference", "behaviour"), "preference"),
    Role("failures", 5, ("failure", "fix", "quirk"), "failure"),
    Role("artifacts", 6, ("environment", "structure")),
    Role("open tensions", 6, ("issue",), "issue"),
    Role("background", 8, ("domain", "pattern")),
    Role("unconfirmed", 8, ()),
)
"""The roles in the order in which a brief shows them.

Source: memem gives its slices 3 goals, 6 constraints, 5 decisions, 4 preferences, 5 failure patterns, 6 pieces of
artifact context, 6 open tensions and 8 of background; the same numbers are shares of tokens here. What is locked
stands first, so constraints do. Which kind is what is ours, and that what nobody confirmed stands by itself, as
quotations, with as much room as background.
"""

UNCONFIRMED = "unconfirmed"
"""The part with what the user neither said nor confirmed: words of an agent, and what was talked about."""

SETTLED = "settled"
"""The part, before all others, with what an earlier conversation came to that the prompt is about."""

INDEX = "index"
"""The part of a session's first brief that names memories by their titles alone."""

BY_NAME = {role.name: role for role in ROLES}

BY_KIND = {kind: role.name for role in ROLES for kind in role.kinds}

ALL_PARTS = sum(role.parts for role in ROLES)


OF_LIMITS = ("environment", "structure", "issue", "domain", "quirk", "pattern")
"""Kinds of facts, as which a limit may be told."""


def role_of(
    kind: str,
    *,
    lock_level: str = "none",
    user_scope: bool = False,
    contradicted: bool = False,
    is_trusted: bool = True,
    sets_limit: bool = False,
) -> str:
    """The part of a brief that a memory or entry stands in.

    What is locked is a constraint, whatever its kind, and stays one if something contradicts it. What the user neither
    said nor confirmed stands by itself. Otherwise an open contradiction makes it a tension. A convention of the user's,
    which holds in every project, is a preference. What sets a limit is a constraint, were it told as a fact or an
    issue. What has no role of its own is background.
    """
    if lock_level != "none":
        return "constraints"
    if not is_trusted:
        return UNCONFIRMED
    if contradicted:
        return "open tensions"
    if kind == "convention" and user_scope:
        return "preferences"
    if sets_limit and kind in OF_LIMITS:
        return "constraints"
    return BY_KIND.get(kind, "background")


def share_of(role: str, budget: int) -> int:
    """The tokens of a budget that belong to a role first; 0 for a part that has no share."""
    return budget * BY_NAME[role].parts // ALL_PARTS if role in BY_NAME else 0


def heading_tokens(role: str) -> int:
    """What the line costs that names a role: its name, a colon, the end of the line."""
    return (len(role.encode()) + 2 + 3) // 4


@dataclass(slots=True)
class TokenBudget:
    """A budget of tokens, or none, and what was spent of it, by role. The first line of a role pays its heading too."""

    budget: int | None = None
    spent: int = 0
    by_role: dict[str, int] = field(default_factory=dict)

    def cost(self, role: str, tokens: int) -> int:
        """What a line would cost now."""
        return tokens if role in self.by_role else tokens + heading_tokens(role)

    def has_room(self, role: str, tokens: int, *, within_share: bool = False) -> bool:
        """Whether a line fits: in what is left, and if asked in what is left of its role's share."""
        if self.budget is None:
            return True
        cost = self.cost(role, tokens)
        if within_share and self.by_role.get(role, 0) + cost > share_of(role, self.budget):
            return False
        return self.spent + cost <= self.budget

    def pay(self, role: str, tokens: int) -> None:
        """Spends what a line costs."""
        cost = self.cost(role, tokens)
        self.spent += cost
        self.by_role[role] = self.by_role.get(role, 0) + cost

    def refund(self, role: str, tokens: int) -> None:
        """Takes back what a line cost that does not stand there after all; its heading stays paid."""
        self.spent -= tokens
        self.by_role[role] = self.by_role.get(role, 0) - tokens


@dataclass(slots=True, frozen=True)
class BriefLine:
    """What the arithmetic needs to know of a line: its role, its tokens, whether the user locked what it says."""

    role: str
    tokens: int
    is_locked: bool = False


def allot(lines: Sequence[BriefLine], token_budget: TokenBudget) -> list[int]:
    """The places of the lines that are shown; `lines` come best first, and `token_budget` pays for them.

    Three rounds, each from the best down: what the user locked; what fits in the share of its role; then what the
    shares left over flows on to all that is still out.
    """
    taken: set[int] = set()
    for locked_only, within_share in ((True, False), (False, True), (False, False)):
        for place, line in enumerate(lines):
            if place in taken or (locked_only and not line.is_locked):
                continue
            if token_budget.has_room(line.role, line.tokens, within_share=within_share):
                token_budget.pay(line.role, line.tokens)
                taken.add(place)
    return sorted(taken)
