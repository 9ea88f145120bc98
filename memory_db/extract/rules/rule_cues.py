"""Cues of corrections, standing rules and preferences: rows of data, no code."""

from __future__ import annotations

from memory_db.extract.rules.aside_cues import TOLD_ASIDE
from memory_db.extract.rules.patterns import ADVERB, LEAD, cue
from memory_db.extract.rules.task_words import FORM, FREE_CLAUSE, ON_DAYS, TASKS
from memory_db.extract.rules.unmarked_cues import UNMARKED

CORRECTIONS = (
    cue("opens with no", "correction", 2,
        r"^(?:no|nope|nah|wrong|stop|hey|wait|hold on|ugh|argh|whoa|woah|not|hm+(?!\W+(?:ok|okay|yes|yeah|right|fine|"
        r"good|sure|nice|interesting)\b))\b[,.!:;]?\s",
        "The sentence rejects what was just done", after=True, roles="u"),
    cue("told before", "correction", 4,
        r"\bi(?:'ve| have)? (?:already |just )?(?:told (?:you|it|that|this)|said|asked (?:you|for)|mentioned|"
        r"explained)\b|(?:^|[,;] )told you\b|how (?:many times|often) (?:do|did|must|should|will|have|has|am|are|can) |"
        r"\b(?:as|like) i (?:said|told|mentioned)|^again[:,]|once again\b|(?:second|third|fourth|fifth|\d+(?:nd|rd|"
        r"th)) time (?:today|now|this|you|in)|for the (?:second|third|fourth|last|umpteenth|nth) time|"
        r"you keep \w+ing|you forgot|yet again|same mistake|we('ve)? (?:talked about|been over|discussed)",
        "It was said before", roles="u"),
    cue("stop doing", "correction", 3, LEAD +
        r"(?:stop|quit|no more|enough with|lay off)\s+(?:\w+ing\b|the\b|with\b|\w+s\b)",
        "A habit of the agent is to end", roles="u"),
    cue("not like that", "correction", 2,
        r"that(?:'s| is| was)(?: not| wrong|n't)|not like that|isn't (?:how|what|where|the way)|that(?:'s| is) not|"
        r"wrong (?:way|place|approach|tool|command|one|file|branch)|not the (?:way|right)|you got .{1,30} wrong|"
        r"you misunderst",
        "What was done is not how it is done", after=True, roles="u"),
    cue("none of that", "correction", 4, LEAD +
        r"none of (?:that|this|those|these|your)\b(?!.*\b(?:is|are|was|were|has|have|had|did|does|do|works?|"
        r"pass(?:es)?|fails?|helps?|ran|runs?)\b)",
        "What was done is not wanted", after=True, roles="u"),
    cue("you did", "correction", 2,
        r"\bwhy (?:did|do|are|would) you\b|\byou(?:'ve| have)? (?:just |again |still )?(?:used|put|added|changed|"
        r"wrote|made|called|ran|imported|hard-?coded|deleted|removed|created|broke|left|missed|mocked|assumed|edited|"
        r"touched|committed|pushed|skipped|installed|invented|dropped|named|swallowed|picked|wrapped|generated|"
        r"reformatted|disabled)\b",
        "It names what the agent did", after=True, roles="u"),
    cue("actually", "correction", 1, r"^actually\b|\bactually\b", "It sets something right", after=True, roles="u"),
    cue("forbids after action", "correction", 2, LEAD +
        r"(?:don't|do not|never|avoid|no need for)\b|\bplease (?:don't|do not|never|avoid)\b|\b(?:mustn't|must not|"
        r"shouldn't|not supposed to)\b|[.;] (?:don't|never)\b",
        "A prohibition right after an action", after=True, roles="u"),
    cue("contrast after action", "correction", 1,
        r",? not (?!sure|yet|only|just)\w+|instead of|rather than|\binstead\b",
        "This and not that, right after an action", after=True, roles="u"),
)  # fmt: skip

STANDING = (
    cue("remember", None, 3,
        LEAD +
        r"(?:remember|note|keep in mind|bear in mind|don't forget|be aware|make a note|take note|fyi|psa|heads[- ]up|"
        r"for the record|for (?:future )?reference|for next time|for context|important|rule|"
        r"(?:be )?careful (?:with|about)|"
        r"reminder(?=[:,.!]| that|"
        r" to|$)|good to know|"
        r"worth knowing|save this|write this down|for the future)\b(?! (?:when|how|if|where|why|who)\b)|"
        r"\b(?:please (?:remember|mind|note|bear in mind)|keep in mind|bear in mind|for future reference)\b|"
        r"\b(?:do )?mind that\b",
        "It asks to be kept"),
    cue("from now on", "convention", 3,
        r"from (?:now|here|today) on|henceforth|going forward|in future|in the future|by default|as a rule|in general|"
        r"generally speaking|\bevery time\b|each time|\bwhenever\b|any ?time|at all times|until further notice|"
        r"no exceptions|without exception|rule of thumb|house rule|the rule (?:is|here)|no matter what|"
        r"under no circumstances|across the board|standing order|for (?:all|any) (?:future|new)|as always",
        "It holds beyond today", votes=2),
    cue("always or never", "convention", 2, r"\b(?:always|never)\b", "It holds every time", votes=1),
    cue("must or must not", "convention", 1,
        r"\b(?:must|should|shall|has to|have to|needs to be|need to be|ought to|is to be|are to be|"
        r"supposed to)\b(?! have\b)",
        "An obligation", votes=1),
    cue("not allowed", "convention", 2,
        r"must not|mustn't|shouldn't|should not|may not|nothing new should|not allowed|isn't allowed|aren't allowed|"
        r"forbidden|off[- ]limits|hands off|sacred|out of bounds|banned|not permitted|is a no-go|not welcome|no-no|"
        r"not acceptable|is frozen|read-only",
        "A prohibition"),
    cue("whenever, then", "convention", 2,
        LEAD + r"(?:when|whenever|before|after|once|if|unless|until|for every|for each|for any|for new)\b[^?]{3,80},|"
        r"\bbefore (?:you |we |every |each |any |a |touching|telling|saying|claiming|committing|pushing|merging|"
        r"releasing|deploying|editing|changing|adding|commits?\b|push\b|merg|releas|deploy)|\bafter (?:every|each|"
        r"any|changing|editing|adding|touching)\b|\bwhen(?:ever)? (?:you|we|adding|changing|writing|naming|touching|"
        r"editing|creating|reviewing|debugging|deploying)\b|\bunless\b|\bif you (?:touch|change|add|edit|need|see|"
        r"are|rename)",
        "A rule with its condition"),
    cue("on this, that", "convention", 2,
        LEAD +
        r"(?:if|when|whenever|unless|until|before|once) [^,?]{6,110}, (?:please |then |always |never |just |"
        r"rather |don't |do not )*"
        r"(?:use|keep|ask|tell|show|take|leave|put|write|run|make|add|give|say|stop|check|wait|let|mark|name|pick|go|"
        r"do|call|send)\b",
        "What to do on a condition", roles="u"),
    cue("a polite wish", "convention", 2, r"\bkindly (?!" + TASKS + r"\b)[a-z]", "What is wished for", roles="u"),
    cue("of whoever", "convention", 3, LEAD +
        r"(?:whoever|everybody who|everyone who|anyone who|anybody who|those who|whatever(?! the| it| they| we| you))"
        r" (?:\w+s|has|have|is|are|does|do|wants?|comes?) [^?]{6,}$|" + LEAD + FREE_CLAUSE +
        r"[^?]*$",
        "A rule for whatever is so", roles="u"),
    cue("on which day", "domain", 3, ON_DAYS, "What is done on a day of the week", roles="u"),
    cue("sets a form", "convention", 6, LEAD + FORM, "How something is written", votes=1, roles="u"),
    cue("no more than", "convention", 3,
        r"\band (?:no more\b(?! than|\s+\w+s\b)|not (?:a single |one )(?:one )?more\b)|" + LEAD +
        r"(?:at most|no more than|not more than|never more than) [\w.]+ \w+",
        "A limit", roles="u"),
    cue("permits", "convention", 2,
        r"\b(?:you|u) (?:may|can|are allowed to) (?!see|imagine|go on|continue|proceed|start|guess|tell|ignore|"
        r"skip|close|merge it)\w+",
        "It permits something", votes=1, roles="u"),
    cue("labelled", None, 2,
        LEAD +
        r"(?:(?:for|about|on|as for) (?:the |our |your |my |all )?|the |our |my |all )?"
        r"(?!(?:if|elif|else|while|try|except|def|class|return|with|case|for \w+ in)\b|(?:\w+ )?(?:here|errors?|"
        r"logs?|trace|output|mail|message|update|edit|example|sentry|e\.g|note|ps|question|idea|title|"
        r"text|story|joke|guess|thing|todo|next|then|now|first|second|last|this|that|it)\b)"
        r"[a-z][\w-]*(?: [a-z][\w-]*){0,2}: (?!x{4})[\w'\"`]",
        "It says of what it is, and then what holds", roles="u"),
    cue("by the way", None, 2,
        r"\b(?:btw|by the way|incidentally|so you know|just so you know)\b",
        "It is told beside the task", roles="u"),
    cue("every or all", "convention", 1,
        r"\b(?:all|every|each|any|everything|anything|nothing|nobody|none|both|no one|everywhere|anywhere)\b",
        "It speaks of all of them", votes=0),
    cue("use this not that", "convention", 3,
        r"\b(?:use|prefer|go through|stick (?:to|with)|reach for|via|through|with|as|in|is|are|get|"
        r"gets)\b[^.?!]{1,60}(?:, not|; not|\bnot (?:the|a|with|via|in|by|from|as|through|to)\b|\binstead of\b|"
        r"\brather than\b|, never\b|\bover (?!the|time|all|and|here)\w+)",
        "One thing is preferred to another", votes=2),
    cue("everywhere in it", "convention", 2,
        r"(?<=\w )everywhere(?=[,;:.]+ \w| (?!i\b|else\b)\w)|(?<=\w )everywhere\W*$",
        "It holds wherever it occurs", votes=3),
    cue("only", "convention", 1,
        r"\bonly\b|\bexclusively\b|\bnothing but\b|\bjust the one\b",
        "A restriction", votes=0),
    cue("forbids", "convention", 2, LEAD +
        r"(?:don't|do not|never|avoid|no)\s+(?!(?:worry|bother|forget|idea|problem|rush|need|matter|wonder|thanks|"
        r"hurry|way|wait|i|it|that|this|not|we|you|but|no|because|sorry)\b|ask\W*$)\w+|[,;:] "
        r"(?:don't|do not|never|avoid|no)\s+(?!ask(?:\W*$|[.!]))\w+|^(?:and |but |so )?you (?:don't|do not|dont|never) "
        r"(?:clean|touch|change|rename|remove|delete|add|fix|move|edit|commit|push|merge|deploy|install|run|start|open|"
        r"write|"
        r"reformat|refactor|tidy|rewrite|upgrade|bump|invent|guess)\b|\bplease (?:don't|never|avoid)",
        "An imperative that forbids", roles="u"),
    cue("imperative", "convention", 1,
        LEAD +
        r"(?:use|keep|prefer|put|write|name|run|treat|make sure|ensure|stick|leave|go through|commit|pin|wrap|test|"
        r"log|skip|assume|default|follow|ask|check|mark|prefix|store|target|format|squash|sort|group|spell|call|work|"
        r"stay|be)\b",
        "An imperative", votes=1, roles="u"),
    cue("generic object", "convention", 1,
        LEAD +
        r"(?:don't |do not |never |always |please |avoid )*(?:use|keep|prefer|put|write|name|run|treat|commit|pin|"
        r"wrap|test|log|skip|mark|prefix|store|format|squash|mock|add|create|import|edit|touch|throw|catch|return|"
        r"leave|push|merge|rebase)(?:ting|ing)? (?:[\w-]+ ){0,2}(?!this\b|was\b|is\b|as\b|us\b)[a-z][\w-]{2,}s\b",
        "An imperative about things in general", votes=1, roles="u"),
    cue("we do", "convention", 3,
        r"(?<!should )(?<!can )(?<!could )(?<!do )(?<!did )(?<!shall )(?<!if )\bwe(?:'re| are)? " + ADVERB
        +
        r"(?!(?:are )?(?:going|will|could|should|might|need|had|can|did|was|were|just|ever|got|have|would|may|saw|"
        r"went|ran|agreed|talked|said|discussed|spoke|tried|decided|chose|picked|settled|moved|switched|dropped|lost|"
        r"met|took|came|gave|spent|thought|bought|heard|felt|found|know|see|want|think|hope|wait|look|start|"
        r"go)\b)(?!\w+(?:ed|ing)\b)[a-z]\w+",
        "What we do, in the present tense", votes=2, roles="u"),
    cue("people here", "convention", 2,
        r"\b(?:everyone|everybody|people here|the (?:whole )?team|our team|nobody|no one|contributors|reviewers|devs|"
        r"developers|"
        r"customers|users|legal|ops|security|finance|compliance|support|marketing|qa|design)\b " + ADVERB +
        r"(?:here )?(?:\w+s|use|expect|want|need|read|rely|insist|require|run|depend)\b",
        "What people here do or want", votes=1, roles="u"),
    cue("in this project", "convention", 2,
        r"\b(?:in|for|across|throughout|within|inside|on) (?:this|our|the whole|the entire) (?:\w+ )?(?:repo|"
        r"repository|project|codebase|code ?base|package|service|app|team|house|library|monorepo|company|shop)\b|"
        r"around here|(?<!in )(?<!from )\bhere\b[.!]?$|\bthis (?:repo|repository|project|codebase|package|service|"
        r"app|library|monorepo|shop)\b|\bin this one\b",
        "It speaks of this project"),
    cue("things in general", "convention", 2,
        LEAD +
        r"(?!this |these |those |the |there |his |tests? (?:are|is) (?:green|red))(?:all |most |new |public |"
        r"private |internal |shared |our |failed |big |large |long )?(?:[a-z][\w-]* ){0,2}[a-z][\w-]+s (?:here |"
        r"always |never |only |all |should |must )*(?:are|aren't|have|need|get|go|use|start|end|take|return|come|"
        r"stay|live|run|carry|default|belong|don't|do not|must|should|can't|cannot|may|keep|contain|follow|expire|"
        r"share|hold|mean|want|require|talk|pass)\b",
        "A statement about things of a kind", votes=1),
    cue("our", None, 1, r"\bour\b|\bours\b", "It speaks of what is ours"),
    cue("reason", None, 1,
        r"\bbecause\b|\bsince\b|\bso that\b|\botherwise\b|\bor else\b|\bdue to\b|the reason|which is why|that's why|"
        r"\bto avoid\b|in order to|\bso (?:we|it|the|that|nobody|they|you|everything|nothing|i|no|don't)\b|"
        r"reason being|\bfor (?:audit|legal|compliance|performance|security) ",
        "It gives a reason"),
    cue("technical token", None, 1,
        r"`|[\w.-]+/[\w./-]+|\b\w+\.(?:py|js|ts|tsx|go|rs|sql|ya?ml|json|toml|md|sh|rb|java|css|html|env|lock|cfg|"
        r"ini)\b|\b\w+_\w+\b|--[a-z]\w+|\b[a-z]+\(\)|:\d{4,5}\b|\bport \d+|\b\d+\.\d+(?:\.\d+)?\b|\b\d+ ?(?:ms|mb|gb|"
        r"kb|s|seconds?|minutes?|hours?|days?|chars?|characters|columns|rows|lines|percent|%|cents)(?:\b|$)",
        "It names something exactly"),
)  # fmt: skip

PREFERENCES = (
    cue("I like", "preference", 4,
        r"\bi(?: also| really| strongly| much| generally| usually| always| still| personally| absolutely|"
        r" do)* (?:prefer|hate|dislike|can't stand|cannot stand|appreciate|care (?:about|more)|don't (?:like|want|"
        r"care|trust)|like|enjoy|insist|detest|loathe|expect|value|trust|find (?:it|them|\w+ing|\w+s)|(?:always|only|"
        r"never) want|want (?:to see|to know|to review|all|every|only|no|(?!\w*[_\d])\w+s\b)|am a fan)\b|\bi(?:'d|"
        r" would)(?: much| always| really)* (?:rather|prefer|appreciate)\b|i'm (?:not )?(?:a (?:big )?fan|allergic|"
        r"picky|fussy|old[- ]fashioned|a stickler|fine with|ok with|not into)|drives me|bugs me|annoys me|"
        r"my pet peeve|pet peeve|my preference|works best for me|easier for me|makes me|my taste|helps me|"
        r"confuses me|my liking",
        "What the user likes or not", votes=5, roles="u"),
    cue("how I work", "behaviour", 3,
        r"\bi (?:usually|normally|typically|mostly|tend to|only|always|never|often|rarely|sometimes|work|read|review|"
        r"live|do most|do my|do all|keep|use|run|code|sketch|commit in|test by|think in|start by|start with|"
        r"check .{1,20} (?:every|before|in the)|deploy|batch|rebase|squash|skim|go through|switch|share|copy|"
        r"paste)\b(?! (?:this|it)\b)|\bi(?:'m| am) (?:on|using|based|in|not a|a|an|left|colou?r|deaf|dyslexic|new to|"
        r"usually|mostly|at|more of|still learning|fluent|away|out)\b|\bmy (?:editor|shell|terminal|machine|laptop|"
        r"timezone|time zone|os|keyboard|screen|name|role|background|setup|day job|workflow|eyes|english|german|"
        r"working hours|mornings?|afternoons|hours|habit|routine|first language|native|main|default|dotfiles|diffs?|"
        r"reviews?|team|manager|phone|browser|work|dev box|day|week)\b",
        "How the user works", roles="u"),
    cue("how I read you", "preference", 4,
        r"\bi (?:keep |always |usually |mostly |only |can only )*(?:read(?:ing)?|skim(?:ming)?|look at|have|see) "
        r"(?:you (?:in|on|through|from|between|next to)\b|your (?:\w+ )?(?:answers?|paragraphs?|repl(?:y|ies)|"
        r"messages?|texts?|output|words)\b)",
        "How the user reads the agent", roles="u"),
    cue("how to talk to me", "preference", 2,
        r"\b(?:(?<!not )(?<!n't )(?<!who )(?<!in the )answers?|repl(?:y|ies)|responses?|explanations?|"
        r"summar(?:y|ies)|recaps?|emojis?|apolog\w+|preambles?|"
        r"small talk|bullet points?|bullets|tone|plain (?:language|english)|verbose|concise|brief|terse|to the point|"
        r"flattery|exclamation marks?|jargon|walls? of text|hand-?holding|tl;?dr|pleasantries|filler|wordy|"
        r"straight to|headings|spare me|be blunt|push back|challenge me|just the (?:code|diff|command|answer)|"
        r"no need to (?:explain|repeat|apologi[sz]e|ask)|when you (?:explain|write to me|report|"
        r"talk to me|tell me)|give me (?:the )?(?:options|pros|numbers)|"
        r"praise|compliments|lectur\w+|explain|paragraphs|in a table|code first|links to|walk me through|"
        r"summari[sz]e|recap|in (?:english|german|french|spanish|dutch|italian|polish))\b(?!\.\w|\()",
        "How the agent is to talk", votes=3, roles="u"),
    cue("ask me first", "preference", 4,
        r"\bask (?:me )?(?:first|before)|(?:check|confirm|clear it|verify) with me|wait for (?:my|me)\b|"
        r"without (?:asking|my|"
        r"checking|telling|permission)|let me (?:review|decide|see .* (?:first|before)|approve)|run it by me|"
        r"get my (?:ok|approval|go)|my go-ahead|my say-so|i'll do the|i (?:make|do|write) (?:the|all|my|"
        r"those)(?: own)? |(?:is|are) mine\b|"
        r"\bi (?!(?:can|could|may|might|had|have|was|did|saw|see|looked|look|checked|check|tried|found|find|heard|read|"
        r"know|knew|think|thought|wonder|asked|ask|am|forget|\w+ed)\b)(?:\w+ ){1,4}(?<! in )(?<! of )(?<! to )(?<! at )"
        r"myself\b|\b(?:is|are) (?:mine|my (?:job|business|part)) (?:to|alone)\b|"
        r"\bi(?:'m| am) the (?:only )?one (?:who|that)\b|\bonly i (?:may|can|am)\b|\bnobody (?:else )?but me\b|"
        r"leave (?:the "
        r")?\w+ to me|show me .{1,40}(?:before|first)|tell me (?:before|when|if|what|why)|ask rather than|ask instead|"
        r"don't guess|unless i (?:ask|say|tell)|until i (?:say|ask|approve|tell)|i(?:'ll| will) (?:commit|push|merge|"
        r"review|deploy|decide)|one (?:thing|step|change|question|commit) at a time|only when i",
        "What the user decides", votes=5, roles="u"),
    cue("conduct", "preference", 2,
        r"\b(?:commits?|committing|pushing|push|pull requests?|prs?|branch(?:es)?|diffs?|comments?|docstrings?|"
        r"commit messages?|small steps|small(?:er)? (?:commits|diffs|changes|prs)|refactor\w*|drive-by|reformat\w*|"
        r"over-?engineer\w*|abstractions?|todos?|placeholders?|guess\w*|assum\w+|subagents?|web search|plan|"
        r"code blocks?|full files?|snippets?)\b",
        "How the agent is to work", votes=1, roles="u"),
    cue("everywhere I work", "preference", 2,
        r"all (?:of )?my (?:projects|repos|code)|in every (?:project|repo)|any (?:project|repo)|"
        r"(?:^|[,;:–-] ?|\band |\bhere )everywhere"
        r"(?!,? (?:in|on|at) (?:all|every|each|the) (?!(?:of )?(?:my|our|projects?|repos?)\b))|(?<!\w(?:ed|re|"
        r"en|ls) )everywhere(?: i\b| else|\W*$)|for me\b|"
        r"with me\b|when (?:talking|working|pairing) (?:to|with) me",
        "It holds for the user, wherever", roles="u"),
    cue("holds everywhere", "preference", 4,
        r"\b(?:goes|holds|counts|is true|a rule) (?:for|in) (?:all|every|any|each)\b.{0,16}\b(?:projects?|repos?|"
        r"repositories|codebases?)\b",
        "The user says that it holds everywhere", roles="u"),
)  # fmt: skip

RULE_CUES = CORRECTIONS + STANDING + PREFERENCES + UNMARKED + TOLD_ASIDE
