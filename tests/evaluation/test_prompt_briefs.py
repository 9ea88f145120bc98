"""What the setting of prompts costs and brings, counted."""

from __future__ import annotations

import pytest

from bench.prompt_briefs import Lived, figures


def test_lines_are_counted_by_what_their_readers_want() -> None:
    told = [
        Lived(tokens=90, lines=3, wanted=1, noise=1, wants=True, is_missed=False),
        Lived(tokens=0, lines=0, wanted=0, noise=0, wants=True, is_missed=True),
        Lived(tokens=30, lines=1, wanted=0, noise=1, wants=False, is_missed=False),
    ]
    found = figures(told)
    assert (found["prompts"], found["lines"], found["wanted lines"]) == (3, 4, 1)
    assert found["tokens a prompt"] == pytest.approx(40)
    assert (found["of them wanted"], found["of them noise"]) == (0.25, 0.5)
    assert found["wants something, told none of it so far"] == 0.5


def test_where_no_prompt_is_told_anything_no_line_is_wanted() -> None:
    found = figures([Lived(tokens=0, lines=0, wanted=0, noise=0, wants=True, is_missed=True)])
    assert (found["lines"], found["of them wanted"]) == (0, 0)
    assert found["wants something, told none of it so far"] == 1
