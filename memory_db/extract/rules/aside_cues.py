"""Cues of what somebody tells aside, about people, things and words: rows of data, no code.

Each is a shape of its own, which small talk does not have: whose a thing is and who else keeps off it, on which days
something is done, what is meant to be so, which word is the right one, what was promised. The doubts about a person,
a pointer or what others say are of little weight beside it, which is why these count more than a rule that says it is
one.
"""

from __future__ import annotations

import re

from memory_db.extract.rules.patterns import LEAD, cue

DAYS = (
    r"(?:(?:mon|tues|wednes|thurs|fri|satur|sun)days|(?:mon|tues|wednes|thurs|fri|satur|sun)day "
    r"(?:morning|afternoon|evening|night)s)"
)
"""Days of every week."""

WHOSE = (
    r"(?:(?!it's|that's|there's|he's|she's|here's|what's|let's|who's|today's|yesterday's|tomorrow's|everybody's|"
    r"anyone's|nobody's|one's|year's|week's|day's|"
    r"(?:mon|tues|wednes|thurs|fri|satur|sun)day's)[a-z-]+'s?(?!\w)|his|hers|theirs)"
)
"""Somebody whose a thing is: "petra's", "the editors'"."""

WHOSE_IN_HASTE = r"[a-z-]*(?:[^uis\W]|i(?!ou))s(?= (?:till|until|baby|turf|toy|job|thing|playground|domain|area)\b)"
"""The same without its apostrophe, where what stands behind tells it: "fabrices till june"."""

KEEP_OFF = (
    r"(?:leave|keep (?:off|out of|away from|your hands off)|stay (?:off|out of|away from)|hands off|"
    r"(?:don't|do not|never) (?:touch|change|edit|go near|go into|clean up|refactor))"
)
"""How somebody is told to let something be."""

NOBODY_ELSE = (
    r"(?:(?:and |by )?(?:nobody|no one|no-one|not? anybody|not anyone) else|(?<=, )not (?:ours|mine|yours)\b|"
    r"(?:is|are|it's|they're|that's) not (?:ours|"
    r"mine|yours)\b|hands off|leave (?:it|them|that|those) (?:alone|to|be)\b|(?:we|i|you) (?:don't|never|do not) "
    r"(?:touch|change|edit|go near)|(?:only|just) (?:he|she|they) (?:may|can|edits?|changes?|touch(?:es)?|raises?)|"
    r"(?:don't|do not) (?:touch|edit|change) (?:it|them|that|those))"
)
"""How somebody says that nobody else is to change it."""

WRITES_NOTES = (
    r"(?:recaps?|summar(?:y|ies)|emojis?|smileys?|pleasantries|small talk|apolog(?:y|ies)|praise|compliments|"
    r"preambles?|pep talks?|disclaimers?|flattery|closing (?:lines?|remarks?|questions?|words)|exclamation marks?|"
    r"introductions?|outros?|intros?|sign-?offs?|greetings?|cheerleading|status reports?)"
)
"""What an agent puts around its answers."""

RUN_FIRST = LEAD + (
    r"(?:you (?:have to|need to|must) |needs? |run |do |it wants |always )?`[^`]+` first\b(?!,? (?:then|and|i'll|"
    r"we'll)\b)(?! thing\b)"
)
"""What has to be run before something else, by its command."""

TOLD_ASIDE = (
    cue("whose it is", "convention", 9,
        rf"\b{KEEP_OFF} (?:the |our |that )?(?!(?:it|that|this|them|these|those)\b)[\w`./-]+(?: [\w`./-]+){{0,3}}?"
        r"(?: alone| be| in peace| as (?:it|they) (?:is|are))? ?[,;:.–-] ?(?:because |as |since )?(?:it|that|this|they|"
        rf"those|these)(?:'s| is|'re| are|s)? (?:all |still )?(?:{WHOSE}|{WHOSE_IN_HASTE})(?! (?:fault|problem|mistake|"
        r"turn|idea)\b)|"
        r"\b(?:the |that |this |those |these |our )?[\w`./-]+(?: [\w`./-]+){0,3}? (?:(?:is|are|stays?|remains?) "
        rf"{WHOSE}|belongs? to (?!the (?:same|other|first|next)\b)[a-z][\w' -]{{1,30}}?)(?! (?:fault|problem|mistake|"
        rf"turn|idea|bug)\b)[,;:. ].{{0,80}}?\b{NOBODY_ELSE}",
        "Whose a thing is, and that nobody else touches it", votes=4, roles="u"),
    cue("only on days", "convention", 7,
        r"\b(?:we|they|you|he|she|[a-z]{2,}) (?!(?:hate|love|like|sleep|drink|play|eat|cry)s?\b)[a-z]+(?: [\w`./-]+)"
        rf"{{0,4}}?(?: only| just| never| not)(?: on)? (?:the )?{DAYS}\b|\b(?:only|never|not) on {DAYS}\b|"
        rf"(?:^|[,;:] |\b(?:on|is|are) ){DAYS} only\b",
        "On which days alone something is done", votes=4, roles="u"),
    cue("on those days", "domain", 4,
        r"\b(?!(?:i|it|that|this)\b)[\w'`./-]+ (?:only |just |always |usually |now |still )?(?:deploys?|releases?|"
        r"ships?|rolls? (?:it )?out|goes? (?:live|out|up|on air)|publish(?:es)?|delivers?|reviews?|merges?|"
        r"imports?|exports?|uploads?|updates?|bills?|invoices?|pays?|prints?|loads?|backs? up|patch(?:es)?|restarts?|"
        r"rotates?|picks? up|collects?|signs?|(?:is|are) (?:made|built|read|sent|restarted|closed|locked|cleaned|"
        rf"loaded|printed|paid|deployed|released))(?: [\w`./-]+){{0,5}}? on {DAYS}\b",
        "On which days something is done", roles="u"),
    cue("is meant so", "quirk", 9,
        r"\b(?:don't|do not|nobody should|no need to|shouldn't|you needn't) (?:wonder|be (?:surprised|alarmed|shocked|"
        r"confused|fooled|puzzled|misled|irritated)|panic|trip|stumble|get confused|be put off)\b (?:if|when|about|by|"
        r"over|at|that|because|why)\b(?! (?:i|we|i'm|you don't)\b)[^?]{4,120}?[,;:–(] ?(?!(?:or|and|but|ok|please|"
        r"right)\b)\w[^?]{5,}$|"
        r"(?<!not )(?<!if )(?<!whether )\b(?:the|that|this|those|these|our|it|they|all|both)(?: [\w`./-]+){0,5}?"
        r"(?:'s| is|'re| are)(?: [\w-]+| like that| that way)? (?:on purpose|by design|deliberate|"
        r"intentional|no (?:mistake|typo|accident|oversight))\b(?=[^?]*(?:\d|`|\bbecause\b|\bso (?:that|the|we|they|"
        r"it|nobody|no)\b|\bsince\b|\bas (?:the|we|they|it)\b|[,;:(] ?(?:the|our|they|it|its|we|otherwise)\b))",
        "What looks wrong and is meant so", votes=4, roles="u"),
    cue("the right word", "convention", 8,
        r"\b(?:nobody|no one|no-one|none of us)(?: here| in (?:this|our|the) [\w-]+| at (?:the |our )?[\w-]+)? "
        r"(?:here )?(?:ever |has "
        r"ever |has |would |would ever )?(?:says?|said|calls? (?:it|them|that|these|those)) (?!(?:that|it|so|a|an|"
        r"anything|we|you|i|to|no|nothing|yes|what|how|hello|hi|the|stop|please|sorry|thank|thanks|why|they|he|she|"
        r"there|this|when|where|if|much|more)\b)[\"'“]?[\w-]+(?: [\w-]+)?[\"'”]?(?=[,;.!)(–-]|\W*$| (?:apart|except|"
        r"but|any ?more|here|for (?:it|that|them))\b)|"
        r"\b(?:we|they|people|customers|users|the [\w-]+) (?:don't|never|do not) (?:say|call (?:it|them|those|these|"
        r"that(?= (?:an?|the)\b))|use the word) (?!(?:that|it|so|a|an|anything|we|you|i|to|no|nothing|yes|what|"
        r"how|the|why|they|when|if|"
        r"much|more|back|off|out|for|from|in|on|this|again|at|until|before|after|often|ever|any|any\w+)\b)[\"'“]?"
        r"[\w-]+|"
        + LEAD + r"(?:say|write|call (?:it|them)|spell it|use the word|it's called|it's|they're called|they're) "
        r"[\"'“][\w -]{2,30}[\"'”],? (?:please,? )?(?:and )?(?:not|never) [\"'“]?(?!(?:the|a|an|that|this|yet|in|on|"
        r"to|as|by|with|for|at)\b)[\w-]+(?: [\w-]+)?[\"'”]?(?: please)?(?=[,;.!(–-]|\W*$)|"
        + LEAD + r"(?:say|call (?:it|them|those)|spell it|use the word|it's called|they're called) "
        r"(?:an? )?[\w-]+(?: [\w-]+)?,? (?:please,? )?(?:and )?(?:not|never) (?:an? )?(?!(?:the|that|this|yet|in|on|"
        r"to|as|by|with|for|at|more|less)\b)[\w-]+(?: please)?(?=[,;.!(–-]|\W*$)",
        "Which word is used here, and which is not", votes=4, roles="u"),
    cue("gave their word", "convention", 7,
        r"\b(?!(?:i|you|it)\b)(?:we|he|she|they|[a-z]{2,}) (?:have |has |had |'ve )?(?:also |once |just |even )?"
        r"(?:promised|swore|vowed|pledged|guaranteed|assured|gave (?:them|him|her|everybody|the [\w-]+|[a-z]+) (?:our|"
        r"his|her|their|his|my) word)\b(?![^.;]*\b(?:by (?:\w+day|tomorrow|tonight|next)|(?:to|will|would|'ll) (?:look|"
        r"call|ring|fix|send|be|come|try|check|answer|mail|do)|tomorrow|next week|later|soon)\b)[^.;?]{0,60}?\b(?:no "
        r"[\w-]+|never|nobody|nothing|every|all|always|only|not (?:to|a)|without)\b",
        "What somebody promised others", votes=4, roles="u"),
    cue("nowhere else", "convention", 4,
        r"(?<!went )(?<!go )(?<!looked )(?<!happens )(?<!happened )(?<!seen )(?<!occurs )(?<!fails )(?<!found "
        r")\b(?:and )?(?:nowhere|not "
        r"anywhere) else\b(?! (?:does|did|do|is it|has)\b)",
        "The one place where something is done", votes=3, roles="u"),
    cue("only a copy", "structure", 5,
        r"\b(?:is|are|it's|that's|they're) (?:only|just|nothing but|merely) (?:an? )?(?:[\w-]+ )?(?:export|copy|copies|"
        r"mirror|dump|snapshot|cache|view|replica|printout|symlink|extract|excerpt)s? (?:of|from)\b",
        "What is made of something else", votes=4, roles="u"),
    cue("spare me that", "preference", 6,
        LEAD + r"(?:you (?:can|may|could) )?(?:leave (?:out|off|away)|skip|drop|cut|lose|omit|spare me|save (?:me|"
        r"yourself)|stop with|enough (?:with|of)|no more|i (?:can|could) do without|i don't (?:need|read|want)|ditch|"
        r"keep out) (?:with )?(?:(?:all|the|those|these|that|your|any|of) ){0,2}(?:[\w-]+ ){0,2}?"
        + WRITES_NOTES + r"\b(?=.*\b(?:at the (?:end|start|beginning|top|bottom) of (?:an|each|every|your|any|"
        r"answers|replies)\b|"
        r"after (?:each|every)\b|(?:in|from|of) your (?:answers|replies|messages|texts)\b|"
        r"elsewhere|everywhere|anywhere|in (?:all|any|every) \w+|from now on|in future|i (?:can |do )?(?:read|know|see|"
        r"skim|look)\b|always|ever\b|each time|every time|(?:that|those) you (?:put|write|add|append)))|"
        + LEAD + r"(?:spare me|save yourself|stop with|enough (?:with|of)|no more|i can do without|i could do without) "
        r"(?:(?:all|the|those|these|that|your|any|of) ){0,2}" + WRITES_NOTES + r"\b",
        "What an agent is to leave out of its answers", votes=4, roles="u"),
    cue("like the others", "convention", 4,
        r"^(?!.*\b(?:works?|looks?|green|red|fine|good|broken|fails?|done|runs?|ok)\b)\S+ .*\w, (?:just "
        r")?(?:like|same as|as (?:in|on|with|for)) (?:all |every )?(?:(?:of )?(?:the|our) )?(?:others?|"
        r"older ones|old ones|rest|existing ones|other [\w-]+s|[\w-]+ (?:we have|of ours|here))\W*$",
        "How it is to be, as the rest is", roles="u"),
    cue("another team", "domain", 6,
        r"(?:^|[,;:.] |\b(?:and|but|since|because|now|as|oh|btw) )(?!(?:it|that|this|we|i|you|they|he|she|who|which|"
        r"everything|traffic|money|data|code|email|mail|ownership|work|tickets|mails|calls|logs|orders|requests|"
        r"invoices|files|the|all|some|everybody|nobody|everyone)\b)[a-z]{2,}(?:'s| has| is| just| already)* "
        r"(?:went|gone|"
        r"moved|switched|changed|transferred|moving|going|switching) (?:over |back |on )?to (?:the |our )?(?:pricing|"
        r"sales|marketing|accounting|finance|platform|infra|infrastructure|support|operations|legal|hr|"
        r"security|research|design|billing|devops|consulting|purchasing|logistics|payroll|procurement|"
        r"[\w-]+ (?:team|site|department|group|squad|plant|crew|branch|shop|warehouse))\b|"
        r"(?:^|[,;:.] |\b(?:and|but|since|because|now|as|oh|btw) )(?!(?:it|that|this|we|i|you|they|he|she|who|which|"
        r"everybody|nobody|everyone|half)\b)[a-z]{2,}(?:'s| has| is)? (?:(?:left|leaves|leaving|quit) (?:us|the "
        r"(?:company|team|firm|project|house|department))\b|(?:retired|resigned)(?=[,;.]|\W*$| (?:in|last|and|so)\b))|"
        r"(?:^|[,;:.] |\b(?:and|but|since|because|now|as|oh|btw) )(?!(?:it|that|this|we|i|you|they|he|she|who|which|"
        r"everybody|nobody|everyone)\b)[a-z]{2,} (?:gave up|handed over|passed on|hands over|is giving up|gives up) "
        r"(?:the|his|her) (?!(?:fight|hope|search|idea|ghost|chase|struggle|will)\b)[\w-]+",
        "Who does something else now", votes=4, roles="u"),
    cue("who is to do what", "domain", 5,
        r"\b[a-z]{2,} is (?:only )?to [a-z]+ and only (?:to )?[a-z]+\b|\b(?!(?:it|that|this|he|she|they|we|you)\b)"
        r"[a-z]{2,}(?:, (?:the|my|his|her|our) [\w-]+,)? (?:says|decides|sets) (?:in that time |meanwhile |until then "
        r"|now |alone )?what (?:the |our |an? )?[\w-]+ costs?\b",
        "Who does what", votes=4, roles="u"),
    cue("allows more or less", "domain", 6,
        r"\b(?:raised|lowered|cut|bumped|upped|reduced|increased|throttled|capped|limited) (?:us|me|it|them|that|our "
        r"[\w-]+|the [\w-]+)?(?: (?:down|up|now))?(?:,? (?:to|at|from \S+ to)|,|:)? ?(?:only )?\W?\d[\d.,]* (?:[a-z]+ )"
        r"?(?:an?|per|each|every) (?:second|sec|minute|min|hour|day|week|month|year|request|call|user|seat|page)\b",
        "How much there may be from now on", votes=4, roles="u"),
    cue("that first", "environment", 5, RUN_FIRST,
        "What has to be run before", votes=8, roles="u"),
)  # fmt: skip

COMMAND_FIRST = re.compile(RUN_FIRST)

OF_THE_DAY = frozenset({"on those days", "like the others"})

ASIDE_RULES = frozenset(cue.name for cue in TOLD_ASIDE) - OF_THE_DAY
"""Those that say enough also in the message that a session begins with, and beside a question."""
