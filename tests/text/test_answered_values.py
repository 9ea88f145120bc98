"""A number that answers another one stands in the place of what sets that one."""

# ruff: noqa: E501  # a case a line

from __future__ import annotations

import pytest

from memory_db.text.answered_values import answered_value, number_of_thing
from memory_db.text.relations import CONTRADICTS, SUPERSEDES, Statement, relation

TAKEN = 'On "`agentd` has 5433. May it be stopped?", the user said: '


@pytest.mark.parametrize(
    ("later", "earlier"),
    [
        (TAKEN + "no, it's the scanner. move the kiln db to 5477, in both files. that's the port from now on.",
         "`make kiln-db`, it listens on 5433."),
        (TAKEN + "leave it. take 5477 instead, everywhere", "The kiln database listens on 5433."),
        (TAKEN + "no. we go to 5477 for good", "psql -h localhost -p 5433 gets you in"),
        ('Asked "The mock (8090) collides with the proxy. Another port?", the user said: 8190, for good.',
         "the mock is started with `make mock`, port 8090"),
        ('When the agent ran `curl localhost:9000/healthz`, the user said: that is the store. the api is on 9400 now',
         "the api is on 9000"),
        ('On "The batch is 50, and it times out.", the user said: make it 25 from now on', "the batch of the pump is 50"),
        ('On "Worker 3 was killed at 4096.", the user said: raise it to 6144 in the chart', "workers get 4096, no more"),
        (TAKEN + "it's the scanner of the city, it will not go away. 5477.", "The kiln database listens on 5433."),
        ("The neighbour was here with a meter. -18 on the fan, she signed it.", "Hush, please. The big fan stays at -12 dB."),
        ("40 in the kiln, the glaze ran", "the kiln stays on 45 while it dries"),
        (TAKEN + "it has to stay. change ours to 5477", "ours is on localhost:5433, user kiln"),
    ],
)  # fmt: skip
def test_another_number_than_the_one_that_is_answered(later: str, earlier: str) -> None:
    new, old = (Statement(text, project_id=1, said_at=day) for text, day in ((later, "2026-05"), (earlier, "2026-04")))
    found = relation(new, old)
    assert found is not None and found.kind in (SUPERSEDES, CONTRADICTS)


@pytest.mark.parametrize(
    ("later", "earlier"),
    [
        (TAKEN + "no. use 5477 for this run", "`make kiln-db`, it listens on 5433."),
        (TAKEN + "no. start a second one on 5477", "`make kiln-db`, it listens on 5433."),
        (TAKEN + "change nothing, restart it", "`make kiln-db`, it listens on 5433."),
        (TAKEN + "the invoice was 5477 euros.", "`make kiln-db`, it listens on 5433."),
        (TAKEN + "is 5477 free now?", "`make kiln-db`, it listens on 5433."),
        (TAKEN + "5433 stays ours, move the agent to 5477", "`make kiln-db`, it listens on 5433."),
        (TAKEN + "we move to 5477 from now on", "the kiln has 12 shelves"),
        ('On "50 tests pass.", the user said: now raise the timeout to 90', "the batch of the pump is 50"),
        ('On "Copyright says 2024.", the user said: change it to 2026 everywhere', "the import of 2024 is closed"),
        ("we move to 5477 from now on", "`make kiln-db`, it listens on 5433."),
    ],
)
def test_what_is_no_other_number(later: str, earlier: str) -> None:
    assert answered_value(later, earlier) == ""


@pytest.mark.parametrize(
    ("later", "earlier"),
    [
        ("3 on the rota this week", "the rota is 4 people long"),
        ("40 in the kiln for today", "the kiln stays on 45"),
        ("2 people are in the kiln room", "the kiln stays on 45"),
        ("40 in the shed", "the kiln stays on 45"),
        ("45 in the kiln, as ever", "the kiln stays on 45"),
        ("is it 40 in the kiln?", "the kiln stays on 45"),
    ],
)
def test_what_gives_the_thing_no_other_number(later: str, earlier: str) -> None:
    assert number_of_thing(later, earlier) == ""
