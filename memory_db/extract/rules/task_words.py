"""Words by which somebody orders one thing, or asks: fragments that the tables of doubts and the rules share."""

from __future__ import annotations

TASKS = (
    r"(?:inspect|add|fix|rename|write|update|create|remove|delete|refactor|implement|make(?! sure)|change|move|"
    r"check|look|show|run|rerun|re-run|find|open|build|deploy|push|commit|merge|revert|try|explain|list|print|"
    r"generate|give|tell|bump|port|migrate|review|investigate|debug|split|extract|convert|clean|finish|continue|"
    r"start|read|draft|install|undo|replace|set|log|double-check|compare|summari[sz]e|reproduce|bisect|do|put|"
    r"turn|get|go(?! by\b)|grab|drop|apply|bring|cut|tidy|wire|hook|pull|restart|reset|rebuild|kill|ship|ping|send|"
    r"sort|"
    r"scan|search|dig|have|take|profile|measure|sketch|paste|rewrite|simplify|inline|swap|point|cherry-pick|"
    r"rebase|squash|tag|release|describe|walk|help|clear|empty(?= (?:the|it|that|this|out|my|our)\b)|wipe|archive|"
    r"upload|download|copy|strip|trim|hide|"
    r"highlight|sort out|leave out|save|amend(?= (?:it|that|this|them)\b)|adjust|repair|retry|redo|rework|"
    r"regenerate|reformat|reword|tweak|restore|"
    r"stash|unstage|carry on|proceed|keep going|(?:pass|ignore)(?= (?:it|that|this|them|those|these)\b))"
    r"(?! (?:(?!it|that|this|what|which|whether|if|they|there|all|everything|the|a|an|our|my)[\w-]+ )?"
    r"(?:is|are|was|were|has|had|got (?=\w+(?:ed|lt|nt)\b)|goes|takes|runs|needs|gets|comes|stays|lives|happens)\b)"
    r"(?!(?<=fix):)"
)
"""Verbs of things to do; before a verb they are names of things."""

FREE_CLAUSE = (
    r"what (?:does not|doesn't|do not|is|are|has|comes) (?!the\b|an?\b|our\b|this\b|that\b|your\b|my\b|it\b|left\b|"
    r"wrong\b|going\b|up\b)(?:[\w-]+ ){1,5}?(?:shall|must|should|goes|gets|stays?|becomes?|belongs)\b"
)
"""How a rule begins for all that is so: "what does not fit goes back"."""

TO_THEM = (
    r"what(?:ever)? (?:they|people|customers?|users?|we|i|he|she) (?!(?:is|are|was|were|"
    r"do|does|did|can|could|should|must|have|has)\b)"
    r"(?:[\w'`-]+ ){1,5}?(?:has to|have to|must|should|shall|stays?|remains?|goes|belongs|(?:is|are) (?:always|never|"
    r"only))\b"
)
"""How a rule begins for what somebody gets or does: "what they get to read has to be german"."""

IN_CASE = (
    r"should (?:(?:you|anyone|anybody|somebody|someone) |(?:it|that|this|they) (?:ever|fail|break|come|happen|"
    r"stop|hang|"
    r"be down)\b)[^?]*[,:;] (?!or |and |what |do |is |are )\w[^?]*$"
)
"""How a condition begins that has no "if": "should you need the raw data: it lies in /srv/raw"."""

FORM = (
    r"(?:show|write|print|display|format|give|spell) (?!me\b|us\b)(?:[\w'-]+,? ){1,6}?(?:as|like) "
    r"(?!(?:the|this|that|you|we|i|before|usual)\b)\S*\d"
)
"""How something is to be written, by an example: "write dates as 2026-11-26"."""

ON_DAYS = (
    r"\b(?:takes|accepts|collects|picks up|opens|closes|delivers|pays|empties) (?:[\w-]+ ){0,4}?(?:on|every) "
    r"(?:mon|tues|wednes|thurs|fri|satur|sun)days? (?:before|after|until|till|from|between|morning|evening|noon)\b"
)
"""On which day somebody does what they do each week: "the shop takes plates on thursday before noon"."""

INTERROGATIVE = (
    r"(?!"
    + FREE_CLAUSE
    + r")(?:(?:how|where|when|why|who) (?:do|does|did|is|are|was|were|can|could|should|would|will|has|have)|"
    r"(?:what|which|whose) (?:(?!we\b|i\b|you\b|they\b|it\b|he\b|she\b|people\b|this\b|that\b|the\b|counts\b|"
    r"matters\b|helps\b|works\b)[\w-]+ ){0,2}?(?:do|does|did|is|are|was|were|can|could|should|would|will|has|have)|"
    r"how [a-z]+ (?:is|are|was|were) (?:the|an?|our|it|that|this|these|those|such|my|your)\b(?=[^,;:]*(?:$|, ))|"
    r"how (?:much|many|often|long|far|old|big) (?:[\w ]{1,30}?)?(?:do|does|did|is|are|was|were|can|could|should|"
    r"would|will|"
    r"has|have))\b(?! not to\b)"
)
"""How a question begins, with or without its mark: an asking word, its noun, and a verb before its subject."""
