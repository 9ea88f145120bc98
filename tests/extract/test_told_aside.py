"""What somebody tells aside: whose a thing is, on which days, what is meant so, which word is right; and what is like
it and is no memory."""

from __future__ import annotations

import pytest

from memory_db.extract.rules.aside_cues import ASIDE_RULES
from memory_db.extract.rules.messages import read_message
from tests.extract.test_exchange_unit import Turn, kept, talk

BEGUN: tuple[Turn, ...] = (("user", "hello"), ("say", "Hello."))


def told(said: str) -> str:
    """What is kept of a message, as one text in lower case."""
    return " ".join(kept(*BEGUN, ("user", said), ("say", "All right."))).lower()


def cues(said: str) -> set[str]:
    """The cues of what is told aside that something kept of a message shows."""
    found = [
        one for each in talk(*BEGUN, ("user", said), ("say", "All right.")).exchanges for one in read_message(each)
    ]
    return {cue for one in found for cue in one.finding.cues} & ASIDE_RULES


WHOSE = [
    "keep out of pkg/ledger, thats tamsins until her audit is done",
    "please stay out of the fonts folder, that's Ravi's",
    "keep your hands off deploy.yml, it's the platform team's",
    "hands off zones.csv, that is still hers",
    "dont touch etl/old, its pavels baby",
    "The tariff sheet is Ilse's, nobody else edits it.",
    "The router config belongs to the network people, we never touch it.",
    "these fixtures are Moira's, leave them alone",
    "charts/ belongs to bogdan. only he may change it",
    "stay away from the old importer, that's the students' for their thesis",
    "Do not edit labels.json, it's theirs, the print shop's.",
    "the release notes stay Kemal's, not ours, he writes them at the end",
]
WHOSE_NOT = [
    "leave the parser alone, that's serious code",
    "leave it alone, that's nonsense",
    "leave the tests alone, that's always the same noise",
    "don't touch the fan, it's Tuesday's soup that smells",
    "stay out of the sun, it's everybody's problem today",
    "the bug is Ravi's fault, nobody else noticed",
    "it's Ilse's birthday, nobody else got cake",
    "keep off the grass, it's what's left of it",
    "whose is that folder, is it Ravi's and nobody else's?",
    "leave the second test be, that's your turn later",
    "that idea is Moira's, nobody else likes it lol",
]

DAYS = [
    "we ship only on tuesdays, then Abe is in the house",
    "could you check the lint step. we go to production only thursday mornings, the partner watches then",
    "the lab takes samples only on mondays",
    "The bakery changes its prices never on saturdays, they have no one for it",
    "Everything ready by noon, Odile rolls out to the kiosks on Wednesdays.",
    "fyi the vendor patches on sundays",
    "Uma reviews translations on fridays",
    "the invoices are printed on mondays by the old box",
    "wednesdays only, the crane is rented on the other days",
    "the ferry firm delivers to the islands only on fridays",
    "the council publishes its list on thursdays",
    "we never merge on fridays, only on mondays",
]
DAYS_NOT = [
    "i hate mondays",
    "we drink only on fridays haha",
    "on sundays i sleep",
    "what do you do on sundays",
    "i play football on thursdays",
    "fridays are the worst",
    "we had pizza on friday",
    "is it only on mondays?",
    "it broke on tuesday",
    "push it on friday please",
    "see you on monday",
]

MEANT = [
    "so dont wonder when you find a 14 in there, its on purpose, the trains are late by two minutes",
    "don't be surprised if the totals differ by a cent, the bank rounds each line",
    "don't trip over the empty folder, the installer checks for it",
    "the delay of 300 ms is on purpose, the relay bounces",
    "the double slash is deliberate because the proxy eats one",
    "the missing index is no oversight, the table has 40 rows",
    "The typo in colum_name is intentional, the vendor spells it so.",
    "nobody should be puzzled by the two clocks, the second is for the tower",
    "you needn't be alarmed by the 500s at night, the probe sends garbage",
    "these names are german on purpose, the plc cannot be renamed",
    "the sleep in boot.sh is by design, otherwise the disk is not there yet",
]
MEANT_NOT = [
    "don't worry about it",
    "don't be surprised if i go silent, i have a meeting",
    "is that on purpose?",
    "not sure if the gap is on purpose",
    "did you do that on purpose, or was it an accident?",
    "don't panic or anything",
    "that was not on purpose, sorry",
    "i broke it on purpose to see what happens",
    "don't wonder, just do it",
    "dont be confused please",
]

WORD = [
    "nice, but nobody here says customer, we have guests",
    "no one in this house calls it a ticket",
    "we don't say slot, we say berth",
    "say berth, not slot",
    "call them tenants, not users",
    "customers never say basket, apart from the web shop's",
    "call it a crossing, never a trip",
    'write "guest", never "customer"',
    "nobody at the port has ever said parking for that",
    "the drivers don't call it a route, it's a round for them",
    "use the word parish, not church",
]
WORD_NOT = [
    "nobody said that it's easy",
    "nobody said a word",
    "nobody here said anything",
    "we don't say no to cake",
    "they never call back",
    "it's not that bad",
    "say hello, not goodbye lol",
    "nobody said so",
    "we don't call that often",
    "nobody says no to that",
    "they don't say why",
]

PROMISED = [
    "Greta promised the parents that no photo of a child goes online",
    "we have promised the farmers that nobody sees their prices",
    "the boss swore at the assembly that we never sell addresses",
    "the board gave the union their word that nothing is measured per person",
    "the museum guaranteed the lenders that every picture shows its number",
    "we promised them in march never to change that url",
    "Otto vowed that all prices stay whole euros",
    "she assured the school that nothing leaves the house",
    "the director once pledged that there will never be ads, always banners of the club at most",
    "we also promised the insurer to store nothing without a hash",
]
PROMISED_NOT = [
    "he promised to look at it tomorrow",
    "they promised all data by friday",
    "she promised me a cake",
    "i promised nothing",
    "you promised that every test passes",
    "Jan promised to call every hour today",
    "they promised it would always work later",
    "we promised a demo",
    "did they promise that nobody sees it?",
    "he swore a lot",
]

SPARE = [
    "skip those summaries at the end of each answer, i see the diff",
    "please skip the recap at the end of your answers",
    "no more emojis in your answers",
    "spare me the praise",
    "drop the apologies in your messages",
    "cut those closing questions you put at the end of each answer",
    "i can do without the pep talk",
    "stop with the exclamation marks please",
    "Also, enough of these introductions, just the answer.",
    "save yourself the greetings",
    "omit the preamble everywhere, i skim",
]
SPARE_NOT = [
    "skip the summary for now",
    "drop the introduction from the README",
    "leave out the summary table in report.py",
    "cut the intro of the video to 5 s",
    "skip the greeting test",
    "i don't need the summary, thanks",
    "omit the greeting column in the csv",
    "drop summaries.sql",
    "lose the emoji in the header",
    "leave the closing line of the poem out",
]

OTHER_TEAM = [
    "ah, farid went to logistics in may, so his mails bounce",
    "Piet has moved to the harbour team, so ask Lou",
    "since dunja switched to sales nobody watches the queue",
    "and yara left the company, her keys are revoked",
    "Ben's gone over to platform",
    "oh, and mats is moving to the paris team",
    "kim gave up the newsletter, toni has it",
    "zora retired, she hands over the archive",
    "nils hands over the roster to eva",
    "Ana transferred to research",
    "luis quit the project last week",
]
OTHER_TEAM_NOT = [
    "he went to lunch",
    "tom went to the dentist",
    "the ticket moved to support",
    "everything moved to billing",
    "lea left a comment",
    "jan left the tests red",
    "traffic went to platform",
    "the build gave up the ghost",
    "max gave up",
    "everybody left us alone",
    "mails went to sales again?",
]

MORE_OR_LESS = [
    "oh: geodata raised us to 90 an hour",
    "the bank cut our quota to 500 requests a day",
    "The hotel lowered the cap to 20 calls per second.",
    "meteo throttled us to 10 a minute since monday",
    "the provider bumped us to 4000 mails an hour",
    "the city limited us to 3 trucks a day",
    "the landlord capped it at 40 visitors a day",
    "sms gateway upped our plan to 30 per second",
    "the vendor reduced it to 5 seats per month",
    "head office increased the budget to 900 a month",
]
MORE_OR_LESS_NOT = [
    "that cut the runtime to 3 seconds",
    "it limited itself",
    "i bumped the version to 3.2",
    "you lowered it, thanks",
    "the fix cut two lines",
    "he raised his voice",
    "they raised 40 thousand last year",
    "raise it to 5",
    "is the limit 5 per minute?",
    "we cut 3 trees",
]

PLACES = [
    "the list there is just a copy of ours, so correct names in people.csv and nowhere else",
    "the wiki is only an export from docs/, made every night",
    "prices are set in rates.toml and nowhere else",
    "the spreadsheet is nothing but a dump of orders",
    "the site's calendar is merely a mirror of ours",
    "users are blocked in the portal, nowhere else",
    "the csv in exports is only a snapshot of friday's table",
    "the sheet is just an extract of the register",
    "holidays stand in cal.json and nowhere else",
    "their list is only a view of our members",
]
PLACES_NOT = [
    "i looked nowhere else",
    "it happens nowhere else",
    "nowhere else does it fail",
    "is that only a copy of the db?",
    "just a copy please",
    "we went nowhere else",
    "seen nowhere else so far",
    "that's only a joke",
    "it's just a view",
    "make a copy of it",
]

LIKE_OTHERS = [
    "capital first, no dot, as in the older ones",
    "png at 2x, same as every icon we have",
    "the name in capitals, as on the others",
    "a slug and a date, like the rest",
    "Lower case with dashes, same as all the others.",
    "two spaces and no tabs, like our other files",
    "number first, then the street, as in the existing ones",
    "grey border and 4 px, like every card we have",
    "short verbs, like the other commands",
]
LIKE_OTHERS_NOT = [
    "looks good, like the others",
    "it works, like the others",
    "is it green, like the others?",
    "make it like the others",
    "fine, like the rest",
    "broken, like the rest",
    "ok, same as the others",
]

FIRST = [
    "the tunnel. `ssh -fN gate` first, i forget it too",
    "you need to run `npm run codegen` first",
    "run `docker compose up -d` first, the tests need it",
    "always `nvm use` first",
    "needs `source env.sh` first",
]
FIRST_NOT = [
    "`a.py` first, then the others",
    "do `a.py` first and then b",
    "did you run `make` first?",
    "show me `a.py` first thing",
]


def pairs(*lists: list[str]) -> list[str]:
    """The cases of several lists."""
    return [said for each in lists for said in each]


@pytest.mark.parametrize(
    "said", pairs(WHOSE, DAYS, MEANT, WORD, PROMISED, SPARE, OTHER_TEAM, MORE_OR_LESS, PLACES, LIKE_OTHERS, FIRST)
)
def test_what_is_told_aside_is_kept(said: str) -> None:
    assert told(said)


@pytest.mark.parametrize(
    "said",
    pairs(
        WHOSE_NOT, DAYS_NOT, MEANT_NOT, WORD_NOT, PROMISED_NOT, SPARE_NOT, OTHER_TEAM_NOT, MORE_OR_LESS_NOT,
        PLACES_NOT, LIKE_OTHERS_NOT, FIRST_NOT,
    ),
)  # fmt: skip
def test_what_is_like_it_shows_none_of_these_cues(said: str) -> None:
    assert cues(said) == set()


def test_a_command_that_goes_first_is_kept_with_what_failed() -> None:
    failed: tuple[Turn, ...] = (("user", "run the tests"), ("bash", "make test", "fails: no module api_pb2"))
    (text,) = kept(*failed, ("say", "They fail: api_pb2 is missing."), ("user", "`make proto` first"), ("say", "OK."))
    assert "`make proto` first" in text and ("make test" in text or "api_pb2" in text)


@pytest.mark.parametrize(
    "said",
    [
        "hands off deploy/mast, cables and antennas belong to imke.",
        "don't touch config/lamps.toml, the lamps live in it and the port has a copy.",
        "stay out of src/tide, the gauge runs from there.",
    ],
)
def test_what_forbids_something_is_a_rule_whatever_it_tells_of_it(said: str) -> None:
    found = [
        one for each in talk(*BEGUN, ("user", said), ("say", "All right.")).exchanges for one in read_message(each)
    ]
    assert found
    assert {one.finding.kind for one in found} <= {"convention", "correction", "preference"}
