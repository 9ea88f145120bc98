"""The page of benchmarks says what is stored, no more and no less; what is stored names no machine."""

from __future__ import annotations

import json
import re
import sys
import tempfile
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench import lived, markdown, pages, rankings, report, report_rankings, results
from bench.__main__ import BENCHES, DATA_BENCHES, PAGE, main, short
from bench.sections import SECTIONS
from memory_db.store.connection import connect


def interval_of(value: float) -> dict[str, float]:
    """An estimate as a contest has it."""
    return {"mean": value, "low": value - 0.1, "high": value + 0.1}


def contender(value: float, **more: Any) -> dict[str, Any]:
    """The figures of one ranking as a contest has them."""
    metrics = ("recall@1", "recall@5", "recall@10", "ndcg@10", "mrr", "evidence@1000", "evidence@2500", "evidence@4000",
               "ceiling")  # fmt: skip
    group = {
        "queries": 5,
        "recall@1": interval_of(value),
        "recall@5": interval_of(value),
        "recall@10": interval_of(value),
    }
    curve = [{"threshold": 0.1 * n, "answerable": 1 - 0.1 * n, "deleted": 0.8 - 0.08 * n} for n in range(8)]
    return {
        **{name: interval_of(value) for name in metrics},
        "weights": {"keyword": 1.0},
        "threshold": 0.0,
        "by_style": {"task": group, "error": group},
        "by_overlap": {"shares words": group},
        "abstention": {"threshold": 0.0, "curve": curve,
                       "at_fitted_thresholds": {"thresholds": [0.3], "answerable": interval_of(0.7),
                                                "deleted": interval_of(0.2)}},
        "median_ms": 100 * value,
        "p95_ms": 200 * value,
        **more,
    }  # fmt: skip


def contest() -> dict[str, Any]:
    """A contest as `memory-db evaluate --json` prints it."""
    against = {"against": "keyword_only", "recall@10": interval_of(0.25), "evidence@2500": interval_of(0.05)}
    return {
        "dataset": "notes", "form": "jsonl", "file_hash": "0", "queries": 12, "answerable": 10, "negatives": 2,
        "items": 1200, "left_out": {"questions_without_evidence": 3}, "semantic_model": "toy", "split": "by hash",
        "baseline": "keyword_only",
        "profiles": {
            "keyword_only": contender(0.4),
            "cosine": contender(0.5, difference=against, median_ms=None),
            "fitted": contender(0.7, difference=against),
            "default": contender(0.6, difference=against),
        },
    }  # fmt: skip


def result(name: str, figures: dict[str, Any]) -> results.Result:
    conditions = {"cores": 2, "system": "Linux x86_64", "python": "3.11.7", "sqlite": "3.40.1"}
    return results.Result(name, "2026-11-01", report.section(name).command, conditions, 90.0, short(figures))


# -------------------------------------------------------------- what is committed


def test_the_page_is_what_the_stored_results_give() -> None:
    assert PAGE.read_text("utf-8") == report.page(results.read_all()), "Run `.venv/bin/python -m bench --render`."


@pytest.mark.slow
def test_stored_results_are_small_and_name_no_machine() -> None:
    for path in results.FOLDER.glob("*.json"):
        text = path.read_text("utf-8")
        assert len(text) < 100_000
        assert not re.search(r"/(?:root|tmp|work|home|Users|private)\b", text)
        found = results.read_all()[path.stem]
        assert set(found.conditions) == set(results.conditions())
        assert found.command == report.section(path.stem).command


def test_every_measurement_has_a_section() -> None:
    assert {*BENCHES, *DATA_BENCHES} <= {each.name for each in SECTIONS}
    assert set(DATA_BENCHES) <= {each.name for each in SECTIONS if each.data == "always"}


# ------------------------------------------------------------------- the page


def test_a_contest_as_a_page() -> None:
    page = report.page({"developer": result("developer", contest())})
    assert "| Notes for a developer's questions | 2026-11-01 | 1.5 | 2 | Linux x86_64 | 3.11.7 | 3.40.1 |" in page
    assert ".venv/bin/python -m bench developer\n" in page
    row = "| **`default`** | 60.0 | 60.0 (50.0 to 70.0) | 60.0 (50.0 to 70.0) | +25.0 (+15.0 to +35.0) | 60.0 | 60.0 |"
    assert row in page
    assert "| plain FTS5 (`keyword_only`) | 40.0 | 40.0 (30.0 to 50.0) | 40.0 (30.0 to 50.0) | – |" in page
    assert "| 60.0 | 1.50 |" in page  # time against that of plain full text
    flowing = " ".join(page.split())
    assert "left out: 3 questions without evidence." in flowing
    assert "plain FTS5 40.0 %: +25.0 (+15.0 to +35.0) points, more than luck. The best of the other" in flowing
    assert "| task | 5 | 60.0 (50.0 to 70.0) |" in page
    assert "shares words" not in page  # one part alone says nothing
    assert "outdated" not in page
    assert "| **`default`** | 70.0 (60.0 to 80.0) | 20.0 (10.0 to 30.0) | – |" in page
    assert all(len(line) <= 120 for line in page.splitlines() if not line.startswith("|"))


def test_a_difference_whose_interval_holds_0_may_be_luck() -> None:
    found = contest()
    found["profiles"]["default"]["difference"]["recall@10"] = interval_of(0.05)
    assert "+5.0 (-5.0 to +15.0) points, which may be luck" in report_rankings.describe_contest(
        rankings.stored_contest(found)
    )


def test_contests_by_file_have_headings_where_there_are_several() -> None:
    one = report.page({"locomo": result("locomo", {"chats": contest()})})
    two = report.page({"locomo": result("locomo", {"chats": contest(), "more": contest()})})
    assert "### chats" not in one
    assert {"### chats", "### more"} <= set(two.splitlines())


def test_the_order_is_that_of_the_sections_and_what_is_not_measured_yet_is_named() -> None:
    found = {"extraction": result("extraction", {"labels": {"items": 3}}), "sample": result("sample", contest())}
    page = report.page(found)
    titles = re.findall(r"^## (.*)$", page, re.M)
    assert titles == [report.section("sample").title, report.section("extraction").title, "When nothing is shown",
                      "Not measured yet"]  # fmt: skip
    assert "| Evidence in long chats | `.venv/bin/python -m bench locomo --data DIR` |" in page
    measured = {each.name: result(each.name, {"items": 1}) for each in SECTIONS}
    assert "Not measured yet" not in report.page(measured)
    assert report.page({}).startswith("# Benchmarks")


def test_a_sentence_whose_figures_are_not_there_is_left_out() -> None:
    figures = {"entries": {"ratio": 2.5, "gone": None}, "search": [{"rows": 10_000}]}
    sentences = ("It takes {entries/ratio:.1f}.", "And {entries/gone}.", "{memories/ratio}", "{search/0/rows:,} rows.",
                 "{search/1/rows}")  # fmt: skip
    assert markdown.said(sentences, figures) == "It takes 2.5. 10,000 rows."


def test_figures_side_by_side_are_columns() -> None:
    blocks = markdown.any_figures(
        {"runs": 40, "entries": {"count": 100_000, "ratio": 2.51}, "memories": {"count": 20_000}, "sizes": [1, 2],
         "deep": {"a": {"x": 1}, "b": {"x": interval_of(0.5)}}, "steps": [{"rows": 5, "ms": 1.25}]}
    )  # fmt: skip
    assert blocks == [
        "| figure | value |\n| --- | ---: |\n| runs | 40 |",
        "|  | entries | memories |\n| --- | ---: | ---: |\n| count | 100,000 | 20,000 |\n| ratio | 2.51 | – |",
        "sizes: 1, 2",
        "**deep**",
        "|  | a | b |\n| --- | ---: | ---: |\n| x | 1 | 0.5 (0.4 to 0.6) |",
        "**steps**",
        "| rows | ms |\n| --- | ---: |\n| 5 | 1.25 |",
    ]


def test_ways_side_by_side_are_rows_in_percent() -> None:
    ways = {
        "full": {"recall@5": interval_of(0.5)},
        "quick": {"recall@5": interval_of(0.4), "against full": {"recall@5": interval_of(-0.1)}},
    }
    assert markdown.any_figures({"notes": ways}) == [
        "**notes**",
        "|  | recall@5 | against full: recall@5 |\n| --- | ---: | ---: |\n"
        "| full | 50.0 (40.0 to 60.0) | – |\n"
        "| quick | 40.0 (30.0 to 50.0) | -10.0 (-20.0 to +0.0) |",
    ]


def test_a_long_list_lies_on_its_side() -> None:
    sizes = [{"entries": 10**n, **{f"f{k}": n + k for k in range(9)}} for n in (3, 4)]
    assert markdown.listed(sizes, "sizes")[1].splitlines()[:3] == [
        "| entries | 1,000 | 10,000 |", "| --- | ---: | ---: |", "| f0 | 3 | 4 |"]  # fmt: skip
    assert markdown.said(["{sizes/last/entries:,}"], {"sizes": sizes}) == "10,000"


# ------------------------------------------------------------------- what is kept


def test_a_curve_is_kept_at_the_highest_threshold_that_still_shows_so_many() -> None:
    kept = rankings.stored_contest(contest())["profiles"]["default"]["abstention"]
    assert [point["at_least"] for point in kept["points"]] == [0.95, 0.9, 0.8, 0.7, 0.5]
    assert [point["answerable"] for point in kept["points"]] == pytest.approx([1.0, 0.9, 0.8, 0.7, 0.5])
    assert kept["at_fitted_thresholds"] == {"answerable": [0.7, 0.6, 0.8], "deleted": [0.2, 0.1, 0.3]}


leaves = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8)
nested = st.dictionaries(
    st.text(max_size=6),
    st.recursive(leaves, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner,
                                                                                     max_size=3), max_leaves=12),
    max_size=4,
)  # fmt: skip


@given(nested)
@pytest.mark.slow
def test_any_figures_are_kept_as_they_are_and_can_be_shown(figures: dict[str, Any]) -> None:
    assert json.loads(results.lines(figures)) == figures
    assert all(isinstance(block, str) for block in markdown.any_figures(figures))


def test_a_result_is_read_as_it_was_written(tmp_path: Path) -> None:
    written = result("developer", contest())
    results.write(written, tmp_path)
    assert results.read_all(tmp_path) == {"developer": written}


@pytest.mark.slow
def test_pages_are_measured_on_a_file_that_has_everything(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    # Each sort of visit once: here it counts that every page is measured, not that its figure is a steady one.
    monkeypatch.setattr(pages, "WARM_UP", 0)
    monkeypatch.setattr(pages, "WRITES", 1)
    figures = pages.measured(60, 400, 140, 1)
    shown = {*figures["pages"], *figures["absent"], *figures["failed"]}
    assert shown == set(pages.PAGES) and not figures["failed"]
    assert all(each["bytes"] > 1000 and each["ratio"] > 0 for each in figures["pages"].values())
    assert "On 60 memories, 400 entries and 140 recalls" in report.page({"pages": result("pages", figures)})
    (made,) = tmp_path.glob("lived-60-400-140-*.db")
    assert lived.made(tmp_path, lived.Size(60, 400, 140), now=datetime.now(UTC)) == made
    with closing(connect(made)) as db:
        tables = ("actions", "api_calls", "candidates", "contradictions", "decisions", "edges", "evidence", "hits",
                  "hook_runs", "jobs", "memory_entities", "model_calls", "proposals", "session_outcomes")  # fmt: skip
        assert all(db.execute(f"select count(*) from {table}").fetchone()[0] for table in tables)
        assert not db.execute("pragma foreign_key_check").fetchall()
        wrong = "select count(*) from recall_scores where abs(score - logged_score) > 1e-6"
        assert db.execute(wrong).fetchone()[0] == 0


@pytest.mark.slow
def test_what_cannot_be_measured_is_said_and_nothing_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    before = PAGE.read_bytes()
    monkeypatch.setattr(sys, "argv", ["bench", "locomo", "--dry-run", "--data", str(tmp_path)])
    main()
    said = capsys.readouterr().err
    assert "locomo is skipped: no file of LoCoMo in" in said
    assert "the page" in said
    monkeypatch.setattr(sys, "argv", ["bench", "luck"])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 2
    unknown = capsys.readouterr().err
    assert (
        "no measurement luck; there are: remembering, days, prompt_briefs, brief_quality, locomo, developer" in unknown
    )
    assert PAGE.read_bytes() == before
