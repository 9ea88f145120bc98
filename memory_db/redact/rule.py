"""What a rule is, and the parts that patterns of several tables share."""

from __future__ import annotations

from memory_db.records import dataclass

LAST_GROUP = -1


@dataclass(frozen=True, slots=True, eq=False)
class Rule:
    """One shape of secret: a row of `RULES`.

    `pattern` is matched where one of `literals` stands, `offset` characters from it; without literals it is searched
    for. Only `group` is replaced (`LAST_GROUP`: whichever matched last).
    `fold` ignores case. `check` names a function of `checks.py` that has the last word; `entropy` is the least that the
    match must have, in bits a character; `needs` is what a text must hold for a rule without literals. One of `beside`,
    in small letters, must stand in the text too, wherever: where none does, the pattern need not be compiled.
    """

    name: str
    literals: tuple[str, ...]
    pattern: str
    description: str
    group: int = 0
    fold: bool = False
    offset: int = 0
    check: str = ""
    category: str = "secret"
    entropy: float = 0.0
    needs: str = ""
    beside: tuple[str, ...] = ()


ASSIGN = (
    r"[\"'\\\]]{0,4}[ \t]{0,8}(?:=>|:=|={1,3}"
    r"|:[ \t]{0,4}(?:optional\[str\]|str(?:ing)?(?: ?\| ?none)?|secretstr|any)[ \t]{0,4}=|::?)[ \t]{0,8}"
)
VALUE = (
    r"(?:[bru]?(?P<quote>\\{0,3}[\"'`])(?P<quoted>(?:(?!(?P=quote))\S){1,400})(?P=quote)"
    r"|(?P<bare>[^\s\"'`,;&|<>\\()\[\]{}]{1,400}+)(?![(\[{]))"
)
