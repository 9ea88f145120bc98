"""Cues of decisions, facts and troubles: rows of data, no code."""

from __future__ import annotations

from memory_db.extract.rules.patterns import LEAD, NOUN, STATIVE, cue

IN_CHARGE = (
    cue("is in charge", "domain", 5,
        r"\b(?!(?:it|that|this|there|who|what|which|everybody|nobody|one)\b)[a-z]{2,} (?:has|takes|gets|runs|does|"
        r"keeps|owns|looks after|is on|covers|minds)(?: over)? (?:the|our|my|his|her|their|all(?: the)?) "
        r"[\w' -]{2,30}?\b(?:till|until|while|for (?:him|her|the (?:time|next|rest|summer|winter))|from "
        r"(?:now|next|tomorrow|\w+day)|"
        r"since|as long as|in the meantime)\b|"
        r"^(?:(?:that is|that's) (?:correct|right|true), |(?:yes|right|and|so|but|ok),? )?"
        r"(?!(?:it|that|this|there|who|what|which|everybody|nobody|one|he|she|i|we|you|they)\b)[a-z]{2,} "
        r"(?:looks after|takes care of|is responsible for|is in charge of|has the say over) (?!it\b|that\b|"
        r"this\b)[a-z]|"
        r"\b(?:stands|steps|fills) in for (?:him|her|them|[a-z]{2,})\b|\btak(?:es|ing) over (?:from|for) [a-z]{2,}|"
        r"\b(?:has|have|gets) the (?:last |final )?(?:word|say) (?:on|in|over|about)\b|"
        r"\bwhat (?:things|it|they|(?:a |the )?\w+) costs? (?:says|decides|sets|is (?:said|decided|set) by) \w+|"
        r"\b(?:is|are|gets?) (?:decided|set|approved|signed off|reviewed|typed in|maintained) (?:only )?by "
        r"(?!the\b|an?\b|hand\b|default\b|it\b|us\b|me\b|you\b)[a-z]{2,}\b(?=.*\b(?:nobody|no one|alone|only)\b|\W*$)|"
        r"\b(?:is|are|stays?) (?!it'?s\b|that'?s\b|what'?s\b)[a-z]{2,}'?s (?:decision|call|job|business|number)\b|"
        r"\bgo(?:es)? over (?:his|her|[a-z]+'?s) desk\b|"
        r"\b(?:is|'s|s|has been|stays) (?:out|away|off sick|on leave|not (?:here|back|in)) (?:till|until|before|"
        r"for the (?:rest|next|time))\b|"
        r"\bthat(?:'s|s| is) one for (?!me\b|you\b|us\b|later\b|the\b|another\b|tomorrow\b)[a-z]{2,}|"
        r"\b(?:since|from) [\w ]{2,20}? (?!it\b|that\b|this\b|we\b|i\b|you\b|they\b)[a-z]{2,} (?:drives|reviews|"
        r"releases|deploys|decides|handles|signs|sells)\b",
        "Somebody is responsible"),
)  # fmt: skip

DECISIONS = (
    cue("let's go with", "decision", 3,
        r"\blet'?s (?:just )?(?:go with|stick with|stay with|stay on|settle|switch to|move to|drop|adopt|"
        r"standardi[sz]e|go for|not|keep|use|call|do .+ instead)\b|(?<!to )\bgo with\b|\bgoing with\b|"
        r"\bended up (?:with|using|on|choosing)|\bwe(?:'ll| will) (?:be )?(?:us(?:e|ing)|keep|stay|stick|go|ship|host|"
        r"store|run|build|"
        r"support|stop)|\b(?:it|then) is (?:it|then)\b|^[\w.-]+ it is\b|"
        r"^(?:(?:so|then|ok(?:ay)?|well|right)[, ]+)+(?!(?:what|how|as|that|where|which|like|who|why|all|if|here) )"
        r"(?:[\w.:-]+ ){1,3}it is(?:,? then)?[.!]*$|\bsticking with\b|\bmade up (?:my|"
        r"our) minds?|we(?:'re| are) going (?:with|to stay|with)|i(?:'ll| will) go with",
        "A choice is made", votes=6),
    cue("we decided", "decision", 4,
        r"\b(?:we|i|team|they|the team|everyone|management|legal|security|ops|architects?|board|product)(?:'ve| have|"
        r"'re| has)?(?: just| all| finally| already| both| now| also)* (?:decided|agreed|chose|chosen|picked|settled|"
        r"opted|standardi[sz]ed|ruled out|rejected|ditched|voted|committed to|signed off|retired|deprecated|"
        r"abandoned|gave up on|landed on|went (?:with|for|back to)|moved (?:\w+ ){0,4}(?:to|off|away|from|out|over)|"
        r"switched|dropped|migrated|replaced|killed|converged|kept|split|froze|parked|postponed|deferred|bet on|"
        r"said (?:no|yes) to)\b",
        "A choice was made", votes=6),
    cue("as agreed", "decision", 3,
        r"as (?:you |we )?(?:approved|agreed|decided|discussed|requested by you)|you approved|settled on|reasons?: |"
        r"(?:chose|picked) .{1,60} (?:because|over|since)",
        "It was agreed"),
    cue("we are changing", "decision", 4,
        r"\b(?:we|we're|we are)(?: now| also)? (?:switching|moving|migrating|dropping|replacing|standardi[sz]ing|"
        r"retiring|staying|sticking)\b",
        "A change that is under way", votes=6),
    cue("the decision", "decision", 4,
        r"\b(?:the |our |final )?(?:decision|verdict|ruling|conclusion|consensus|agreement)(?: is| was| on|:| from)|"
        r"decided (?:on|to|against|that)|it's settled|it's decided|is (?:decided|final|settled)\b|won out|"
        r"is the winner|the winner is|got the nod|was (?:chosen|picked|selected|rejected|dropped|ruled out|"
        r"turned down)|out of scope|(?<!mail )(?<!sun )(?<!release )(?<!message )(?<!letter )\b(?:is|are) out\b|"
        r"forget about|we stay (?:on|with)|we ship with|"
        r"we (?:all )?agreed|got rid of|convinced me|is not going to happen|won't (?:be )?support|"
        r"no longer (?:support|use|need)\w*|is deprecated|in favou?r of|made the call|going to stay|beats? (?:the|a|"
        r"any|\w+ing)|is worth it|not worth (?:the|it)|is (?:off the table|on hold|parked|dead)|final answer|"
        r"we're done with|instead of \w+ing our own",
        "A choice is stated", votes=4),
    cue("chosen over", "decision", 2,
        r"\b(?:over|instead of|rather than|in place of)\b.{1,60}\b(?:because|since|so|as|for)\b|\b(?:chose|picked|"
        r"choose|went with|use|using|kept|keep)\b.{1,60}\b(?:because|since|so that|as it)\b",
        "A choice with its reason", votes=5),
)  # fmt: skip

FACTS = (
    cue("port, host or version", "environment", 2,
        r"(?<=\w) [a-z][\w-]*(?:\.[\w-]+){1,4}\."
        r"(?:example|com|net|org|io|dev|local|lan|internal|cloud|de|fr|uk|be|nl|ch|at|eu)\b(?![/@])|"
        r"\bport\b.{0,12}\d|:\d{4,5}\b|\blocalhost\b|\bv?\d+\.\d+\.\d+\b|\b(?:python|node|postgres\w*|java|ruby|go|"
        r"php|sqlite|redis|django|rails|react|mysql|ubuntu|debian|macos|xcode|gcc|rust|npm|docker|kubernetes|"
        r"terraform|elasticsearch|kafka|typescript|swift|kotlin|jdk|\.net|pg|angular|vue) ?v?\d+",
        "A port, host or version", votes=3),
    cue("at what time", "environment", 6,
        r"\b(?:begins|starts|runs|kicks off|goes out|fires|closes|opens|is due|is exported|is imported|is made|is read|"
        r"comes in|come in|are due|go out|run|start|begin|close|open) (?:(?:every|each) [\w-]+ |daily |nightly )?"
        r"at (?:about |around )?(?:[01]?\d|2[0-3])[:.][0-5]\d\b(?! (?:today|tomorrow|tonight))",
        "The time of day at which something happens", votes=4),
    cue("who may what", "domain", 4,
        r"\b(?:the|our|all|only) (?:[\w-]+ )?[a-z]+(?:s|ers|ors|men|staff|team|desk|support|"
        r"people) may (?:only |also )?"
        r"(?!be\b|have\b|not be\b|well\b|need\b|want\b|also be\b)[a-z]+ .*\b(?:until|till|only|once|within|"
        r"before|unless|"
        r"without|up to|at most|for (?:up to )?\d)\b",
        "What some people are allowed", votes=5),
    cue("put a version on", "environment", 4,
        r"\b(?:put|installed|upgraded|updated|bumped|moved) (?:[\w-]+ ){0,2}v?\d+(?:\.\d+)+ (?:on|to|onto) "
        r"(?:(?:the|our|my) )?(?:[\w-]+ )?(?:box|server|machine|host|pc|runner|cluster|laptop|vm|vps)\b|"
        r"\b(?:box|server|machine|host|pc|runner|cluster|laptop|vm|vps) (?:now )?(?:has|runs|got) (?:[\w-]+ ){0,2}"
        r"v?\d+(?:\.\d+)+ now\b",
        "Another version on a machine", votes=3),
    cue("environment", "environment", 2,
        r"\b(?:staging|production|prod|ci|dev box|sandbox|qa|uat|preview env\w*|servers?|cluster|vpn|proxy|runners?|"
        r"docker|containers?|kubernetes|k8s|bucket|registry|laptop|mac|macos|linux|windows|arm|m1|"
        r"env(?:ironment)? vars?|environment variables?|\.env|credentials|api keys?|certificates?|cron(?:tab| ?job)?|"
        r"timezone|locale|gpu|swap|replica|read replica|nightly|vm|vault|bastion|jump host|vpc|firewall|systemd|"
        r"nginx|homebrew|brew|wsl|dns|smtp|s3|aws|gcp|azure|heroku|github actions|gitlab|jenkins|mirror|snapshots?|"
        r"deploys?|pipeline|homelab|raspberry|emulator|simulator|mailhog|minio|localstack)\b",
        "It speaks of the environment", votes=2),
    cue("runs on", "environment", 2,
        r"\b(?:runs?|listens?|hosted|deployed|deploys|builds|served|connects?|logs? in|reachable|mounted|exposed|"
        r"installed|answers|bound) (?:on|at|in|with|under|against|from|to|via|behind|through|as|only)\b",
        "Where or with what something runs"),
    cue("how to run", "environment", 2,
        r"\b(?:run|start|rebuild|regenerate|seed|deploy|reset|launch|boot|invoke|open|tunnel|log in|connect|build|"
        r"test|refresh|bring up|spin up|trigger)\w*\b.{1,50}\b(?:with|via|by|using|through) (?:`|the |a |make|npm|"
        r"just)|\bthe (?:\w+ ){0,2}command (?:is|for)|\bto (?:\w+ ){1,5}?(?:\w+,? )(?:you |we )?(?:run|use|call) |"
        r"`x+` (?:runs|starts|builds|gives|regenerates|brings|boots|rebuilds|does|spins|seeds|resets|prints|wipes|"
        r"deploys)\b|\bis set (?:in|to|by|via)\b|\bcomes? from\b|is read from",
        "How something is run or set", votes=3),
    cue("needs", "environment", 2,
        r"(?<!i )(?<!you )(?<!we )(?<!just )\b(?:needs|requires|expects|depends on|relies on|only works|works only|"
        r"won't (?:start|build|run|work|boot|compile)|doesn't (?:start|build|run|compile)|assumes|must be (?:set|"
        r"running|installed|up|on)|has to be (?:set|running|installed|up|on)|needs? to be (?:set|running|installed|"
        r"up|on))\b",
        "What something needs"),
    cue("lives in", "structure", 3,
        r"(?!(?<=to )go with\b)\b(?:belong|belongs|live|lives|sit|sits|reside|resides|go(?! to| on(?:$|[.,;!]| with|"
        r" and))|"
        r"goes) (?:in|into|under|to|at|on|with|next|"
        r"inside|behind|beside|alongside|through|below|outside|there|here)\b|\b(?:is|are|isn't|aren't) (?:in|under|"
        r"inside|at|below) (?:`|the \w+ (?:folder|directory|module|package|file|table|schema|repo)|[\w.-]+/)|"
        r"\b(?:can be )?found (?:in|under)|(?:the )?entry ?point (?:is|of)|single source of truth|is the live one|"
        r"(?:isn't|is) read from\b|\bend up in\b",
        "Where something is", votes=4),
    cue("is kept so", "structure", 2,
        r"\b(?:is|are|gets?|isn't|aren't) (?:\w+ly |only |never |always |all )?(?:defined|stored|kept|declared|"
        r"generated|located|implemented|mounted|registered|configured|handled|written|read|loaded|built|computed|"
        r"derived|wired|created|owned|managed|maintained|documented|cached|split|organi[sz]ed|grouped|named|"
        r"versioned|vendored|checked in|auto-?generated|encoded|represented|validated|enforced|sorted|keyed|indexed|"
        r"partitioned|encrypted|hashed|rounded|truncated|limited|capped|reserved|shared|append-only|immutable|"
        r"idempotent|nullable|unique|optional|required|stateless|denormali[sz]ed|soft-?deleted|archived|synced|"
        r"replicated|tested|signed|assigned|measured|expressed|counted|billed|charged|issued|calculated|priced|"
        r"scoped|bundled|mapped|routed|shipped|pinned|populated|filled|serialized|squashed|tagged|published|released|"
        r"mocked)\b",
        "How something is made or kept"),
    cue("part of the system", "structure", 1,
        r"\b(?:entry ?point|source of truth|single place|the only place|modules?|package|folder|directory|layer|"
        r"tables?|schema|columns?|config(?:uration)?|middleware|handlers?|router?s?|service|workers?|queue|"
        r"endpoints?|api|sdk|client|frontend|backend|webhooks?|migrations?|models?|fixtures?|plugins?|hooks?|"
        r"registry|repository|helpers?|wrapper|adapter|gateway|scheduler|daemon|importer|parser|loader|store|"
        r"database|db|view|components?|tests?|suite|index|job|ids?|timestamps?|keys?|field|enum|flag|event|payload|"
        r"logs?|cache|session|token|type|file|script|template|report|dataset|crate|binary|lib)\b",
        "It names a part of the system", votes=1),
    cue("states a fact", "structure", 2,
        LEAD +
        r"(?!this |that |it |there |i |you |he |she |we |they |these |those |what |how |why |who |if |when |"
        r"let)(?:the |our |a |an |all |every |each |both |any |no |most |only )?"
        rf"(?:{NOUN} ){{1,5}}?{STATIVE}\b",
        "A statement in the present tense about a thing", votes=0),
    cue("means", "domain", 4,
        r"(?<![\w=])[\w-]{1,20} = [a-z][^,;=]*[,;] (?:and )?[\w-]{1,20} = [a-z]|"
        r"(?<!that )(?<!which )(?<!it )(?<!this )(?<!i )(?<!you )\bmeans?\b(?! (?:we|you|i|it|that we) )|stands for|"
        r"(?:is )?short for|refers? to|what we call|(?:is|are) called|we (?:call|say)\b|is our (?:word|name|term)|"
        r"in our (?:world|domain|business|terms|lingo|speak|language)|is defined as|counts? as|is considered|(?:is|"
        r"are)(?:n't| not) the same|(?:is|are) the same|as opposed to|\baka\b|a\.k\.a|\bterm\b|glossary|synonym|"
        r"by \S+ we mean|abbreviation|acronym|in .{3,15} parlance|nickname|codename|code name",
        "What a word means", votes=6),
    cue("has a limit", "domain", 3,
        r"\b(?:limit|cap|quota|ceiling) of (?:about |around )?\d",
        "How much there may be", roles="u"),
    cue("a thing is", "domain", 2,
        LEAD +
        r"(?:an?|one|each|every|any) ['\"`]?(?:[\w-]+['\"`]? ){1,3}(?:is|isn't|has|can|belongs|may|cannot|can't|gets|"
        r"must|consists|covers|contains|spans|never|always|expires|becomes|starts|ends|holds|counts|owns)\b",
        "What one of a kind is or has", votes=1),
    cue("names a term", "domain", 4,
        r"(?:^|[\s(:])['\"][\w -]{2,30}['\"] (?:is|are|means?|stands|refers)\b|\bis (?:called|known as) (?:an?|the)\b",
        "It says what a quoted word is", votes=5),
    cue("business", "domain", 1,
        r"\b(?:customers?|orders?|invoices?|accounts?|tenants?|shipments?|refunds?|subscriptions?|members?|patients?|"
        r"bookings?|prices?|tax|vat|payments?|carts?|baskets?|suppliers?|merchants?|policy|policies|contracts?|"
        r"fiscal|quarter|business day|working day|cents|currency|ledger|statement|warehouse|skus?|refurbished|taxed|"
        r"products?|students?|courses?|donations?|donors?|passengers?|trips?|inventory|billing|discounts?|vouchers?|"
        r"credit notes?|parcels?|deliver(?:y|ies)|depots?|carriers?|deals?|settlement\w*|payouts?)\b",
        "It speaks of the business", votes=2),
)  # fmt: skip

TROUBLE = (
    cue("odd behaviour", "quirk", 3,
        r"\b(?:silently|surprisingly|weirdly|oddly|quirks?|quirky|gotchas?|caveat|beware|watch out|be careful|trap|"
        r"for some reason|ignores?|swallows?|strips|truncates|rounds|eats|lies|lying|misleading|undocumented|off by|"
        r"case[- ](?:in)?sensitive|chokes|barfs|gets confused|throttles|without (?:an |any )?(?:error|warning)|"
        r"no error|even (?:if|though|when)|counter-?intuitive\w*|picky|finicky|lags?|out of order|duplicates|"
        r"mangles?|normali[sz]es|coerces|reorders|half[- ]?open|zero-based|1-based|one-based|eventual\w*)\b|"
        r"(?<!\bi )(?<!you )(?<!\bwe )\b(?:doesn't|does not|don't|do not|won't|can't) (?:actually )?(?:support|work|"
        r"respect|honou?r|handle|like|play|cope|understand|pick up|reload|notice|see|flush|release|count|include|"
        r"escape|propagate|follow|accept|return|preserve|retry|fire|sort|close|cascade)\b|returns? (?:a |an )?(?:\d{3}|"
        r"empty|null|nothing|success|ok) |(?:never|only) answers?|also (?:removes|deletes|drops|resets|clears|wipes)|"
        r"returns? .{1,40}(?:even|when|if|for)\b|\b(?:reads|returns|gives|treats|parses|sorts|counts|sees|writes|"
        r"loads|stays|keeps|shows|reports) .{3,60} unless\b|\bonly (?:accepts|returns|fires|counts|sees|reads|works|"
        r"allows|keeps|gives)\b|\b(?:has|have) to be (?:restarted|cleared|rebuilt|warmed)",
        "Unexpected behaviour", votes=4),
    cue("known trouble", "issue", 3,
        r"\b(?:known (?:issue|bug|problem|limitation)s?|(?:is|are) broken (?:for|on|in|when|with)|we know,|flak(?:y|"
        r"ey|es|iness)|still broken|bug in|open bug|leaks?|leaking|memory leak|unreliable|deadlocks?|race condition|"
        r"intermittent\w*|occasionally|sporadic\w*|randomly|every (?:so often|few|other)|workaround|"
        r"tech(?:nical)? debt|unresolved|upstream (?:bug|issue)|regression|crash(?:es)?|times out|timing out|"
        r"fails? (?:on|when|if|in|about|sometimes|every|under|with|for|unless|the first)|hangs?(?! on (?:/|"
        r"port\b|the\b|our\b|an?\b))|breaks? (?:on|when|"
        r"if|in|under|with|for)|doesn't work|(?:don't|do not|does not) work|not working|no fix yet|not fixed|"
        r"nobody knows why|still (?:fails|leaks|crashes|hangs|happens)|can't handle|falls over|blows up|goes down|"
        r"gets stuck|(?:is|are|gets?|very|too|so|painfully) slow|oom|out of memory|corrupts?)\b",
        "A known problem", votes=4),
    cue("checked", None, 3,
        r"\bi (?:have )?(?:verified|confirmed|checked|tested|reproduced|measured)\b|verified (?:on|with|by|that|"
        r"against)|confirmed (?:on|with|by|that)",
        "It was checked", roles="a"),
    cue("sometimes", "issue", 1,
        r"\b(?:sometimes|often|now and then|once in a while|on mondays|under load|at night|overnight)\b",
        "It happens now and then"),
    cue("did not work", "failure", 4,
        r"\b(?:tried|attempted|experimented)\b.{1,90}\b(?:but|didn't|doesn't|fail\w*|no |not|worse|slow\w*|broke|"
        r"wouldn't|crash\w*|couldn't|and it|too|went back|revert\w*|undid|gave up|dropped)|\b(?:didn't|won't|"
        r"wouldn't) (?:work|help|fix|scale|pan out)|does(?:n't| not) help|no luck|dead end|to no avail|made (?:it|"
        r"things|everything) (?:worse|slower)|backfired|gave up(?! (?:the|his|her)\b)|bit us|burned us|burnt us|"
        r"went badly|was a mistake|"
        r"(?:blew|fell) (?:up|over|apart)|reverted|rolled (?:it |that |this )?back|had to (?:revert|roll back|undo|"
        r"back out)|backed (?:it )?out|was a disaster|not an option|doesn't scale|won't work|is a non-starter|"
        r"never worked|unusable|worse than",
        "An approach that did not work", votes=6),
    cue("cause or cure", "fix", 4,
        r"\b(?:was|were) due to|\bw(?:ent|as|ere) wrong (?:over|on|at|in|because|when|for|with|by)\b|what (?:solved|"
        r"fixed|cured) it|figured (?:it )?out|\b(?:fixed (?:it |this |"
        r"that )?(?:by|with|it)|the (?:\w+ )?(?:fix|cure|solution|culprit|trick|cause|actual problem|real problem|"
        r"remedy|answer) (?:is|was|turned out|were|for(?! now)|here)|root cause|turn(?:s|ed) out|caused by|was causing|"
        r"solved (?:it |this |that )?(?:by|with)|cured|went away (?:after|once|when)|goes away|works (?:now |again |"
        r"fine )?(?:after|once|when|if) |resolved (?:it |this )?by|did the trick|(?:that|which|this) (?:fixed|solved|"
        r"fixes|cures)|the (?:problem|issue|bug|reason|error|failure|crash|hang|leak|slowdown|mismatch|deadlock|"
        r"flake)(?: \w+){0,4} (?:was|is|came|comes) (?:that|because|a|an|the|due|from|caused|how|down)|"
        r"it was (?:the|a|an|because|due|caused)|came down to|boil\w* down to|traced (?:it )?(?:to|back)|"
        r"fix(?:es)? (?:it|the|that|this)|\w+(?:ing|ed) .{3,60} (?:fixed|solved|cured|resolved|fixes|solves|"
        r"made it (?:pass|work)|helped|unblocked)|if .{2,50}\b(?:stops?|fails?|hangs?|complains|breaks|refuses|"
        r"doesn't|won't|can't|(?:is|gets|are) stuck|crash(?:es)?|times out) ?.{0,40}, (?:just )?[a-z]+ |if (?:it|"
        r"you (?:see|get|hit)|the|that) .{3,60}, (?:run|delete|clear|restart|rebuild|remove|set|bump|kill|reinstall|"
        r"just|drop|prune|recreate))\b",
        "A cause or a cure", votes=6),
)  # fmt: skip

FACT_CUES = IN_CHARGE + DECISIONS + FACTS + TROUBLE
