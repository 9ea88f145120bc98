"""Acts that a prompt asks for in other words than a rule about them has: "squash these" is a commit; and what a task
touches: a deposit is money.

In: a prompt. Out: the words by which rules about such acts are found. Invariant: pure, linear in the length of the
prompt; how an act is asked for is compiled only where a prompt has a word for it, as a hook waits for that.

A hook loads this: the standard library alone.
"""

from __future__ import annotations

import re

from memory_db.records import later
from memory_db.text.questions import asks_to_know
from memory_db.text.terms import WORD

READ_CHARACTERS = 2_000
"""How much of a prompt is looked through."""

SCHEDULE = "schedule"
"""The word by which a day is found on which something goes out: for whoever asks when others will have it."""

THOSE = (
    r"(?:it|this|that|them|these|those|everything|all(?: of (?:it|this|them|these|those))?|what we have|"
    r"(?:the|my|our) \w+)"
)
A_NEW = r"(?:an?|another|some|one more|the) (?:[\w'-]+ ){0,3}?"

ASKED = (
    ("commit", "squash squashed squashing amend reword check checking git", later(
        rf"\b(?:squash\w*|amend|reword|check(?:ing)? {THOSE} in\b(?! (?:ci|prod|production|staging|chrome|firefox|"
        rf"safari|docker|the)\b)|check in {THOSE}|(?:put|get|save|record|bring) {THOSE} (?:in|into|to) git)\b",
        re.IGNORECASE,
    )),
    ("push", "up remote forge origin upstream publish pr pull merge merging merged", later(
        rf"\b(?:(?:get|send|bring|upload) {THOSE} (?:up|(?:up )?to the (?:remote|forge|origin)|upstream)|"
        r"publish (?:the|this|my|that) branch|open (?:a|the) (?:pr|pull request|merge request)|"
        rf"pr (?:title|description)|ready (?:for merging|to merge)|get {THOSE} merged)\b",
        re.IGNORECASE,
    )),
    ("deploy", "live roll prod production staging server servers version release store tag", later(
        rf"\b(?:(?:go|goes|going|(?:put|bring|get) {THOSE}) live|roll (?:{THOSE} out|out {THOSE})|"
        rf"(?:put|get|bring) {THOSE} (?:on|onto|to|into) (?:prod|production|staging|the servers?)|"
        r"cut (?:an? |the )?(?:new )?(?:version|release)|(?:bump|set|raise) the (?:[\w-]+ )?version|"
        rf"publish an? new version|tag {THOSE}|prepare {THOSE} for the store)\b",
        re.IGNORECASE,
    )),
    ("dependency", "package library lib crate gem npm pip pip3 pnpm yarn cargo uv go composer", later(
        r"\b(?:(?:nice|good|great|small|whatever|which|any|some) (?:\w+ ){0,2}(?:package|library|lib|crate|gem)\b|"
        rf"(?:use|take|pull in|bring in|install|with|find|want|need) {A_NEW}(?:package|library|lib|crate|gem|"
        r"module from (?:npm|pypi))|(?:pip3? install|npm i|npm install|pnpm add|yarn add|cargo add|uv add|gem install|"
        r"composer require|go get) [\w@-]+)\b",
        re.IGNORECASE,
    )),
    ("migration", "column columns table schema varchar", later(
        rf"\b(?:(?:add|drop|rename|put|want|need|forgot|give \w+) {A_NEW}columns?|columns? (?:is|are) (?:too (?:short|"
        r"small|narrow)|missing)|(?:alter|create|drop) table|(?:a|one) new table|(?:alter|change|extend) the schema|"
        r"varchar\(\d+(?=\)))\b",
        re.IGNORECASE,
    )),
    (SCHEDULE, "when earliest soon day", later(
        r"\b(?:when|how soon|(?:what|which) day|earliest)\b[^.?!\n]{0,80}?\b(?:(?:in|on|to) (?:prod|production|the "
        r"(?:servers?|site|box))|live|for real|goes out|go out|out there|reach(?:es)?|rolled out|deployed|released|"
        r"shipped|"
        r"(?:have|has|get|gets) (?:it|this|that|these|those|them|all|everything)|"
        r"(?:will|would|can|could|shall)(?: [\w'-]+){1,4} (?:see|get|have|notice|use))\b",
        re.IGNORECASE,
    )),
)  # fmt: skip
"""Acts by the word of their rules, words of which every request in other words has one, and how they are asked for so.
Source: ours, from how developers ask in bench/data and in sessions that readers wrote."""


MAKING = later(
    r"\b(?:add|put|implement|write|make|build|show|compute|calculate|sum|charge|store|save|return|give|need|needs|should|"
    r"let|apply|support|create|change|fix|improve|draft|tells?)\b",
    re.IGNORECASE,
)
"""What somebody says who wants something made: a question about it does not ask for its rules."""

TOUCHED = (
    ("wording", "message messages sentence wording label labels toast toasts tooltip tooltips caption banner hint"
     " dialog dialogs button buttons tell tells text texts empty show shows", later(
        r"\b(?:(?:error|success|friendly|warning|helpful|small|short|different|another|new|help) "
        r"(?:messages?|sentences?|texts?)|empty states?|(?:shows?|text) ['\"\u2018\u201c]\w+|wording|labels?|toasts?|"
        r"tooltips?|captions?|banners?|hints?|dialogs?|buttons?(?! (?:is|are|looks?) too\b)|(?:tell|tells) (?:the "
        r"(?:users?|customers?|visitors?|renters?|guests?|readers?|members?|players?|patients?|drivers?)|people)|"
        r"(?:sentence|message) (?:that|for|to|when))\b",
        re.IGNORECASE,
    )),
    ("money", "fee fees price prices deposit deposits refund refunds discount discounts surcharge costs balance payout"
     " vat amount amounts total totals", later(
        r"\b(?:fees?|prices?|deposits?|refunds?|discounts?|surcharges?|(?:freight|shipping|delivery) costs|balances?|"
        r"payouts?|vat(?! (?:ids?|numbers?)\b)|amounts?|(?:invoice|order|grand) totals?)\b",
        re.IGNORECASE,
    )),
    ("documentation", "docs doc documentation readme guide manual wiki page document", later(
        r"\b(?:(?:write|draft|add)(?: \w+){0,4} (?:docs?|documentation|readme|guide|manual|wiki|page (?:for|about))|"
        r"document (?:the|how|this|that|it))\b",
        re.IGNORECASE,
    )),
    ("deletion", "rid clean cleanup purge prune wipe delete deletes remove removes expire deleted erased removed wiped"
     " gdpr", later(
        r"\b(?:data|accounts?|records?|rows|users?|customers?|everything)(?: \w+){0,3} (?:deleted|erased|"
        r"removed|wiped)\b|"
        r"\bgdpr\b|"
        r"\b(?:gets? rid of|clean(?:s|ing)? up|cleanup|purges?|prunes?|wipes?|deletes?|removes?)(?: [\w-]+){0,5} "
        r"(?:older|old|stale|unused|expired|environments?|images?|backups?|snapshots?|branches|buckets?|records|rows|accounts?|"
        r"volumes?)\b",
        re.IGNORECASE,
    )),
    ("fixture", "regression fixture fixtures sample example lines case", later(
        r"\b(?:regression (?:test|case)|fixtures?|(?:sample|example) (?:file|input|data)|lines of (?:input|data))\b",
        re.IGNORECASE,
    )),
    ("secret", "password passwords token tokens secret secrets key credentials", later(
        r"\b(?:passwords?|secrets?|credentials|(?:api|access|auth|deploy|smtp) (?:tokens?|keys?))\b",
        re.IGNORECASE,
    )),
    ("timestamp", "timestamp timestamps expiry expires deadline created_at updated_at when midnight date dates time due"
     " overdue days hour week", later(
        r"\b(?:timestamps?|expiry|expires?|deadlines?|\w+_at|overdue|due (?:in|on|date)|(?:opening|closing) hours|"
        r"(?:per|each|every) (?:hour|week)|the (?:right |wrong )?week\b|(?:store|record|save|show)(?: \w+){0,2} when|"
        r"(?:date|time) (?:column|field)|last (?:seen|login|used))\b",
        re.IGNORECASE,
    )),
    ("endpoint", "endpoint endpoints route routes api get post json", later(
        r"\b(?:endpoints?|(?:api|http|rest) routes?|(?:GET|POST|PUT|PATCH|DELETE) /[\w{<]*)",
        re.IGNORECASE,
    )),
    ("component", "component components screen panel page widget dialog modal button buttons icon view colour color"
     " colours colors darker lighter contrast css header banner", later(
        r"\b(?:(?:new|small|little|build|add|make|put)(?: \w+){0,4} (?:components?|screens?|panels?|widgets?|modals?|"
        r"dialogs?|buttons?|icons?|banners?)|(?:colou?rs?|contrast|css)|(?:darker|lighter|too dark|too light))\b",
        re.IGNORECASE,
    )),
    ("mock", "test tests tested testing coverage", later(
        r"\b(?:(?:write|add|make|need|needs|want|wants|give|missing|another|regression|unit|integration)(?: \w+){0,3} "
        r"tests?|tests? (?:for|of|that)\b|test (?:it|this|that)\b)",
        re.IGNORECASE,
    )),
    ("logging", "log logs logged logging", later(
        r"\b(?:log (?:lines?|messages?|entr(?:y|ies)|more|it|every|each|when|what|the|who|which)|"
        r"(?:see|put|write|show)(?: \w+){0,4} in the logs?|(?:add|more|better|extend) (?:\w+ )?logging|logged)\b",
        re.IGNORECASE,
    )),
    ("alert", "alert alerts metric metrics gauge counter histogram", later(
        r"\b(?:(?:write|add|new|need|create|make|an?)(?: \w+){0,3} (?:alerts?|metrics?|gauges?|histograms?))\b",
        re.IGNORECASE,
    )),
    ("toggle", "switch flag toggle hide turn enable", later(
        r"\b(?:behind a \w+|kill switch|feature (?:flag|switch|toggle)|hide it (?:from|until)|"
        r"turn (?:it|them|this) on (?:for|per))\b",
        re.IGNORECASE,
    )),
    ("infrastructure", "bigger resize scale widen instance machine bucket subnet dns firewall cluster namespace server"
     " vm disk", later(
        r"\b(?:(?:bigger|larger|resize|scale (?:up|down|out)|widen|grow|create|add|rename|move|open|replace)"
        r"(?: [\w-]+){0,5} (?:instances?|machines?|buckets?|subnets?|dns(?: records?)?|firewalls?|clusters?|vms?|"
        r"namespaces?|disks?|queues?|ports?)|"
        r"(?:instances?|machines?|vms?|disks?|clusters?)(?: \w+){0,4} (?:too small|bigger|a size))\b",
        re.IGNORECASE,
    )),
    ("allocation", "buffer buffers allocate allocation dynamic malloc variable queue ring", later(
        r"\b(?:(?:ring |matching )?buffers?|allocat\w+|dynamic(?:ally)?|variable[- ](?:length|size)|queue of)\b",
        re.IGNORECASE,
    )),
    ("summary", "summary summarize summarise recap write tell report done ready finished", later(
        r"\b(?:summar(?:y|i[sz]e)|recap|(?:write up|tell me|report|say) what (?:you|was|has)|"
        r"(?:tell|ping) me when (?:it's|you're|it is|you are) (?:done|ready|finished))\b",
        re.IGNORECASE,
    )),
)  # fmt: skip
"""What a task touches, as `ASKED` has acts: met only where something is to be made. Source: as there."""


def acts_asked(prompt: str) -> tuple[str, ...]:
    """The acts that a prompt asks for in other words, and what its task touches, each by the word of its rules, in the
    order of `ASKED` and `TOUCHED`."""
    text = prompt[:READ_CHARACTERS]
    words = set(WORD.findall(text.casefold()))
    tables = (*ASKED, *TOUCHED) if MAKING.search(text) and not asks_to_know(text) else ASKED
    return tuple(act for act, some, asked in tables if not words.isdisjoint(some.split()) and asked.search(text))
