"""How somebody thinks aloud, remembers, takes something in or praises: rows of data, no code.

`MUSINGS` end the matter in whatever session; `SIGNS` are more, and tell a session in which somebody only discusses.
"""

from __future__ import annotations

from memory_db.extract.rules.patterns import LEAD, Cues, cue
from memory_db.extract.rules.talk_cues import LASTS

STARTS = LASTS + LEAD + r"(?:(?:and|but|so|ah|oh|honestly|funnily enough)\W+)*"
"""The start of a sentence that no word makes a rule or a reason of."""

SMALL = r"(?:just|also|still|vaguely|dimly|only|actually|recently|kind of|sort of|definitely|probably|then|really|now)"
"""Words between somebody and what they think or do."""

NO_VALUE = r"(?!.*[:;\d])"
"""Nothing behind is told to the letter."""

MUSINGS = (
    cue("remembers aloud", None, -9, STARTS +
        rf"(?:i (?:{SMALL} )*(?:recall|seem to (?:recall|remember))\b|if (?:i recall|memory serves)\b|"
        r"(?:it|that|this|which) (?:reminds|reminded) me of\b|(?:that|this) rings a bell\b|my memory(?:'s| is)\b)",
        "It tells what somebody remembers of it", roles="u"),
    cue("looks around", None, -9, STARTS + NO_VALUE +
        rf"(?:i |i've |i'm |i am )?(?:(?:was|been|have been|am|{SMALL}) )*(?:looking|poking|digging|reading|reviewing|"
        r"browsing|skimming|leafing|exploring|wandering) (?:at|around|through|into|over|up|about|some|again)\b",
        "It tells what somebody was reading", roles="u"),
    cue("wonders", None, -9, STARTS +
        rf"(?:(?:it|that|this|which) (?:{SMALL} )*(?:got|gets|made|makes|has) me (?:\w+ )?(?:wonder|think|curious)\w*|"
        rf"(?:i'm|i am) (?:{SMALL} )*(?:curious|wondering|guessing|imagining|thinking)\b|"
        rf"i (?:{SMALL} )*(?:wonder|imagine)\b|curious (?:if|whether|about|how|why|what)\b|"
        r"(?:my|the only|one) (?:\w+ )?(?:hunch|gut feeling|guess|thought|worry|hesitation) (?:is|was|would be)\b|"
        r"(?:it|that|this) (?:almost |kind of |sort of )?(?:seems|feels) (?:like|as if|as though)\b)",
        "What somebody wonders or guesses", roles="u"),
    cue("takes it in", None, -9, LASTS +
        r"^(?:(?:ah|oh|okay|ok|right|yes|yeah|cool|great)\W+)*(?:(?:got it|gotcha|i see|i get it|makes sense|"
        r"understood|(?:that|this|it) (?:\w+ )?makes (?:\w+ )?sense)\W+(?:(?:and |but )?so|in other words|basically|"
        r"essentially)\b|(?:so )?(?:in other words|in essence|essentially|basically)\b|"
        r"so (?:that(?:'s| is)|thats) (?:where|why|what|how|when)\b|"
        r"(?:that|this|it) (?:\w+ )?(?:clarifies|explains|clears up) (?:it|that|things|a lot|everything|the|why|how|"
        r"what|quite)\b)",
        "It says again what was explained", roles="u"),
    cue("praises", None, -9, STARTS +
        r"(?:(?:that's |that is |it's |what )?(?:a |an )?(?:very |really |pretty |quite )?(?:good|great|nice|excellent|"
        r"neat|clever|solid|smart|fair) (?:call|catch|point|touch|thinking|find|question|observation|summary|idea|"
        r"enough|approach|trade-?off|balance|improvement)\b[^:;,\d]{0,40}$|"
        r"good to (?:know|hear|see)\b(?!\s*[:,–—-])|"
        r"(?:it's|it is|that's|always) (?:always |really |pretty |very )*(?:good|great|nice|interesting|fascinating|"
        r"helpful|useful|reassuring|fun|satisfying) (?:to (?:know|see|hear|read|trace|understand|learn|have)|that you|"
        r"how)\b|(?:thanks|thank you|cheers) for (?:the|your|all|walking|explaining|clarifying|digging|clearing|"
        r"taking)\b[^:;\d]*$|sounds like a (?:\w+ )?(?:plan|approach|idea)\b[^:;\d]*$)",
        "Praise, or thanks", roles="u"),
    cue("has a plan", None, -9, STARTS +
        rf"(?:i(?:'ll| will|'m going to| am going to| can| could| might| may|'m planning to| plan to) (?:{SMALL} )*"
        r"(?:draft|sketch|whip up|put (?:together|up)|write up|open|file|raise|submit|send in|prototype|tinker|play|"
        r"poke|dig|refine|tidy|flesh|mull|noodle) (?:an?|the|that|this|it|up|in|into|around|with|on|over|out|some)\b)",
        "What somebody is going to do themselves", roles="u"),
    cue("goes to do it", None, -9, STARTS +
        r"(?:(?:thanks|thank you|thx|ok|okay|good|fine|right|great|well|now|then)\W+)*"
        r"i(?:'ll| will|'m going to| am going to)? (?:commit|write|draw|copy|answer|call|ring|phone|try|check|look|"
        r"read|send|ask|go|talk|think|sleep|do|make|test)\b[^:;\d]*\b(?:(?<!from )now|(?:and )?then (?:i|we|he|she|"
        r"they|[a-z]+ (?:wants|comes|has))|in a (?:minute|moment|bit|second)|tonight|"
        r"after (?:lunch|the meeting|coffee|that))\b",
        "What somebody goes to do themselves", roles="u"),
    cue("plays it through", None, -9, STARTS +
        r"(?:(?:worst|best) case\b|like (?:if|when) |say (?:somebody|someone|i|you|one of)\b|(?:so|then),? (?:who|"
        r"whoever|somebody|someone|the one|a (?:man|woman|guest|customer|user|reader|visitor)) (?:who |that )?"
        r"(?:\w+ ){0,3}(?:drives?|stays?|leaves?|comes?|goes|books?|buys?|pays?|arrives?|enters?|clicks?|types?|sends?|"
        r"opens?|logs?)\b)",
        "An example is played through", roles="u"),
    cue("guesses", None, -9,
        r"^\W*(?:(?:it|that|this) )?must be (?:the|that|some|his|her|my|your) (?:[\w-]+ ){0,3}(?:from|of|in|again|"
        r"there|then|since|after)\b|" + STARTS + r"(?:i'd |i would |i )bet\b",
        "A guess", roles="u"),
    cue("tells what it does now", None, -9,
        r"^\W*(?:hm+|uh|argh|huh)\W+(?:but )?now (?:the|it|that|this|they|all|everything)\b(?! goes)|"
        r"\b(?:is|are|was|were) (?:always|never) (?:right|wrong|in the way)\b"
        r"(?!.*\b(?:because|so that|must|by design|on purpose)\b)",
        "How it behaves just now", roles="u"),
    cue("says what it is for", None, -9, STARTS + r"just so (?:that )?(?:i|we|you) can\b",
        "What something at hand is for", roles="u"),
    cue("tells what happened", None, -9,
        r"^(?!.*\b(?:so we|since then|from then|that's why|which is why|therefore|because)\b)"
        r"\W*(?:(?:so|ok|well|and|but)\W+)*(?:yesterday|last \w+|on (?:mon|tues|wednes|thurs|fri|satur|sun)day)\b"
        r".*\bthen\b.*\bthen\b",
        "What happened, one after the other", roles="u"),
    cue("tells its history", None, -9, STARTS +
        r"(?:the |that |this |those |these )?(?:[\w'.()/`-]+ ){0,5}(?:was|were) (?:really |mostly |more |mainly |"
        r"ultimately |largely |all |less |probably |likely )*about\b" + NO_VALUE,
        "What a change was about", roles="u"),
)  # fmt: skip
"""What ends the matter: each sign is plain, and no rule, reason or value stands behind it."""

SIGNS = Cues((
    *MUSINGS,
    cue("recalls", None, 0,
        r"\b(?:i|you) (?:\w+ly )?(?:do |might |may |still )?(?:recall|remember)\b|\biirc\b|\breminds? me\b|"
        r"\breminded me\b|\brings a bell\b|\bi(?:'d| had|'ve)? (?:totally |completely )?forgot(?:ten)?\b",
        "What somebody remembers", roles="u"),
    cue("was looking", None, 0,
        rf"\b(?:i was|i've been|been|was|i'm|i am) (?:{SMALL} )*(?:looking|poking|digging|reading|re-reading|reviewing|"
        r"browsing|going over|going through|skimming|thinking|tracing|exploring|trying to (?:understand|figure|"
        rf"wrap))\b|\bi (?:{SMALL} )*(?:noticed|came across|stumbled|dug|spotted)\b",
        "What somebody was looking at", roles="u"),
    cue("thinks aloud", None, 0,
        rf"\b(?:i'm|i am) (?:{SMALL} |more |mostly )*(?:wondering|curious|thinking|imagining|guessing|leaning|"
        rf"assuming)\b|\bi (?:{SMALL} )*(?:wonder|imagine|suspect|guess|suppose)\b|\b(?:got|gets|makes|made) me "
        r"(?:think|wonder|curious)|\bmy (?:\w+ )?(?:guess|hunch|thought|worry|hesitation|question was)\b|"
        r"\b(?:it|this|that) (?:almost |kind of |still |also )?(?:seems|feels)\b|\bspeaking of (?!which ?:)|"
        r"\brelated note\b|"
        r"\b(?:did|have|do) (?:you|we) (?:ever|just|consider|remember)\b|\b(?:i'd|i would) (?:imagine|guess|think|"
        r"assume|expect)\b|\bi (?:always )?thought\b",
        "What somebody thinks about", roles="u"),
    cue("understands", None, 0,
        r"^\W*(?:(?:ah|oh|okay|ok|right|yes|yeah)\W+)*(?:got it|gotcha|i see|i get it|understood)\b|"
        r"\bmakes? (?:\w+ )?sense\b|\b(?:that|this|it|which) (?:\w+ )?(?:clarifies|explains|confirms|clears)\b|"
        r"^\W*(?:okay|ok|right|ah|oh), (?:so|that)\b",
        "Something is understood", roles="u"),
    cue("likes it", None, 0,
        r"\b(?:good|great|nice|excellent|fair|solid|neat|clever|smart) (?:call|catch|point|thinking|idea|touch|work|"
        r"plan|enough|approach|to (?:know|hear|see)|summary|question)\b(?!,? (?:but|though|except|only)\b)|"
        r"\bsounds (?:good|great|like)\b|\binteresting\b|\bi agree\b|\bspot on\b|"
        r"\bthanks for (?:the|all|walking|explaining|clarifying|digging|your)\b|"
        r"\b(?:that|it)(?:'s| is) (?:a |an )?(?:really |very |definitely |quite |pretty )?(?:good|great|neat|solid|"
        r"fair|clever|reasonable|excellent|nice|helpful|smart|subtle|valid|fascinating)\b|"
        r"\b(?:super|really|very) (?:helpful|useful|clear|insightful)\b",
        "Praise, or agreement", roles="u"),
    cue("talks in another language", None, 0,
        r"\b(?:ich (?:erinnere mich|frage mich|meine mich zu erinnern|vermute|schätze mal)|gut zu wissen|ergibt sinn|"
        r"macht sinn|leuchtet ein|guter (?:punkt|einwand|hinweis)|danke für die (?:erklärung|info)|spannend|"
        r"interessant|je me (?:souviens|rappelle|demande)|bon à savoir|je vois|c'est logique|bonne remarque|"
        r"merci pour (?:l'explication|les explications)|intéressant|me pregunto|(?:me acuerdo|recuerdo) (?:de|que)|"
        r"bueno saberlo|ya veo|tiene sentido|buen punto|gracias por la explicación|interesante)\b|"
        r"^\W*(?:ach so|verstehe|kapiert|entiendo|compris)\b",
        "The same in German, French or Spanish", roles="u"),
))  # fmt: skip
"""What a message shows whose writer discusses: each proves little by itself.

Source: ours; in sessions that only discuss three messages of four show one, in those that decide one of a hundred.
"""
