"""How somebody orders, decides, forbids or limits, and so says more than who only discusses: rows of data, no code.

A sentence of a discussion that shows one of them is judged as in any other session; what it counts for is said by the
tables of rules and facts.
"""

from __future__ import annotations

from memory_db.extract.rules.patterns import LEAD, Cues, cue

ORDERS = Cues((
    cue("orders", None, 0,
        LEAD + r"(?:please |kindly |then )*(?:don't|do not|never|always|stop \w+ing|make sure|ensure|hands off|leave|"
        r"keep(?! in mind)|use(?! of)|avoid|prefer)\b|\bplease (?:don't|do not|never|always|keep|use|leave|stop|make|"
        r"avoid)\b|\b(?:but|and|so) (?:please )?(?:(?:never|always) [a-z]+|(?:don't|do not) (?!(?:have|know|think|see|"
        r"get)\b)[a-z]+)",
        "It tells the agent what to do, or not to do"),
    cue("lays down", None, 0,
        r"\b(?:from (?:now|here|today) on|going forward|as of (?:now|today|next)|until further notice|no exceptions|"
        r"without exception|for the record|house rule|the rule (?:is|here)|our rule|the policy is|by policy|"
        r"btw|by the way|fyi|heads[- ]up|psa)\b",
        "It is said to be a rule, or to be known"),
    cue("holds every time", None, 0,
        r"\b(?:we|you|nobody|no one|everybody|everyone) (?:(?:may|must|should|can|are to|is to) )?(?:always|never|only "
        r"ever) (?!(?:been|had|was|were|got|really|quite|\w+ed)\b)[a-z]+\b|\b(?:is|are|goes|go|stays?|gets?) "
        r"(?:always|never) (?!(?:been|a|the|good|easy|nice|fun|interesting)\b)[a-z]+|"
        r"\b(?:an?|the|each|every|our) (?:[\w-]+ ){1,3}(?:always|never) [a-z]+s\b|, never \w",
        "What is always or never so"),
    cue("binds", None, 0,
        r"\bmust(?: not|n't)?\b(?! have\b)|\b(?:has|have) to (?:be|stay|go|come|fail|pass|match|hold)\b|"
        r"\b(?:nobody|no one|none of us|only [a-z]+) (?:but [a-z]+ )?(?:may|can|is allowed)\b|\b(?:may|can) "
        r"(?:not|only) be\b|\b(?:isn't|aren't|not|never) allowed\b|\b(?:forbidden|banned|off[- ]limits|out of bounds|"
        r"non-negotiable|off the table|is frozen)\b|\bwe (?:don't|do not) (?!(?:have|know|want|think|really|actually|"
        r"even|see|get|lose|care)\b)[a-z]+",
        "What has to be, or may not be"),
    cue("limits", None, 0,
        r"\b(?:at most|no more than|never more than|up to|a maximum of|capped at|limited to|at least) \w*\d|"
        r"\b(?:round|bill|cap|treat|count|reject|refuse|raise|return|store|log)s? [^,;]{2,60}, (?:not|never)\b",
        "A limit, or how something is counted"),
    cue("decides", None, 0,
        LEAD + r"let's (?:not|keep|use|go|stick|drop|call|make|cap|set)\b|"
        r"\b(?:we|i|the team|legal|security|product|ops)(?:'ve| have)? (?:just |finally |already )?(?:decided|agreed|"
        r"settled|ruled)\b|\b(?:we're|we are|i'm) going with\b|"
        r"\b(?:we'll|i'll|we will) (?:go with|stick with|stay on)\b|"
        r"\bit is(?:,? then)\W*$",
        "A decision"),
    cue("wants", None, 0,
        r"\bi (?:prefer|hate|insist|never want|always want|(?:don't|do not) want|want you)\b|\bi'd rather you\b",
        "How somebody wants it"),
    cue("says where", None, 0,
        r"\bport \d{2,5}\b|:\d{4,5}\b|\b\d{1,3}(?:\.\d{1,3}){3}\b|"
        r"\b[a-z][\w-]*(?:\.[\w-]+)*\.(?:internal|local|lan|example|corp|com|net|org|io)\b",
        "Where something is reached, which nobody says in passing"),
))  # fmt: skip
