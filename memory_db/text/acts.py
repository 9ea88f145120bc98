"""Acts that a prompt asks for in other words than a rule about them has: "squash these" is a commit.

In: a prompt. Out: the words by which rules about such acts are found. Invariant: pure, linear in the length of the
prompt, and a prompt without a word that may ask for an act costs no more than looking for one.

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

COMMIT = (
    rf"squash\w*|amend|reword|check(?:ing)? {THOSE} in\b(?! (?:ci|prod|production|staging|chrome|firefox|safari|docker|"
    rf"the)\b)|check in {THOSE}|(?:put|get|save|record|bring) {THOSE} (?:in|into|to) git"
)
PUSH = (
    rf"(?:get|send|bring|upload) {THOSE} (?:up|(?:up )?to the (?:remote|forge|origin)|upstream)|"
    r"publish (?:the|this|my|that) branch|open (?:a|the) (?:pr|pull request|merge request)"
)
DEPLOY = (
    rf"(?:go|goes|going|(?:put|bring|get) {THOSE}) live|roll (?:{THOSE} out|out {THOSE})|"
    rf"(?:put|get|bring) {THOSE} (?:on|onto|to|into) (?:prod|production|staging|the servers?)"
)
DEPENDENCY = (
    rf"(?:use|take|pull in|bring in|install|with|find|want|need) {A_NEW}(?:package|library|lib|crate|gem|"
    r"module from (?:npm|pypi))|(?:pip3? install|npm i|npm install|pnpm add|yarn add|cargo add|uv add|gem install|"
    r"composer require|go get) [\w@-]+"
)
MIGRATION = (
    rf"(?:add|drop|rename|put|want|need|forgot|give \w+) {A_NEW}columns?|columns? (?:is|are) (?:too (?:short|small|"
    r"narrow)|missing)|(?:alter|create|drop) table|(?:a|one) new table|(?:alter|change|extend) the schema|"
    r"varchar\(\d+(?=\))"
)

ASKED = later(
    rf"\b(?:(?P<commit>{COMMIT})|(?P<push>{PUSH})|(?P<deploy>{DEPLOY})|(?P<dependency>{DEPENDENCY})"
    rf"|(?P<migration>{MIGRATION}))\b",
    re.IGNORECASE,
)
"""How each act is asked for without its own word. Source: ours, from how developers ask in bench/data and in sessions
that readers wrote."""

MAY_ASK = frozenset(
    """squash squashed squashing amend reword check checking git up remote forge origin upstream branch pr request live
    roll prod production staging server servers package library lib crate gem npm pip pnpm yarn cargo uv go composer
    pypi column columns table schema varchar""".split()
)
"""Words of which every such request has one."""


def acts_asked(prompt: str) -> tuple[str, ...]:
    """The acts that a prompt asks for in other words, each by the word of its rules."""
    text = prompt[:READ_CHARACTERS]
    if MAY_ASK.isdisjoint(WORD.findall(text.casefold())):
        return ()
    return tuple(dict.fromkeys(str(match.lastgroup) for match in ASKED.finditer(text) if match.lastgroup))
