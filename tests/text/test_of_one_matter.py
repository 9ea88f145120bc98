"""Long messages, quoted questions, examples and deeds stand against nothing that they do not mean."""

from __future__ import annotations

import pytest

from memory_db.text.relations import CONTRADICTS, SUPERSEDES, Relation, Statement, relation


def relation_of(later: str, earlier: str) -> Relation | None:
    """How a text stands to one that was said before it, in the same project."""
    return relation(
        Statement(later, "convention", "project", 1, "2026-06-01T09:00:00Z", by_user=True),
        Statement(earlier, "convention", "project", 1, "2026-03-01T09:00:00Z", by_user=True),
    )


RELEASE = (
    "every release needs two signatures, mine and dr. weiss'. the hash goes on the form, not the version, versions can"
    " lie and the inspector knows it"
)
DRUGS = (
    "drug library comes from the pharmacy as xml on the 1st of the month. the import refuses the whole file if one"
    " entry is wrong, dr. weiss wants all or nothing"
)
LIST = (
    "the list of animals used to be sorted by the owner's name, then by day, now nadja sorts it with a click and the"
    " program keeps what she chose"
)
ROWS = (
    "rows without a day are not thrown out of the import, they go to the end of the list with a question mark. nadja"
    " calls the owner"
)

BOTH_HOLD = (
    # one word in two messages of other matters
    (RELEASE, DRUGS),
    (DRUGS, RELEASE),
    (
        "reader timeouts: we wait a bit until we give up, and the lamp blinks. then the door falls back to the key, of"
        " which Nadja has two in her drawer at home",
        "the lamp is green for in, red for no, nothing else. no blinking for anything but a lost reader, the old ones"
        " among the staff took the blinking for an alarm",
    ),
    (
        "the mail server is my sister's and it throws us out after 20 mails an hour. so one mail with everything"
        " instead of one a field",
        "the nightly job reads the sensor files, one a field, and writes one table. a file that's empty isn't an error,"
        " the sensor was under a cow",
    ),
    # what is done to a thing, or would happen to it
    (
        "a route can be deleted now when nobody has driven it for a year, nadja has two hundred dead ones in the list."
        " the tick stays for the others",
        LIST,
    ),
    ("send the frost alarm at once, the apricots are gone otherwise.", "The apricots are watered at night."),
    # what a thing no longer does, of what it never did
    ("the import no longer stops at a broken row, it logs the number and goes on.", ROWS),
    ("The worker no longer sends mails.", "The worker has 2 GB of memory."),
    # one value of several, and examples
    ("A card costs 12 and the vet pays it.", "A card costs 10 or 1."),
    ("The reader waits, say, 5 seconds for a card.", "The reader waits 20 seconds for a card."),
    ("The reader waits e.g. 5 seconds for a card.", "The reader waits 20 seconds for a card."),
    ("Packs are ordered, for example 50 cards a pack.", "Packs are ordered, 20 cards a pack."),
    (
        "the log of the door is kept for 14 days, then it's cut to counts per hour. nobody needs to know who went for a"
        " smoke in may",
        "jonas gave me logs of the door, three million lines. people hold the card for 2 or 3 seconds, so the reader"
        " can wait 2 and nobody notices",
    ),
    # words that are only answered
    (
        'Asked "So the paper list is gone?", the user said: nadja still prints it on fridays and hangs it up.',
        "The paper list is printed by nadja.",
    ),
    (
        'On "I dropped the retry in the payment client.", the user said: put the retry back, three tries.',
        "The payment client has a retry.",
    ),
    (
        'Asked "Should we stop printing the letters by hand, and drop the list?", the user said: no, leave it.',
        "The list is looked at every morning.",
    ),
    # a thing by a word that forbids elsewhere
    ("nadja sorts the list by day, the van's list is by stop", "the van's list stays in the van over night"),
    # what somebody did, and a ban
    ("jonas gave me a summer of logs", "Jonas' logs never go into the repo"),
    ("Jonas' logs never go into the repo", "jonas gave me a summer of logs"),
)


@pytest.mark.parametrize(("later", "earlier"), BOTH_HOLD)
def test_both_hold(later: str, earlier: str) -> None:
    found = relation_of(later, earlier)
    assert found is None or found.kind not in (CONTRADICTS, SUPERSEDES), found


OVER = (
    # one word that both are about, or one that means the same everywhere
    (
        "squash is allowed now, the auditor only looks at the merge and does not want the steps any more",
        "commit messages in english with the number of the ticket in front, the auditor samples ten of them a year."
        " squash is not allowed, she wants to see the steps",
    ),
    (
        "make check is gone, the tests run with just test now, locally and in ci",
        "we run the tests with make check, locally and in ci, same command. flaky browser tests get a ticket and a skip"
        " with the ticket's number, not a retry",
    ),
    (
        "the price list comes at 4 now instead of 2, the wholesaler moved their job and it's still latin-1",
        "the price list comes from the wholesaler every night at 2, it's latin-1 and has a semicolon in the third"
        " column. never trust the vat column",
    ),
    (
        "the drug library comes as xml every week now, on monday, and not on the 1st of the month",
        "drug library comes from the pharmacy as xml on the 1st of the month. the import refuses the whole file if one"
        " entry is wrong, dr. weiss wants all or nothing",
    ),
    # an example gives way to a value
    (
        "the reader timeout is 5 seconds now, 20 was ages in the rain",
        "reader timeouts: say 20 seconds until we give up, and the lamp blinks. then the door falls back to the key,"
        " Nadja has two",
    ),
    # a question that is taken up
    (
        'Asked "Should I take the vouchers out, so no more vouchers in the mail?", the user said: yes please',
        "The mail has vouchers.",
    ),
    # a deed that is a change
    ("We switched the mail to the new host, no longer the old host.", "The mail goes over the old host."),
    ("The worker no longer polls the queue.", "The worker polls the queue."),
)


@pytest.mark.parametrize(("later", "earlier"), OVER)
def test_what_is_over_is_over(later: str, earlier: str) -> None:
    found = relation_of(later, earlier)
    assert found is not None and found.kind in (CONTRADICTS, SUPERSEDES), found
