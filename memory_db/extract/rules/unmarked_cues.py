"""Cues of what holds from now on and is said without the usual words of a rule: rows of data, no code.

Such sentences share no "always" and no "never", but a shape: what exists for the purpose, a share of the work, a
warning with what it is about, an example to follow. Some shapes look like courtesy or like a wish to the doubts, which
is why they count more than a rule that says it is one.
"""

from __future__ import annotations

from memory_db.extract.rules.patterns import LEAD, cue

WHO_DECIDES = (
    r"(?:designers?|boss|client|customers?|product owner|po|pm|cto|ceo|cfo|lead|manager|architect|owner|director|"
    r"editor|accountants?|auditors?|lawyers?|teachers?|doctors?|nurses?|pharmacists?|translators?|sponsor|board|"
    r"council)"
)
"""Whose taste binds who builds something for them."""

LIMITS = (
    r"(?:limit|cap|cut-?off|threshold|budget|quota|max(?:imum)?|min(?:imum)?|timeout|deadline|rate|fee|tariff|tax|vat|"
    r"allowance|retention|tolerance|margin|batch size|page size|pool size|interval|ttl)"
)
"""What somebody sets, and does not measure."""

DATE_NAMED = (
    r"(?:january|february|march|april|may|june|july|august|september|october|november|december|jan|feb|mar|apr|jun|"
    r"jul|aug|sept?|oct|nov|dec|easter|christmas|new year|spring|summer|autumn|winter|q[1-4]|20\d\d|"
    r"\d{1,2}[./]\d{1,2})"
)

UNMARKED = (
    cue("exists for it", "convention", 6,
        r"\b(?:we|you)(?:'ve| have| already| do| even)* (?:got |have )?(?:already )?(?:a|an|our own|one|some|"
        r"several) (?!(?:good|bad|great|nice|look|problem|bug|question|meeting|call|demo|ticket|chance|reason|minute|"
        r"moment|deadline)\b)[\w./'-]+(?: [\w./'-]+){0,7}? for (?:that|this|it|these|those|such|exactly (?:that|"
        r"this))\b|\bthere(?:'s| is| are)(?: already| even)* (?:a|an|one|our own|some) (?!(?:good|bad|great|nice|"
        r"problem|bug|question|meeting|ticket|chance|reason)\b)[\w./'-]+(?: [\w./'-]+){0,7}? for (?:that|this|it|"
        r"these|those|such|exactly (?:that|this))\b|\b(?:that|this|it|one)(?: already)? exists(?: already)? (?:as|in|"
        r"under|at) \S|\bwe(?:'ve| have)? (?:got |have )?(?:already )?our own (?!(?:problems?|reasons?|ideas?|"
        r"opinions?)\b)[a-z]|^(?:[\w']+[,.!:]? ){0,3}?(?:use|take|go through) our (?:own )?[\w`./-]+",
        "What there is for the purpose, told after it was done otherwise", roles="u"),
    cue("next time", "convention", 4,
        LEAD + r"(?:for )?(?:the )?next time[,:]? (?:please |just |rather |better |first |you (?:should |could |can "
        r")?)?(?!(?:i|we'll|i'll|it|he|she|they|someone|somebody|maybe|perhaps|is|will|then|around|lucky|"
        r"hopefully)\b)[a-z]|^(?!(?:maybe|perhaps|better luck|see you|until|till|we'll|i'll|i will|and|"
        r"or)\b)(?:[\w'-]+,? ){2,9}next time\W*$",
        "What to do when it comes up again", roles="u"),
    cue("a share of the work", "convention", 6,
        r"\b(?:you|we|i) (?:only|just) (?!(?:need|want|have|had|got|saw|ran|did|"
        r"said)\b)[a-z]+ [^?;:.]{1,60}[,;:.](?: and| but)? (?:the (?:rest|others?)|everything else|all else|"
        r"anything else)\b|\b(?:the rest|the others?|everything else|anything else) (?:comes? from|(?:is|are) (?:done|"
        r"written|made|filled in|maintained|handled|translated|generated|kept) by|(?:is|are) (?:ours|theirs|hers|his|"
        r"mine)\b|goes through)",
        "Who does which part", roles="u"),
    cue("a warning", "quirk", 3,
        LEAD + r"(?:(?:be )?careful|watch (?:out|it)|caution|attention|mind(?: you)?|beware|heads[- ]up)(?:[,:;!–—-]+| "
        r"that|,? because) (?!(?:i|i'm|i'll|i've|we'll|you|you're|it|that|this|what|how|when|why|where|is|"
        r"are)\b)(?:[\w`'./-]+ ){2,}|"
        + LEAD + r"(?:watch out for|beware of|mind) (?:the |our |that )?[\w`'./-]+(?: [\w`'./-]+)?[,;:] (?:it|they|"
        r"that|he|she)\b",
        "A warning, with what it is about", roles="u"),
    cue("another limit", "domain", 4,
        rf"\b(?:[\w-]+ )?{LIMITS} (?:(?:for|of|on) (?:the |our )?[\w-]+ )?(?:has |just )?(?:went|gone|goes|is|was|got|"
        r"moved|dropped|came|raised|lowered|set|rose)(?: now)?(?: (?:up|down|back|over|raised|lowered|cut|changed|"
        r"set))? (?:to|at) (?!be\b)\W?\.?\d|^(?:(?:and|but|so|btw|oh),? )*(?:(?:the|our) )?(?:[\w-]+ ){1,3}?(?:went|"
        r"goes|has gone|moved|is|got)(?: (?:up|down|back|over|raised|"
        r"lowered))? to \W?\.?\d[\d.,]*(?: ?[a-z%€$]+){0,2} (?:with the (?:new|next|last)|since the|as of|"
        r"from \w+ on)\b",
        "A value that became another one", roles="u"),
    cue("leave it alone", "convention", 3,
        LEAD + r"(?:you (?:can|may|should) )?(?:ignore|leave|skip|disregard|don't (?:touch|mind|bother with)|keep "
        r"(?:off|out of)) (?:the |our |that )?(?!(?:it|that|this|them|those|these|"
        r"one)\b)[\w`./-]+(?: [\w`./-]+){0,3}[,;:] (?:it|that|they|this|those|these)(?:'s| is| are|'re|s) (?:(?:only|"
        r"just|all|still) )*(?:an? (?!(?:mess|pain|shame|pity|bit)\b)|being |deprecated|generated|obsolete|flaky|"
        r"known|broken|unused|dead|old|legacy|not (?:ours|used|mine|maintained)|going away|(?:about|going) to|"
        r"left(?:over)?\b|theirs|shared|vendored)",
        "What to leave alone, with the reason", votes=6, roles="u"),
    cue("may be left out", "convention", 3,
        r"\byou (?:may|can) (?:skip|ignore|leave out) [^?]{3,60}[,;:] (?:it|they|these|those)\b",
        "What need not be done, with the reason", votes=6, roles="u"),
    cue("an example to follow", "convention", 4,
        r"\b(?:the )?(?:one|file|example|model|pattern|template|reference|blueprint) to (?:copy|follow|imitate|go by|"
        r"start from|look at for)\b|" + LEAD + r"(?:see|look at|check|copy|follow|do it like|like|take) (?:how |the |"
        r"our |in )*[\w`./-]+[,;:]? (?:that's|it's|that is|it is|is|thats|its|as) (?:the|our|a) (?:model|pattern|"
        r"example|reference|template|blueprint|way (?:we|to)\b)|\b(?:the|our) (?:pattern|style|structure|model|layout|"
        r"template) (?:that )?(?:we|the (?:others?|rest)) (?:all )?(?:follow|use|have|go by|stick to)\b",
        "What to take as a model", roles="u"),
    cue("in line with the rest", "convention", 9,
        r"\b(?:in line|in keeping|consistent|consistently) with (?:the (?:rest|others?|other \w+)|what we (?:have|do)|"
        r"everything else|our (?:other|\w+s))\b|\b(?:would|to) (?:better )?(?:match|fit) (?:the rest|the others|"
        r"what we have|everything else)\b",
        "How the rest of it is", roles="u"),
    cue("a state with its end", "domain", 7,
        r"\b(?:there(?:'s| is| are|s)|we(?:'ve| have|'re in)(?: got)?|they have) (?:an? |the |"
        r"no )?(?:[\w-]+ ){0,2}?(?:freeze|embargo|moratorium|ban|lock(?:down)?|holds?|closure|trial|pilot|contract|"
        r"licen[cs]e|maintenance|shutdown|blackout|audit|campaign|sale|inventory|exams?|season|deploys?|deployments?|"
        r"releases?|merges?)"
        rf"\b[^?.;]{{0,30}}?\b(?:till|until|through|up to|before|ends) [^?.;]{{0,20}}?\b{DATE_NAMED}\b",
        "What is so up to a date"),
    cue("a person's taste", "preference", 2,
        rf"\b(?:the|our|my) (?:[\w-]+ )?{WHO_DECIDES} (?:really |absolutely |just )?(?:hates?|dislikes?|can't stand|"
        r"(?:doesn't|don't) (?:like|want)|insists? on|prefers?|always wants?|never wants?)\b",
        "What somebody likes for whom it is built", roles="u"),
    cue("like that everywhere", "convention", 6,
        r"\b(?:like (?:that|this)|(?:that|this) way|the same(?: way)?|it so|(?:it|that|them)) (?:on|in|for|with|"
        r"at) (?:every|all|each|any)(?: of)? (?:the |our )?(?:\w+ )?(?:screens?|pages?|forms?|views?|dialogs?|"
        r"reports?|mails?|emails?|letters?|lists?|tables?|charts?|plots?|figures?|slides?|chapters?|files?|modules?|"
        r"packages?|services?|endpoints?|components?|tests?|scripts?|sheets?|labels?|exports?|invoices?|"
        r"documents?)\b(?!.* (?:now|today|please)\W*$)",
        "That it holds for all of them", roles="u"),
    cue("is to go", "decision", 6,
        r"\b(?:i'm|i am|we're|we are|were) (?:slowly |still )?(?:trying|about|planning|going|working|"
        r"hoping) to (?:kill|get rid of|phase out|retire|dissolve|deprecate|move away from|get away from|do away with|"
        r"shrink) (?!(?:it|them|the bug|this bug)\b)\w|(?:^|[,;.] )(?:(?:the|"
        r"our) )?[\w`./-]+(?: [\w`./-]+){0,3} (?:is|are) (?:going away|on (?:its|the|their) way out|"
        r"being (?:phased out|retired|removed|dissolved|replaced|shut down))\b|\b(?:put )?nothing new (?:goes |comes |"
        r"belongs )?(?:in|into|under|to) \w",
        "What is to go", roles="u"),
    cue("is still used", "structure", 4,
        r"\b(?:the|our|their) [\w-]+(?: [\w-]+)? (?:still|also) (?:pulls?|reads?|uses?|needs?|calls?|imports?|"
        r"depends? on|relies on|rely on|expects?|fetch(?:es)?|loads?|wants?) (?:that|this|it|them|those|these)\b|"
        r"\b(?:has|have|keeps?) (?:it|that|those|these|them|this) (?:hard-?coded|cached|pinned|built in|printed|"
        r"burnt? in)\b",
        "What something that was changed is needed for", votes=1, roles="u"),
    cue("how it is, and what to do", "convention", 5,
        r"^(?:(?:no|hey|ah|oh|wait|hm+),? )*(?!(?:you|i|we)\b)(?:[\w`./-]+ ){1,4}?(?:is|are|has|have|makes?|takes?|"
        r"gets?|needs?|loses?|kills?|breaks) (?!(?:broken|wrong|red|failing|empty|missing|fine|ok|okay|good|done|"
        r"ready)\b)[^,;?]{4,60}[,;] (?:so )?(?:please )?(?:rather )?(?:use|only|go (?:through|via|by)|edit the|"
        r"stick (?:to|with)|stay (?:on|with|in|under)|ask|take the) (?!(?:it|that|this|them|those|one|for now)\b)\S",
        "How something is, and so what to do instead", votes=1, roles="u"),
    cue("we have a new one", "domain", 4,
        r"\bwe(?:'ve)? (?:got|opened|hired|bought|rented|signed|lost|closed|took over) (?:an?|our|the) (?:new|second|"
        r"third|fourth|another|last|only) (?!(?:error|bug|ticket|issue|request|e?mail|complaint|report|failure|"
        r"problem|task|idea|warning|order|design|version|draft)s?\b)[a-z]",
        "Something that is there now", roles="u"),
    cue("where I come from", "preference", 3,
        r"\b(?:i'm|i am|i)(?: \w+ly)? com(?:e|ing) from (?!(?:home|lunch|work|the|an?|my|our|his|her|their)\b)[a-z]|"
        r"\b(?:explain|tell|write|say|show)\b[^.;]{0,60}\b(?:more|less) than (?:you (?:would )?)?(?:usual|"
        r"normal)(?:ly)?\b",
        "What the user knows already", roles="u"),
    cue("takes another option", "decision", 7,
        r"\b(?:drop|ditch|scrap|scratch|forget(?: about)?) (?:the )?(?!(?:it|that|this|them)\b)[\w@./-]+(?: [\w./-]+)?"
        r",? (?:and )?(?:then )?(?:let's )?(?:do|take|use|go (?:with|for|to)) (?:your |the )?(?:option|variant|plan) "
        r"(?:[a-e]|[1-5])\b",
        "What was chosen goes, for another option of the same list", roles="u"),
    cue("somebody rules it out", "convention", 8,
        r"^(?:(?:ok|so|and|well|right|sorry|no),? )*(?!(?:it|that|this|he|she|they|we|you|who|what|nobody|everybody)\b)"
        r"[a-z]{2,} says no (?!(?:need|problem|idea|way|wonder|worries|rush|hurry|to|more|thanks|because|but|and)\b)"
        r"[\w./-]+(?: [\w./-]+)? (?:on|in|at|for|near|without) [^.;?]{3,60}"
        r"(?:, (?:full stop|period|end of (?:story|discussion)|no exceptions?|ever|not even)\b|"
        r", (?:he|she|they) (?:runs?|owns?|looks? after|decides?|maintains?)\b)",
        "Who may rule it out does so", roles="u"),
    cue("we are changing, in haste", "decision", 4,
        LEAD + r"were (?:now |also |all |slowly )?(?:switching|moving|migrating|dropping|replacing|standardi[sz]ing|"
        r"retiring)\b",
        "A change that is under way, typed without its apostrophe", votes=6, roles="u"),
)  # fmt: skip

OF_TASTE = frozenset({"a person's taste", "like that everywhere", "in line with the rest"})

UNMARKED_RULES = frozenset(cue.name for cue in UNMARKED) - OF_TASTE
"""Those that say enough also in the message that a session begins with, and beside a question."""
