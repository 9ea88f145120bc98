"""What is only talk, and ends the matter: rows of data, no code."""

from __future__ import annotations

from memory_db.extract.rules.patterns import LEAD, cue
from memory_db.extract.rules.rider_cues import RELATIVE

LASTS = (
    r"^(?!.*\b(?:always|never|every|each|whenever|from now on|from here on|in future|no longer|any ?more|must|mustn't|"
    r"don't|because|otherwise|unless|so that|so we|which is why|means|rule)\b)"
)
"""What stands before a sign of something that passes: no word that makes a rule, or a reason, of its sentence."""

SOMEBODY = r"(?:somebody|anybody|someone|anyone)"
SOMEBODY_OR_IT = rf"(?:it|we|i|they|he|she|that|this|there|{SOMEBODY})"
WHO_OR_IT = rf"(?:{SOMEBODY_OR_IT}|the|an?|our|my)"
"""Subjects that stand behind the verb of a question."""

TALK = (
    cue("small talk", None, -9,
        r"^(?!.*\b(?:always|never|only|every|each|must|should|from now on|runs on|\d{4,5}\b.* (?:is|are))\b).*"
        r"\b(?:coffee|vending) machine\b|"
        r"^(?!.*\b(?:always|never|only|every|each|must|should|from now on)\b).*\bcanteen (?:has|had|is|was)\b|"
        r"\bi(?:'ll)? (?:now )?(?:make|take|have|need) (?:a|my) (?:\w+ )?(?:break|lunch|coffee|nap|snack)\b|"
        r"\bi(?:'?m| am) (?:starving|hungry|gonna cry|so tired|off (?:to|for)|(?:only|just) curious)\b|^no harm done\b|"
        r"^(?:and |so |now )*(?:going|gone|off|heading) (?:for|to|out for) (?:a |an |my |the )?(?:lunch|dinner|"
        r"breakfast|chai|tea|coffee|"
        r"walk|run|gym|nap|beer)\b|"
        r"\bwhoever (?:invented|came up with|thought of|dreamt up)\b|\bowes? (?:me|us) (?:a|an|one|my|some)\b|"
        r"\b(?:don't|do not) tell (?:anyone|anybody|my \w+)\W*$|\bwish me luck\b|\bif (?:anyone|anybody|someone|"
        r"somebody) asks?\b|\b(?:and|then) i(?:'m| am) (?:gone|"
        r"off|out)(?:\W*$|, )|"
        r"^(?:and |so |right,? )?off to (?!a\b|an\b)[\w ]{2,40} now\b|"
        + LASTS + r".*\bit(?:'s| is) (?:snowing|raining|pouring|hailing|freezing) (?!in\b|into\b|when\b)|"
        r"^(?:and |so )?guess (?:who|what|where|how)\b|\band so (?:am|do|shall|will) i\W*$|"
        r"^(?:so )?(?:see|talk to) you (?:tomorrow|later|soon|then|on \w+day|next \w+)\W*$",
        "It is about the day, and not about the work", roles="u"),
    cue("of the family", None, -9, LASTS + LEAD +
        r"(?:my (?:(?:own|little|old|eldest|elder|younger|youngest|poor|dear) )*" + RELATIVE
        + r"|the (?:kids|baby)|(?:a|my|our) neighbou?rs?)"
        r"(?: (?!i\b|we\b|you\b)[\w'-]+)? (?:(?:has|have|had) (?:just |again |also )?(?:had|got|caught|a|an|been|"
        r"called|"
        r"asked|lost|found|bought|brought|sent|given|left)|just|(?:is|are|was|were) (?:ill|sick|home|asleep|awake|"
        r"better|born|back|here|in|at|"
        r"waiting|teething|crying|coming|turning|getting|not well|due)|came|called|calls|got|gets|wants|turns|turned|"
        r"filed|sent|starts|started|begins|began|will be|woke|wakes|broke|fell|threw|ate|hid|says hi)\b",
        "It is about the family, and not about the work", roles="u"),
    cue("off the matter", None, -9,
        r"\b(?:has |have |got )?nothing to do with (?:this|it|the (?:project|task|work|code)|(?:my|our) work)\b[,:]? ",
        "It is said to be of something else", roles="u"),
    cue("a text to write", None, -9, LASTS + LEAD +
        r"(?:now |then )?(?:write|draft|make|get|give|find|prepare) me (?:a|an|the|one|two|three|four|five|some|"
        r"something|\d+) (?!.*(?<!until )(?<!till )\b(?:when|before|after|if|first|while)\b|"
        r".*, (?:he|she|they|who) )",
        "What somebody wants to have now", roles="u"),
    cue("only looks", None, -9,
        r"\bi (?:only|just) (?:wanted to\b|(?:want|need|needed) to (?:see|know|look|check|try|test|have a look)\b)"
        r"(?!.*\b(?:always|never|every|each|ever)\b)",
        "What somebody wants to see once", roles="u"),
    cue("a passing word", None, -9, LEAD +
        r"(?:now |next |then )?the (?:real|actual|next|other) (?:problem|issue|trouble)\b|"
        r"(?:true\W+)?(?:then )?(?:i (?:didn't|did not|hadn't|had not) th(?:ink|ought) of (?:that|it|this)\b|"
        r"i (?:was|had been) (?:going|about) to (?:ask|say|tell|suggest|mention)\b|"
        r"i (?:thought|had thought|was thinking) (?:of|about)\b|just what (?:i|we) (?:like|wanted|needed)\b|"
        r"thank you,? i (?:shall|will)\b|next (?:thing|one|point|item)\b.{0,20} is\b|"
        r"(?:one|a) (?:request|wish|question|word) (?:about|on|of) [^,;.]*, if i may|"
        r"you (?:even |really )?(?:remembered|thought of|noticed|spotted|kept in mind) (?!to\b)|"
        r"(?:there )?should be an? [^,;]*\b(?:for that|for it|somewhere|already|in there)\b|"
        r"(?:now |next |then )?(?:a|another|one more|the next) bug\b|"
        r"off by \d|that(?:'s| is) (?:a relief|great news|good news|good to (?:know|hear)))|\bi (?:must|have to|need "
        r"to|gotta|"
        r"got to) (?:run|go|leave|hurry|catch|eat|sleep)\b|^it was (?:a|on|last) \w+day\b|\bthe next (?:thing|one|"
        r"point) is the\b|\bi've thought better of it\b|"
        r"(?<!when )(?<!because )(?<!since )(?<!after )\b(?:we|i|they|somebody|someone) once (?!every|a\b|per\b)\w+"
        r"(?!.*\b(?:since then|so we|which is why|never|always)\b)|"
        r"\bis (?:her|his|my|their|our) (?:humou?r|joke|idea of)\b|\bremind me\W*$|"
        r"\bnothing (?:left |more )?to do (?:for|about|there|here)\b|"
        r"\b(?:want|need|like) to (?:know|see|have) (?:it |that |this )?before i (?:go|leave|fly|am off|'m off)\b|"
        r"^\W*(?:please )?(?:don't|do not) (?:tempt|encourage|flatter|jinx|judge|make me laugh|"
        r"get me started|give (?:him|her|them|me) ideas)\b|"
        r"\b[a-z]+ (?:gets?|receives?) (?:the|these|those) [^,;.]* from me\b|"
        r"\b(?!(?:it|that|this|one|which|who)\b)[a-z]+ needs (?:it|them|those|that)\b(?! (?:to|for all|every|each)\b)|"
        r"\bthen i(?:'ll|ll| will) (?:push|merge|review|deploy|look|test|commit)\b",
        "Said in passing", roles="u"),
    cue("what somebody did", None, -9, LEAD +
        r"(?:you(?:'re| are| were) right\W+)?(?:i(?: had|'d) (?:only|just|not|forgotten|missed|"
        r"overlooked)\b(?! to\b)|i(?:'ve| have)? (?:just |already |only )?(?:told|asked|called|phoned|rang|warned|"
        r"promised) (?!you\b|for\b|"
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
    cue("asks what differs", None, -9,
        r"(?:^|[,:] )(?:and |so |but )?what(?:'s|s| is) [^;:]*\b(?:again|vs|versus|the difference|differs?)\b|"
        r", (?:can|could|should|shall|may) (?:we|i|you) [^,;:]{3,60} or (?:is|are|do|does|not|should|was)\b[^;:]*$|"
        r"\b(?:don't|dont|do not) (?:even )?ask\b\W*$|"
        r"(?:^|, )(?:and )?(?:for [\w ]{2,30}, )?(?:would|could|should) (?:a|an|the|it|that|this|we|you|there) [^;:]*"
        r"\bor (?:do|does|is|are|not|should|would)\b|"
        + LASTS + LEAD + r"sum (?:it |this |that )?up\b",
        "A question without its mark, or nothing to ask about", roles="u"),
    cue("counts for now", None, -9, LASTS + LEAD +
        r"how (?:many|much) (?!.*\b(?:is|are|it takes|we (?:keep|allow))\b)[^;:?]+$",
        "A question for a number", roles="u"),
    cue("asks in other words", None, -9,
        LASTS + LEAD + r"what's (?:[\w./()-]+ ){1,4}?(?:for|about|good for|doing|again|called|like)\W*(?:$|, (?:do|"
        r"does|"
        r"did|is|are|was|can|has|have|and|i|we)\b)|"
        + LASTS + r".*, (?:(?:is|are|was|were|can|could) " + SOMEBODY_OR_IT + r"|(?:does|did|has) (?:he|she|" + SOMEBODY
        + r")|(?:do|did|have) (?:we|i|they|you)) [^,;:]{3,60}$|"
        r"(?:^|[,;:] )(?:when|if|once) [^,;:.]{2,40}?(?:is|are|was|were|goes|gets|got|"
        r"went) [\w-]+(?: [\w-]+)?,? (?:(?:does|"
        r"did|is|are|will|would|can|could) " + WHO_OR_IT + r"|do (?:we|i|they|you)) [^,;:.]+$|"
        + LASTS + LEAD + r"(?:tell|remind|show|ask|look up|find out|check|see)(?: (?:me|us|him|her|them))?(?: again)? "
        r"(?:who|whose|whom)\b",
        "A question in other words", roles="u"),
    cue("asks for a report", None, -9,
        r"(?!.*\b(?:when(?:ever)?|after|once|before|if) (?:you|i|we|it|that|the|an?|any)\b)" + LASTS
        + r".*\b(?:tell|show|give) (?:me|us) (?:in|with) (?:\d+|an?|one|two|three|four|five|"
        r"a few) (?:short )?(?:lines?|"
        r"sentences?|words?) (?:what|how|why|who|where|which|whether|if)\b",
        "What somebody wants to be told now", roles="u"),
    cue("for today alone", None, -9,
        r"\btoday is (?:mon|tues|wednes|thurs|fri|satur|sun)day\b|"
        r"(?<!not )\b(?:only|just) for (?:today|tonight|tomorrow|this once|this time|this (?:one )?(?:week|afternoon|"
        r"morning|"
        r"evening|session|run|demo|meeting|round))\b(?!')|(?<!not )\b(?:only|just) (?:this once|the once|this (?:one )?"
        r"time)\b|\bfor (?:today|tonight|tomorrow|this once) only\b|"
        r"\bi(?:'ll| will)? (?:take|put|change|set|turn|switch|revert|remove) (?:it|that|them) (?:\w+ )?(?:again |"
        r"myself )*"
        r"(?:after|afterwards|later|tomorrow|tonight)\b",
        "It holds for this once", roles="u"),
    cue("leads in to something shown", None, -9, LASTS + LEAD +
        r"(?:(?:i )?(?:just |also )?(?:got|received|found) (?:this|that|these|the following)(?: (?:one|mail|note|"
        r"letter|"
        r"message))? (?:in|by|via|from|on|over)\b|(?:fwd?|forwarded|forwarding)\b:? (?:from|by|of)\b|"
        r"this (?:one )?(?:just |now )?(?:came|arrived|landed|turned up) (?:in|by|from|over|on|today|this)\b|"
        r"(?:look|see) what (?:[\w'-]+ ){1,3}(?:sent|wrote|posted|mailed)\b)|"
        r"^i (?:get|got|have) (?:this|that|these|the following)(?: (?:one|now|here|on my \w+))*\W*$|"
        r"\bread (?:it |this |that )?and (?:cry|weep|laugh|enjoy|wonder|despair)\b",
        "It leads in to what is pasted", roles="u"),
    cue("announces what it tells", None, -9,
        r"^\W*(?:[\w' ]{1,20}, (?:but )?)?(?:(?:ok|so|and|now|then|well|but|also)\W+)*(?:just |only )?"
        r"(?:one|two|three|four|several|some|a few|a couple of) (?:more |small |quick |other )?(?:objections?|rules?|"
        r"things|"
        r"wishes|remarks|conditions|requests|corrections|points)\b(?! (?:is|are|must|should|may|can|has|have)\b)"
        r"[^:;0-9]{0,90}:?$|"
        r"^\W*(?:(?:no|nope|yes|ok|so|and|now|then|well|fine)\W+)*(?:the |some |my |house )?rules?[,:]? (?:since|"
        r"because|as|then)\b"
        r"(?!.*\b(?:must|never|always|don't)\b)|"
        r"(?:^|[,;] )(?:now )?i(?:'ll| will| want to| have to| must)? (?:tell|explain to|show) you (?:something |"
        r"a bit |a few "
        r"things |all |more )?(?:about|abot|bout|of) [^,;:]*$|^just so (?:that )?(?:you|we|nobody|no one) (?:don't|"
        r"won't|"
        r"doesn't) [^,;:]*$|"
        r"^\W*(?:(?:ok|so|and|now|then|well),? )*(?:one|two|three|four|some|several|a few|a couple of)(?: more| small"
        r"| quick| other)? (?:updates?|changes?|things?|notes?|points?|remarks?|corrections?|additions?|decisions?"
        r"|rules?) (?:to|on|about|for|regarding)\b(?!.*\b(?:each|every|per|must|should|always|never|at most)\b)"
        r"[^,;:]*(?:,? please)?\W*$",
        "It announces what is told next", roles="u"),
    cue("an errand", None, -9,
        r"(?!.*\b(?:before|after|when|first|by hand|manually|myself|(?:mon|tues|wednes|thurs|fri|satur|"
        r"sun)days)\b)" + LASTS
        + LEAD + r"(?:now |then )?i(?:'ll| will| have to| need to| must|'m going to| should|'ve got to|"
        r"'d better) (?:quickly |"
        r"still |also )?(?:(?:pick up|fetch|collect|drop off|buy|cook|feed|walk|drive|catch|visit|meet|water|pack) "
        r"(?!it\b|them\b|that\b)|hurry\b|rush\b)|"
        + LASTS + LEAD + r"(?:now |then )?i(?:'m|'ll)? .*, (?:(?:see you |talk |until )?later|bye|brb|ciao|"
        r"see (?:you|ya)|"
        r"cya|ttyl|back (?:soon|later|in \w+))\W*$",
        "What somebody has to do elsewhere", roles="u"),
    cue("thanks for it", None, -9, LASTS +
        r"^(?:(?:and|also|oh|ah|ok)[,]? )*(?:thx|thanks|thank you|cheers)(?: a lot| again|"
        r" so much)? for (?:[\w'-]+ ){0,4}"
        r"[\w'-]+, (?:it |that |this )?(?:all )?(?:works?|worked|runs?|looks?|helps?|helped|did|does|was|is|saved)\b",
        "Thanks for what was done", roles="u"),
    cue("stuck by now", None, -9, r"(?!.*\b(?:when|if|until|so)\b)" + LASTS +
        r".*(?:'s|'ve|\bhas|\bhave|\bis|\bare) (?:been |still |again )+(?:stuck|down|frozen|hanging|dead|offline|"
        r"unreachable|"
        r"stalled) (?:at|since|for|on) |(?!.*\b(?:when|if|until|so)\b)" + LASTS + r".*(?:'s|'re|\bis|\bare) (?:getting|"
        r"becoming|growing|filling|piling|running) (?:\w+ )?(?:full|big|long|slow|messy|crowded|out|up|huge|large|"
        r"cluttered|"
        r"low)\b",
        "How it stands by now", roles="u"),
)  # fmt: skip
"""What ends the matter in the same way as the other vetoes."""
