"""Fitting the abstainer: on made examples, on a file's own questions, on a data set."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from bench.developer import OWN
from memory_db.cli.evaluation.abstainer import print_report, report_on
from memory_db.cli.group import cli
from memory_db.errors import InputError
from memory_db.evaluation.first_hits import Example, chances_of, crossed, fit, silence
from memory_db.evaluation.query_sets import SAMPLE_SET
from memory_db.recall.abstainer import COLD, SHIPPED
from memory_db.recall.brief.abstain import abstainer_of
from memory_db.store.abstainer_weights import NUMBERS


def made(count: int = 60) -> list[Example]:
    """Questions of three projects whose answers bring more evidence; of the other numbers nothing can be learnt."""
    found = []
    for number in range(count):
        is_answerable = number % 3 > 0
        evidence = (0.5 if is_answerable else 0.2) + 0.01 * (number % 7)
        numbers = dict.fromkeys(NUMBERS, 0.5) | {"evidence": evidence}
        found.append(Example(f"q{number}", numbers, is_answerable, False, str(number % 5)))
    return found


def test_a_fit_tells_them_apart_and_keeps_four_fifths() -> None:
    questions = made()
    fitted = fit([questions])
    assert fitted.weights["evidence"] > 0 and fitted == fit([questions])
    assert all(abs(fitted.weights[name]) < 1e-6 for name in NUMBERS if name != "evidence")
    kept = silence(questions, chances_of(fitted, questions), fitted.least)
    assert kept.kept >= 0.8 and kept.negatives == 1 and np.isnan(kept.deleted)
    assert silence(questions, crossed({"own": questions}, "own")).negatives == 1


def test_questions_of_one_project_are_held_out_by_their_uids() -> None:
    questions = [Example(each.uid, each.numbers, each.is_answerable, False, "1") for each in made()]
    assert silence(questions, crossed({"own": questions}, "own")).negatives == 1


def test_it_takes_both_sorts() -> None:
    for wanted in (True, False):
        with pytest.raises(InputError, match="some without one"):
            fit([[each for each in made() if each.is_answerable is wanted]])


@pytest.mark.slow
def test_tune_fits_on_a_files_own_questions_and_saves_if_asked(
    sample_path: Path, sample_db: sqlite3.Connection
) -> None:
    entries = sample_db.execute("select count(*), max(uid) from entries").fetchone()
    command = ["profile", "tune", "--abstain", "--save", "--set", SAMPLE_SET, "-d", str(sample_path)]
    done = CliRunner().invoke(cli, command)
    assert done.exit_code == 0, done.output
    assert "Saved" in done.stdout and "nothing answers" in done.stdout
    for way in SHIPPED:
        own = abstainer_of(sample_db, way)
        assert own != SHIPPED[way] and 0 < own.least < 1
    assert sample_db.execute("select count(*), max(uid) from entries").fetchone() == entries


def test_what_a_fit_gave_is_printed_and_saved_only_if_asked(capsys: pytest.CaptureFixture[str]) -> None:
    questions = made()
    fitted = fit([questions])
    report = report_on(questions, SHIPPED[COLD], fitted)
    assert report["after"]["negatives"] == 1 and report["weights"] == fitted.as_dict()
    print_report({COLD: report}, saved=False)
    printed = capsys.readouterr().out
    assert "40 questions with an answer, 20 without" in printed and "Nothing was saved" in printed


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--save"], "go with --abstain"),
        (["--abstain", "--data", str(OWN)], "goes with its --format"),
        (["--abstain", "--data", str(OWN), "--format", "jsonl", "--set", "own"], "Give one of them"),
    ],
)
def test_what_does_not_go_together_is_said(sample_path: Path, options: list[str], said: str) -> None:
    done = CliRunner().invoke(cli, ["profile", "tune", *options, "-d", str(sample_path)])
    assert done.exit_code == 1 and said in done.output and "Traceback" not in done.output
