"""What people call a project: a part of its name, and hosts that are called so."""

from __future__ import annotations

import pytest

from memory_db.text.names.projects import host_called_so, is_called, things_spoken_of


@pytest.mark.parametrize(
    ("word", "name"),
    [
        ("gate", "gatectl"), ("mill", "grainmill"), ("scale", "scale-agent"), ("orchard", "orchard_maps"),
        ("kiln", "kilnlog"), ("stock", "shopstock"), ("depot", "depotsim"),
    ],
)  # fmt: skip
def test_a_part_of_a_name_calls_the_project(word: str, name: str) -> None:
    assert is_called(word, name)


@pytest.mark.parametrize(
    ("word", "name"),
    [
        ("plan", "planner"), ("scan", "scanning"), ("agent", "agents"), ("app", "appstore"), ("tools", "kiln-tools"),
        ("grainmill", "grainmill"), ("rain", "grainmill"), ("ship", "shipment"),
    ],
)  # fmt: skip
def test_another_form_an_ordinary_word_and_letters_within_call_none(word: str, name: str) -> None:
    assert not is_called(word, name)


@pytest.mark.parametrize(
    ("text", "thing", "is_project"),
    [
        ("when does the new gate software come in", "gate", False),
        ("what the mill repo writes since monday", "mill", True),
        ("our orchard's map is wrong", "orchard", False),
        ("is that in this kiln project", "kiln", True),
    ],
)
def test_things_that_are_spoken_of_as_known(text: str, thing: str, is_project: bool) -> None:
    assert things_spoken_of(text)[thing] is is_project


@pytest.mark.parametrize("text", ["a gate is a gate", "gates open at nine", "the gate-keeper", "nothing"])
def test_what_is_not_known_is_not_spoken_of(text: str) -> None:
    assert "gate" not in things_spoken_of(text)


@pytest.mark.parametrize(
    ("text", "host"),
    [
        ('"server": "http://gate.local:8080"', "gate.local"),
        ("ping gate.cellar.lan", "gate.cellar.lan"),
        ("ssh pi@gate.local", ""),
        (".claude/gate.local.json", ""),
        ("gate.example.com", ""),
        ("irrigate.local", ""),
    ],
)
def test_a_host_that_is_called_like_a_project(text: str, host: str) -> None:
    assert host_called_so("gatectl", text) == host
