"""A duty or a say that is somebody else's by now."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_db.text.duties import duty_moved, tells_duty
from memory_db.text.perhaps_over import perhaps_over, plainly_over

MOVED = (
    ("What the posters say goes past Ana. Zoë Lind, the curator, she approves it.",
     "Łukasz, from sales, approves the posters from now on.", "posters"),
    ("Éva decides which songs are played.", "Jürgen decides from now on which songs are played", "songs, played"),
    ("What the flyers say is decided by Greta.", "Lars decides what the flyers say until Greta is back.", "flyers"),
    ("Schema reviews are Omid's call, nobody else's.", "schema reviews are tills call from now on", "reviews"),
    ("The prices in the menu are set by Paola.", "Till easter Ugo sets the prices of the menu, Paola has a baby.",
     "prices, menu"),
    ("Ask Henrik before you touch the firewall.", "firewall questions go to Sunniva now", "firewall"),
    ("Jens reviews every change to the billing code.", "billing reviews are with Amrit these days", "billing"),
    ("Vera owns the on-call calendar.", "the on-call calendar belongs to Nils as of this week", "calendar"),
    ("Kaspar approves the terraform plans.", "terraform plans: Imke approves them from monday on", "terraform"),
    ("Rosa is responsible for the backups.", "from october the backups are Theo's job", "backups"),
    ("Nobody but Hilde uploads the scores.", "Anton uploads the scores now that Hilde has moved away", "scores"),
    ("database things go past Yusuf", "as long as yusuf is in hospital petra looks after the database", "database"),
    ("I run the migrations myself, you only write them.", "run the migrations yourself from now on", "migrations"),
    ("Flyway is for me, I do it on my own.", "the test database you can migrate on your own from now on", "flyway"),
    ("Leave the changelog to me.", "from now on write the changelog entry yourself", "changelog"),
    ("I do the version bumps by hand.", "bump the version on your own henceforth", "bumps"),
    ("Pushing is for me.", "branches you push from now on yourself", "pushing"),
    ("What a seat costs is decided by Rut alone.", "udo, the cousin, says in that time what the seats cost", "seat"),
    ("The order of the songs is Mina's business.", "order of the songs is pauls from now on", "songs"),
    ("The keys of the signing box are with Olek.", "keys of the signing box is up to Ada now", "keys"),
)  # fmt: skip

NOT_MOVED = (
    ("Cables belong to Imke.", 'Asked "Shall I draw the plan for Imke?", the user said: for friday. she waits for it.'),
    ("Cables belong to Imke.", 'Asked "Shall I draw the plan?", the user said: for Theo. he wants one too.'),
    ("Cables belong to Imke.", 'Asked "Is the plan for Imke?", the user said: for Imke, yes.'),
    ("Deploys are Omid's call.", "the logo is Till's call from now on"),
    ("Jens reviews the billing code.", "Amrit reviews the docs now"),
    ("Ask Henrik before you touch the firewall.", "ask Sunniva before you touch the printer, the queue is full now"),
    ("The schema is reviewed by Jens.", "Jens reviews the schema on thursdays now"),
    ("The schema is reviewed by Jens.", "the schema is reviewed by hand now"),
    ("Prices in the menu are set by Paola.", "the ticket prices are set by Ugo now"),
    ("Releases go through Olek.", "releases go to production on mondays now"),
    ("Rosa is responsible for the backups.", "backups are on the nas from now on"),
    ("Rosa is responsible for the backups.", "Theo broke the backups again"),
    ("Rosa is responsible for the backups.", "should the backups be Theo's job from now on?"),
    ("Rosa is responsible for the backups.", "Theo is responsible for the backups."),
    ("Kaspar approves the terraform plans.", "terraform plans are written to plan.txt now"),
    ("Kaspar approves the terraform plans.", "Kaspar and Imke approve the terraform plans now"),
    ("I run the migrations myself.", "you can read the migrations yourself, they are in db/"),
    ("I write the mails myself.", "you can see for yourself, the mails are gone now"),
    ("Pushing is for me.", "you push too hard now, think for yourself"),
    ("Errors go to Sentry.", "errors go to the second page now"),
    ("Translations are done by Marie.", "translations are done by friday from now on"),
    ("Ping Omar if prod is down.", "ping times are up again, prod is slow now"),
    ("Only Hilde uploads the scores.", "nobody uploads the scores now, the server pulls them"),
)  # fmt: skip


@pytest.mark.parametrize(("earlier", "later", "what"), MOVED)
def test_who_has_a_duty_by_now(earlier: str, later: str, what: str) -> None:
    assert duty_moved(later, earlier).startswith(what)
    assert " by now" in plainly_over(later, earlier)
    assert tells_duty(later)


@pytest.mark.parametrize(
    ("earlier", "later", "reason"),
    [
        ("Hands off the radio mast, cables and antennas belong to Imke.",
         'Asked "I draw the plan for Imke as last time?", the user said: for Theo. all that is his now.',
         "radio, mast, cables are with theo by now"),
        ("The proofs go past Yusuf.",
         'Asked "Shall I mail the proofs to Yusuf?", the user said: to Petra now, he left.',
         "proofs is with petra by now"),
    ],
)  # fmt: skip
def test_an_answer_names_somebody_else_than_its_question(earlier: str, later: str, reason: str) -> None:
    assert duty_moved(later, earlier) == plainly_over(later, earlier) == reason


@pytest.mark.parametrize(("earlier", "later"), NOT_MOVED)
def test_whose_duty_it_still_is(earlier: str, later: str) -> None:
    assert duty_moved(later, earlier) == ""


def test_a_reason_names_who_has_it() -> None:
    later = "Lars decides what the flyers say until Greta is back."
    assert perhaps_over(later, "What the flyers say is decided by Greta.") == "flyers is with lars by now"


@given(st.text(max_size=200), st.text(max_size=200))
def test_any_text_is_read(one: str, other: str) -> None:
    assert isinstance(duty_moved(one, other), str)
