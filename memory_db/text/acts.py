"""Acts that a prompt asks for in other words than a rule about them has: "squash these" is a commit.

In: a prompt. Out: the words by which rules about such acts are found. Invariant: pure, linear in the length of the
prompt; how an act is asked for is compiled only where a prompt has a word for it, as a hook waits for that.

A hook loads this: the standard library alone.
"""

from __future__ import annotations

import re

from memory_db.records import later
from memory_db.text.terms import WORD

READ_CHARACTERS = 2_000
"""How much of a prompt is looked through."""

THOSE = (
    r"(?:it|this|that|them|these|those|everything|all(?: of (?:it|this|them|these|those))?|what we have|"
    r"(?:the|my|our) \w+)"
)
A_NEW = r"(?:an?|another|some|one more|the) (?:[\w'-]+ ){0,3}?"

ASKED = (
    ("commit", "squash squashed squashing amend reword check checking git", later(
        rf"\b(?:squash\w*|amend|reword|check(?:ing)? {THOSE} in\b(?! (?:ci|prod|production|staging|chrome|firefox|"
        rf"safari|docker|the)\b)|check in {THOSE}|(?:put|get|save|record|bring) {THOSE} (?:in|into|to) git)\b",
        re.IGNORECASE,
    )),
    ("push", "up remote forge origin upstream publish pr pull merge", later(
        rf"\b(?:(?:get|send|bring|upload) {THOSE} (?:up|(?:up )?to the (?:remote|forge|origin)|upstream)|"
        r"publish (?:the|this|my|that) branch|open (?:a|the) (?:pr|pull request|merge request))\b",
        re.IGNORECASE,
    )),
    ("deploy", "live roll prod production staging server servers", later(
        rf"\b(?:(?:go|goes|going|(?:put|bring|get) {THOSE}) live|roll (?:{THOSE} out|out {THOSE})|"
        rf"(?:put|get|bring) {THOSE} (?:on|onto|to|into) (?:prod|production|staging|the servers?))\b",
        re.IGNORECASE,
    )),
    ("dependency", "package library lib crate gem npm pip pip3 pnpm yarn cargo uv go composer", later(
        rf"\b(?:(?:use|take|pull in|bring in|install|with|find|want|need) {A_NEW}(?:package|library|lib|crate|gem|"
        r"module from (?:npm|pypi))|(?:pip3? install|npm i|npm install|pnpm add|yarn add|cargo add|uv add|gem install|"
        r"composer require|go get) [\w@-]+)\b",
        re.IGNORECASE,
    )),
    ("migration", "column columns table schema varchar", later(
        rf"\b(?:(?:add|drop|rename|put|want|need|forgot|give \w+) {A_NEW}columns?|columns? (?:is|are) (?:too (?:short|"
        r"small|narrow)|missing)|(?:alter|create|drop) table|(?:a|one) new table|(?:alter|change|extend) the schema|"
        r"varchar\(\d+(?=\)))\b",
        re.IGNORECASE,
    )),
)  # fmt: skip
"""Acts by the word of their rules, words of which every request in other words has one, and how they are asked for so.
Source: ours, from how developers ask in bench/data and in sessions that readers wrote."""


def acts_asked(prompt: str) -> tuple[str, ...]:
    """The acts that a prompt asks for in other words, each by the word of its rules, in the order of `ASKED`."""
    text = prompt[:READ_CHARACTERS]
    words = set(WORD.findall(text.casefold()))
    return tuple(act for act, some, asked in ASKED if not words.isdisjoint(some.split()) and asked.search(text))
