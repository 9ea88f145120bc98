"""Profiles measured on tiny data sets whose figures are worked out by hand, and the commands around that."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench import rankings
from bench.__main__ import DATA_BENCHES
from memory_db.errors import InputError
from memory_db.evaluation import abstention, contest, tuning
from memory_db.evaluation import runs as eval_runs
from memory_db.evaluation.contest import Contender, Options, Questions
from memory_db.evaluation.datasets import read_dataset
from memory_db.evaluation.metrics import COLUMN, Labelled
from memory_db.evaluation.outcomes import METRICS
from memory_db.recall.scoring import SIGNALS
from memory_db.recall.search import Profile
from memory_db.store import settings
from memory_db.store.connection import connect
from memory_db.store.presets import PRESETS
from tests.support.command import run
from tests.support.rows import named_rows

KEYWORD, MEANING = {"keyword": 1.0}, {"semantic": 1.0}


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home folder of its own, in which no file is yet."""
    folder = tmp_path / "home"
    folder.mkdir()
    monkeypatch.setenv("HOME", str(folder))
    for name in ("MEMORY_DB", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    return folder


def question(uid: str, keyword: list[float], meaning: list[float], wanted: set[int], group: str = "") -> Labelled:
    """A question whose hit number n is the entry n, with two signals."""
    signals = np.zeros((len(keyword), len(SIGNALS)))
    signals[:, COLUMN["keyword"]], signals[:, COLUMN["semantic"]] = keyword, meaning
    return Labelled(
        uid=uid,
        query=uid,
        project_id=1,
        style="question" if wanted else "negative",
        signals=signals,
        texts=tuple(range(len(keyword))),
        reaches=tuple(frozenset([("entry", number)]) for number in range(len(keyword))),
        wanted=frozenset(("entry", number) for number in wanted),
        barred=frozenset(),
        characters=(100,) * len(keyword),
        group=group,
    )


FOUR = [
    question("a", [0.9, 0.5, 0.0], [0.2, 0.8, 0.1], {1}, "x"),
    question("b", [0.8, 0.7, 0.6], [0.1, 0.2, 0.9], {2}, "x"),
    question("c", [0.9, 0.1, 0.0], [0.9, 0.3, 0.2], {0, 5}, "y"),
    question("d", [0.4, 0.2, 0.1], [0.3, 0.2, 0.1], set(), "y"),
]
"""By words the answers stand at 2, 3 and 1, with one out of reach; by meaning each stands first."""
OF_FOUR = Questions({"model": FOUR})

BOTH = [Contender("keyword_only", KEYWORD), Contender("meaning", MEANING, threshold=0.5)]


def figure_of(figures: dict[str, Any], name: str) -> float:
    return float(figures[name]["mean"])


# -------------------------------------------------------------------- a contest


def test_figures_are_those_worked_by_hand() -> None:
    found = contest.contest(BOTH, OF_FOUR, Options())
    words, meaning = found.profiles["keyword_only"], found.profiles["meaning"]
    assert (found.queries, found.answerable, found.negatives) == (4, 3, 1)
    assert figure_of(words, "recall@1") == pytest.approx((0 + 0 + 1 / 2) / 3, abs=1e-6)
    assert figure_of(words, "recall@5") == pytest.approx((1 + 1 + 1 / 2) / 3, abs=1e-6)
    assert figure_of(words, "all_of@5") == pytest.approx((1 + 1 + 0) / 3, abs=1e-6)
    assert figure_of(words, "precision@5") == pytest.approx(1 / 3, abs=1e-6)
    assert figure_of(words, "mrr") == pytest.approx((1 / 2 + 1 / 3 + 1) / 3, abs=1e-6)
    assert figure_of(words, "ceiling") == pytest.approx((1 + 1 + 1 / 2) / 3, abs=1e-6)
    assert figure_of(meaning, "recall@1") == pytest.approx((1 + 1 + 1 / 2) / 3, abs=1e-6)
    assert figure_of(meaning, "mrr") == 1
    assert "must_not@5" not in words
    assert "difference" not in words
    assert meaning["difference"]["against"] == "keyword_only"
    assert figure_of(meaning["difference"], "mrr") == pytest.approx((1 / 2 + 2 / 3 + 0) / 3, abs=1e-6)
    assert figure_of(meaning["difference"], "recall@5") == 0
    assert meaning["by_style"]["question"]["queries"] == 3
    assert words["by_overlap"]["shares words"]["queries"] == 3
    for figures in (words, meaning):
        for name in METRICS:
            if name in figures:
                assert figures[name]["low"] <= figures[name]["mean"] <= figures[name]["high"]


def test_a_contest_comes_out_the_same() -> None:
    first, again = (contest.contest(BOTH, OF_FOUR, Options(deleted=True)).as_dict() for _ in range(2))
    assert first == again


def test_abstention_at_the_threshold_and_along_the_curve() -> None:
    """Best by meaning: .8, .9 and .9 with answers, .3 without; answers deleted leave .2, .2 and .3."""
    at = contest.contest(BOTH, OF_FOUR, Options(deleted=True)).profiles["meaning"]["abstention"]
    assert (at["threshold"], figure_of(at, "answerable"), figure_of(at, "negatives"), figure_of(at, "deleted")) == (
        0.5,
        1,
        0,
        0,
    )
    assert at["curve"][0] == {"threshold": 0.0, "answerable": 1, "negatives": 1, "deleted": 1}
    assert at["curve"][-1] == {"threshold": 0.9, "answerable": pytest.approx(2 / 3), "negatives": 0, "deleted": 0}
    assert "deleted" not in contest.contest(BOTH, OF_FOUR, Options()).profiles["meaning"]["abstention"]


def test_silence_is_told_where_four_fifths_of_the_answerable_are_kept() -> None:
    """Best by words: .9, .8 and .9 with answers, .4 without, and .9, .8 and .1 with the answers gone."""
    at = contest.contest(BOTH, OF_FOUR, Options(deleted=True)).profiles["keyword_only"]["abstention"]["silence"]
    assert (at["kept"], at["threshold"], figure_of(at, "negatives")) == (1, 0.8, 1)
    assert figure_of(at, "deleted") == pytest.approx(1 / 3, abs=1e-6)
    assert figure_of(at, "precision") == pytest.approx((0 + 0 + 1) / 3, abs=1e-6)
    given = contest.contest(BOTH, OF_FOUR, Options()).profiles["keyword_only"]["abstention"]["silence"]
    assert "deleted" not in given


@given(st.lists(st.floats(0, 1), min_size=1, max_size=60))
def test_a_keeping_threshold_is_the_highest_that_keeps_enough(best: list[float]) -> None:
    values = np.array(best)
    at = abstention.keeping_threshold(values)
    assert abstention.share_from(values, at) >= abstention.KEPT - 1e-9
    above = [value for value in best if value > at]
    assert not above or abstention.share_from(values, min(above)) < abstention.KEPT


def test_fitted_weights_never_saw_the_question_they_rank() -> None:
    """In one conversation words tell the answers, in the other meaning does: each is ranked by the other's weights."""
    by_words = [question(f"w{n}", [0.9, 0.1], [0.1, 0.9], {0}, "words") for n in range(5)]
    by_meaning = [question(f"m{n}", [0.9, 0.1], [0.1, 0.9], {1}, "meaning") for n in range(4)]
    asked = Questions({"model": [*by_words, *by_meaning]})
    found = contest.contest(BOTH, asked, Options(by="conversation", signals=("keyword", "semantic")))
    assert figure_of(found.profiles[contest.FITTED], "recall@1") == 0
    assert found.split == "by conversation"
    one = Questions({"model": by_words})
    with pytest.raises(InputError, match="1 group by conversation"):
        contest.contest(BOTH, one, Options(by="conversation"))
    assert figure_of(contest.contest(BOTH, one, Options(folds=2)).profiles[contest.FITTED], "recall@1") == 1


def test_thresholds_are_fitted_on_the_other_folds() -> None:
    asked = [question(f"q{n}", [0.9, 0.1], [0.9, 0.1], {0}, str(n)) for n in range(3)]
    asked += [question(f"n{n}", [0.2], [0.2], set(), str(n)) for n in range(3)]
    at = contest.contest(BOTH, Questions({"model": [*asked]}), Options(by="conversation", signals=("keyword",)))
    fitted = at.profiles["keyword_only"]["abstention"]["at_fitted_thresholds"]
    assert fitted["thresholds"] == [0.9, 0.9, 0.9]
    assert (figure_of(fitted, "answerable"), figure_of(fitted, "negatives")) == (1, 0)


def test_who_gives_meaning_no_weight_is_asked_without_the_model() -> None:
    asked = {name: contest.contender(name, Profile(1, name, 1, preset.weights, 0)) for name, preset in PRESETS.items()}
    assert [asked[name].way for name in ("default", "hook", "keyword_only")] == ["model", "static", "words"]
    assert not contest.asks_model({"semantic": 0.0, "static_semantic": 1.0})


def test_rank_fusion_adds_what_both_rankings_give() -> None:
    each = question("q", [0.9, 0.5, 0.0], [0.2, 0.8, 0.1], {1})
    values = rankings.fusion(60)
    assert callable(values)
    assert values(each) == pytest.approx([1 / 61 + 1 / 62, 1 / 62 + 1 / 61, 1 / 63])


def test_one_fit_gives_what_is_saved_and_what_is_reported() -> None:
    asked = [question(f"q{n}", [0.9, 0.1], [0.1, 0.9], {0}) for n in range(10)]
    tuned = tuning.tune(asked, signals=("keyword", "semantic"))
    assert tuned.weights == pytest.approx({"keyword": 1.0})
    assert (len(tuned.fit_part), len(tuned.test_part)) == (5, 5)
    assert tuned.abstention.answerable == 1


# ------------------------------------------------------------------ from a file

CHAT = {
    "session_1_date_time": "1:56 pm on 8 May, 2023",
    "session_1": [
        {"speaker": "Ann", "dia_id": "D1:1", "text": "I adopted a grey kitten from the shelter."},
        {"speaker": "Ben", "dia_id": "D1:2", "text": "How nice, what will you call it?"},
        {"speaker": "Ann", "dia_id": "D1:3", "text": "Its name is Pebble."},
        {"speaker": "Ben", "dia_id": "D1:4", "text": "We repaired the old rowing boat."},
    ],
}
ASKED = [
    {"question": "Which kitten was adopted?", "evidence": ["D1:1; D1:3"], "category": 1},
    {"question": "Who repaired a boat?", "evidence": ["D1:4"], "category": 4},
    {"question": "What is never said?", "evidence": [], "category": 3},
]


@pytest.fixture
def chats(tmp_path: Path) -> Path:
    """Two conversations of one sort."""
    path = tmp_path / "chats.json"
    values = [{"sample_id": name, "conversation": CHAT, "qa": ASKED} for name in ("conv-1", "conv-2")]
    path.write_text(json.dumps(values), "utf-8")
    return path


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    """Three notes of which one is outdated."""
    folder = tmp_path / "notes"
    folder.mkdir()
    common = {"project": "quay", "kind": "environment", "importance": 3}
    corpus = [
        {**common, "id": "n1", "text": "The server listens on port 8000.", "created_at": "2026-02-01"},
        {**common, "id": "n2", "text": "The server listens on 8040.", "created_at": "2026-05-01", "supersedes": "n1"},
        {**common, "id": "n3", "text": "Releases of the server are tagged on Fridays.", "created_at": "2026-03-01"},
    ]
    queries = [
        {"id": "q1", "query": "where does the server listen", "relevant": ["n2"], "must_not": ["n1"]},
        {"id": "q2", "query": "when are server releases tagged", "relevant": ["n3"], "must_not": ["n2"]},
        {"id": "q4", "query": "what does the server listen on", "project": "quay", "relevant": ["n2"]},
        {"id": "q5", "query": "is a server release tagged", "project": "quay", "relevant": ["n3"]},
        {"id": "q3", "query": "who won the regatta", "relevant": []},
    ]
    for name, rows in (("corpus", corpus), ("queries", queries)):
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return folder


@pytest.mark.slow
def test_chats_by_hand(chats: Path, tmp_path: Path, now: datetime) -> None:
    """Plain full text finds the kitten and the boat, never the name, which shares no word with its question."""
    profile = Profile(0, "keyword_only", 1, KEYWORD, 0.0)
    found = eval_runs.of_dataset(
        read_dataset(chats, "locomo"), [contest.contender("keyword_only", profile)], tmp_path, options=Options(),
        model="none", now=now,
    )  # fmt: skip
    figures = found.profiles["keyword_only"]
    assert (found.dataset, found.queries, found.items, found.negatives) == ("chats", 4, 8, 0)
    assert found.left_out == {"questions_without_evidence": 2}
    assert figure_of(figures, "recall@1") == (1 / 2 + 1) / 2
    assert figure_of(figures, "mrr") == 1
    assert figure_of(figures, "evidence@1000") == figure_of(figures, "recall@50")
    assert set(figures["by_style"]) == {"multi-hop", "single-hop"}
    assert 0 < figures["median_ms"] <= figures["p95_ms"]


# ---------------------------------------------------------------- the commands


@pytest.mark.slow
def test_json_has_the_form_that_is_documented(notes: Path, home: Path) -> None:
    done = run("evaluate", notes, "--format", "jsonl", "--profile", "default", "--json", "--negatives", "deleted")
    value = json.loads(done.stdout)
    assert (value["dataset"], value["queries"]) == ("notes", 5)
    assert set(value["profiles"]) == {"default", "keyword_only"}
    for figures in value["profiles"].values():
        for name in ("recall@1", "recall@5", "recall@10", "recall@20", "recall@50", "ndcg@10", "mrr", "evidence@2500"):
            assert set(figures[name]) == {"mean", "low", "high"}
        assert isinstance(figures["median_ms"], float)
        assert isinstance(figures["p95_ms"], float)
        assert figure_of(figures, "recall@1") == 1
        assert figure_of(figures, "outdated@5") == 0
        assert {"answerable", "negatives", "deleted", "curve"} <= set(figures["abstention"])
    assert not (home / ".memory-db").exists()
    assert (home / ".cache" / "memory-db" / "eval-vectors.db").exists()


@pytest.mark.slow
def test_only_the_measurement_is_kept_in_the_users_file(notes: Path, db_path: Path, db: sqlite3.Connection) -> None:
    before = {row[0]: row[1] for row in db.execute("select name, version from profiles")}
    db.execute("insert into settings values ('embedding_model', '\"none\"', 'x')")
    done = run("evaluate", notes, "--format", "jsonl", "-d", db_path, "--profile", "default", "--folds", 2)
    assert "Kept as rows of eval_runs." in done.stdout
    kept = named_rows(db_path, "select * from eval_runs order by id")
    assert [row["profile"] for row in kept] == ["default", "keyword_only", "fitted"]
    for row in kept:
        assert (row["dataset"], row["format"], row["query_count"], row["split"]) == (
            "notes",
            "jsonl",
            5,
            "by hash, 2 folds",
        )
        assert len(row["file_hash"]) == 64
        assert row["semantic_model"] is None
        assert row["duration_ms"] > 0
        assert set(json.loads(row["metrics"])["recall@10"]) == {"mean", "low", "high"}
        assert sum(json.loads(row["weights"]).values()) == pytest.approx(1)
    assert [row["profile_version"] for row in kept] == [before["default"], 1, None]
    for table in ("memories", "entries", "projects", "query_sets", "recalls"):
        assert named_rows(db_path, f"select count(*) from {table}")[0][0] == 0
    assert {row[0]: row[1] for row in named_rows(db_path, "select name, version from profiles")} == before


@pytest.mark.slow
def test_a_table_names_every_metric_and_profile(chats: Path) -> None:
    done = run("evaluate", chats, "--format", "locomo", "--profile", "hook", "--by", "conversation")
    assert "chats: 4 questions, 0 without an answer, 8 entries and memories" in done.stdout
    assert "2 questions without evidence" in done.stdout
    not_told = ("must_not@5", "outdated@5", "decisive@1000", "decisive@2500")
    for name in (*(name for name in METRICS if name not in not_told), "hook", "fitted", "against keyword_only"):
        assert name in done.stdout
    assert "by conversation" in done.stdout


@pytest.fixture
def few(sample_path: Path, now: datetime) -> Path:
    """The sample with twenty of its questions, without a full embedding model."""
    with closing(connect(sample_path, write=True)) as db:
        settings.put(db, "embedding_model", "none", now=now)
        db.execute("delete from judgements where labelled_query_id % 7 <> 0")
        db.execute("delete from labelled_queries where id % 7 <> 0")
    return sample_path


@pytest.mark.slow
def test_own_questions_are_measured_without_a_trace_but_the_result(few: Path) -> None:
    value = json.loads(run("evaluate", "--own", "-d", few, "--json").stdout)
    (asked,) = named_rows(few, "select count(*), count(distinct j.labelled_query_id) from labelled_queries q"
                         " left join judgements j on j.labelled_query_id = q.id and j.relevance = 1")  # fmt: skip
    assert (value["dataset"], value["form"]) == ("sample", "own")
    assert value["profiles"]["default"]["queries"] == asked[1] == value["answerable"]
    assert value["queries"] > value["answerable"] > 10
    assert value["profiles"]["default"]["median_ms"] > 0
    assert named_rows(few, "select count(*) from recalls where surface not in ('hook', 'session-start')")[0][0] == 0
    assert [row[0] for row in named_rows(few, "select format from eval_runs")] == ["own", "own"]


@pytest.mark.slow
def test_tune_saves_a_version_with_what_it_was_fitted_on(few: Path) -> None:
    value = json.loads(run("profile", "tune", "-d", few, "--json", "--signals", "keyword,context_keyword,scope").stdout)
    assert (value["profile"], value["version"], value["query_set"]) == ("tuned", 1, "sample")
    assert set(value["weights"]) <= {"keyword", "context_keyword", "scope"}
    assert (
        value["fitted_on_queries"] + value["queries"] == named_rows(few, "select count(*) from labelled_queries")[0][0]
    )
    assert set(value["difference"]["recall@10"]) == {"mean", "low", "high"}
    (saved,) = named_rows(few, "select * from profiles where name = 'tuned'")
    assert json.loads(saved["weights"]) == pytest.approx(value["weights"])
    assert saved["threshold"] == 0
    assert f"query set sample, split by hash: fitted on {value['fitted_on_queries']} questions" in saved["fitted_on"]
    done = run("profile", "tune", "-d", few, "--profile", "careful", "--by", "project", "--with-threshold")
    assert "Saved as careful@1." in done.stdout
    assert named_rows(few, "select threshold from profiles where name = 'careful'")[0][0] > 0


@pytest.mark.slow
def test_a_dry_run_of_tune_saves_nothing(few: Path) -> None:
    assert (
        "Nothing was saved (dry run)."
        in run("profile", "tune", "-d", few, "--dry-run", "--signals", "keyword,scope").stdout
    )
    assert named_rows(few, "select count(*) from profiles where name = 'tuned'")[0][0] == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["evaluate"], "Evaluate what?"),
        (["evaluate", "{chats}"], "Say --format locomo|beir|jsonl|beam|sde-bench|precisionmembench."),
        (["evaluate", "{chats}", "--format", "locomo", "--own"], "Both a FILE and --own were given?"),
        (["evaluate", "{chats}", "--format", "locomo", "--set", "mine"], "Say --own with it."),
        (["evaluate", "{chats}", "--format", "csv"], "'csv' is not one of"),
        (["evaluate", "{chats}", "--format", "jsonl"], "has no corpus.jsonl"),
        (["evaluate", "none.json", "--format", "locomo"], "No file or folder none.json"),
        (["evaluate", "{chats}", "--format", "locomo", "--profile", "best"], "No profile 'best'"),
        (["evaluate", "{chats}", "--format", "locomo", "--signals", "luck", "--folds", "2"], "No signal luck"),
        (["evaluate", "{chats}", "--format", "locomo", "--folds", "1"], "1 is not in the range"),
        (["evaluate", "--own"], "No database at"),
        (["profile", "tune"], "No database at"),
        (["profile", "tune", "--profile", "default"], "'default' is a shipped profile"),
    ],
)
def test_what_cannot_be_measured_is_said_in_one_line(chats: Path, arguments: list[str], message: str) -> None:
    done = run(*(argument.format(chats=chats) for argument in arguments), code=1)
    assert message in done.output
    assert len(done.output.strip().splitlines()) == 1


NOTE = {"id": "n1", "kind": "fix", "text": "The port is 5433.", "created_at": "2026-03-01T00:00:00Z"}
QUERY: dict[str, Any] = {"id": "q1", "query": "which port", "relevant": ["n1"]}


@pytest.mark.parametrize(
    ("note", "query", "message"),
    [
        ({}, {"query": "  "}, "queries.jsonl line 1 has an empty 'query'."),
        ({}, {"must_not": ["n1"]}, "Question 'q1' has 'n1' as relevant and as must_not."),
        ({}, {"asked_at": "soon"}, "queries.jsonl line 1: 'soon' is not a date."),
        ({"supersedes": "n1"}, {}, "Note 'n1' supersedes 'n1'. Say which one holds now."),
        ({"importance": 10**400}, {}, "Note 'n1' has the importance 10000000000000000000."),
    ],
)
def test_notes_and_questions_that_contradict_themselves_are_refused(
    tmp_path: Path, note: dict[str, Any], query: dict[str, Any], message: str
) -> None:
    (tmp_path / "corpus.jsonl").write_text(json.dumps({**NOTE, **note}), "utf-8")
    (tmp_path / "queries.jsonl").write_text(json.dumps({**QUERY, **query}), "utf-8")
    done = run("evaluate", tmp_path, "--format", "jsonl", code=1)
    assert message in done.output
    assert len(done.output.strip().splitlines()) == 1


def test_notes_that_replace_each_other_in_a_circle_are_refused(tmp_path: Path) -> None:
    found = [{**NOTE, "id": f"n{number}", "supersedes": f"n{(number + 1) % 3}"} for number in range(3)]
    (tmp_path / "corpus.jsonl").write_text("\n".join(map(json.dumps, found)), "utf-8")
    (tmp_path / "queries.jsonl").write_text(json.dumps(QUERY), "utf-8")
    done = run("evaluate", tmp_path, "--format", "jsonl", code=1)
    assert "Note 'n0' supersedes 'n1' supersedes 'n2' supersedes 'n0'. Say which one holds now." in done.output


@pytest.mark.slow
def test_documents_of_beir_give_the_documented_json(tmp_path: Path) -> None:
    found = {
        "corpus.jsonl": [{"_id": "d1", "title": "Port", "text": "The port is 5433."}, {"_id": "d2", "text": "Cats."}],
        "queries.jsonl": [{"_id": "q1", "text": "which port"}, {"_id": "q2", "text": "never judged"}],
    }
    for name, values in found.items():
        (tmp_path / name).write_text("\n".join(map(json.dumps, values)), "utf-8")
    (tmp_path / "qrels").mkdir()
    (tmp_path / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\nq1\td1\t1\n", "utf-8")
    done = run("evaluate", tmp_path, "--format", "beir", "--profile", "keyword_only", "--json")
    printed = json.loads(done.output)
    assert (printed["dataset"], printed["queries"], printed["items"]) == (tmp_path.name, 1, 2)
    figures = printed["profiles"]["keyword_only"]
    assert figures["recall@10"] == figures["ndcg@10"] == {"mean": 1.0, "low": 1.0, "high": 1.0}
    assert figures["p95_ms"] >= figures["median_ms"] > 0


def test_without_labelled_questions_there_is_nothing_to_measure(db_path: Path, db: sqlite3.Connection) -> None:
    assert "There is no labelled question yet." in run("evaluate", "--own", "-d", db_path, code=1).output
    db.executemany("insert into query_sets (name, description, created_at) values (?, '', '')", [("a",), ("b",)])
    assert "Say --set with one of: a, b." in run("profile", "tune", "-d", db_path, code=1).output
    assert "No query set 'c'. There are: a, b." in run("profile", "tune", "-d", db_path, "--set", "c", code=1).output


# -------------------------------------------------------------------- the bench


@pytest.mark.slow
def test_the_bench_measures_every_baseline_on_chats_that_are_brought(chats: Path) -> None:
    found = DATA_BENCHES["locomo"](chats.parent)
    figures = found["chats"]
    assert isinstance(figures, dict)
    assert {*PRESETS, "cosine", "rank fusion, k=60", "rank fusion, k=5", "fitted"} == set(figures["profiles"])
    assert figures["profiles"]["rank fusion, k=5"]["median_ms"] is None
    assert figure_of(figures["profiles"]["keyword_only"], "recall@1") == (1 / 2 + 1) / 2


def test_the_bench_says_what_is_not_there(tmp_path: Path) -> None:
    (tmp_path / "other.json").write_text("{}")
    assert DATA_BENCHES["locomo"](tmp_path) == {"skipped": f"no file of LoCoMo in {tmp_path.name}"}
