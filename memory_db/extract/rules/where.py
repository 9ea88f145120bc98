"""Where a finding holds: wherever its user works, or in the project that it was said in.

In: a finding, and sentences that stand side by side. Out: its scope; whether a sentence only says of the one before it
where, when or how far it holds. Invariant: pure; words bind to the sentence that they stand in, or that they qualify.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from memory_db.extract.rules.beside import is_of_its_time
from memory_db.extract.rules.prose import ProseFinding, spelt_out
from memory_db.text.sentences import Sentence, split

USER_CUES = frozenset(
    {"I like", "how I work", "how to talk to me", "how I read you", "ask me first", "everywhere I work"}
)
"""Cues of knowledge about the user, wherever they work."""

TALK_CUES = frozenset({"how to talk to me", "how I read you"})
"""Those among them of what the agent says, whatever sort of rule that is."""

PROJECT_CUES = frozenset(
    {"in this project", "we do", "our", "lives in", "people here", "business", "part of the system"}
)
"""Cues that tie a sentence to the project it was said in."""

PERSONAL_KINDS = frozenset({"preference", "behaviour", "correction"})
"""Kinds that may be about the user; the others are about what is worked on."""

EVERYWHERE = re.compile(
    r"\b(?:all|any|every|each) our (?:projects|repos|code)\b|\b(?:anything|everything|whatever) you write\b"
    r"(?! (?:in|into|to|on) (?:there|it|that|this)\b| (?:there|here)\b)|"
    r"\b(?:all|any|every|each)(?: of)? (?:my|of my) (?:\w+ )?(?:projects?|repos?|repositor(?:y|ies)|code|things|"
    r"machines|work|charts?|apps?|"
    r"stuff|laptops|boxes)\b|\bin (?:every|each|any) (?:project|repo)\b|\beverywhere i\b|\bwherever i\b|"
    r"\b(?:in|on) (?:all )?my (?:other )?(?:things|projects|repos|repositories|machines)|\bother (?:projects|repos|"
    r"repositories) of mine\b|\b(?:all|every|any|"
    r"each) [\w ]{1,20}?\bi "
    r"(?:look at|write|make|work|have|own|touch|build)\b|\bin general,? i\b|\bi (?:always|never|generally) .{1,40}"
    r"(?:everywhere|anywhere)\b|\bon all machines\b|\bfor (?:every|any|all) \w+ (?:project|repo)s?\b|"
    r"\bnone of my (?:\w+ )?(?:projects|repos|repositories|apps|machines)\b|\b(?:here|this)(?:,)? (?:and|or)(?: in)? "
    r"(?:everywhere|anywhere|any other (?:code|project|repo|repository))\b|\beverywhere else\b|"
    r"\b(?:here|there)(?:,)? and [\w ]{1,25} and (?:everywhere|anywhere)(?=\W*$|[,;:.!])|"
    r"\bwherever (?:you|we) (?:work|write|help|are|do|go|meet|sit|land|end up)\b|"
    r"\b(?:here|this),? (?:and|or)(?: in)? (?:whatever|wherever)\b|"
    r"\bnot here and not in any\b|\b(?:what|which)ever (?:project |repo |repository |code )?i (?:work on|write|"
    r"touch|build|do|am in|'m in)\b|"
    r"\b(?:all|any|every|each)(?: other)? (?:projects?|repos?|repositor(?:y|ies)) of mine\b|"
    r"\b(?:goes|holds|counts|applies|same) (?:for|in|to) (?:all|any|every|each)(?: other)? (?:projects?|repos?)\b|"
    r"\bnot (?:just|only) (?:in |for |on )?(?:this|here)\b|\bfor everything (?:we|i|you) (?:do|make|write|build)\b|"
    r"\bno matter (?:which|what) (?:project|repo)|"
    r"\b(?:this|that|it|which) (?:holds|goes|counts|applies) (?:for|in|to) everything\b(?! (?:here|in|under|on)\b)|"
    r"\bin [\w.-]+ and (?:in )?[\w.-]+ alike\b|\bfor everywhere\b(?! (?:in|on|where)\b)|\bwhatever the project\b|"
    r"\bindependent of the project\b|\bi \w+ "
    r"[^,;.]{1,40} for (?:everything|anything)\b|"
    r"\b(?:it|that|this) holds everywhere\b|"
    r"\b(?:everything|anything|nothing|whatever)(?: else)?(?: that)? i (?:do|own|write|make|build|run|have|maintain|"
    r"touch|"
    r"work on)\b(?! (?:here|there|with (?:it|this|that))\b)|"
    r"\b(?:what|which)ever (?:project|repo|repository|codebase) (?:you|we)(?: are|'re)? (?:sit|work|are|end up|"
    r"find \w+|go|help) ?(?:in|on|into|with)?\b|"
    r"\b(?:here|this)(?: \w+)? (?:and|or) (?:[\w ]{1,30} (?:and|or) )?(?:where|what|which)ever(?: else)? (?:else )?"
    r"(?:i|we) (?:\w+ )?(?:have|open|use|run|start|take|put|bring)\b",
    re.IGNORECASE,
)
"""How somebody says that a thing holds wherever they work."""

WHICHEVER = re.compile(
    r"\b(?:whatever|whichever|which ?ever|regardless of (?:the|which)|(?:no matter|never ?mind) (?:the|which|in which|"
    r"for which)|"
    r"(?:does not|doesn't|doesnt|don't|dont) (?:matter|care) (?:in |for )?(?:which|what)|"
    r"(?:same|true|also|so|holds|goes|counts|applies) (?:in|for|to|with|on) (?:every|each|any|all)(?: other)?|"
    r"across(?: all)?(?: the| my)?) "
    r"(?:\w+ )?(?:projects?|repos?|repositor(?:y|ies)|codebases?)\b"
    r"(?=\W*$|[,;:.!?)]| [–—-]| (?:i|and|but|or|of (?:mine|ours)|you (?:work|help|are|write)|"
    r"it(?:'s|s| is) (?:in|from))\b)|"
    r"(?:^|[,;:.–—(-] ?|\b(?:for|in|on|to|with|from|and|or|of) )(?:anything|everything|whatever|nothing|all) (?:else )?"
    r"of mine\b|\b(?:everything|anything|whatever)(?: that(?:'s|s| is)| is)? mine\b|"
    r"\b(?:with|for|in|on|across|of) (?:all|any|every|each)(?: of)? (?:my|mine)\b|"
    r"\b(?:with|across) (?:all(?: the)?|any|every|each)(?: other)? (?:projects?|repos?|repositor(?:y|ies))"
    r"(?=\W*$|[,;:.!?)])|\b(?:also|too|even|same) (?:in|with|for|on) (?:the |all |all the )?other "
    r"(?:projects|repos|repositories)\b|\b(?:here|this)(?:,)? (?:and|or) elsewhere\b|"
    r"\b(?:this|that|same|which)(?:'s| is|s| holds| goes| counts| applies)? (?:true |so |valid )?everywhere"
    r"(?=\W*$|[,;:.!)]| (?:and|not|i\b))|"
    r"\b(?:dir überall merken|hier und [\w ]{2,40} und (?:sonst|überall)|gilt (?:so )?überall(?! (?:in|im|wo)\b)|"
    r"egal (?:in |für )?welche\w* (?:repo\w*|projekt\w*)|"
    r"(?:in|für|bei) (?:all(?:e|en)? meine[nr]?|jede\w*) (?:repo\w*|projekt\w*))\b",
    re.IGNORECASE,
)
"""The same by what does not matter, or by whose things they are: "whatever repo", "anything of mine that deletes"."""

MACHINE = r"on (?:this|my) (?:laptop|notebook|macbook|mac|machine|computer|workstation|desktop)"

OF_THE_MACHINE = re.compile(
    rf"\bthere(?:'s| is|s| will be| has never been) (?:no|not any|only) [\w.+-]+(?: \w+)? {MACHINE}\b|"
    rf"\b\d{{2,5}} (?:is|was|stays|belongs to|runs) [^.;!?]{{1,60}} {MACHINE}\b|"
    rf"\b{MACHINE},? (?:port )?\d{{2,5}} (?:is|was|stays|belongs to|runs)\b|"
    rf"\b(?:don't|dont|do not) have [\w.+-]+(?: \w+)? {MACHINE}\b",
    re.IGNORECASE,
)
"""What the user's machine has, lacks, or keeps a port for: it is so in each project that is worked on there."""

ONLY_HERE = re.compile(
    r"(?<!not )(?<!n't )\b(?:only|just) (?:in |for |on )?(?:here|this (?:repo\w*|project|one))\b(?! (?:and|or)\b)|"
    r"\bnot (?:in|for|across|with) (?:all|every)\b|\b(?:but|though|except) not (?:in|for|with|everywhere)\b",
    re.IGNORECASE,
)
"""How somebody says that a thing holds nowhere else."""


OF_THIS_PROJECT = re.compile(
    r"(?<!not )(?<!just )(?<!only )\b(?:as a rule |a rule )?(?:for|in|of) this (?:project|repo|repository|codebase)\b"
    r"(?!,? (?:and|or|but|nor)\b)",
    re.IGNORECASE,
)
"""How somebody says of which project they speak: "as a rule for this project, I want ..."."""


def holds_everywhere(text: str) -> bool:
    """Whether words say themselves that they hold wherever the user works."""
    is_said = any(pattern.search(each) for pattern in (EVERYWHERE, WHICHEVER) for each in (text, spelt_out(text)))
    return is_said and ONLY_HERE.search(text) is None


OF_A_THING = re.compile(
    r"\b(?:in|into|on|onto|from|inside|of) (?:the|that|this) (?!(?:answers?|repl(?:y|ies)|responses?|commits?|"
    r"messages?|subjects?|summar(?:y|ies)|tests?|code|docs?|documentation|diffs?|comments?|docstrings?|names?|chat|"
    r"terminal|conversation|plans?|explanations?|reviews?|beginning|start|end|first|last|next|same|middle|morning|"
    r"evening|ui|interface|readme|changelog|future|style|tone|way|point|rest|other|others|one|body|title|time|moment|whole)\b)[\w-]+|"
    r"\bthis (?:site|app|service|tool|server|library|package|page|script|program|database|api|game|bot)\b"
)
"""A thing that is worked on: "the separator in the csv". What each project has, such as its commits, is none."""

SPEAKS_OF_ME = re.compile(
    r"(?:^|[,;:.!] ?|[–—-] |\b(?:and|but|since|because|as|please) )(?:\w+ )?"
    r"(?:i|i'm|i've|my [\w ]{1,20}(?:is|are))\b(?!'ll| will)"
    r"|\b(?:push(?:es|ing)?|commits?|merges?|deploys?|tags?|releases?) (?:is|are|stays?|i (?:do|make)) ?\b"
    r"|\b(?:for|with|tell|show|ask|give|answer|write) me\b|\bmine\b",
    re.IGNORECASE,
)
"""A clause whose subject is the user, or which says what the agent does for them."""

MY_WAY = re.compile(
    r"\bi (?:always |usually |generally |only |never |also )?(?:write|keep|word|phrase|name|make|format) (?:my |all |"
    r"the )?(?:commits|commit (?:messages?|msgs?|subjects?|titles?)|messages of commits|pull requests|prs)\b",
    re.IGNORECASE,
)
"""How somebody tells their way of doing what each project has: "I write commit messages like ..."."""

MY_STAGING = re.compile(
    r"\bnever (?:use )?(?:git )?add (?:-a\b|--all\b|\.(?!\w))|\bstage (?:the )?(?:files |them |things )?(?:by name|"
    r"one by one)\b|"
    r"\bno (?:git )?add -a\b",
    re.IGNORECASE,
)
"""How somebody wants files to be staged, which is a habit of theirs: "never add -A"."""

MY_WAY_ELSEWHERE = re.compile(
    # German
    r"\bcommitt?\w* (?:tu|tue|mach|mache) (?:immer |nur |eh )?ich\b|\bich committ?e\w* (?:immer |nur )?(?:selber|"
    r"selbst)\b|\bnur,? wenn du (?:mich )?(?:vorher |erst |zuerst )?(?:mich )?frag\w*|\bfrage? mich (?:immer |"
    r"bitte )?(?:vorher|erst|zuerst)\b|\bin all(?:en|) meinen (?:projekten|repos\w*)\b|\bich (?:seh|sehe|les|"
    r"lese) (?:ja )?den diff\b|"
    # French
    r"\bc'est moi qui commit\w*|\bje (?:commite|fais les commits) (?:moi-même|toujours)\b|"
    r"\bdans tous mes projets\b|\bdemande[sz]?-moi (?:toujours |d'abord )?avant\b|\bsans me (?:le )?demander\b|"
    # Spanish
    r"\blos commits los hago yo\b|\bcommiteo yo\b|\bsin preguntarme\b|\bpreg[uú]ntame (?:siempre )?antes\b|"
    r"\ben todos mis (?:proyectos|repos)\b|"
    # Portuguese, Italian
    r"\bos commits (?:eu faço|faço eu)\b|\bsem me perguntar\b|\bem todos os meus projetos\b|"
    r"\bi commit li faccio io\b|\bsenza chiedermi\b|\bin tutti i miei progetti\b",
    re.IGNORECASE,
)
"""How somebody tells in other languages what they do themselves, or want to be asked about, wherever they work."""

NOT_HERE = re.compile(
    r"\b(?:so|then|therefore) i(?:'d| would)? (?:prefer|rather)\b|"
    r"\bi (?:don't |do not |dont )?(?:want|need|wish) (?:to|a|an|the|it|that|this|them)\b(?!.*\b(?:ever|any|"
    r"in general)\b)"
    r"|\bi (?:\w+ ){1,2}(?:this|that|these|those) "
    r"(?!(?:myself|alone|is|was|way|in|on|at|for|with|from|by|to|and|or|all|when|if|because)\b)\w+"
    r"|\b(?:got|gets|is|was) \w+ than i\b|\bi(?:'ll| will)\b"
    r"|\bi(?:'d| would) rather (?:not )?(?:have|stay|keep|use|go|stick|put|leave|take)\b"
    r"(?!.*\b(?:commits?|push\w*|answers?|summar\w+|diffs?|messages?|explanations?|questions?)\b)",
    re.IGNORECASE,
)
"""What the user wants of one thing at hand: "I don't want a dependency for that"."""

PROJECTS = r"(?:projects?|repos?|repositor(?:y|ies)|codebases?)"
MY_THINGS = rf"(?:{PROJECTS}|code|stuff|things|tools|scripts|machines|work)"
SCOPE = (
    r"(?:(?:in|for|with|across|on|at|to|of) )?(?:(?:all|any|every|each)(?: of)?(?: (?:my|our|the|other))* "
    rf"{MY_THINGS}|(?:all|everything|anything)(?: else)?(?= (?:of|that|i|we) ))"
    r"(?: of (?:mine|ours)| (?:that )?(?:i|we) (?:have|own|do|make|write|run|touch|work on))?|"
    r"(?:in|for|with|across|on) (?:all|everything)(?: else)?|"
    rf"not here,? (?:and|or) not in any(?: other)? {MY_THINGS}(?: of mine)?|"
    rf"(?:my|our) other {MY_THINGS}|everywhere(?: else)?(?: (?:i|we) \w+)?|wherever (?:i|we|you) \w+|"
    r"(?:it |that |this )?(?:does not|doesn't|don't) (?:matter|care) (?:in |for )?(?:which|what|where)(?: \w+)?|"
    r"(?:no matter|regardless of|independent of|whatever|whichever)(?: in| for)?(?: which| what| the| where)? "
    rf"{PROJECTS}"
)
"""Words that say where something holds."""

NOT_ONLY = (
    r"(?:and )?not (?:just|only) (?:(?:in|for|on|with) )?(?:(?:the|this|that|my) )?[\w-]+(?: (?:project|repo|one))?"
)

ONLY_SCOPE = re.compile(
    r"^\W*(?:(?:and|but|so|also|oh|btw|please|by the way)[, ]+)*"
    r"(?:(?:that|it|this|same|which)(?:'s| is|s)?(?: (?:holds|goes|counts|applies|is|true|valid|so|meant))* )?"
    rf"(?:{SCOPE}|{NOT_ONLY})(?:[, ]+(?:and |but )?(?:{SCOPE}|{NOT_ONLY}|by the way|please|too|always))*"
    r"(?:,? (?:so that|because|otherwise) [^.;!?]{2,80})?\W*$",
    re.IGNORECASE,
)
"""A sentence that says where a rule holds, and no rule: "in every repo of mine", "with all my stuff, not only here"."""

OF_THE_REST = re.compile(
    r"^\W*(?:(?:and|but|so|on|in|at|for|the|all|any|every) )*"
    r"(?:others?|other [\w-]+|the rest(?: of [\w-]+(?: [\w-]+)?)?|no other [\w-]+|"
    r"(?:everything|anything|everybody|anybody|nothing|nobody) else)[,:]? (?:\w+ )?"
    r"(?:never|not|no|only|stays?|remains?|keeps?|may|must|can't|cannot|can|don't|doesn't|is not|are not|isn't|aren't|"
    r"is off|are off|needs?|goes|go|gets?)\b"
)
"""How a sentence begins that says what holds of the rest: "other days never", "everything else stays"."""

MOST_WORDS_OF_THE_REST = 14
"""Words of the longest such sentence. Source: ours."""

STAYS = re.compile(
    r"^\W*(?:(?:and|but|only|just|though) )*(?:the )?[\w-]+(?: [\w-]+)? (?:stays?|remains?|is still|are still) "
    r"(?:with |for )?(?:mine|me|my [\w-]+|with me|to me|forbidden|off limits|as (?:it is|they are|before))\W*$"
)
"""What the user keeps of what they allow: "the key stays with me"."""

ALLOWS = re.compile(r"\b(?:you|it|they) (?:may|can|are allowed|could)\b|\b(?:is|are) (?:ok|okay|fine|allowed)\b")
"""How something is allowed."""


def qualifies(before: str, lower: str) -> bool:
    """Whether a sentence only says where, when or how far the words before it hold; both spelt out."""
    words = len(lower.split())
    if ONLY_SCOPE.match(lower):
        return True
    if OF_THE_REST.match(lower):
        return words <= MOST_WORDS_OF_THE_REST
    if STAYS.match(lower):
        return ALLOWS.search(before) is not None
    return is_of_its_time(before, lower)


ALSO_YOU = re.compile(r"^\W*(?:and )?(?:also|besides|likewise)\b[^.;:!?]*\byou\b", re.IGNORECASE)
"""How a rule for the agent goes on with the one before it: "also, you never push"."""


ONE_OF_SEVERAL = re.compile(
    r"^\W*(?:one|two|three|four|first(?:ly)?|second(?:ly)?|third(?:ly)?|\d|[a-d])[:)] ", re.IGNORECASE
)

SEVERAL = re.compile(
    r"\b(?:two|three|four|some|several|a few|a couple of) (?:[\w-]+ )?(?:objections|rules|things|wishes|remarks|"
    r"conditions|"
    r"requests|corrections|points)\b",
    re.IGNORECASE,
)
"""How rules are counted, and how it is announced that there are several: "two rules for all my projects. one: ..."."""


ITEMS = re.compile(
    r"^(?P<head>[^\n]*?) ?[:–—-][ \t]*\n(?:[ \t]*(?:[-*•]|\d{1,2}[.)]) [^\n]*\n)*[ \t]*(?:[-*•]|\d{1,2}[.)])?[ \t]*\Z",
    re.MULTILINE,
)
"""The line that a list stands under, at an item of it: "and this holds everywhere, here and there -"."""


def is_scope_alone(text: str) -> bool:
    """Whether a text says where something holds, and not what: "every repo of mine"."""
    return ONLY_SCOPE.match(spelt_out(text)) is not None


def is_heading(sentences: Sequence[Sentence]) -> bool:
    """Whether the last sentence only says where what follows holds: "one more: every repo of mine. tabs only"."""
    before, colon, scope = spelt_out(sentences[-1].masked).rpartition(": ")
    opens = bool(colon) or len(sentences) == 1
    return opens and ONLY_SCOPE.match(scope) is not None and holds_everywhere(scope) and "?" not in before


def goes_on_everywhere(before: str, quote: str) -> bool:
    """Whether a rule goes on with one that holds everywhere, the last before it, or is one of several that do."""
    if ONLY_HERE.search(quote):
        return False
    sentences = split(before)
    if ALSO_YOU.match(quote):
        return bool(sentences) and holds_everywhere(sentences[-1].text)
    if sentences and is_heading(sentences):
        return True
    if (head := ITEMS.search(before)) and holds_everywhere(re.split(r" [–—-] |: ", head["head"])[-1]):
        return True
    is_counted = ONE_OF_SEVERAL.match(quote) is not None
    return is_counted and any(SEVERAL.search(one.text) and holds_everywhere(one.text) for one in sentences)


SAID_OF_ALL = 4
"""Points of a sentence of which the next one says that it holds everywhere. Source: ours; nobody says so of a step."""


def points_behind(sentences: Sequence[Sentence], number: int) -> int:
    """Points for a sentence that the one behind it says holds everywhere: "tabs please. in any repo of mine"."""
    behind = [spelt_out(each.masked) for each in sentences[number + 1 : number + 2]]
    return SAID_OF_ALL if any(ONLY_SCOPE.match(each) and EVERYWHERE.search(each) for each in behind) else 0


DESCRIBES = re.compile(r"^(?:[\w ,']{1,30}[.!] )?there (?:is|are|was|were)\b", re.IGNORECASE)
"""How somebody tells what there is, which is no wish for how the agent is to work."""

OF_ONE_THING = re.compile(
    r"\bi(?:'d| would) rather (?:not )?\w+ (?:it|that|this|them)\b|"
    r"\bi (?:(?!(?:like|love|hate|prefer)\b)\w+ ){1,4}(?:it|them)\b(?=.*\bmyself\b)|"
    r"\bi (?:only |just |still )?(?:(?:have|need|had) to|must) (?:\w+ ){1,3}(?:it|them)\b|"
    r"(?:^|[,.;:] )(?:and |but )?(?:the|that|this) (?!(?:push|commit|merg|review|deploy|releas|tag|branch|pull|"
    r"final|last)\w*)"
    r"(?:[\w-]+ ){1,5}(?:is|are|stays?) mine\b|"
    r"^(?:(?:and|but|also|so|please|exactly|yes),? )*the (?:script|tool|job|service|app|site|page|button) (?:is|are|"
    r"was)\b|"
    r"^(?:(?:and|but|also|so|please),? )*the (?!(?:answers?|repl(?:y|ies)|commits?|messages?|tests?|code|diffs?|"
    r"summar(?:y|ies)|comments?|"
    r"docstrings?|names?|functions?|branch(?:es)?|plans?|explanations?|first|last|rest)\b)"
    r"[\w-]+(?: (?:and|or) the [\w-]+)? (?:should|must|shall|has to|"
    r"have to|"
    r"may|can)\b|"
    r"(?:^|[,.;:] )(?!(?:i|you|we|they|he|she|it|that|this|there|agents?|always|never)\b)[a-z][\w-]* (?:must|"
    r"should|has to) "
    r"(?:(?:always|never|not|only) )*(?:ask|tell|show|say|answer|print|write|warn)\b|"
    r"(?<![\w=])[\w-]{1,20} = [a-z][^,;=]*[,;] ",
    re.IGNORECASE,
)
"""What the user does with one thing at hand, or keeps of it: "I merge into it myself", "the pressing of the button is
mine"."""

STATING_CUES = frozenset({"states a fact", "needs"})
"""Cues of a sentence that says how something is, rather than how the agent is to work."""


OF_THE_PROJECT = re.compile(
    r"\b(?:we|us|our|ours|he|she|him|his|her|(?:half|most|some|many) of them|people|customers?|"
    r"production|prod|pull requests?|reviewers?|colleagues?|the team|here|"
    r"wir|uns|unsere?\w?|nous|notre|nosotros|nuestr\w+|nós|noss\w+|noi|nostr\w+|nasz\w*|нас|наш\w*|мы)\b"
    r"|我们|他们|私たち|우리",
    re.IGNORECASE,
)
"""Words by which what somebody wants is of this project, its people and what runs there."""


MOST_WORDS_OF_MACHINE, MOST_WORDS_BEFORE_MACHINE = 30, 3
"""Words of the longest text that is of a machine as a whole, and of what may stand before that. Source: ours; a longer
one tells of the project too, as "the dev server runs on 8040, 8000 is the wiki on my machine" does."""


def is_of_machine(text: str) -> bool:
    """Whether a text tells what the user's machine has, lacks or keeps a port for."""
    plain = spelt_out(text)
    said = OF_THE_MACHINE.search(plain) if len(plain.split()) <= MOST_WORDS_OF_MACHINE else None
    is_first = said is not None and len(plain[: said.start()].split()) <= MOST_WORDS_BEFORE_MACHINE
    return is_first and ONLY_HERE.search(text) is None


def scope_of(finding: ProseFinding, *, has_project: bool, with_machine: bool = True) -> str:
    """Whether the finding is about the user or about the project it was said in; `with_machine`: what is so of the
    user's machine is theirs."""
    cues = set(finding.cues)
    if not has_project or holds_everywhere(finding.quote):
        return "user"
    if OF_THIS_PROJECT.search(finding.quote):
        return "project"
    if with_machine and is_of_machine(finding.quote):
        return "user"
    if MY_WAY_ELSEWHERE.search(finding.quote):
        return "user"
    is_my_way = MY_WAY.search(finding.quote) or MY_STAGING.search(finding.quote)
    if is_my_way and not OF_THE_PROJECT.search(finding.quote):
        return "user"
    if finding.kind not in PERSONAL_KINDS and not cues & TALK_CUES:
        return "project"
    if any(each.search(finding.quote) for each in (OF_THE_PROJECT, OF_ONE_THING, DESCRIBES)):
        return "project"
    if NOT_HERE.search(finding.quote) or (cues & STATING_CUES and not SPEAKS_OF_ME.search(finding.quote)):
        return "project"
    if is_of_a_thing(finding.quote):
        return "project"
    about_user = len(cues & USER_CUES) * 2 + (finding.kind != "correction")
    about_project = len(cues & PROJECT_CUES) + ("technical token" in cues)
    return "user" if about_user > about_project else "project"


def is_of_a_thing(quote: str) -> bool:
    """Whether a rule is, by its first clause, for something that is worked on and not for what is said to the user."""
    first = re.split(r"[,;:.!?](?=\s)", spelt_out(quote), maxsplit=1)[0]
    return OF_A_THING.search(first) is not None and SPEAKS_OF_ME.search(first) is None
