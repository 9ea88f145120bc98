"""What is only talk, and ends the matter: rows of data, no code."""

from __future__ import annotations

from memory_db.extract.rules.patterns import LEAD, cue

TALK = (
    cue("small talk", None, -9,
        r"^(?!.*\b(?:always|never|only|every|each|must|should|from now on)\b).*\b(?:coffee|vending) machine\b|"
        r"^(?!.*\b(?:always|never|only|every|each|must|should|from now on)\b).*\bcanteen (?:has|had|is|was)\b|"
        r"\bi(?:'ll)? (?:now )?(?:make|take|have|need) (?:a|my) (?:\w+ )?(?:break|lunch|coffee|nap|snack)\b|"
        r"\bi(?:'?m| am) (?:starving|hungry|gonna cry|so tired|off (?:to|for)|(?:only|just) curious)\b|^no harm done\b|"
        r"\bif (?:anyone|anybody|someone|somebody) asks?\b|\b(?:and|then) i(?:'m| am) (?:gone|off|out)(?:\W*$|, )|"
        r"^(?:and |so |right,? )?off to (?!a\b|an\b)[\w ]{2,40} now\b|"
        r"^(?:and |so )?guess (?:who|what|where|how)\b|\band so (?:am|do|shall|will) i\W*$|"
        r"^(?:so )?(?:see|talk to) you (?:tomorrow|later|soon|then|on \w+day|next \w+)\W*$",
        "It is about the day, and not about the work", roles="u"),
    cue("only looks", None, -9,
        r"\bi (?:only|just) (?:wanted to\b|(?:want|need|needed) to (?:see|know|look|check|try|test|have a look)\b)"
        r"(?!.*\b(?:always|never|every|each|ever)\b)",
        "What somebody wants to see once", roles="u"),
    cue("a passing word", None, -9, LEAD +
        r"(?:then )?(?:i (?:was|had been) (?:going|about) to (?:ask|say|tell|suggest|mention)\b|"
        r"i (?:thought|had thought|was thinking) (?:of|about)\b|just what (?:i|we) (?:like|wanted|needed)\b|"
        r"thank you,? i (?:shall|will)\b|next (?:thing|one|point|item)\b.{0,20} is\b|"
        r"off by \d|that(?:'s| is) (?:a relief|great news|good news|good to (?:know|hear)))|\bi (?:must|have to|need "
        r"to|gotta|"
        r"got to) (?:run|go|leave|hurry|catch|eat|sleep)\b|^it was (?:a|on|last) \w+day\b|\bthe next (?:thing|one|"
        r"point) is the\b|\bi've thought better of it\b|"
        r"\b(?:we|i|they|somebody|someone) once (?!every|a\b|per\b)\w+"
        r"(?!.*\b(?:since then|so we|which is why|never|always)\b)|"
        r"\bis (?:her|his|my|their|our) (?:humou?r|joke|idea of)\b|\bremind me\W*$|"
        r"\bthen i(?:'ll|ll| will) (?:push|merge|review|deploy|look|test|commit)\b",
        "Said in passing", roles="u"),
    cue("what somebody did", None, -9, LEAD +
        r"(?:i(?:'ve| have)? (?:just |already |only )?(?:told|asked|called|phoned|rang|warned|promised) (?!you\b|for\b|"
        r"that\b|it\b|this\b)\w+|(?:the |my )?[\w'-]+ (?:is |was )?(?:on the (?:phone|telephone|line)|at the door|"
        r"at my desk)(?:\W*$|: )|(?:the|my) (?:phone|telephone|doorbell)(?: again| rings| rang)?\W*$|"
        r"(?:[\w'-]+ ){1,5}asks? for (?:something|a favou?r|one more thing)\b|"
        r"i (?:haven't|have not|hadn't|had not) (?:looked (?:at|into)|seen|touched|read|opened|worked on|been)\b|"
        r"(?!(?:i|we|you)\b)(?:[\w'-]+ ){1,5}wants? to (?:patch|visit|see|look|know|meet|talk|call|come)\b)"
        r"(?!.*\b(?:always|never|from now on|no longer|any ?more|since then)\b)",
        "What somebody did or wants today", roles="u"),
    cue("nothing to do", None, -9, LEAD +
        r"(?:no need to (?:redo|repeat|undo|change|fix) (?:it|that|this)|(?:nothing|nobody|not much) (?:has |was |"
        r"is )?changed)\b",
        "What needs nothing", roles="u"),
    cue("does not say what", None, -9, LEAD +
        r"(?:(?:do not|don't)\W+(?:(?:and|but) |$)|here (?:you are|you go|it is|they are)\b)",
        "Not to do what?", roles="u"),
)  # fmt: skip
"""What ends the matter in the same way as the other vetoes."""
