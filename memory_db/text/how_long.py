"""How long somebody says that something holds: for the moment, or on.

Patterns over text in lower case, linear in its length.
"""

from __future__ import annotations

import re

FOR_NOW = re.compile(
    r"\bfor now\b|\bright now\b|\bjust (?:this|for) (?:once|now|time|today)\b|\bthis (?:once|time only|one time)\b|"
    r"\bonly (?:this|for) (?:once|now|time|today)\b|\btemporar\w+|\bfor (?:the|this) (?:demo|moment|time being"
    r"|run|session|"
    r"branch|pr)\b|"
    r"(?<!before )(?<!since )(?<!until )(?<!exist )(?<!exists )\btoday\b(?! on)|"
    r"\btonight\b|\btomorrow\b|\buntil (?:monday|tuesday|wednesday|thursday"
    r"|friday|tomorrow|"
    r"then|the demo|i'm back)\b|\bin a (?:minute|sec|bit|moment)\b|\bquickly\b|\breal quick\b|\bwhile i\b"
)
"""Words of the moment."""

LASTING = re.compile(
    r"\b(?:always|never|ever|every|each|whenever|everywhere|from now on|in (?:the )?future|by default|must"
    r"|should|has to|"
    r"have to|only|instead|rather|no|not|dont|don't|without|unless|otherwise|prefer|convention|policy|usually|"
    r"i keep \w+ing|like the (?:rest|others)|going forward|no longer|remember|"
    r"(?:also |even )?when (?:i|we|you|it|there))\b"
)
"""Words that make an order hold for longer, or tell of how things are."""

LASTS_FROM = re.compile(
    r"\b(?:always|never|every|no longer|henceforth|from (?:\w+ ){1,3}on(?:wards?)?|(?:till|until|through) (?:january"
    r"|february|march|april|june|july|august|september|october|november|december|spring|summer|autumn|fall|winter|easter"
    r"|christmas|the new year|next (?:year|month|spring|summer|autumn|fall|winter)|20\d\d))\b"
)
"""Words that say of a statement how long it holds, whatever its sentence says of today."""
