"""A later text changes an earlier one where it gives another value to the same attribute of the same thing."""

from __future__ import annotations

import pytest

from memory_db.text.attribute_values import settings_of
from memory_db.text.relations import CONTRADICTS, SUPERSEDES, Statement, relation

CHANGED = (
    (
        "The preview goes out on Thursdays, from main, to the crew at the depot. Production only when I say so.",
        "We've moved the preview to Tuesdays. The crew meets on Wednesday morning and wants to have tried it by then.",
    ),
    (
        'Asked "Shall I heat it?", the user said: yes, lock the door first. Ada has it tue and thu mornings for rye.',
        'On "Not locked, the calendar has Ada on it.", the user said: Thats stale, she went to wednesdays, whole day.',
    ),
    (
        "It may run on OVEN_B at noon. Rye hangs on OVEN_A, and when we bake there, Dana waits, so we keep all "
        "sourdough on OVEN_B.",
        "Then sourdough goes on OVEN_A from now on, but in the evening, when nobody bakes rye.",
    ),
    ("Prices are rounded per row.", "round on the sum, not per row"),
    ("The stock load starts at 04:10.", "they shifted the stock load, it kicks off 05:20 since tuesday"),
    ("The jump has a cooldown of 4 seconds.", "jump cooldown: 2.5 s"),
    ("Orders over 40 euros ship for free.", "orders ship for free from 75 now, 40 was eating the margin"),
    ("The staging box is at 10.2.0.9.", "Staging was moved, it's on 10.2.0.8 now."),
    ("It's all Terraform.", "The firm has decided, so `terraform` becomes `tofu` wherever we've written it."),
    ("We deploy with Fly.", "We left Fly in spring."),
    ("Docstrings are needed on public functions.", "Docstrings are not needed on public functions."),
    ("The grid is 512 wide.", "The 512 is history."),
    ("go to node 22 while you are there, 20 is at its end", "we're on node 24 now, update the lock and engines"),
    ("the api allows 60 requests a minute per key", "60 is too tight, raise the limit to 120 requests per minute"),
    ("the pool has 8 threads", "set the pool's threads to 16"),
)

HELD = (
    (
        "It may run on OVEN_B at noon. Dana waits for it, so we keep all rye on OVEN_B.",
        "Then sourdough goes on OVEN_C from now on, but in the evening.",
    ),
    ("Postgres in staging is 15.", "Redis in staging is 6."),
    ("staging runs on 8081", "Port 5544 is where the staging database listens."),
    ("Keep the generated stubs in the repository.", "Don't lint the generated stubs."),
    ("Postgres is on port 6380.", "Sessions have been moved out of Postgres: they are signed cookies now."),
    ("The sync takes about 12 minutes.", "rooms hold 16 guests since the patch, used to be 12"),
    ("The import takes about 6 minutes.", "the import runs every twelve hours from now on"),
    ("Orders are numbered per month.", "Credit notes are no longer numbered per month."),
    (
        'On "In a template the dollar begins a placeholder.", the user said: I see, but please not safe_substitute.',
        "Let us take a tilde as delimiter instead of the dollar.",
    ),
    ("npm run build writes to dist/.", "Storybook's build ends up in public/, not in dist/."),
    ("The timeout of the mailer is 30 seconds.", "The timeout of the importer is 90 seconds now."),
    (
        "the chart should use local station time, not browser time",
        "Times are always shown in the station's local time, never in the browser's zone.",
    ),
    ("A match has 12 players.", "a match shows at most 20 spectators now"),
    ("the belt on line 3 sends its weight twice", "belt on line 3 sends every weight twice, the second ~200ms later"),
    ("The container has Python 3.11.", "Python 3.9 on the edge boxes, and that can't be changed."),
)


def found(earlier: str, later: str) -> str:
    """The kind of relation of a later text to an earlier one of the same project; '' for none."""
    new = Statement(later, "decision", "project", 1, "2026-06-01T09:00:00Z", by_user=True)
    told = relation(new, Statement(earlier, "decision", "project", 1, "2026-03-01T09:00:00Z", by_user=True))
    return told.kind if told else ""


@pytest.mark.parametrize(("earlier", "later"), CHANGED)
def test_another_value_of_the_same_is_a_change(earlier: str, later: str) -> None:
    assert found(earlier, later) in (CONTRADICTS, SUPERSEDES)


@pytest.mark.parametrize(("earlier", "later"), HELD)
def test_what_is_said_of_another_thing_leaves_it_standing(earlier: str, later: str) -> None:
    assert found(earlier, later) not in (CONTRADICTS, SUPERSEDES)


@pytest.mark.parametrize(
    ("text", "switch"),
    [
        ("Firing is fine from now on.", set()),
        ("From monday on the kiln is free, from next week on too.", set()),
        ("Nobody knows what is going on.", set()),
        ("The fan is on from now on.", {"on"}),
        ("The fan is back on.", {"on"}),
        ("From now on the fan stays off.", {"off"}),
    ],
)
def test_from_when_something_holds_switches_nothing_on(text: str, switch: set[str]) -> None:
    assert settings_of(text).values.get("switch", frozenset()) == switch


@pytest.mark.parametrize(
    ("before", "now", "is_change"),
    [
        ("The cost centre is KL-410, or the report is void.", "The cost centre's been renumbered, it's KL-522.", True),
        ("The cost centre is KL-410, or the report is void.", "The store room's been renumbered, it's KL-522.", False),
        ("The cost centre is KL-410, or the report is void.", "The cost centre belongs with order KL-522.", False),
        ("Clay costs 150 a month, and we are at 90.", "Clay costs 120 a month from now on.", True),
        ("Clay costs 150 a month, and we are at 90.", "We are at 120 bricks in the store now.", False),
        ("The loggers send every 5 min to save power.", "The loggers send every 8 minutes now.", True),
        ("A lamp warns 21 days before the gas is empty.",
         "The lamp for the gas has gone on too late for Ulla, away for three weeks, hence I'd like it at 45 days.",
         True),
        ("Tiles go out by the pipeline at ten each morning.", "Move the pipeline to half past two in the afternoon.",
         True),
    ],
)  # fmt: skip
def test_rates_codes_and_intervals_are_values(before: str, now: str, is_change: bool) -> None:
    found = relation(Statement(now, said_at="2"), Statement(before, said_at="1"))
    assert (found is not None and found.kind in (CONTRADICTS, SUPERSEDES)) is is_change
