"""Signs of what stands at the ends of a memory and is no part of it: the patterns of `riders`.

In: a sentence in lower case, or the beginning or end of a text. Invariant: pure. Source of all: ours.
"""

from __future__ import annotations

import re

SMALL = r"^\W*(?:(?:so|and|but|oh|ah|ok|okay|well|right|now|then|anyway|yes|yeah|please|just|also|hm+)\b\W+)*"
"""The small words with which a sentence begins."""

HOLDS = re.compile(
    r"\d|`|\w[_/@]\w|\w\.\w|\b(?:always|never|every|each|all|any|whenever|from now|from here on|only|don't|do not|"
    r"dont|no|not|nobody|nothing|instead|must|mustn't|should|shall|ought|unless|until|till|otherwise|by default|"
    r"everywhere|may|allowed|forbidden|first|before|after|ask|asks|without|because|so that|means|called|prefer|"
    r"rather|if|when|where|wherever|stays?|longer|any ?more)\b"
)
"""A value, a name to the letter, or a word by which a sentence is more than a word on the work under way."""

# ------------------------------------------------------------------ tasks of the moment

AS_WELL = (
    r"(?:too|as well|also|please|pls|again|on top|of course|for (?:it|that|this|them|both|those)|with (?:it|that)|"
    r"now|then)"
)
IT = r"(?:it|that|this|them|again|please|pls|now|then|too|for me|me|here)"

STEP = re.compile(
    SMALL + r"(?:run|rerun|commit|push|test|try|check|fix|ship|restart|apply|proceed|go on|"
    r"go ahead|carry on|continue|keep going|merge|undo|redo|do|show|open|start|look)"
    rf"(?: (?:{IT}|(?:with )?the (?:tests?|suite|rest|diff|build)))*"
    r"(?:(?:,|,? and| \+| &) (?:then )?(?:a )?(?:run|rerun|commit|push|test|check|ship|show|merge|tests)"
    rf"(?: (?:{IT}|the (?:tests?|suite|diff|message)))*)*"
    r"\W*$|" + SMALL + r"(?:continue|go on|carry on|proceed|go ahead) with (?:the|that|this|your)\b[\w '-]{2,40}\W*$"
)
"""A step of the work that names nothing: "run it again", "commit and push", "fix + test"."""

STEP_NOW = re.compile(
    r"^\W*(?:(?:so|and|but|ok|okay|please|well|right)\b\W+)*(?:(?:(?:now|next|then) )?[a-z]+ now (?:the|a|an|that|this|"
    r"my|our)\b|now [a-z]+ (?:me|the|a|an|that|this|my|our|it|them)\b|"
    r"[a-z]+ (?:the|a|an|that|this|my|our) [\w '-]{2,40} now\W*$)"
)
"""A task that is to be done now: "do now the mail"."""

FOR_ME = re.compile(
    r"^\W*(?:and |so |but |ok )*now (?:[a-z]+ me (?:the|a|an|that|this|my|our|some)\b|(?:to |for )?the [\w '-]{2,40},? "
    r"please\W*$|to something else\W*$)"
)
"""A task that only its object tells: "now bake me the cake list", "now the cake list please"."""

WORK = r"(?:tests?|docs?|docstrings?|changelog|readme|test case)"
ONE = r"(?:(?:a|an|the|one|some|another|new|small|little|quick|short|regression|unit) )*"
MORE_WORK = re.compile(
    SMALL + rf"(?:(?:plus|with|add|write|make|do|update|adjust) )?{ONE}{WORK}(?:(?:,? {AS_WELL})+|"
    rf" (?:and|\+|&) (?:a )?{WORK}(?:,? {AS_WELL})*)\W*$|"
    rf"^\W*(?:(?:and|then|oh|please)\W+)*(?:plus|add|write|with|update|(?:don't|do not) forget) {ONE}{WORK}\W*$|"
    rf"^\W*(?:oh )?and {ONE}{WORK}\W*$|"
    r"^\W*(?:and )?cover (?:it|that|this|them)(?: with (?:a |one )?tests?)?\W*$"
)
"""What goes with the work under way: "plus a test", "readme too"."""

ASKED = re.compile(
    SMALL + r"(?:can|could|would|will) (?:you|we|u)\b(?!.*\b(?:always|never|every|each|all|whenever|from now|in "
    r"future|next "
    r"time|before|after|only|don't|first|instead|when|if)\b)(?:(?: please| maybe| perhaps| quickly)* (?:check|look|"
    r"find|fix|"
    r"see|mend|repair|investigate|sort|dig|try|tell me|explain|put (?:it|that|this) right|do (?:it|that|this)|"
    r"make (?:it|that) (?:so|work|happen))\b.*)?\W*$|"
    r"^\W*(?:so |and |but )*(?:what(?:'s|s| is) (?:next|the (?:move|plan|idea|best way))|what (?:do|would) (?:you|u) "
    r"(?:think|say|suggest|propose|do)|anything else|any (?:ideas?|thoughts?|objections?|suggestions?)|"
    r"(?:does|do) (?:that|this|it) (?:make sense|work|fit)|ok|okay|clear|deal|agreed|makes sense|got it|understood|"
    r"or what|or not|why|how so)\W*\?*\W*$"
)
"""What is asked of the agent for the moment: "can you find that and put it right"."""

BACK_TO = re.compile(
    SMALL + r"(?:let's |lets |let us )?(?:(?:go |get )?back to (?:it|this|that|work|business|the (?:matter|topic|task|"
    r"point|subject|grind|thing at hand))|moving on|on we go|onwards?|as you were|next(?: one)?|move on|go on|"
    r"get on with (?:it|this)|where were we)(?: (?:then|now|please|again))*\W*$"
)
"""How somebody goes back to the work: "back to this"."""

CAN_WAIT = re.compile(
    r"^\W*(?:(?:but|and|so|well)\W+)*(?:(?:tomorrow|later|next week|on monday)\W+)?(?:but |and )?not (?:now|today|"
    r"right now|tonight)\b(?!')[^.;:]{0,40}[.!]*$|"
    r"^\W*(?:(?:but|and|so|well)\W+)*(?:(?:there(?:'s| is) )?no (?:hurry|rush)|(?:it|that|this)(?:'s| is) (?:in )?no "
    r"(?:hurry|rush)|(?:it|that|this)?(?: can)? wait|some other (?:day|time)|another (?:day|time)|when(?:ever)? you "
    r"(?:like|have (?:the )?time|want|can))(?: (?:then|with (?:it|that|this)))?\W*$"
)
"""How something is put off: "tomorrow, not now, I've only one head"."""

CLOSES = re.compile(
    SMALL + r"(?:(?:that(?:'s|s| is| was)|this is|it's) (?:it|all|enough)(?: (?:for|from) (?:today|now|here|me|tonight|"
    r"the day|this week)\b.*|,? (?:really|then|folks|thanks))?|end of (?:story|sermon|rant|lecture|speech)|"
    r"(?:rant|sermon|lecture) over|enough (?:of (?:that|me|this)|said)|(?:i'm|i am|im) (?:off|out|done|gone|away)"
    r"(?! (?:on|every|at|from|until|till|for good|in) )\b[^.;:]{0,40}|off to (?!.* with (?:it|them|"
    r"that)\b)[a-z]+\b[^.;:]{0,30}|"
    r"i(?:'ll| will|'m going to| shall) be (?:away|afk|out|gone|off|late|back)\b[^;:]{0,60}|"
    r"going now\b.*|see you\b.*|bye\b.*|brb\b.*|talk to you (?:later|soon|tomorrow)\b.*|good night|"
    r"have a (?:nice|good|great) [a-z]+|happy [a-z]+day|(?:(?:i )?(?:gotta|have to) (?:run|dash)|(?:i )?gotta go|i "
    r"(?:got to|have to|must) (?:run|go|dash|leave))(?: now|,[^.;:]{0,40})?|"
    r"wish me luck|fingers crossed|(?:knock|touch) (?:on )?wood|(?:applying|committing|pushing|testing|deploying|"
    r"looking|checking|restarting|waiting)(?: (?:now|it|then|that))*|one (?:sec|moment)|hang on|"
    r"(?:[\w ]{2,20}, )?back (?:later|soon|in (?:a|an|ten|five) [a-z]+|after lunch)|my (?:flight|train|bus|taxi|plane) "
    r"(?:leaves|goes|comes|is)\b.*|(?:need|needs?|time for|want)(?: a)? (?:coffee|tea|lunch|break|beer|nap)|"
    r"(?:coffee|lunch|dinner|tea)(?: (?:first|now|time|break|is ready))?)\W*$"
)
"""How somebody closes or leaves."""

# ------------------------------------------------------------------ thanks and groans

BADLY = (
    r"(?:day|week|night|morning|mess|novel|shame|pity|relief|nightmare|circus|joke|bummer|disaster|zoo|waste|pain|"
    r"story|"
    r"surprise|drama|thing|name)"
)
GROANS = re.compile(
    SMALL + r"(?:(?:my|for|holy|good|dear|what|the|a|that's|that is|was|very|such|typical|how|all) )*"
    r"(?:p+u+h+|p+f+|a+r+gh+|u+gh+|u+ff+|oo+f|phew|sigh|ouch|oops|gr+|meh|facepalm|unreal|jesus(?: christ)?|christ|"
    r"sorry(?: (?:about|for) (?:that|this|it|the [a-z]+))?|(?:many |a thousand )?(?:thanks|thank you|thx|ty|tia|"
    r"cheers|ta)"
    r"(?: (?:for|to|in) .{1,40}| a lot| again)?|(?:much|greatly) appreciated|bad|(?<=my )(?:fault|mistake|bad)(?:, "
    r"[^\d]{3,40})?|mea culpa|"
    r"shame on (?:me|us|them)|typical|people|humans|unheard of|unbelievable|incredible|ridiculous|embarrassing|"
    r"lessons? learn(?:ed|t)|oh well|(?:it |these things )?happens?|go figure|god (?:knows|help|bless|almighty)"
    r"\b.{0,20}|heaven (?:knows|help)\b.{0,20}|long story|(?:don't|dont|do not) ask(?: me)?(?: why| how)?(?: (?:i|"
    r"we) know)?|"
    r"(?:ask me|guess) how (?:i|we) know|been there,? done that|story of my life|poor (?:thing|guy|man|woman|"
    r"soul|devil|him|her|me|us|them)|lucky (?:us|me|you|them)|(?:stupid|silly|dumb) (?:me|us)|"
    rf"what an? (?:[a-z]+ )?{BADLY}|long day|(?:clever|wise) (?:man|woman|girl|boy)|(?:nice|good|great|well|lovely|"
    r"excellent|brilliant) (?:work|job|done|one|stuff|catch|find|thinking|rule|question|plan|call|point|man|woman|"
    r"boy|girl)"
    r"(?: btw| by the way| there)?|you're (?:a (?:star|gem|hero|poet|genius)|the best)|whatever|i know(?: i know)*|"
    r"who knows|mess|novel|shame|pity|relief|nightmare|circus|joke|bummer|disaster|zoo|grief|heavens|lord|gods?|hell|"
    r"crap|shit|damn|drama|ha(?:ha)+h?|he(?:he)+|lol|[:;x=]-?[dp]|you don't want to know|you get the (?:idea|point|"
    r"picture)|(?:if )?you know what i mean|(?:who|what|why|how|where) (?:the (?:hell|heck|devil|fuck)|on earth|in "
    r"(?:god's|the) [a-z]+)\b.*|(?:no idea )?who (?:does|did|came up with|wrote|thought of) (?:that|this|it|"
    r"such)\b.{0,20}|"
    r"what (?:were they|was (?:he|she|i)) thinking|i (?:really |do )?(?:like|love|hate|adore|miss) (?:her|him|them|"
    r"you)|"
    r"i hate (?:[a-z]+days|computers)|i could (?:cry|scream)|i can't even|kill me(?: now)?|i(?:'m| am) too old for "
    r"(?:this|that)|as you can imagine|believe it or not|can you (?:believe|imagine) (?:it|that|this)|"
    r"(?:(?:i|we) )?should(?:'ve| have) (?:known|said|told|thought|seen)\b.{0,30}|(?:i )?hope (?:that|this|it)"
    r"(?:'s| is)? (?:helps?|clear|short|ok|okay|enough|works)|(?:it |that |this )?(?:should|shouldn't|can't|won't) be "
    r"(?:too |very |so |all that )?(?:a )?(?:one-?liner|quick|hard|easy|much|difficult|long|big deal)(?: (?:one|"
    r"work))?|"
    r"(?:that's |it's )?(?:an? )?(?:quick|easy) (?:one|fix|job)|(?:was |that was |it was )(?:no |not )?fun|"
    r"(?:(?:i|we|they|you) )?(?:have |had )?learn(?:ed|t) (?:that|it|this) the hard way\b.{0,40}|"
    r"it's (?:late|early|friday|raining)|(?:dinner|lunch) is ready)(?:,? (?:really|again|then|indeed|man|guys|all of "
    r"us|"
    r"us all))*\W*$"
)
"""Thanks, a groan, a shrug."""

# ------------------------------------------------------------------ private life and old stories

RELATIVE = (
    r"(?:wife|husband|girlfriend|boyfriend|fianc\w+|kids?|children|daughter|son|sister|brother|mother|father|mum|mom|"
    r"dad|"
    r"nan|gran(?:ny|dma|dpa|dad|dmother|dfather)?|uncle|aunt|cousin|in-laws|baby|dog|cat|wedding|dentist|physio|"
    r"marriage|"
    r"divorce)"
)
PRIVATE = re.compile(
    rf"(?:\bmy|^\W*(?:and |but )?(?:his|her)) (?:(?:own|little|old|new|elder|younger|poor|dear) )*{RELATIVE}\b(?!')|"
    rf"\bmy {RELATIVE}'s (?:wedding|birthday|funeral|party|dog|car|kitchen|garden|place)\b|"
    r"\b(?:my|our|his|her) (?:(?:little|first|second|baby) )*(?:girl|boy|twins|newborn)\b|"
    r"\bthere was (?:cake|beer|wine|champagne)\b|^\W*(?:it's |it is )?an? (?:little )?(?:girl|boy)\W*$|^\W*twins\W*$|"
    r"\b(?:had|has|have|having|expecting) (?:a|her|his|their) (?:[a-z]+ )?baby\b|\bgot (?:married|engaged|divorced)\b|"
    r"\b(?:is|she's) pregnant\b|\bthe kids are [a-z]+ing\b|"
    r"\bbecame (?:a )?(?:father|mother|dad|mum|grandma|grandpa|uncle|aunt)\b|"
    r"\b(?:almost|nearly) (?:killed|murdered|bit|strangled|ate) (?:me|us|him|her)\b|\b(?:kills|murders|strangles) me\b|"
    r"\bi (?:become|am|feel|was|got) (?:ill|sick|hungry|thirsty|tired|sleepy|hung ?over)\b|"
    r"\bmy (?:cholesterol|blood (?:pressure|test|sugar)|back (?!end|up)|knee|tooth|teeth|eyes?|shoulder|doctor|"
    r"therapist)\b|"
    r"\b(?:today|tonight)\W*$|\bit(?:'s| is) (?:snowing|raining|pouring|hailing)\b(?! (?:in|into|when)\b)|"
    r"\bhas bought (?:skis|a (?:boat|car|house|bike|dog|cat|caravan))\b|"
    r"\bstill (?:laughs?|talks?|jokes?|moans?|cries|tells the story|has nightmares|gets a rash)\b"
)
"""What is of somebody's private life."""

A_MONTH = (
    r"(?:january|february|march|april|may|june|july|august|september|october|november|december|spring|summer|autumn|"
    r"winter|(?:19|20)\d\d)"
)
A_WHILE = r"(?:days?|weeks?|months?|years?|weekends?|nights?|evenings?|mornings?|hours?|sundays?|saturdays?)"
IN_THE_PAST = re.compile(
    r"\b(?:once|at one point|last (?:year|week|month|spring|summer|autumn|winter|time|night|easter|christmas|[a-z]+day|"
    rf"{A_MONTH})|in (?:early |late )?{A_MONTH}|back then|the other day|years ago|(?:a|two|three|some|few) (?:days?|"
    r"weeks?|months?|years?) ago|in the (?:beginning|early days)|the year before|for (?:half a|a|an|two|three|some|"
    r"many|"
    rf"several) {A_WHILE}|(?:cost|took|ate|killed) (?:us|me|him|her|them) (?:(?:a|an|one|two|three|half|whole|entire|"
    rf"full) )+"
    rf"{A_WHILE}|(?:lost|spent|wasted|burn(?:ed|t)) (?:(?:a|an|one|two|three|half|whole|entire|full|sunny) "
    rf")+{A_WHILE})\b"
)
"""When something was that is over, and how much of somebody's time it took."""

MISHAP = re.compile(
    r"^\W*(?:(?:and|but|because|since|as)\W+)?(?:(?:in|last|the|on|at|back|once|one|a|two|three|some) [\w ]{2,20},? )?"
    r"(?:(?:we|i|they|he|she|it|that|this|one|you|people|somebody|someone|one of us|two of us|(?:my|our|the|a|an|some) "
    r"[\w-]+(?: [\w-]+)?|[a-z]+(?: and (?:i|[a-z]+))?)(?:'d| had)? )?(?:(?:really|already|just|even|almost|nearly) )?"
    r"(?:had (?!to (?:stay|be|go)\b|a new\b|new\b)|lost |burn(?:ed|t) |bit |spent |wasted |broke |wiped |deleted |ate |"
    r"crashed |locked |hung |died |blew |cried |cost |took (?:us|me) |forgot |shot |killed |fell |overwrote |"
    r"swore |did (?:that|it|this)\b|got (?:bitten|burn(?:ed|t)|a |an |the wrong|called|no |"
    r"(?:(?:really|very|so) )?(?:angry|mad|upset|furious|confused))|(?:was|were) (?:dark|red|green|down|empty|stuck|"
    r"broken|"
    r"blank|offline|dead|late|a (?:mess|nightmare|disaster|bad|long|terrible|horrible|black)|like living|ugly|awful|"
    r"horrible|terrible|embarrassing|[a-z]+ for|not amused|furious|bitten|burn(?:ed|t)|in (?:there|it)\b))"
)
"""How somebody tells what went wrong: "we lost a day to it in summer"."""

TELLS_NEWS = re.compile(
    r"\b(?:is|isn't|are|aren't|am|has|have|i'm|we're|they're|it's|that's|there's|he's|she's|goes|gets|must|should|"
    r"shall|"
    r"will|won't|may|can|can't|cannot|do|does|don't|doesn't|now|never|always|only|from|since|so|therefore|agreed|"
    r"decided|"
    r"promised|moved|switched|changed|renamed|replaced|upgraded|dropped|left|introduced|added|removed|new|until|till|"
    r"used|"
    r"said|told|asked|wants|needs|allowed|please|joined)\b|\d"
)
"""Words by which what is told of the past says how it is since."""

BRACKETS = re.compile(
    r"\s?\((?=[^()]*\b(?:(?:it's )?an? (?:little )?(?:girl|boy)|twins|both well|(?:both|all|everybody|everyone|"
    r"mother and "
    r"child) (?:are |is )?(?:well|fine)|everybody's well|congratulations|don't ask|long story|god knows "
    rf"(?:why|how)|my {RELATIVE}|with love|haha|lol|sorry|sigh|thanks|touch wood|wish me luck)\b)(?![^()]*[\d`/])"
    r"[^()]{2,80}\)",
    re.IGNORECASE,
)
"""Brackets on somebody's private life, or with a groan."""

# ------------------------------------------------------------------ openings and endings

SOME_THING = (
    r"(?:(?:just )?(?:(?:the |an?|one|another|other|different|new|next|small|little|minor|quick|side|last|final) "
    r")+(?:more )?"
    r"(?:thing|one|topic|subject|point|note|remark|detail|matter|question)|one more|another|next(?: up)?|unrelated)"
    r"(?: (?:from|for) (?:me|her|him|them|us|you|today))?(?:,? and (?:then )?i'm (?:off|out|gone|done))?"
)
"""How somebody comes to one thing of several."""

OPENING = re.compile(
    r"^(?:(?:(?:ok|okay|right|oh|o|ah|and|so|now|hm+|well|also|but|then|totally|completely|entirely)\W+)*"
    rf"(?:right,? so|so|right(?: then)?|now then|back|whatever|anyway|anyhow|{SOME_THING}|before i forget(?: (?:it|"
    rf"this|"
    r"that))?(?: again)?|(?:while|as|since) (?:i'm|we're|you're|you are|we are) (?:there|here|at it|in there|on it|in "
    r"that file|on the subject)|while (?:there|here)|while i (?:remember|think of it|have you)|before you ask|on the "
    r"other "
    r"hand|on another note|first(?: of all)?|second(?:ly)?|third(?:ly)?|2nd|3rd|(?:number|point) (?:one|two|three|"
    r"four)|for "
    r"your information|fyi|(?:just )?so you know|note to self|p\.?s\.?|for what it's worth|in other news|i'm afraid|"
    r"as i "
    r"always forget (?:it|this|that)|apropos(?: of nothing)?|speaking of which|that reminds me|since you ask|if you "
    r"must "
    r"know|good that you ask|in case nobody has told you|to come back to it|where were we|as (?:i )?(?:said|mentioned|"
    r"discussed)|like i said|(?:now that i see|seeing|looking at) (?:it|this|that)|long story short|in short|short "
    r"version|"
    r"to (?:cut|make) (?:it|a long story) short|(?:to answer|as for) your question|moving on|listen|look|hm+|btw|by "
    r"the way)"
    r"(?:\s?[:!–—]+|\s-+|\s?\.+|,)\s)+",
    re.IGNORECASE,
)
"""How somebody comes to a matter, or points at what was said before it."""

COUNTS_ON = re.compile(r"^(?:first|second|third|next|back|right|look)[^\w]*,", re.IGNORECASE)
"""What such words are with a comma: a step of an order, "first, stop the worker"."""

SO = re.compile(
    r"^so (?:now )?(?!that\b|far\b|long\b|much\b|many\b|as\b|what\b|why\b|how\b|who\b|when\b|where\b|is\b|are\b|was\b|"
    r"do\b|does\b|did\b|will\b|can\b|could\b|should\b|would\b|it\b|i\b|yes\b|no\b|called\b|[\w-]+ that\b|[\w-]+ as\b)"
    r"(?=[a-z])",
    re.IGNORECASE,
)
"""How somebody concludes from what was said before: "so the worker stays on one box"."""

OPENS_ALONE = re.compile(
    r"^(?:(?:oh|ah|o|ok|and|well|so|right|sorry)\W+)*(?:(?:i'm )?back(?: again)?|(?:it's )?me again|next(?: one)?|"
    r"(?:the )?"
    r"(?:first|second|third|other|last|former|latter)(?: one)?|(?:an)?other (?:one|thing)|one more(?: thing)?|new "
    r"topic|"
    r"other topic|thought so|fair enough|i see|whatever|anyway|good (?:morning|evening|afternoon|question|point|to "
    r"know)|"
    r"morning|hi|hello|hey|so|right|one thing|two things|where were we|there's the rub|yeah yeah.{0,30}|don't laugh|"
    r"guess "
    r"what|you won't believe (?:it|this)|oh dear|hang on|phone|was at lunch|you(?:'re| are) right|(?:that's )?true|"
    r"exactly|"
    r"great stuff|wow|interesting|dear me)\W*$",
    re.IGNORECASE,
)
"""Such words as a sentence of their own."""

SCENE_ALONE = re.compile(
    r"^\W*(?:(?:excuse me|sorry|oh|ah|ok)\W+)*(?:i (?:was|went|had to go) (?:on the phone|at lunch|out|away|off|for "
    r"an? "
    r"[a-z]+)\b|that was (?:me|the (?:cat|phone|door|post|kids?))\b|(?:somebody|someone) (?:was )?at the door\b)"
)
"""Where somebody was before they went on."""

ENDING = re.compile(
    r"(?:,| [–—-]{1,2}) (?:as you (?:can|may|might) imagine|believe it or not|don't ask(?: me)?(?: why)?|long story|"
    r"god "
    r"knows why|heaven knows why|who knows why|thank (?:god|goodness|heavens)|touch wood|haha\w*|lol|thanks(?: a "
    r"lot)?|thank "
    r"you|thx|sorry|wish me luck|good (?:rule|idea|point|man|woman)|no (?:rush|hurry)|(?:just |only |it's (?:just |"
    r"only )?)?"
    r"(?:the |that )?one (?:word|line|liner|click|character|minute|thing),? i (?:hope|think|guess)|plus (?:an? |the "
    r")?tests?|"
    r"with (?:a |one )?tests?|and cover it|and (?:an? |the )?tests?(?: too| please| for (?:it|that))|can (?:we|you)|"
    r"go on|and "
    r"go on|back to work|now then)(?=[.!?…]*$)",
    re.IGNORECASE,
)
"""The same at the end of a sentence."""

TIMES = re.compile(r"\b(?:day|night|morning|evening|afternoon|today|tomorrow|tonight|one|ones|stop|here|done)\b")
"""Words of thanks and the like that may tell when or what all the same: "all night"."""

OF_EACH = re.compile(r"\b(?:every|each|always|any|per|all|whoever|whenever)\b")
"""Words by which a rule goes on in the next sentence: "each fix in its own commit. with a test."."""
