"""What a cue is, and the fragments that the tables of cues share.

A cue is looked for in one sentence (lower case, code and quotations blanked).
Points add up, and votes decide the kind: a sentence is judged by everything it
shows, and not by one trigger word. The tables: `cues_of_rules`, `cues_of_facts`
and, for what speaks against a memory, `traps`.
"""

from __future__ import annotations

import re
from functools import cached_property
from typing import NamedTuple

from memory_db.text.sieve import Sieve


class Cue(NamedTuple):
    """One readable sign in a sentence, and how much it counts.

    `votes`: how much it speaks for its kind, which need not be how much it
    speaks for keeping. `after_action`: only when the agent has just done
    something. `roles`: whose sentences it is looked for in, `u`ser and `a`ssistant.
    """

    name: str
    kind: str | None
    points: int
    pattern: re.Pattern[str]
    description: str
    votes: int
    after_action: bool = False
    roles: str = "ua"


class Cues(tuple[Cue, ...]):
    """Cues in their order, most of which a look at a sentence rules out."""

    @cached_property
    def sieve(self) -> Sieve:
        """Which of them a sentence may show."""
        return Sieve([cue.pattern for cue in self])


def cue(
    name: str,
    kind: str | None,
    points: int,
    pattern: str,
    description: str,
    *,
    votes: int | None = None,
    after: bool = False,
    roles: str = "ua",
) -> Cue:
    """A row of the tables below; it votes with its points unless said otherwise."""
    return Cue(name, kind, points, re.compile(pattern), description, points if votes is None else votes, after, roles)


ADVERB = (
    r"(?:also |always |never |only |usually |generally |normally |typically |all |just |still |now |really |"
    r"deliberately |intentionally |strictly |actually )*"
)
"""Adverbs before a verb."""

LEAD = (
    r"^(?:(?:and|but|so|also|btw|by the way|oh|well|ok|okay|right|please|kindly|no|nope|actually|hey|listen|look|"
    r"sorry|yes|"
    r"yeah|yea|yep|heh|nice|cool|looks good|one (?:more |last )?thing|ok so|worth knowing|morning|please remember|"
    r"figured it out|wait|hold on|stop|hm+|ugh|nah|wrong|again|good|great|sweet|thx|thanks|haha|argh|uff|oof|sure|then|"
    r"(?:a |one )?(?:general|quick|side|new|next|other|another|last|different|silly|dumb) "
    r"(?:q|question|one|thing|task|topic)|(?:hi|hello),?|lol|haha|hah|kk?|ffs|yep|[:;]-?[d)p]|xd)[,:;.!]*\s+)*"
)
"""The start of a sentence, with the small words that people open with."""

RULE_WORDS = (
    r"always|never|every|each|whenever|from now|from here on|going forward|only|don't|do not|no|not|instead|"
    r"because|so that|since|"
    r"otherwise|unless|must|should|by default|in future|next time|everywhere"
)
"""Words by which a sentence is more than what goes on now."""

NOUN = r"[\w`./'()-]+"
"""One word of a subject."""

STATIVE = (
    r"(?:is|are|isn't|aren't|has|have|needs?|requires?|expects?|uses?|runs?|lives?|sits?|holds?|stores?|"
        r"contains?|owns?|"
    r"handles?|wraps?|talks? to|calls?|imports?|reads?|writes?|emits?|publish(?:es)?|consumes?|mirrors?|maps?|points?|"
    r"returns?|takes?|keeps?|tracks?|generates?|covers?|feeds?|drives?|depends?|comes?|goes|go|belongs?|means?|stands?|"
        r"refers?|listens?|connects?|starts?|ends?|wants?|accepts?|rejects?|allows?|forbids?|supports?|treats?|gets?|"
        r"stays?|"
        r"does(?:n't)?|don't|do not|does not|never|always|only|cannot|can't|must|should|may|silently|ignores?|"
        r"expires?|limits?|"
    r"counts?|includes?|excludes?|serves?|builds?|deploys?|ships?|speaks?|assumes?|follows?|resets?|caches?|rounds?|"
    r"strips?|drops?|breaks?|fails?|times out|hangs?|lags?|sends?|receives?|polls?|syncs?|picks?|falls|defaults?|"
    r"sorts?|groups?|applies|apply|turns?|matters?|equals?|differs?|works?)"
)
"""Verbs that state how a thing is, in the present tense."""
