"""Values that a text only gives as one of several, or as an example: "10 or 1", "e.g. 5", "say 20 seconds".

In: a text in lower case. Out: the same text without them. Invariant: pure, linear in the length of the text; nothing
can be set to such a value, so none stands against another one.
"""

from __future__ import annotations

import re

from memory_db.text.opposites import GROUP_OF

VALUE = r"(?:[€$£] ?)?\d[\d.,:_]*(?<![.,:])(?: ?(?:%|[a-z]{1,12}))??"
NAMES = "|".join(sorted(map(re.escape, GROUP_OF), key=len, reverse=True))

OPEN = re.compile(
    rf"(?<![\w.,:/-])(?:either )?{VALUE},? or (?:rather |even |maybe |only |just )?{VALUE}(?![\w:/]|[.,]\d)"
    rf"|(?<![\w.,:/-])(?:either )?(?:{NAMES})(?:, (?:{NAMES}))*,? or (?:{NAMES})(?![\w/-])"
    r"|(?<!\w)(?:e\. ?g\.|for (?:example|instance)|(?:something|anything) like|z\. ?b\.|zum beispiel|par exemple"
    r"|por ejemplo|por exemplo|per esempio|na przykład|например)[^;!?()\n]*?(?=[,;!?()\n]|\.(?:\s|$)|$)"
    r"|(?<=[a-z:,] )(?<!i )(?<!we )(?<!they )(?<!he )(?<!she )(?<!you )(?<!people )(?<!let's )(?<!lets )(?<!to )"
    rf"(?<!said: )say,? (?:[a-z]+ )?{VALUE}(?!\w)"
)
"""How a text gives values of which none is set."""


def without_open(plain: str) -> str:
    """A text without the values that are one of several, or an example."""
    return OPEN.sub(" , ", plain)
