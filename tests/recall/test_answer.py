"""An answer as JSON: one shape, whoever asks."""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, get_args, get_origin, get_type_hints, is_typeddict

import pytest
from click.testing import CliRunner

from memory_db.cli import cli
from memory_db.pages import ask
from memory_db.pages.api import reading as api
from memory_db.recall.answer import AnswerData

QUESTION = "postgres port"


def printed(path: Path, *arguments: str) -> Any:
    ended = CliRunner().invoke(cli, ["-d", str(path), *arguments, "--json"])
    assert ended.exit_code == 0, ended.output
    return json.loads(ended.stdout)


@pytest.fixture
def answers(sample_path: Path, now: datetime) -> dict[str, dict[str, Any]]:
    """The same question by every surface, and what a session begins with."""
    fields = {"q": [QUESTION], "project": ["tidepool"]}
    page = ask.explore(sample_path, {**fields, "budget": ["300"]}, now=now, log=False)["answer"]
    drawn = {"legend", "scale", "listed", "drawn", "sql"}
    marked = {"heading", "segments", "verdict", "belief", "why", "asked_before", "rests_on"}
    return {
        "recall": printed(sample_path, "recall", QUESTION, "--budget", "300"),
        "brief": printed(sample_path, "brief", QUESTION, "--project", "tidepool"),
        "start": printed(sample_path, "brief", "--start", "--project", "tidepool"),
        "page": {name: value for name, value in page.items() if name not in drawn}
        | {name: [{key: each[key] for key in each if key not in marked} for each in page[name]]
           for name in ("hits", "others")},
        "brief.json": {name: value for name, value in api.brief(sample_path, fields, now=now, log=False).items()
                       if name != "logged"},
    }  # fmt: skip


def assert_shape(value: Any, wanted: Any, where: str) -> None:
    """Whether a value of JSON is what a type says, with no field more or less."""
    origin = get_origin(wanted)
    if is_typeddict(wanted):
        fields = get_type_hints(wanted)
        assert list(value) == list(fields), where
        for name, each in fields.items():
            assert_shape(value[name], each, f"{where}.{name}")
    elif origin is UnionType:
        if value is not None:
            assert_shape(value, next(each for each in get_args(wanted) if each is not NoneType), where)
    elif origin is list:
        assert isinstance(value, list), where
        for each in value:
            assert_shape(each, get_args(wanted)[0], f"{where}[]")
    elif wanted is not Any:
        assert isinstance(value, {float: (int, float)}.get(wanted, origin or wanted)), f"{where}: {value!r}"


def test_every_surface_gives_the_documented_shape(answers: dict[str, dict[str, Any]]) -> None:
    for surface, given in answers.items():
        assert_shape(json.loads(json.dumps(given)), AnswerData, surface)


def test_lines_stand_in_the_text_and_their_hits_beside_them(answers: dict[str, dict[str, Any]]) -> None:
    for surface, given in answers.items():
        lines = [line for role in given["roles"] for line in role["lines"]]
        assert {line["uid"] for line in lines} == {hit["uid"] for hit in given["hits"]} and lines, surface
        assert all(line["line"] in given["text"] for line in lines), surface


def test_what_goes_to_a_model_only_counts_what_was_left_out(answers: dict[str, dict[str, Any]]) -> None:
    for surface in ("brief", "start", "brief.json"):
        assert answers[surface]["others"] == [] and answers[surface]["left_out"], surface
    assert answers["recall"]["others"] and answers["page"]["others"]
