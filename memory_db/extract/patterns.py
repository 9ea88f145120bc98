"""The cues of knowledge, and what speaks against it: rows of data, no code.

A cue is looked for in one sentence (lower case, code and quotations blanked).
Its points add up; the points that carry a kind also vote for that kind. So a
sentence is judged by everything it shows, and not by one trigger word.
"""

from __future__ import annotations

import re
from typing import NamedTuple


class Cue(NamedTuple):
    """One readable sign in a sentence, and how much it counts.

    `votes`: how much it speaks for its kind, which need not be how much it
    speaks for keeping. `after_action`: only when the agent has just done
    something. `roles`: whose sentences it is looked for in, `u`ser and `a`ssistant.
    """

    name: str
    kind: str | None
    points: int
    pattern: re.Pattern[str]
    description: str
    votes: int
    after_action: bool = False
    roles: str = "ua"


def cue(
    name: str,
    kind: str | None,
    points: int,
    pattern: str,
    description: str,
    *,
    votes: int | None = None,
    after: bool = False,
    roles: str = "ua",
) -> Cue:
    """A row of the tables below; it votes with its points unless said otherwise."""
    return Cue(name, kind, points, re.compile(pattern), description, points if votes is None else votes, after, roles)


ADVERB = r"(?:also |always |never |only |usually |generally |normally |typically |all |just |still |now |really |deliberately |intentionally |strictly |actually )*"
LEAD = r"^(?:(?:and|but|so|also|btw|by the way|oh|well|ok|okay|right|please|no|nope|actually|hey|listen|look|sorry|yes|yeah|wait|hold on|stop|hey|hm+|ugh|nah|wrong|again)[,:;.!]*\s+)*"
NOUN = r"[\w`./'-]+"
STATIVE = (
    r"(?:is|are|isn't|aren't|has|have|needs?|requires?|expects?|uses?|runs?|lives?|sits?|holds?|stores?|contains?|owns?|"
    r"handles?|wraps?|talks? to|calls?|imports?|reads?|writes?|emits?|publish(?:es)?|consumes?|mirrors?|maps?|points?|"
    r"returns?|takes?|keeps?|tracks?|generates?|covers?|feeds?|drives?|depends?|comes?|goes|go|belongs?|means?|stands?|"
    r"refers?|listens?|connects?|starts?|ends?|wants?|accepts?|rejects?|allows?|forbids?|supports?|treats?|gets?|stays?|"
    r"does(?:n't)?|don't|do not|does not|never|always|only|cannot|can't|must|should|may|silently|ignores?|expires?|limits?|"
    r"counts?|includes?|excludes?|serves?|builds?|deploys?|ships?|speaks?|assumes?|follows?|resets?|caches?|rounds?|"
    r"strips?|drops?|breaks?|fails?|times out|hangs?|lags?|sends?|receives?|polls?|syncs?|picks?|falls|defaults?|"
    r"sorts?|groups?|applies|apply|turns?|matters?|equals?|differs?|works?)"
)

CORRECTIONS = (
    cue("opens with no", "correction", 2, r"^(?:no|nope|nah|wrong|stop|hey|wait|hold on|ugh|argh|whoa|woah|hm+|not)\b[,.!:;]?\s",
        "The sentence rejects what was just done", after=True, roles="u"),
    cue("told before", "correction", 4,
        r"\bi(?:'ve| have)? (?:already |just )?(?:told|said|asked|mentioned|explained)\b|how (?:many times|often) |"
        r"\b(?:as|like) i (?:said|told|mentioned)|^again[:,]|once again\b|for the (?:second|third|fourth|last|umpteenth|nth)"
        r" time|you keep \w+ing|you forgot|yet again|same mistake|we('ve)? (?:talked about|been over|discussed)",
        "It was said before", roles="u"),
    cue("stop doing", "correction", 3, LEAD + r"(?:stop|quit|no more|enough with|lay off)\s+(?:\w+ing\b|the\b|with\b|\w+s\b)",
        "A habit of the agent is to end", roles="u"),
    cue("not like that", "correction", 2,
        r"that(?:'s| is| was)(?: not| wrong|n't)|not like that|isn't (?:how|what|where|the way)|that(?:'s| is) not|"
        r"wrong (?:way|place|approach|tool|command|one|file|branch)|not the (?:way|right)|you got .{1,30} wrong|you misunderst",
        "What was done is not how it is done", after=True, roles="u"),
    cue("you did", "correction", 2,
        r"\byou(?:'ve| have)? (?:just |again |still )?(?:used|put|added|changed|wrote|made|called|ran|imported|hard-?coded|"
        r"deleted|removed|created|broke|left|missed|mocked|assumed|edited|touched|committed|pushed|skipped|installed|"
        r"invented|dropped|named|swallowed|picked|wrapped|generated|reformatted|disabled)\b",
        "It names what the agent did", after=True, roles="u"),
    cue("actually", "correction", 1, r"^actually\b|\bactually\b", "It sets something right", after=True, roles="u"),
    cue("forbids after action", "correction", 2, r"(?<!i )(?<!we )\b(?:don't|do not|never|avoid|must not|mustn't|shouldn't|not supposed to|no need for)\b",
        "A prohibition right after an action", after=True, roles="u"),
    cue("contrast after action", "correction", 1, r",? not (?!sure|yet|only|just)\w+|instead of|rather than|\binstead\b",
        "This and not that, right after an action", after=True, roles="u"),
)  # fmt: skip

STANDING = (
    cue("remember", None, 3,
        LEAD + r"(?:remember|note|keep in mind|bear in mind|don't forget|be aware|make a note|take note|fyi|psa|heads[- ]up|"
        r"for the record|for (?:future )?reference|for next time|for context|important|rule|reminder|good to know|worth knowing)\b"
        r"(?! (?:when|how|if|where|why|who)\b)|\b(?:please remember|keep in mind|for future reference)\b",
        "It asks to be kept"),
    cue("from now on", "convention", 3,
        r"from (?:now|here|today) on|going forward|in future|in the future|by default|as a rule|in general|generally speaking|"
        r"\bevery time\b|each time|\bwhenever\b|any ?time|at all times|until further notice|no exceptions|without exception|"
        r"rule of thumb|house rule|the rule (?:is|here)|no matter what|under no circumstances|across the board|standing order|"
        r"for (?:all|any) (?:future|new)|as always",
        "It holds beyond today", votes=2),
    cue("always or never", "convention", 2, r"\b(?:always|never)\b", "It holds every time", votes=1),
    cue("must or must not", "convention", 1,
        r"\b(?:must|should|shall|has to|have to|needs to be|need to be|ought to|is to be|are to be|supposed to)\b(?! have\b)",
        "An obligation", votes=1),
    cue("not allowed", "convention", 2,
        r"must not|mustn't|shouldn't|should not|may not|not allowed|isn't allowed|aren't allowed|forbidden|off[- ]limits|"
        r"hands off|sacred|out of bounds|banned|not permitted|is a no-go|not welcome|no-no|not acceptable|is frozen|read-only",
        "A prohibition"),
    cue("whenever, then", "convention", 2,
        LEAD + r"(?:when|whenever|before|after|once|if|unless|until|for every|for each|for any|for new)\b[^?]{3,80},|"
        r"\bbefore (?:you |we |every |each |any |a |committing|pushing|merging|releasing|deploying|commits?\b|push\b|merg|"
        r"releas|deploy)|\bafter (?:every|each|any|changing|editing|adding|touching)\b|\bwhen(?:ever)? (?:you|we|adding|"
        r"changing|writing|naming|touching|editing|creating|reviewing|debugging|deploying)\b|\bunless\b|\bif you (?:touch|change|add|edit|need|see|are|rename)",
        "A rule with its condition"),
    cue("every or all", "convention", 1, r"\b(?:all|every|each|any|everything|anything|nothing|nobody|none|both|no one|everywhere|anywhere)\b",
        "It speaks of all of them", votes=0),
    cue("use this not that", "convention", 3,
        r"\b(?:use|prefer|go through|stick (?:to|with)|reach for|via|through|with|as|in|is|are|get|gets)\b[^.?!]{1,60}"
        r"(?:, not|; not|\bnot (?:the|a|with|via|in|by|from|as|through|to)\b|\binstead of\b|\brather than\b|, never\b|\bover (?!the|time|all|and|here)\w+)",
        "One thing is preferred to another", votes=2),
    cue("only", "convention", 1, r"\bonly\b|\bexclusively\b|\bnothing but\b|\bjust the one\b", "A restriction", votes=0),
    cue("forbids", "convention", 2, LEAD + r"(?:don't|do not|never|avoid|no)\s+(?!worry|bother|forget|idea|problem|rush|need|matter|wonder|thanks|hurry|way)\w+|"
        r"[,;:] (?:don't|do not|never|avoid|no)\s+\w+|\bplease (?:don't|never|avoid)",
        "An imperative that forbids", roles="u"),
    cue("imperative", "convention", 1,
        LEAD + r"(?:use|keep|prefer|put|write|name|run|treat|make sure|ensure|stick|leave|go through|commit|pin|wrap|test|log|"
        r"skip|assume|default|follow|ask|check|mark|prefix|store|target|format|squash|sort|group|spell|call|work|stay|be)\b",
        "An imperative", votes=1, roles="u"),
    cue("generic object", "convention", 1,
        LEAD + r"(?:don't |do not |never |always |please |avoid )*(?:use|keep|prefer|put|write|name|run|treat|commit|pin|wrap|test|"
        r"log|skip|mark|prefix|store|format|squash|mock|add|create|import|edit|touch|throw|catch|return|leave|push|merge|rebase)(?:ting|ing)? "
        r"(?:[\w-]+ ){0,2}(?!this\b|was\b|is\b|as\b|us\b)[a-z][\w-]{2,}s\b",
        "An imperative about things in general", votes=1, roles="u"),
    cue("we do", "convention", 3,
        r"(?<!should )(?<!can )(?<!could )(?<!do )(?<!did )(?<!shall )(?<!if )\bwe(?:'re| are)? " + ADVERB
        + r"(?!(?:are )?(?:going|will|could|should|might|need|had|can|did|was|were|just|ever|got|have|would|may|saw|went|ran|"
        r"agreed|talked|said|discussed|spoke|tried|decided|chose|picked|settled|moved|switched|dropped|lost|found|know|see|want|think|hope|wait|look|start|go)\b)"
        r"(?!\w+(?:ed|ing)\b)[a-z]\w+",
        "What we do, in the present tense", votes=2, roles="u"),
    cue("people here", "convention", 2,
        r"\b(?:everyone|everybody|people here|the (?:whole )?team|our team|nobody|no one|contributors|reviewers|devs|developers|"
        r"customers|users|legal|ops|security|finance|compliance|support|marketing|qa|design)\b " + ADVERB + r"(?:here )?(?:\w+s|use|expect|want|need|read|rely|insist|require|run|depend)\b",
        "What people here do or want", votes=1, roles="u"),
    cue("in this project", "convention", 2,
        r"\b(?:in|for|across|throughout|within|inside|on) (?:this|our|the whole|the entire) (?:\w+ )?(?:repo|repository|project|codebase|"
        r"code ?base|package|service|app|team|house|library|monorepo|company|shop)\b|around here|(?<!in )(?<!from )\bhere\b[.!]?$|"
        r"\bthis (?:repo|repository|project|codebase|package|service|app|library|monorepo|shop)\b|\bin this one\b",
        "It speaks of this project"),
    cue("things in general", "convention", 2,
        LEAD + r"(?!this |these |those |the |there |his |tests? (?:are|is) (?:green|red))(?:all |most |new |public |private |internal |shared |our |failed |big |large |long )?(?:[a-z][\w-]* ){0,2}[a-z][\w-]+s "
        r"(?:here |always |never |only |all |should |must )*(?:are|aren't|have|need|get|go|use|start|end|take|return|come|stay|live|run|carry|default|belong|don't|do not|must|should|can't|cannot|may|keep|contain|follow|expire|share|hold|mean|want|require|talk|pass)\b",
        "A statement about things of a kind", votes=1),
    cue("our", None, 1, r"\bour\b|\bours\b", "It speaks of what is ours"),
    cue("reason", None, 1,
        r"\bbecause\b|\bsince\b|\bso that\b|\botherwise\b|\bor else\b|\bdue to\b|the reason|which is why|that's why|\bto avoid\b|"
        r"in order to|\bso (?:we|it|the|that|nobody|they|you|everything|nothing|i)\b|\bfor (?:audit|legal|compliance|performance|security) ",
        "It gives a reason"),
    cue("technical token", None, 1, r"`|[\w.-]+/[\w./-]+|\b\w+\.(?:py|js|ts|tsx|go|rs|sql|ya?ml|json|toml|md|sh|rb|java|css|html|env|lock|cfg|ini)\b|"
        r"\b\w+_\w+\b|--[a-z]\w+|\b[a-z]+\(\)|:\d{4,5}\b|\bport \d+|\b\d+\.\d+(?:\.\d+)?\b|\b\d+ ?(?:ms|mb|gb|kb|s|seconds?|minutes?|hours?|days?|chars?|characters|columns|rows|lines|percent|%|cents)(?:\b|$)",
        "It names something exactly"),
)  # fmt: skip

PREFERENCES = (
    cue("I like", "preference", 4,
        r"\bi(?: also| really| strongly| much| generally| usually| always| still| personally| absolutely| do)* (?:prefer|hate|dislike|can't stand|cannot stand|appreciate|care (?:about|more)|don't (?:like|want|care|trust)|like|enjoy|insist|detest|loathe|expect|value|trust|"
        r"find (?:it|them|\w+ing|\w+s)|(?:always|only|never) want|want (?:to see|to know|to review|all|every|only|no|\w+s\b)|am a fan)\b|\bi(?:'d| would)(?: much| always| really)* (?:rather|prefer|appreciate)\b|"
        r"i'm (?:not )?(?:a (?:big )?fan|allergic|picky|fussy|old[- ]fashioned|a stickler|fine with|ok with|not into)|"
        r"drives me|bugs me|annoys me|my pet peeve|pet peeve|my preference|works best for me|easier for me|makes me|my taste|helps me|confuses me|my liking",
        "What the user likes or not", votes=5, roles="u"),
    cue("how I work", "behaviour", 3,
        r"\bi (?:usually|normally|typically|mostly|tend to|only|always|never|often|rarely|sometimes|work|read|review|live|do most|do my|"
        r"do all|keep|use|run|code|sketch|commit in|test by|think in|start by|start with|check .{1,20} (?:every|before|in the)|deploy|batch|"
        r"rebase|squash|skim|go through|switch|share|copy|paste)\b(?! (?:this|it)\b)|\bi(?:'m| am) (?:on|using|based|in|not a|a|an|left|colou?r|deaf|dyslexic|new to|usually|mostly|at|more of|still learning|fluent|away|out)\b|"
        r"\bmy (?:editor|shell|terminal|machine|laptop|timezone|time zone|os|keyboard|screen|name|role|background|setup|day job|workflow|"
        r"eyes|english|german|working hours|mornings?|afternoons|hours|habit|routine|first language|native|main|default|dotfiles|diffs?|reviews?|team|manager|phone|browser|work|dev box|day|week)\b",
        "How the user works", roles="u"),
    cue("how to talk to me", "preference", 3,
        r"\b(?:answers?|repl(?:y|ies)|responses?|explanations?|summar(?:y|ies)|recaps?|emojis?|apolog\w+|preambles?|small talk|bullet points?|bullets|"
        r"tone|plain (?:language|english)|verbose|concise|brief|terse|to the point|flattery|exclamation marks?|jargon|walls? of text|"
        r"hand-?holding|tl;?dr|pleasantries|filler|wordy|straight to|headings|spare me|be blunt|push back|challenge me|just the (?:code|diff|command|answer)|no need to (?:explain|repeat|apologi[sz]e|ask)|when you explain|give me (?:the )?(?:options|pros|numbers)|praise|compliments|lectur\w+|explain|paragraphs|in a table|code first|links to|walk me through|in (?:english|german|french|spanish|dutch|italian|polish))\b",
        "How the agent is to talk", roles="u"),
    cue("ask me first", "preference", 4,
        r"\bask (?:me )?(?:first|before)|(?:check|confirm|clear it|verify) with me|wait for my|without (?:asking|my|checking|telling|permission)|"
        r"let me (?:review|decide|see .* (?:first|before)|approve)|run it by me|get my (?:ok|approval|go)|my go-ahead|my say-so|i'll do the|i (?:make|do|write) (?:the|all|my|those)(?: own)? |(?:is|are) mine\b|\bmyself\b|"
        r"leave (?:the )?\w+ to me|show me .{1,40}(?:before|first)|tell me (?:before|when|if|what|why)|ask rather than|ask instead|don't guess|unless i (?:ask|say|tell)|until i (?:say|ask|approve|tell)|i(?:'ll| will) (?:commit|push|merge|review|deploy|decide)|one (?:thing|step|change|question|commit) at a time|only when i",
        "What the user decides", votes=5, roles="u"),
    cue("conduct", "preference", 2,
        r"\b(?:commits?|committing|pushing|push|pull requests?|prs?|branch(?:es)?|diffs?|comments?|docstrings?|commit messages?|small steps|"
        r"small(?:er)? (?:commits|diffs|changes|prs)|refactor\w*|drive-by|reformat\w*|over-?engineer\w*|abstractions?|todos?|placeholders?|guess\w*|"
        r"assum\w+|subagents?|web search|plan|code blocks?|full files?|snippets?)\b",
        "How the agent is to work", votes=1, roles="u"),
    cue("everywhere I work", "preference", 2, r"all (?:of )?my (?:projects|repos|code)|in every (?:project|repo)|any (?:project|repo)|everywhere|for me\b|with me\b|when (?:talking|working|pairing) (?:to|with) me",
        "It holds for the user, wherever", roles="u"),
)  # fmt: skip

DECISIONS = (
    cue("let's go with", "decision", 3,
        r"\blet'?s (?:just )?(?:go with|stick with|stay with|stay on|settle|switch to|move to|drop|adopt|standardi[sz]e|go for|not|"
        r"keep|use|call|do .+ instead)\b|\bgo with\b|\bgoing with\b|\bended up (?:with|using|on|choosing)|\bwe(?:'ll| will) (?:be )?(?:us(?:e|ing)|keep|stay|stick|go|ship|host|store|run|build|support|stop)|\b(?:it|then) is (?:it|then)\b|^[\w.-]+ it is\b|\bsticking with\b|\bmade up (?:my|our) minds?|we(?:'re| are) going (?:with|to stay|with)|i(?:'ll| will) go with",
        "A choice is made", votes=6),
    cue("we decided", "decision", 4,
        r"\b(?:we|i|team|they|the team|everyone|management|legal|security|ops|architects?|board|product)(?:'ve| have|'re| has)?(?: just| all| finally| already| both| now| also)* "
        r"(?:decided|agreed|chose|chosen|picked|settled|opted|standardi[sz]ed|ruled out|rejected|ditched|voted|committed to|"
        r"signed off|retired|deprecated|abandoned|gave up on|landed on|went (?:with|for|back to)|moved (?:\w+ ){0,4}(?:to|off|away|from|out|over)|switched|dropped|migrated|replaced|killed|"
        r"converged|kept|split|froze|parked|postponed|deferred|bet on|said (?:no|yes) to)\b",
        "A choice was made", votes=6),
    cue("we are changing", "decision", 4, r"\b(?:we|we're|we are)(?: now| also)? (?:switching|moving|migrating|dropping|replacing|standardi[sz]ing|retiring|staying|sticking)\b", "A change that is under way", votes=6),
    cue("the decision", "decision", 4,
        r"\b(?:the |our |final )?(?:decision|verdict|ruling|conclusion|consensus|agreement)(?: is| was| on|:| from)|decided (?:on|to|against|that)|it's settled|"
        r"it's decided|is (?:decided|final|settled)\b|won out|is the winner|the winner is|got the nod|was (?:chosen|picked|selected|rejected|dropped|ruled out|turned down)|"
        r"out of scope|is not going to happen|won't (?:be )?support|no longer (?:support|use|need)\w*|is deprecated|in favou?r of|made the call|going to stay|"
        r"beats? (?:the|a|any|\w+ing)|is worth it|not worth (?:the|it)|is (?:off the table|on hold|parked|dead)|final answer|we're done with|instead of \w+ing our own",
        "A choice is stated", votes=4),
    cue("chosen over", "decision", 2, r"\b(?:over|instead of|rather than|in place of)\b.{1,60}\b(?:because|since|so|as|for)\b|\b(?:chose|picked|choose|went with|use|using|kept|keep)\b.{1,60}\b(?:because|since|so that|as it)\b",
        "A choice with its reason", votes=5),
)  # fmt: skip

FACTS = (
    cue("port, host or version", "environment", 2,
        r"\bport\b.{0,12}\d|:\d{4,5}\b|\blocalhost\b|\bv?\d+\.\d+\.\d+\b|\b(?:python|node|postgres\w*|java|ruby|go|php|sqlite|redis|django|rails|react|"
        r"mysql|ubuntu|debian|macos|xcode|gcc|rust|npm|docker|kubernetes|terraform|elasticsearch|kafka|typescript|swift|kotlin|jdk|\.net|pg|angular|vue) ?v?\d+",
        "A port, host or version", votes=3),
    cue("environment", "environment", 2,
        r"\b(?:staging|production|prod|ci|dev box|sandbox|qa|uat|preview env\w*|servers?|cluster|vpn|proxy|runners?|docker|containers?|kubernetes|k8s|"
        r"bucket|registry|laptop|mac|macos|linux|windows|arm|m1|env(?:ironment)? vars?|environment variables?|\.env|credentials|"
        r"api keys?|certificates?|cron(?:tab| ?job)?|timezone|locale|gpu|swap|replica|read replica|nightly|vm|vault|bastion|jump host|vpc|firewall|systemd|nginx|"
        r"homebrew|brew|wsl|dns|smtp|s3|aws|gcp|azure|heroku|github actions|gitlab|jenkins|mirror|snapshots?|deploys?|pipeline|homelab|raspberry|emulator|simulator|mailhog|minio|localstack)\b",
        "It speaks of the environment", votes=2),
    cue("runs on", "environment", 2,
        r"\b(?:runs?|listens?|hosted|deployed|deploys|builds|served|connects?|logs? in|reachable|mounted|exposed|installed|answers|bound) "
        r"(?:on|at|in|with|under|against|from|to|via|behind|through|as|only)\b",
        "Where or with what something runs"),
    cue("how to run", "environment", 2,
        r"\b(?:run|start|rebuild|regenerate|seed|deploy|reset|launch|boot|invoke|open|tunnel|log in|connect|build|test|refresh|bring up|spin up|trigger)\w*\b.{1,50}\b(?:with|via|by|using|through) (?:`|the |a |make|npm|just)|"
        r"\bthe (?:\w+ ){0,2}command (?:is|for)|\bto (?:\w+ ){1,5}?(?:\w+,? )(?:you |we )?(?:run|use|call) |`x+` (?:runs|starts|builds|gives|regenerates|brings|boots|rebuilds|does|spins|seeds|resets|prints|wipes|deploys)\b|"
        r"\bis set (?:in|to|by|via)\b|\bcomes? from\b|is read from",
        "How something is run or set", votes=3),
    cue("needs", "environment", 2,
        r"(?<!i )(?<!you )(?<!we )(?<!just )\b(?:needs|requires|expects|depends on|relies on|only works|works only|won't (?:start|build|run|work|boot|compile)|doesn't (?:start|build|run|compile)|assumes|must be (?:set|running|installed|up|on)|has to be (?:set|running|installed|up|on)|needs? to be (?:set|running|installed|up|on))\b",
        "What something needs"),
    cue("lives in", "structure", 3,
        r"\b(?:belong|belongs|live|lives|sit|sits|reside|resides|go(?! to)|goes) (?:in|into|under|to|at|on|with|next|inside|behind|beside|alongside|through|below|outside|there|here)\b|"
        r"\b(?:is|are|isn't|aren't) (?:in|under|inside|at|below) (?:`|the \w+ (?:folder|directory|module|package|file|table|schema|repo)|[\w.-]+/)|"
        r"\b(?:can be )?found (?:in|under)\b|\bend up in\b",
        "Where something is", votes=4),
    cue("is kept so", "structure", 2,
        r"\b(?:is|are|gets?|isn't|aren't) (?:\w+ly |only |never |always |all )?(?:defined|stored|kept|declared|generated|located|implemented|mounted|registered|configured|"
        r"handled|written|read|loaded|built|computed|derived|wired|created|owned|managed|maintained|documented|cached|split|organi[sz]ed|"
        r"grouped|named|versioned|vendored|checked in|auto-?generated|encoded|represented|validated|enforced|sorted|keyed|indexed|partitioned|"
        r"encrypted|hashed|rounded|truncated|limited|capped|reserved|shared|append-only|immutable|idempotent|nullable|unique|optional|required|"
        r"stateless|denormali[sz]ed|soft-?deleted|archived|synced|replicated|tested|signed|assigned|measured|expressed|counted|billed|charged|issued|calculated|priced|scoped|bundled|mapped|routed|shipped|pinned|populated|filled|serialized|squashed|tagged|published|released|mocked)\b",
        "How something is made or kept"),
    cue("part of the system", "structure", 1,
        r"\b(?:entry ?point|source of truth|single place|the only place|modules?|package|folder|directory|layer|tables?|schema|columns?|config(?:uration)?|"
        r"middleware|handlers?|router?s?|service|workers?|queue|endpoints?|api|sdk|client|frontend|backend|webhooks?|migrations?|models?|fixtures?|"
        r"plugins?|hooks?|registry|repository|helpers?|wrapper|adapter|gateway|scheduler|daemon|importer|parser|loader|store|database|db|view|components?|tests?|suite|index|job|ids?|timestamps?|keys?|field|enum|flag|event|payload|logs?|cache|session|token|type|file|script|template|report|dataset|crate|binary|lib)\b",
        "It names a part of the system", votes=1),
    cue("states a fact", "structure", 2,
        LEAD + r"(?!this |that |it |there |i |you |he |she |we |they |these |those |what |how |why |who |if |when |let)(?:the |our |a |an |all |every |each |both |any |no |most |only )?"
        rf"(?:{NOUN} ){{1,5}}?{STATIVE}\b",
        "A statement in the present tense about a thing", votes=0),
    cue("means", "domain", 4,
        r"(?<!that )(?<!which )(?<!it )(?<!this )(?<!i )(?<!you )\bmeans?\b(?! (?:we|you|i|it|that we) )|stands for|(?:is )?short for|refers? to|what we call|(?:is|are) called|we (?:call|say)\b|is our (?:word|name|term)|"
        r"in our (?:world|domain|business|terms|lingo|speak|language)|is defined as|counts? as|is considered|(?:is|are)(?:n't| not) the same|(?:is|are) the same|as opposed to|"
        r"\baka\b|a\.k\.a|\bterm\b|glossary|synonym|by \S+ we mean|abbreviation|acronym|in .{3,15} parlance|nickname|codename|code name",
        "What a word means", votes=6),
    cue("a thing is", "domain", 2,
        LEAD + r"(?:an?|one|each|every|any) ['\"`]?(?:[\w-]+['\"`]? ){1,3}(?:is|isn't|has|can|belongs|may|cannot|can't|gets|must|consists|covers|contains|spans|never|always|expires|becomes|starts|ends|holds|counts|owns)\b",
        "What one of a kind is or has", votes=1),
    cue("business", "domain", 1,
        r"\b(?:customers?|orders?|invoices?|accounts?|tenants?|shipments?|refunds?|subscriptions?|members?|patients?|bookings?|prices?|tax|vat|payments?|"
        r"carts?|baskets?|suppliers?|merchants?|policy|policies|contracts?|fiscal|quarter|business day|working day|cents|currency|ledger|statement|"
        r"warehouse|sku|products?|students?|courses?|donations?|donors?|passengers?|trips?|inventory|billing|discounts?|vouchers?|credit notes?|parcels?|deliver(?:y|ies)|depots?|carriers?|deals?|settlement\w*|payouts?)\b",
        "It speaks of the business", votes=2),
)  # fmt: skip

TROUBLE = (
    cue("odd behaviour", "quirk", 3,
        r"\b(?:silently|surprisingly|weirdly|oddly|quirks?|quirky|gotchas?|caveat|beware|watch out|be careful|trap|for some reason|"
        r"ignores?|swallows?|strips|truncates|rounds|eats|lies|lying|misleading|undocumented|off by|case[- ](?:in)?sensitive|chokes|barfs|gets confused|"
        r"throttles|without (?:an |any )?(?:error|warning)|no error|even (?:if|though|when)|counter-?intuitive\w*|picky|finicky|"
        r"lags?|out of order|duplicates|mangles?|normali[sz]es|coerces|reorders|half[- ]?open|zero-based|1-based|one-based|eventual\w*)\b|"
        r"\b(?:doesn't|does not|don't|do not|won't|can't) (?:actually )?(?:support|work|respect|honou?r|handle|like|play|cope|understand|pick up|reload|notice|see|flush|release|count|include|escape|propagate|follow|accept|return|preserve|retry|fire|sort|close|cascade)\b|"
        r"returns? .{1,40}(?:even|when|if|for)\b|\b(?:reads|returns|gives|treats|parses|sorts|counts|sees|writes|loads|stays|keeps|shows|reports) .{3,60} unless\b|\bonly (?:accepts|returns|fires|counts|sees|reads|works|allows|keeps|gives)\b|\b(?:has|have) to be (?:restarted|cleared|rebuilt|warmed)",
        "Unexpected behaviour", votes=4),
    cue("known trouble", "issue", 3,
        r"\b(?:known (?:issue|bug|problem|limitation)s?|flak(?:y|ey|es|iness)|still broken|bug in|open bug|leaks?|leaking|memory leak|unreliable|deadlocks?|race condition|intermittent\w*|"
        r"occasionally|sporadic\w*|randomly|every (?:so often|few|other)|workaround|tech(?:nical)? debt|unresolved|upstream (?:bug|issue)|regression|"
        r"crash(?:es)?|times out|timing out|fails? (?:on|when|if|in|about|sometimes|every|under|with|for|unless|the first)|hangs?|breaks? (?:on|when|if|in|under|with|for)|"
        r"doesn't work|(?:don't|do not|does not) work|not working|no fix yet|not fixed|nobody knows why|still (?:fails|leaks|crashes|hangs|happens)|can't handle|falls over|blows up|goes down|gets stuck|(?:is|are|gets?|very|too|so|painfully) slow|oom|out of memory|corrupts?)\b",
        "A known problem", votes=4),
    cue("sometimes", "issue", 1, r"\b(?:sometimes|often|now and then|once in a while|on mondays|under load|at night|overnight)\b", "It happens now and then"),
    cue("did not work", "failure", 4,
        r"\b(?:tried|attempted|experimented)\b.{1,90}\b(?:but|didn't|doesn't|fail\w*|no |not|worse|slow\w*|broke|wouldn't|crash\w*|couldn't|and it|too|went back|revert\w*|undid|gave up|dropped)|\bdidn't (?:work|help|fix|scale|pan out)|does(?:n't| not) help|no luck|"
        r"dead end|to no avail|made (?:it|things|everything) (?:worse|slower)|backfired|gave up|bit us|burned us|burnt us|went badly|was a mistake|"
        r"(?:blew|fell) (?:up|over|apart)|reverted|rolled (?:it |that |this )?back|had to (?:revert|roll back|undo|back out)|backed (?:it )?out|was a disaster|not an option|doesn't scale|won't work|is a non-starter|never worked|unusable|worse than",
        "An approach that did not work", votes=6),
    cue("cause or cure", "fix", 4,
        r"\b(?:fixed (?:it |this |that )?(?:by|with|it)|the (?:\w+ )?(?:fix|cure|solution|culprit|trick|cause|actual problem|real problem|remedy|answer) (?:is|was|turned out|were|for|here)|"
        r"root cause|turn(?:s|ed) out|caused by|was causing|solved (?:it |this |that )?(?:by|with)|cured|went away (?:after|once|when)|goes away|works (?:now |again |fine )?(?:after|once|when|if) |resolved (?:it |this )?by|"
        r"did the trick|(?:that|which|this) (?:fixed|solved|fixes|cures)|the (?:problem|issue|bug|reason|error|failure|crash|hang|leak|slowdown|mismatch|deadlock|flake)(?: \w+){0,4} (?:was|is|came|comes) (?:that|because|a|an|the|due|from|caused|in|how|down)|it was (?:the|a|an|because|due|caused)|"
        r"came down to|boil\w* down to|traced (?:it )?(?:to|back)|fix(?:es)? (?:it|the|that|this)|\w+(?:ing|ed) .{3,60} (?:fixed|solved|cured|resolved|fixes|solves|made it (?:pass|work)|helped|unblocked)|"
        r"if .{2,50}\b(?:stops?|fails?|hangs?|complains|breaks|refuses|doesn't|won't|can't|(?:is|gets|are) stuck|crash(?:es)?|times out) ?.{0,40}, (?:just )?[a-z]+ |if (?:it|you (?:see|get|hit)|the|that) .{3,60}, (?:run|delete|clear|restart|rebuild|remove|set|bump|kill|reinstall|just|drop|prune|recreate))\b",
        "A cause or a cure", votes=6),
)  # fmt: skip

CUES = CORRECTIONS + STANDING + PREFERENCES + DECISIONS + FACTS + TROUBLE
"""Every cue that speaks for a memory."""
