"""Whether what somebody says ends soon by its own words: until tonight, for this one, in twenty minutes, for the demo;
or is not settled yet: put off, not known, left to chance or to whoever is asked.

In: the words that are quoted of a message. Out: yes or no. Invariants: pure; a word that makes a rule of it ("always",
"from now on") keeps a sentence from it, and so does what only began today.
"""

from __future__ import annotations

import re

from memory_db.extract.rules.prose import spelt_out
from memory_db.text.sentences import split

CLOCK = (
    r"(?:about |around |like )?"
    r"(?:\d{1,2}(?::\d\d)?(?![:\d])(?! (?:of )?[a-z]*(?:days|weeks|months|years))|noon|midnight|half \w+)"
    r"(?!(?: \w+)?,? (?:on|of|in) (?:the|that) (?:next|following|same|previous|last|first|morning|evening|afternoon|"
    r"night|day|month|week)\b)"
)
SPAN = r"(?:like |about |around |maybe )?(?:\d+|an?|half an?|a few|two|three|five|ten|fifteen|twenty|thirty|some)"
SOON = r"(?:sec(?:ond)?s?|min(?:ute)?s?|moments?|hours?)"
EVENT = r"(?:demo|meeting|call|standup|presentation|talk|round|screenshot|photo|conference|interview)"

ENDS = re.compile(
    rf"\b(?:until|till?) (?:then|tonight|tomorrow|later|lunch|{CLOCK}\b|"
    r"(?:the|my) (?:call|meeting|demo|train|night|evening|morning|weekend)\b|"
    r"i (?:say so|tell|shout|am back|'m back|know more|have asked)\b|i'm (?:back|through|done)\b|"
    r"(?:it|that|this)(?:'s| is) (?:back|through|done|up|there|over|gone|fixed|up again)\b)|"
    r"\b(?:for the moment|right now|just now|not now|"
    rf"in the meantime|for (?:today|tonight)|for (?:this|the next|another) (?:{SOON}|day|afternoon|evening))\b|"
    rf"\b(?:leav(?:e|ing)|back|train|kids|{EVENT})\b[^.;]{{0,20}} in {SPAN} (?:min(?:ute)?s?|hours?)\b|"
    rf"\b(?:needs?|will take|will need) (?:like|about|another|maybe) {SPAN} {SOON}\b|"
    r"\b(?:one|just a|hang on a|wait a) (?:sec|second|minute|moment)\b(?! (?:one|time|try|look))|"
    r"(?<!not )\b(?:just|only) (?:in|for|on|with) this (?:one|once|case|run|file|plot|figure|pr|ticket|commit|time)\b|"
    r"\bfor this (?:one|once|run)\b|\bthis once\b|(?<!not )\bjust (?:this|the) (?:once|one)\b|"
    rf"\b(?:is|are|it's|only|just) (?:only |just )?for (?:the|my|our|a) (?:[\w-]+ )?{EVENT}\b|"
    r"\bthrow-?away\b|"
    r"\b(?:delete|throw|remove|drop) (?:it|them|this|that)(?: away)? (?:right |again )?after(?:wards)?\b|"
    r"\bgoes? in(?:to)? the bin\b|\bremind me\b|\bi(?:'ll| will) (?:tell|ping|let) you (?:know )?when\b|"
    r"\b(?:and )?then back to\b|\bafter(?:wards)? back to\b|\bback (?:again )?(?:afterwards|tomorrow|tonight)\b|"
    r"\bsince \d{1,2}[:.]\d\d\b|\b(?:i'm|i am) in (?:it|the middle of)\b|\bstill running\b|"
    r"\b(?:mach|nimm|lass|setz|stell) (?:\w+ )?(?:mal |erst ?mal |jetzt mal )?(?:nur )?kurz\b|\bnur kurz\b|"
    r"\bdanach wieder\b|\berst ?mal\b|\bvorerst\b|\bfürs erste\b|\bbis (?:morgen|heute abend|nachher|gleich)\b|"
    r"\bheute (?:nachmittag|abend|mittag)\b|\bjetzt (?:mal|erst ?mal) so\b|"
    r"\bpour (?:l'instant|le moment)\b|\ben attendant\b|\bjusqu'à (?:demain|ce soir)\b|\btout à l'heure\b|"
    r"\bmientras tanto\b|\bpor (?:ahora|el momento)\b|\bde momento\b|\bhasta (?:mañana|luego|la noche)\b|"
    r"\bper (?:ora|il momento)\b|\bpor enquanto\b|\bna razie\b|\bпока что\b"
)
"""How somebody says that it ends soon. Source: ours."""

OPEN = re.compile(
    r"^\W*(?:(?:hm+|uh|um|oh|ok|well|puh|tempting|honestly|no)\b\W+)*(?:not yet|dunno|"
    r"(?:no idea|not sure|(?:i )?(?:don't|do not|dont) know)"
    r"(?! (?:who|why|what|how|when|where|which|if|whether|that)\b)|"
    r"whichever|whatever is|up to you|as you like|"
    r"you (?:choose|decide|pick)|i bet|keine ahnung|"
    r"weiß (?:ich )?(?:noch )?nicht|noch nicht|mal sehen|je ne sais pas|aucune idée|pas encore|no sé|ni idea|"
    r"todavía no|non lo so|non ancora|nie wiem)\b|"
    r"\b(?:i )?can(?:not|'t) decide\b|\b(?:not|haven't|have not|nothing is) decided(?: yet)?\b|\b(?:toss|throw|flip) a "
    r"coin\b|\bsleep (?:a night )?(?:on|over) it\b|\bi (?:have to|must|need to|want to) (?:first )?(?:think|ask)\b"
)
"""How somebody says that nothing is settled yet. Source: ours."""

LASTS = re.compile(
    r"\b(?:always|never|must|allowed|from (?:now|then|here|today|tomorrow|next) on|"
    r"from (?:the )?(?:next|first|\w+day)\b|every|each|"
    r"whenever|in (?:the )?future|by default|as a rule|rule|policy|henceforth|no longer|any ?more|as of|permanently|"
    r"for good|since then|wherever|everywhere|nightly|daily|weekly|monthly|these days|most days|usually|"
    r"normally|whoever|"
    r"anybody|anyone|immer|jedes?|jede[rmn]?|niemals?|ab jetzt|"
    r"toujours|jamais|chaque|désormais|siempre|nunca|cada|a partir de)\b|\bnot (?:before|until|till)\b|"
    r"\bfrom\b[^.;]* (?:until|till)\b"
)
"""Words by which it lasts all the same."""

PUT_OFF = re.compile(r"\W*(?:but |though )?not (?:today|yet|now|tonight|this \w+)\W*$")
"""How a sentence ends that puts off what it decides."""


def ends_soon(quote: str) -> bool:
    """Whether a quote begins with what is open, or says that it ends soon and nothing that lasts."""
    lowers = [spelt_out(each.masked) for each in split(quote)]
    if lowers and OPEN.search(lowers[0]):
        return True
    return any(map(ENDS.search, lowers)) and not any(map(LASTS.search, lowers))
