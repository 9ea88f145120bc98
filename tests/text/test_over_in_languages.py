"""What is called over in German, French and Spanish, and another time of day for the same in any language."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_db.text.over_in_languages import over_in_language, times_of
from memory_db.text.perhaps_over import perhaps_over


@pytest.mark.parametrize(
    ("later", "earlier", "reason"),
    [
        ("ich hab am wochenende alles umgezogen, puppeteer ist rausgeflogen", "wir haben puppeteer für die tests",
         "'puppeteer' is over"),
        ("die frau brandt ist seit montag im ruhestand, mit kuchen", "das einspielen macht die frau brandt",
         "'brandt' is over"),
        ("kein jenkins mehr bei uns, das macht jetzt der runner", "gebaut wird mit jenkins", "'jenkins' is over"),
        ("das mit mittwochs kein versand kannste vergessen, die post kommt jetzt später", "und mittwochs geht nix raus",
         "'mittwochs' is over"),
        ("j'ai tout passé à pixi, l'environnement poetry est à la poubelle", "On lance les tests avec poetry.",
         "'poetry' is over"),
        ("le finde quité Resque y he puesto otra cosa para los correos", "los jobs van con Resque, a pelo",
         "'resque' is over"),
        ("ya no esperes nada de Ramiro, que se ha ido a otra empresa", "Ramiro me manda el excel cada mes",
         "'ramiro' is over"),
        ("der nachtlauf muss auf 04:30, der server ist vorher zu", "der server holt das um 02:15",
         "4:30 in the place of 2:15"),
        ("Le serveur fait son snapshot à 2 h 30, la base est verrouillée. Mets 4 h 15.", "Oui, c'est ça, 2 h 30.",
         "4:15 in the place of 2:30"),
        ("Serrons la vis : je descends la tolérance à 3 cm, pour tous.", "5 cm de tolérance pour les tests.",
         "3 cm in the place of 5 cm"),
        ("y lo importante del contrato: el divisor del volumetrico pasa a 4000", "el divisor 5000 es para los dos",
         "4000 in the place of 5000"),
        ("the backup has moved, now it goes at 04:15", "the backup runs at 02:30", "4:15 in the place of 2:30"),
    ],
)  # fmt: skip
def test_what_is_called_over_is_named(later: str, earlier: str, reason: str) -> None:
    assert over_in_language(later, earlier) == reason
    assert perhaps_over(later, earlier)


@pytest.mark.parametrize(
    ("later", "earlier"),
    [
        ("die frau brandt ist heute im büro und macht das", "das einspielen macht die frau brandt"),
        ("puppeteer bleibt, nur die version ändert sich jetzt", "wir haben puppeteer für die tests"),
        ("das mit dem versand kannst du gleich machen", "und mittwochs geht der versand nicht raus"),
        ("poetry est bien, on le garde pour les tests", "On lance les tests avec poetry."),
        ("Ramiro me lo ha mandado, lo tengo aquí", "Ramiro me manda el excel cada mes"),
        ("je descends à la cave, à 3 heures, avec la tolérance de tous", "5 cm de tolérance pour les tests"),
        ("el envio pasa a 4000 clientes", "el divisor 5000 es para los dos"),
        ("the report is made at 04:15", "the backup runs at 02:30"),
        ("lunch moves to 12:30 today", "the backup runs at 02:30"),
        ("the backup takes until 04:15", "the backup runs at 02:30"),
    ],
)
def test_what_is_only_spoken_of_holds_on(later: str, earlier: str) -> None:
    assert over_in_language(later, earlier) == ""


@given(st.integers(0, 23), st.integers(0, 59))
def test_a_time_is_the_same_in_each_way_of_writing_it(hour: int, minute: int) -> None:
    ways = (f"{hour:02}:{minute:02}", f"{hour}h{minute:02}", f"{hour} h {minute:02}")
    assert {frozenset(times_of(f"at {way} or so")) for way in ways} == {frozenset({f"{hour}:{minute:02}"})}
