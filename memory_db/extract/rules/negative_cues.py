"""What speaks against a memory: rows of data, no code.

A veto ends the matter; other traps take points away, so that a strong cue can
still win over a weak doubt.
"""

from __future__ import annotations

from memory_db.extract.rules.musing_cues import MUSINGS
from memory_db.extract.rules.patterns import LEAD, Cues, cue
from memory_db.extract.rules.talk_cues import TALK
from memory_db.extract.rules.task_words import IN_CASE, INTERROGATIVE, ON_DAYS, TASKS, TO_THEM

VETOES = Cues((
    cue("question", None, -9,
        r"^(?!.*(?:from now on|going forward|in (?:the )?future|why did you|how many times|how often)).*\?[\"')\]]*$",
        "A question"),
    cue("asks without a mark", None, -9,
        LEAD +
        r"(?:or )?(?!why (?:did|do|are|would) you)"
    r"(?!" + TO_THEM + "|" + IN_CASE + r")(?:what|why|how|where|which|who|(?<!please )do|does|did|is|are|"
        r"am|can|could|"
        r"would|will|should|shall|has|have|any) (?:i|we|you|it|the|this|that|there|they|our|a|an|my|idea|chance|"
        r"way)\b(?!.*[,;:] (?:so|always|never|use|don't))(?!.*\b(?:is|are) (?:decided|said|set|up|for)\b)|"
        + LEAD + r"what's (?:the|our|a|an) [^.,;:]*$|^(?:and |but |so )?(?:does|did) (?!not\b)[\w-]+ [\w-]+\b"
        r"(?!.*[,;:] )|"
        + LEAD + r"(?:so |and |but )?(?:why|how come) (?:is|are|was|were|does|did|has|have|isn't|aren't|doesn't|"
        r"didn't)\b[^,;:]*$|" + LEAD + r"(?:so |and |but )?why (?!(?:did|do|are|would) you\b|.*(?::|\bbecause\b)).*$|"
        + LEAD + r"(?:so |and |but )?what (?:happens|happened|else (?:is|was|do|does|should|could))\b[^,;:]*$|"
        + LEAD + r"(?:by |since |until |from |at |for |to |in |on )?" + INTERROGATIVE + r"(?!.*\b(?:always|never|"
        r"from now on|in future|don't)\b)|"
        + LEAD + r"(?:so |and |but )?(?:is|are|was|were|does|did|has|have|will) (?:everything|everybody|everyone|"
        r"anything|anybody|anyone|somebody|someone|something|all|these|those|your|his|her|their)\b[^,;:]*$|"
        r"^(?:.{0,40}[,.!] |and |so |but )?(?:what|when|where|how|why|who)'s (?:the|our|my|your|this|that|a|an|up|"
        r"wrong|next)\b(?!.*\b(?:always|never|from now on)\b)|"
        + LEAD + r"(?:(?:quick|silly|dumb|stupid|general|side) (?:one|q|question)|asking (?:because|since|as|for))\b|"
        r"^[^,;:]{1,40}: (?:in [\w.-]+,? )?(?:why|how|when|where)(?: [a-z]+)? (?:did|does|do|is|are|was|were|has|have|"
        r"can|should)\b[^,;:]*$",
        "A question without its mark"),
    cue("asks at its end", None, -9,
        r",? (?:isn't|aren't|wasn't|weren't|doesn't|don't|didn't|hasn't|haven't|can't|won't|shouldn't) (?:it|they|we|"
        r"you|he|she|i|that|there)\W*$|, or (?:is|are|was|were|do|does|did|has|have|can|should) (?:i|we|you|it|that|"
        r"they|he|she)\b[^.;:]*$|, (?:right|correct)\W*$|"
        r"^(?:and |so |but |or )*(?:is|are|was|were|does|do|did) (?!not\b|always\b|never\b|only\b).* or [^,;:]*$",
        "A statement that is turned into a question"),
    cue("hands something over", None, -9, LEAD +
        r"(?:[\w'-]+ ){0,4}(?:sent|forwarded|mailed|gave|handed) (?:this|me this|us this)\b(?!.*\b(?:always|never|"
        r"from now on)\b)",
        "It comes with something pasted", roles="u"),
    cue("asks for it", None, -9, LEAD +
        r"(?:can|could|would|will) (?:you|we)\b(?!.*(?:from now on|going forward|in (?:the )?future|\balways\b|"
        r"\bnever\b|\bstop \w+ing|every time))|^i(?:'d like| want| need|'m asking|"
        r" would like) (?:for )?you to\b(?!.*\b(?:always|never|every|whenever|from now on|before)\b)|^mind \w+ing|"
        r"^(?:please )?let me know\b|^i was wondering",
        "A request"),
    cue("idiom", None, -9,
        r"^yeah,? yeah\b|\bnever ?mind\b(?! (?:which|what|where|whose|in which)\b)|"
        r"\bnot always\b|always wondered|i(?:'ll| will) (?:always|never)\b|remember "
        r"when|(?:don't|can't|cannot|can never|do not) remember|\bi remember\b|"
        r"\bnever (?:seen|heard|thought|knew|understood|noticed|been|saw|expected)\b|"
        r"\bi(?:'ve)? (?:never|always) (?:thought|wondered|forget|wanted|been|had|get|got|seen|used|"
        r"tried|known)\b|no worries|no problem|no rush|no hurry|(?:don't|do not) worry|don't bother|no big deal|"
        r"(?:don't|do not|dont) (?:make me|ask me (?:why|how|what|when|who))\b|"
        r"^(?:lgtm|looks good|sounds good|nice|perfect|great|thanks|thank you|cool|awesome)[.!]*$|always nice|"
        r"always a (?:pleasure|treat|joy)|never a dull|better late than never|never gets old|works like a charm|"
        r"as always, (?:thanks|great|nice)|you never know\b(?! (?:if|what|when|who|which|whether))|always (?:good|fun|"
        r"great) to|famous last words|never say never|i never (?:said|meant|asked|told|wanted)|don't remember this|"
        r"(?<!\bi )forget (?:about )?(?:it|this|that)\b(?!(?<=^forget it), (?:the|our|we) )|never does what|"
        r"remember (?:this|that|it) for|no need to remember",
        "A turn of speech"),
    cue("sarcasm", None, -9,
        r"\boh,? (?:great|wonderful|good|nice|sure|yeah|fantastic|brilliant|joy|perfect|lovely|cool|awesome|"
        r"of course|excellent|super)\b|yeah,? (?:right|sure)|great job|nice job|good job|well done|\bhow (?:nice|"
        r"lovely|wonderful|original|convenient|thoughtful)\b|thanks (?:a lot|for nothing|for (?:deleting|breaking|"
        r"nothing|the))|i (?:just |really |do )?(?:love|adore) (?:it when|how|that|when|a good|spending|debugging|"
        r"waiting|being)|just (?:great|love|what (?:i|we) (?:needed|wanted|always))|because (?:of course|why not|"
        r"who needs|that (?:always|went|worked))|who needs|what could (?:possibly )?go wrong|"
        r"(?<!^)\blol\b(?! [–—-] \S+ \S+ \S)|(?<!^)\blmao\b|(?<!^)\bhaha|"
        r"🙄|😂|🤦|😅|🤷|\s/s\b|\bgenius\b|my favou?rite|\bwow\b|i'm sure (?:that|it|the|nobody|everyone|this)|"
        r"\bclearly (?:the best|nothing|we|everyone|tests)|truly|what a (?:surprise|joy|treat|great|wonderful|"
        r"relief)|^(?!(?:yes|yeah|right|sure|perfect|great)[,!]? (?:exactly|always|never|we|the|that|i|now)\b"
        r"(?!.*(?:!|\.\.\.|…|yet another|love|why not|because)))"
        r"(?:sure|right|yes|yeah|great|brilliant|fantastic|wonderful|lovely|amazing|excellent|perfect|"
        r"awesome|terrific|splendid|good thing|nothing says|ah yes|of course|shocking|bravo|hooray|"
        r"yay)[,!]? (?:let's|because|another|just|more|yet|the|that|we|i|nothing|who|always|as if|love|exactly|now|"
        r"why|idea|plan)\b(?=.*(?:!|\.\.\.|…|again|always|never|yet another|because|love|exactly what|nothing|"
        r"why not|just|more))|as if |so helpful|very helpful|masterpiece|big surprise|obviously the",
        "Irony"),
    cue("a commit's message", None, -9,
        r"\bcommit(?: it| this| that| them)?(?: as| with)?[,:] [\w-]+-\d+: |\bcommit[,:] (?:feat|fix|docs|chore|"
        r"refactor|test)(?:\(\w+\))?: ",
        "It tells what to write into one commit", roles="u"),
    cue("broken again", None, -9,
        r"\b(?:is|are) (?:dead|down|broken|offline) again\b(?!.*\b(?:always|never|from now on|because|so we|use)\b)",
        "Trouble of the day", roles="u"),
    cue("what if", None, -9, LEAD +
        r"(?:maybe|perhaps|suppose|what if|imagine|pretend|hypothetically|say we|in theory|in an ideal|"
        r"just thinking|brainstorming|idle thought)\b|^.{0,30}\bthinking (?:aloud|out loud)\b",
        "It only supposes"),
    cue("for this step", None, -9, LEAD +
        r"(?:wait,? )?(?:before|until|till) (?:you|we|i) \w+(?: it| that| this| them)?[.!]*$|"
        r"(?:^|[,;.] |\band |\bbut )(?:please )?(?:(?:don't|do not) (?:\w+ ){1,4}|no \w+ing )yet\b|"
        r"\bfor the next (?:\w+ )?(?:minutes?|hours?|while)\b|\b(?:leave|go|start|stop|continue|meet) in (?:\w+ ){1,2}"
        r"(?:minutes|min)\b|\bbefore we (?:go on|move on|continue|proceed)\b|"
        r"\b(?:only|just) [\w ]{1,30} for now\b|\byou can (?:go on|continue|proceed|start)\b[.!]*$|"
        r"\b(?:i|we)(?:'ll| will| shall) (?:decide|see|think about it|look at it)(?: then)? (?:on \w+day|"
        r"tomorrow|later|"
        r"next week)\W*$|\bno need to \w+ (?:it|that|this|them)\b(?!.*\b(?:ever|always|never)\b)|"
        r"\byou (?:may|can) (?!not\b|only\b)(?:[\w-]+ ){1,6}?(?:now|this (?:one|time|once)|today)\W*$|" + LEAD +
        r"(?:[a-z]+ ){1,2}(?:me )?the (?:[\w-]+ )?(?:thing|bug|part|one)\b[^,;:]{0,20} before (?:you|we) [^,;:]{3,30}$|"
        + LEAD +
        r"(?:skip|ignore|leave|use|keep|comment|disable|mock|stub|hard-?code|forget) .* for now\b.*\b(?:and|then) "
        + TASKS,
        "It holds for the step under way", roles="u"),
    cue("until this is told", None, -9,
        r"\b(?:don't|do not) \w+ (?:anything|it|any of it) (?:before|until|till) (?:you(?:'ve| have)|i(?:'ve| have))\b"
        r"(?!.*\b(?:ever|always|each time)\b)|^[\w-]+ only, (?:don't|do not) \w+\W*$",
        "It holds for the task under way", roles="u"),
    cue("irony in a phrase", None, -9,
        r"\b(?:great|such|what) fun\W*$|gotta love|who doesn't love|nothing like|good luck with|shocker|surprise,? "
        r"surprise|never fails to|lucky (?:us|me|you)|how could i forget|(?:always|never) (?:ends|ended|goes|went) "
        r"well|as (?:if|though) (?:anyone|we|that)|thank(?:s| you) (?:so|very) much for|what a (?:great |brilliant |"
        r"wonderful |fantastic )?(?:idea|plan|surprise|joy)|couldn't be (?:happier|clearer|better)|bold (?:move|"
        r"choice|strategy)|can't wait (?:to|for|until)|no better way|the best part|works on my machine|sure,? (?:why "
        r"not|that'll|it will)|definitely not (?:a|suspicious)|totally (?:normal|fine|safe|worth|not)|exactly what "
        r"(?:i|we) (?:needed|wanted|asked)|(?<!are )(?<!is )perfect(?:ly)? (?:normal|sane)|must be nice|living the "
        r"dream|magic(?:al)?ally|always wanted|chef's kiss|peak |a true|because (?:nobody|everyone|everybody) "
        r"(?:ever )?(?:loves|likes|needs|reads|wants|enjoys)",
        "Irony, by its usual phrases"),
    cue("asks indirectly", None, -9,
        r"\b(?:(?<!^you )(?<!, you )(?<!and you )tell me|(?<!need to )(?<!don't )(?<!not )explain|remind "
        r"me|show me|(?<!never )(?<!so you )(?<!i think i )know(?! what[,:])|understand|"
        r"check|see|figure out|find out|"
        r"(?<!then )(?<!they )(?<!don't )(?<!not )wonder(?:ing)?|"
        r"curious|idea|clue|remember|ask(?:ed|ing)? (?:you|if|whether)|sure|clear|look into|question is|investigate|"
        r"confirm|verify|asks|is asking|wonders)(?: to me| about| me)? (?:why|how|whether|if|what|which|where|"
        r"when)\b(?!.*, (?:always|never|"
        r"use|ask|don't))",
        "A question inside a statement"),
    *TALK, *MUSINGS,
))  # fmt: skip

DOUBTS = Cues((
    cue("one-off task", None, -3, LEAD +
        r"(?:(?:now|then|instead|also|and|next|first|great|thanks|perfect|cool|good|go ahead and|lets|let's|just|"
        r"quickly|again|finally|please|for now)[,:]?\s+)*"
        + TASKS
        +
        r"\b(?!.*\b(?:whenever|before (?:every|each|any|anything|you|commit|push|merg)|every|each|all new|any|instead "
        r"of|rather than|from now on|when(?:ever)?|by default|unless|everywhere|because|so that|otherwise|"
        r"in this (?:repo|project|codebase)|here)\b)",
        "A thing to do now", roles="u"),
    cue("a change all over", None, -6, LEAD +
        r"(?:please |now |then |just |can you )*(?:rename|replace|swap|substitute|convert|change|translate|move|"
        r"delete|remove|drop)\b(?!.*\b(?:always|never|whenever|from now on)\b).*"
        r"\b(?:everywhere|all over|in all files|throughout)\b",
        "One change, made in many places", roles="u"),
    cue("points at something", None, -3,
        r"(?<!thing )(?<!\bin (?=this thing\b))\b(?:this|that|these|those) (?:\w+ )?(?:tests?|file|functions?|"
        r"lines?|bug|error|one|ones|branch|pr|"
        r"methods?|class|changes?|commit|button|page|query|endpoint|part|step|thing|column|migration|imports?|module|"
        r"snippet|script|block|paragraph|section|variable|option|flag|dialog|failure|fix|approach|output|diff|patch|"
        r"stack trace|message|ticket|issue|field|loop|condition|comment|helper|constant|file's|config|call|regex|"
        r"assertion|warning|exception|log|job|run|build|example|idea|sentence|table|row|value|name|argument|"
        r"parameter|two|three|plan|refactor|version)\b|\blines? \d+|\b(?:the|that) (?:failing|first|second|last|"
        r"third|other|previous|next|new|above|following|current) (?:\w+ )?(?:test|one|file|function|line|bug|error|"
        r"commit|paragraph|option|version|suggestion|approach|branch|step|part|query|column|section|change|pr|"
        r"test's)\b|\bthe (?:one|bit|part) (?:above|below|you|i|we|that|with)\b|\bfirst one\b|\bsecond one\b|"
        r"\bother one\b",
        "It points at one thing in front of us"),
    cue("an order at its end", None, -3,
        r"[,;] (?:(?:and|then|so|but|please|just|now) )*(?!(?:do|make|put|set)\b)" + TASKS
        + r" (?:rid of )?(?:it|that|this|them|those)\b"
        r"(?! (?:(?:to|at|in|into) )*(?:\d|half|an?\b|one|two|three|four|five|six|ten|twelve|twenty))"
        r"(?!.*\b(?:always|never|first|before|every|each|whenever|from now on)\b)",
        "It ends with what to do with it now", roles="u"),
    cue("a comparison with nothing", None, -4,
        r"\b(?:it|that|they|this)(?:'s|'re| is| are) (?:[a-z]{2,}(?<!ov)(?<!und)(?<!oth)er|more|less)\W*$",
        "Longer, and nothing says than what", roles="u"),
    cue("then, in this task", None, -4,
        LEAD +
        r"(?:when|once|after|if|as soon as|until|before) (?:you(?:'re| are)? (?:\w+ )?(?:done|finished|ready|finish|"
        r"get there|have (?:it|that|a (?:minute|sec))|happy)|that's|that is|it's|it is|this is|(?:it|that|this|they|"
        r"all|everything|(?:the|all) (?:tests?|build|suite|checks)|ci) (?:\w+ )?(?:works?|pass(?:es)?|is|are|looks?|"
        r"succeeds?|turns? green|goes green|lands?|merged?|builds?|fails?)|that|this|we (?:merge|ship|start|continue|"
        r"go on|move on|get|have|know|finish|land))\b|\bwhen (?:you're |you are )?(?:done|finished)\b|"
        r"\bonce (?:that's|it's|done|merged|this)\b",
        "A step of the task under way"),
    cue("remember to do", None, -3,
        r"\b(?:remember|don't forget|do not forget|make sure|be sure) to (?!always|never|ask|only|use|"
        r"keep)\w+(?!.*\b(?:every|each|always|whenever|any|all|when|before|after|new)\b)",
        "A thing not to forget once"),
    cue("likes what is shown", None, -5,
        r"\bi(?:'d| would)?(?: really| do| quite| actually| also)* (?:like|love|hate|enjoy|appreciate|trust|prefer|"
        r"don't (?:like|trust|want|need|care)|want) (?:this|that(?! you)|it\b(?! when)|the (?:idea|look|new|first|"
        r"second|third|last|way you|way it|name|other|result|direction|old one|former|latter)|your|how (?:you|it|"
        r"this)|what|a (?:button|page|new|script|test|function|list|table|chart|way)|an? \w+ (?:that|which|to)\b)",
        "A word on something in front of us"),
    cue("wish for the product", None, -3,
        r"\b(?:should|must|needs? to|has to|ought to) (?:also |just |probably |really )?(?:show|look|open|display|"
        r"say|read|turn|appear|disappear|close|scroll|have (?:a|an|the|more)|be (?:a |an |the )?(?:blue|red|green|"
        r"bigger|smaller|larger|bold|centered|centred|aligned|hidden|visible|disabled|clickable|done|ready|finished|"
        r"fixed|renamed|moved|added|removed|updated|rewritten|refactored|changed|merged|reverted|faster|able))\b",
        "A wish for the thing being built"),
    cue("happening", None, -2,
        r"\b(?:is|are|'s|'re) (?:still |now |just |already |currently |suddenly |all )?(?:failing|running|showing|"
        r"throwing|returning|crashing|hanging|breaking|giving|getting|complaining|looking|acting|behaving|spinning|"
        r"loading|blocking|waiting|taking)\b(?! (?:on|in|with|under|against|behind|as) )",
        "It is happening now"),
    cue("asks for a fix", None, -4,
        r"\b(?:please|and|then) (?:fix|undo|revert|redo|correct|repair)\b(?! (?:it |them )?(?:by|with|before))|"
        r"\b(?:fix|undo|revert|redo)(?: it| this| that)?,? please|, (?:fix|undo|revert) (?:it|this|that)\b|"
        r", (?:write|add|create) (?:the|a) \w+ for it|\bundo\b",
        "Something to put right now"),
    cue("about one answer", None, -4,
        r"\b(?:summary|explanation|overview|description|list|answer|reply|response|recap|comment|diff|review|plan|"
        r"draft) (?:of|to|for|on|about) (?:the|this|that|my|these|what)\b|"
        + LEAD + r"(?:that's|this is|it's|that is|that was) (?:a wall of text|(?:quite )?a lot\b|(?:way |far )?too "
        r"(?:long|much|verbose|wordy))",
        "It asks for one text"),
    cue("announces a step", None, -4,
        LEAD + r"let me\b(?! (?:review|decide|approve|know|see .* first))",
        "It announces a step", roles="u"),
    cue("a task for me or us", None, -3,
        r"\b(?:i|we|you)(?:'ll| will|'ve got| have| need| want|'d like|'re going| are going|'m going| should|"
        r" must)? (?:need |have |want |got |going )?to (?:fix|add|finish|rename|write|update|create|remove|delete|"
        r"refactor|implement|make|change|move|check|look|find|deploy|push|merge|revert|try|bump|port|migrate|review|"
        r"investigate|debug|clean|do|get|ship|release|talk|discuss|decide|figure|rewrite|test)\b(?!.*\b(?:every|each|"
        r"always|whenever|before|after|when|any)\b)|\bneeds? (?:fixing|updating|a fix|some|more|work|renaming|"
        r"cleaning|another)\b",
        "Something still to be done"),
    cue("only now", None, -4,
        r"^(?!.*" + ON_DAYS + r").*?(?:\bfor now\b|right now|just (?:this|for|now)\b|this (?:time|once)|(?<!from "
        r")(?<!of )(?<!before )(?<!until )(?<!since )\btoday\b(?! on\b)|"
        r"(?<!from )\btonight\b|(?<!from )\btomorrow\b(?! on\b)|(?<!told you )\byesterday\b|"
        r"(?<!from )this (?:morning|afternoon|evening|week|weekend|sprint|session|minute)\b|"
        r"at the moment|"
        r"momentarily|temporar\w+|in a (?:minute|sec|bit|moment)|for the (?:demo|moment|time being|meeting|"
        r"presentation)|(?:until|till) (?:monday|tuesday|wednesday|thursday|friday|then|tomorrow|the demo|i'm "
        r"back|we're back|"
        r"lunch)|\blater\b|\bmeanwhile\b|\basap\b|so far\b|a minute ago|an hour ago|just a sec|(?<!only )(?:on|by|"
        r"next|this|before|after) (?:monday|tuesday|wednesday|thursday|friday|saturday|sunday)\b"
        r"(?!s| (?:and|or|to|through|till|until|mornings?|afternoons?|evenings?|nights?)\b)|by eod|before lunch|"
        r"after lunch|while i|this once|one last time|just once|back in (?:a|5|10|five|ten)|"
        r"for the next (?:\w+ )?(?:minutes?|hours?|days?|while)|for an hour|just so you can)",
        "It holds only now"),
    cue("hypothetical", None, -6,
        r"\bwhat if\b|\bsuppos(?:e|ing)\b(?! to)|\bimagine\b|let's say|\bsay we\b|in theory|hypothetical\w*|"
        r"\bif (?:we|i|you|they|it|this|the \w+) (?:ever(?! see| get| hit|"
    r" need| run| want| touch| come| look)|were|had|did|wanted|"
        r"decided|went|used|moved|switched|could|chose|started|dropped|split|rewrote|was|turned|ran|grew)\b|"
        r"\bwould (?:get|kill|cost) me\b|\bmight\b|\bmaybe\b|\bperhaps\b|"
        r"(?<!that )(?<!which )\bcould (?:be|have|also|maybe|use|just|always|imagine|try|go|do|move|"
        r"switch|add|see)\b|\bwould (?:be|have|it|we|you|that|probably|love|need|make|mean|take|use|always|never|"
        r"cost|give|let|break|require|also|only|then|still)\b|wonder(?:ing)?\b|thinking (?:about|of)|\bconsidering\b|"
        r"toying|someday|some day|(?<!by )one day|eventually|\bideally\b|would've|not sure|no idea|\bi guess\b|"
        r"\bi suppose\b|\bi wish\b|hopefully|leaning (?:to|towards?)|in an ideal|a perfect world|assuming (?:we|that|"
        r"it)|pretend|for the sake of argument|thought experiment|playing with|can we|tempted|at some point|"
        r"down the road|we'd |i'd (?:probably|maybe|consider)|they'd|it'd",
        "Not so, or not yet"),
    cue("hedged", None, -2,
        r"(?<!now that )\bi think\b|\bprobably\b|\bi believe\b|\bseems?\b|\bi feel like\b|\bpossibly\b|\bi assume\b|"
        r"\bnot certain\b|\bsort of\b|\bas far as i know\b|\bafaik\b|\bmy guess\b|\blooks like\b|\bi'd guess\b|"
        r"\bmust have been\b|\bsuspect\b|\b(?:it|this|that|cause|failure|problem|issue|bug|error|which) may\b"
        r"(?! [^.;]{2,60}\b(?:now|from now on|again)\b)|\bif i recall\b|\biirc\b",
        "A guess"),
    cue("somebody else says", None, -4,
        r"^(?!.*,? so we\b).*?(?:"
        r"\b(?:the |its |their |his |her |a |an )?(?:docs?|documentation|readme|article|tutorial|blog(?: post)?|"
        r"ticket|error|message|logs?|comment|linter|book|spec|changelog|reviewer|manual|stack ?overflow|page|"
        r"customer|client|email|prompt|chatgpt|copilot|output|text|header|banner|sign|poster|slide|template|example|"
        r"old \w+|style guide|vendor|guide|faq|forum|tweet|talk|video|candidate|intern|bot|release notes|website|"
        r"paper)(?:'s)? (?:\w+ )?(?:says?(?! so\b)|said|claims?|"
    r"reads?(?! (?:it|that|this|them)\b)|states?|tells?|suggests?|mentions?|recommends?|"
        r"complains?|asks?|asked|wrote|writes|insists|goes(?=[,:])|promised?|told|advises)\b|\b(?:he|she|they|someone|"
        r"somebody|people|my (?:boss|colleague|manager|friend|lead|coworker)) (?:always |never |once |just |also |"
        r"often )?(?:says?|said|claims?|claimed|thinks?|thought|wrote|writes|told|asked|suggested|wants?|wanted|"
        r"likes?|swears?)\b|according to|supposedly|apparently|allegedly|it says\b|which says|that says|"
        r"(?<!legal )(?<!ops )(?<!security )(?<!finance )(?<!compliance )(?<!team )\b(?!(?:i|we) )[a-z]+ "
        r"(?:says(?! so\b)|"
        r"said|claims|claimed|insists|swears|reckons|told me|mentioned that|believes|argues)\b|\bsaying\b|says: |"
        r"quot(?:e|ing|ed)|reads: |i read (?:that|somewhere|about)|title(?:d)? |string |placeholder|the phrase|"
        r"the sentence|the words\b|the word(?= ['\"x])|labell?ed)",
        "Somebody else's words"),
    cue("about a person", None, -4, r"\b(?:he|she|his|her)\b|\bthey (?:always|never)\b", "It speaks of somebody else"),
    cue("a grumble", None, -3,
        r"\b(?:it|this|that|everything|something|nothing|code|software|computers?) (?:just |really )?(?:always|"
        r"never)\b|\balways (?:breaks?|fails?|forgets?|crash(?:es)?|happens|the same|like this|something|someone|"
        r"the one|in the way|late|a (?:mess|pain|problem|surprise|mystery))\b|\bnever (?:works?|happens|ends|"
        r"again will|meant|said|mind|in a million|stops)\b|\btakes? (?:me |us )?(?:ages|forever|hours)\b|"
        r"\bi (?:keep )?forget(?:ting)?\b|\bi (?:always|"
        r"never) (?:get|forget|confuse|mix|struggle|end up|lose|thought|said|meant|have to look|know|remember|"
        r"learned|understood|liked|got)\b",
        "A complaint, not a rule"),
    cue("off the subject", None, -4,
        r"\b(?:rainy|raining|sunny|the sun|"
        r"(?<!our )(?<!the )(?<!regional )(?<!head )(?<!local )(?<!main )(?<!branch )office|"
        r"lunch|coffee|beers?|weekend|weather|vacation|"
        r"holidays?|birthday|movie|"
        r"football|dinner|breakfast|cake|pizza|kids|cat|dog|sandwich|the lift|elevator|on (?:our|my) floor|my (?:fan|"
        r"chair|bike|train|bus|dentist|neighbou?r)|starving|hungry|degrees in here)\b",
        "It is not about the work"),
    cue("past ways", None, -3,
        r"\bused to (?:be|use|have|run|do|live|\w+)\b|\bback (?:then|in the)\b|in the old days|years ago|"
        r"last (?:year|month|week|time|night|sprint)|at my (?:last|old|previous|former)|\bi once\b|\bwhen i was\b|"
        r"previous(?:ly)? (?:job|employer|company)|old (?:job|company|employer)|originally",
        "How it was"),
    cue("what just happened", None, -3,
        r"\b(?:just|already) (?:pushed|ran|merged|deployed|restarted|finished|tested|saw|got|noticed|found|committed|"
        r"updated|tried|rebooted)\b|\bi (?:pushed|ran|merged|deployed|tested|restarted|rebooted|checked|looked|"
        r"opened|closed|clicked|updated|went|left|pasted|attached|got|see|noticed|saw)\b|\bi'm (?:seeing|getting|"
        r"looking|trying|working|stuck|done|back|confused|about|going|writing|running|testing|debugging)\b|"
        r"\bwe(?:'re| are) (?:seeing|getting|looking|trying|stuck|done|almost|about|nearly|still)\b|here(?:'s| is|"
        r" are) (?:the|a|my|an|what)|^(?:done|ok|okay|yes|yep|thanks|hi|hello|hey)[.!]*$|i've (?:pushed|merged|"
        r"attached|pasted|updated|got|been)|\bstill (?:getting|seeing|the same)\b|same error",
        "What just happened"),
    cue("state of now", None, -3,
        r"\b(?:is|are|looks?|seems?|was|were|went|stays?|came back) (?:now |all |still |back |finally |completely |"
        r"totally |mostly |just )?(?:green|red|done|ready|good|fine|ok|okay|broken|failing|wrong|weird|merged|nice|"
        r"better|great|perfect|clean|finished|passing|open|clear|odd|gone|happy|up|down|stuck|lovely|amazing|"
        r"interesting|fun|cool|tired|confusing|ugly|annoying)\b[.!,]?",
        "How it stands now"),
    cue("how it stood", None, -5, r"\b(?:was|were) (?:still |also )?(?:open|missing|left|due|next|pending)[.!]*$",
        "How it stood the last time", roles="u"),
    cue("it does this now", None, -1, LEAD + r"(?:it|this|that|there|they|he|she)\b", "Its subject is not named"),
    cue("object is a pronoun", None, -4, LEAD + r"(?:don't |do not |just |now |then )*" +
        r"(?:use|keep|leave|skip|"
        + TASKS[3:] +
        r" (?:it|this|that|them|these|those|him|her)\b(?! (?:first|before|\w+s\b))(?!.*\b(?:always|never|each time|"
        r"every time)\b)",
        "What to act on is only pointed at"),
    cue("there is nothing to keep", None, -3,
        r"\b(?:thank you|thanks|nice work|awesome|good luck|have a(?! (?:\w+ )?limit\b)|welcome back|"
        r"good morning|happy to)\b", "Courtesy"),
    cue("somebody's wish", None, -6,
        r"\bwants (?:a|an|another|some|more) (?:[\w-]+ ){0,2}(?:command|button|option|flag|list|page|report|export|"
        r"field|column|screen|filter|chart|table|view|script|endpoint)s?\b(?!.*\b(?:always|never|every|each|"
        r"because)\b)|"
        r"\bwould like to\b(?!.*\b(?:always|never|every time|each time|whenever)\b)|\bwants? to have from (?:me|us)\b|"
        r"\b(?:has |have )?(?:sent|forwarded|mailed|given) (?:me|us) (?:a|an|the|their|his|her|another)\b|"
        r"^in the [\w ]{2,50},? please \w+(?!.*\b(?:always|never|every|each)\b)|"
        r"\bin (?:\d+|two|three|five|ten|fifteen|twenty|thirty) minutes\b(?!.*\b(?:always|never|every|each)\b)",
        "What somebody wants now, or brought", roles="u"),
    cue("the next task", None, -6, LEAD +
        r"now,? (?:something new\b|(?:an?|another|the) (?:new |small |little )?(?:option|flag|command|route|endpoint|"
        r"button|page|test|script|table|column|field|helper|function|report|view|method|class|migration)\b"
        r"(?! (?:is|are|has|have|goes|lives|belongs|moved|stays|must|may|can|needs|runs|comes)\b)|"
        r"(?:get|post|put|patch|delete) /)(?!.*\b(?:always|never|from now on|every time)\b)|"
        r"^(?!.*\b(?:always|never|before|after|when|every|each)\b)[^,;:]{1,40}\band (?:then )?(?:commit|push|merge|"
        r"deploy)[.!]*$|"
        r"^(?!.*\b(?:always|never|before|after|when|every|each)\b).*\b(?:it|that|this|them|those|these),? (?:and )?"
        r"then (?:commit|push|merge|deploy)(?: it| that| them| everything)?\W*$",
        "What is to be done next", roles="u"),
    cue("nothing but trouble", None, -9,
        r"\b(?:is|are) (?:useless|nonsense|garbage|a mess)[.!]*$|\b(?:is|are) (?:[\w-]+ ){0,5}(?:wrong|off|late|short|"
        r"behind) since\b|"
        r"^(?:\S+ ){1,4}(?:can't|cannot|can not|couldn't|could not) be (?:right|true|correct)\W*$",
        "What somebody grumbles about, and gets mended", roles="u"),
    cue("report of trouble", None, -6,
        r"\bnever (?:comes? (?:out|up|back)|shows? up|arrives?|appears?|loads?|gets? (?:there|saved|written|"
        r"printed))\b|"
        r"\blooks? (?:silly|wrong|ugly|weird|odd|strange|broken|terrible|awful)\b|"
        r"\b(?:gets?|got|goes|go|went|is|are|comes?) (?:\w+ )?(?:lost|missing|deaf|stuck|slow|duplicated|doubled|"
        r"garbled|empty|blank|cut off|out of sync|mixed up)\b(?!.*\b(?:because|unless|so|which is why|known)\b)|"
        r"\b(?:sends?|mails?|gets?|got|books?|booked|charges?|charged|shows?|prints?|counts?|receives?|received|"
        r"posts?|is|are) (?:[\w']+ ){1,5}?(?:twice|two times)\b(?!.*\b(?:because|unless|so that|known)\b)|"
        r"(?<=\w )(?<!just )(?<!please )(?<!and )(?<!but )(?<!also )(?<!then )(?<!you )"
        r"(?:doesn't|don't|does not|do not|won't) (?:look (?:good|right)|show up|load|arrive|come through|respond)\b|"
        r"\b(?:fell over|fell down|blew up|died|broke down|went down|gave up(?! (?:the|his|her)\b)|(?:comes?|"
        r"arrives?) in late)\b|"
        r"\b(?:it|this|that) (?:breaks|crashes|refuses|stops|complains|hangs)\W*$|"
        r"\b(?:refuses?|rejects?|drops?|loses?|fails?) (?:[\w-]+ ){1,4}since (?:last|this|yesterday|(?:mon|tues|"
        r"wednes|thurs|fri|satur|sun)day)\b|"
        r"\bno [\w ]{2,40} (?:for|since) (?:hours|days|weeks|(?:mon|tues|wednes|thurs|fri|satur|sun)day)\b",
        "Trouble that somebody is about to look into", roles="u"),
    cue("report of a failure", None, -1,
        r"\b(?:got|getting|throws|threw|shows|showed|shows up|failed|crashed|exited|broke|gives me|gave me|stopped)\b",
        "A report of what went wrong once"),
))  # fmt: skip

AGENT_DOUBTS = Cues((
    cue("the agent's own plan", None, -4,
        r"\b(?:i'll|i will|let me|i'm going to|i can|now i|next,? i|i'm|shall i|would you like|happy to|i need to|"
        r"i should|i could|let's|we could|we can|you could|you can|you may want|you might|want me to|next steps?|"
        r"to do this|here's|here is|feel free|first,|if you'd like|if you want|i recommend|i suggest|i'd)\b",
        "A plan or an offer", roles="a"),
    cue("what the agent did", None, -3,
        r"^(?:i've|i have|i just|i (?:added|updated|changed|fixed|created|removed|ran|wrote|moved|renamed|refactored|"
        r"replaced|checked|looked|read|found|made|set|see|implemented|verified))\b|^(?:done|fixed|added|updated|"
        r"created|removed|now|all|looking|running|checking|reading|good|great|perfect|sure|ok|okay|got it|understood|"
        r"you're right|right|yes|no|sorry|apologies|excellent)\b[,.!:]?|\bthe tests? (?:pass|now|are|is)|tests pass|"
        r"passes now|successfully|as requested|as you asked|summary of",
        "A report of its own work", roles="a"),
    cue("general knowledge", None, -2,
        r"\b(?:typically|usually|in general|commonly|generally|best practice|is a (?:popular|common|powerful|good|"
        r"great)|often used|allows you|lets you|the usual (?:remedy|way|cause|fix|cure)|provides a|can be used|makes "
        r"it easy|easier to)\b",
        "A lesson for anybody", roles="a"),
))  # fmt: skip
"""What speaks against a sentence of the agent."""
