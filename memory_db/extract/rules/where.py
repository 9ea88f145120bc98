"""Where a finding holds: wherever its user works, or in the project that it was said in.

In: a finding, and sentences that stand side by side. Out: its scope; whether a sentence only says of the one before it
where, when or how far it holds. Invariant: pure; words bind to the sentence that they stand in, or that they qualify.
"""

from __future__ import annotations

import re

from memory_db.extract.rules.prose import ProseFinding

USER_CUES = frozenset({"I like", "how I work", "how to talk to me", "ask me first", "everywhere I work"})
"""Cues of knowledge about the user, wherever they work."""

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
    r"\bwherever (?:you|we) (?:work|write|help|are|do|go)\b|\b(?:here|this),? (?:and|or)(?: in)? (?:whatever|"
    r"wherever)\b|"
    r"\bnot here and not in any\b|\b(?:what|which)ever (?:project |repo |repository |code )?i (?:work on|write|"
    r"touch|build|do|am in|'m in)\b|"
    r"\b(?:all|any|every|each)(?: other)? (?:projects?|repos?|repositor(?:y|ies)) of mine\b|"
    r"\b(?:goes|holds|counts|applies|same) (?:for|in|to) (?:all|any|every|each)(?: other)? (?:projects?|repos?)\b|"
    r"\bnot (?:just|only) (?:in |for |on )?(?:this|here)\b|\bno matter (?:which|what) (?:project|repo)|"
    r"\bwhatever the project\b|\bindependent of the project\b|\bi \w+ "
    r"[^,;.]{1,40} for (?:everything|anything)\b|"
    r"\b(?:it|that|this) holds everywhere\b|"
    r"\b(?:everything|anything|nothing|whatever)(?: else)?(?: that)? i (?:do|own|write|make|build|run|have|maintain|"
    r"touch|"
    r"work on)\b(?! (?:here|there|with (?:it|this|that))\b)",
    re.IGNORECASE,
)
"""How somebody says that a thing holds wherever they work."""

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

NOT_HERE = re.compile(
    r"\b(?:so|then|therefore) i(?:'d| would)? (?:prefer|rather)\b|"
    r"\bi (?:don't |do not |dont )?(?:want|need) (?:to|a|an|the|it|that|this|them)\b(?!.*\b(?:ever|any|in general)\b)"
    r"|\bi (?:\w+ ){1,2}(?:this|that|these|those) "
    r"(?!(?:myself|alone|is|was|way|in|on|at|for|with|from|by|to|and|or|all|when|if|because)\b)\w+"
    r"|\b(?:got|gets|is|was) \w+ than i\b|\bi(?:'ll| will)\b",
    re.IGNORECASE,
)
"""What the user wants of one thing at hand: "I don't want a dependency for that"."""

ONLY_SCOPE = re.compile(
    r"^\W*(?:(?:and|but|so|also) )?(?:(?:that|it|this|same) (?:holds|goes|counts|applies) |same )?(?:in|for|across) "
    r"(?:all|any|every|each)(?: of)?(?: (?:my|our|the|other))* (?:projects?|repos?|repositor(?:y|ies)|codebases?)"
    r"(?: of (?:mine|ours)| (?:i|we) have)?\W*$",
    re.IGNORECASE,
)
"""A sentence that says where a rule holds, and no rule: "in every repo of mine"."""

DESCRIBES = re.compile(r"^(?:[\w ,']{1,30}[.!] )?there (?:is|are|was|were)\b", re.IGNORECASE)
"""How somebody tells what there is, which is no wish for how the agent is to work."""

OF_ONE_THING = re.compile(
    r"\bi (?:(?!(?:like|love|hate|prefer)\b)\w+ ){1,4}(?:it|them)\b(?=.*\bmyself\b)|"
    r"\bi (?:only |just |still )?(?:(?:have|need|had) to|must) (?:\w+ ){1,3}(?:it|them)\b|"
    r"(?:^|[,.;:] )(?:and |but )?(?:the|that|this) (?!(?:push|commit|merg|review|deploy|releas|tag|branch|pull|"
    r"final|last)\w*)"
    r"(?:[\w-]+ ){1,5}(?:is|are|stays?) mine\b|"
    r"^(?:please )?the (?!(?:answers?|repl(?:y|ies)|commits?|messages?|tests?|code|diffs?|summar(?:y|ies)|comments?|"
    r"docstrings?|names?|functions?|branch(?:es)?|plans?|explanations?|first|last|rest)\b)"
    r"[\w-]+(?: (?:and|or) the [\w-]+)? (?:should|must|shall|has to|"
    r"have to|"
    r"may|can)\b",
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


def scope_of(finding: ProseFinding, *, has_project: bool) -> str:
    """Whether the finding is about the user or about the project it was said in."""
    cues = set(finding.cues)
    if not has_project or EVERYWHERE.search(finding.quote):
        return "user"
    is_my_way = MY_WAY.search(finding.quote) or MY_STAGING.search(finding.quote)
    if is_my_way and not OF_THE_PROJECT.search(finding.quote):
        return "user"
    if finding.kind not in PERSONAL_KINDS:
        return "project"
    if any(each.search(finding.quote) for each in (OF_THE_PROJECT, OF_ONE_THING, DESCRIBES)):
        return "project"
    if NOT_HERE.search(finding.quote) or (cues & STATING_CUES and not SPEAKS_OF_ME.search(finding.quote)):
        return "project"
    about_user = len(cues & USER_CUES) * 2 + (finding.kind != "correction")
    about_project = len(cues & PROJECT_CUES) + ("technical token" in cues)
    return "user" if about_user > about_project else "project"
