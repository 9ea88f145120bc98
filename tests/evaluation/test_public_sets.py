"""Chats and beliefs in the forms of public benchmarks: every shape comes in, and what cannot be used is counted."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import closing
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench import public_sets, rankings, report_rankings
from bench.__main__ import DATA_BENCHES
from memory_db.errors import InputError, SourceError
from memory_db.evaluation import contest
from memory_db.evaluation import runs as eval_runs
from memory_db.evaluation.datasets import Dataset, loading, read_dataset
from memory_db.evaluation.datasets.beam import ids_in
from memory_db.recall.search import Profile
from memory_db.store.presets import PRESETS

DATA = Path(__file__).parents[3] / "shared" / "data"
"""Where the public sets lie beside a checkout, if somebody has put them there."""


def write(path: Path, value: object) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value), "utf-8")


def measured(dataset: Dataset, folder: Path, now: datetime) -> contest.Contest:
    """Plain full text on a data set, with the questions asked again without their answers."""
    profile = Profile(0, "keyword_only", 1, PRESETS["keyword_only"].weights, 0.0)
    options = contest.Options(deleted=True)
    asked = [contest.contender("keyword_only", profile)]
    return eval_runs.of_dataset(dataset, asked, folder, options=options, model="none", now=now)


def figure_of(found: contest.Contest, name: str) -> float:
    return float(found.profiles["keyword_only"][name]["mean"])


# ------------------------------------------------------------------------- BEAM

BATCHES = [
    {"batch_number": 1, "time_anchor": None, "turns": [
        [{"role": "user", "id": 0, "time_anchor": "March-15-2024", "content": "My orchid is called Vera."},
         {"role": "assistant", "id": 1, "content": "Vera wants light."}],
        [{"role": "user", "id": 2, "content": "I water the orchid on Mondays."}],
    ]},
    {"batch_number": 2, "time_anchor": "April-02-2024", "turns": [
        [{"role": "user", "id": 3, "content": "I water the orchid on Fridays now."}],
    ]},
]  # fmt: skip
PROBES: dict[str, list[dict[str, Any]]] = {
    "abstention": [{"question": "Which soil does the fern like?", "source_chat_ids": [2]}],
    "information_extraction": [{"question": "What is the orchid called?", "source_chat_ids": [0]}],
    "knowledge_update": [
        {"question": "When is the orchid watered?", "source_chat_ids": {"original_info": [2], "updated_info": [3, 2]}}
    ],
    "event_ordering": [{"question": "In which order did it go?", "source_chat_ids": [[0, 1], 3]}],
    "summarization": [{"question": "Sum it up.", "source_chat_ids": []}],
}


def write_beam(folder: Path, batches: object = BATCHES, probes: object = PROBES) -> Path:
    for name in ("2", "4"):
        write(folder / name / "chat.json", batches)
        write(folder / name / "probing_questions.json", probes)
    return folder


def test_a_chat_of_beam_has_its_turns_and_sorts(tmp_path: Path) -> None:
    dataset = read_dataset(write_beam(tmp_path), "beam")
    first = dataset.parts[0]
    assert [part.name for part in dataset.parts] == ["2", "4"]
    assert [(turn.uid, turn.session, turn.role, turn.created_at) for turn in first.turns] == [
        ("0", "batch 1", "user", "2024-03-15T00:00:00.000Z"),
        ("1", "batch 1", "assistant", "2024-03-15T00:00:01.000Z"),
        ("2", "batch 1", "user", "2024-03-15T00:00:02.000Z"),
        ("3", "batch 2", "user", "2024-04-02T00:00:00.000Z"),
    ]
    assert [(each.style, each.relevant) for each in first.questions] == [
        ("abstention", ()),
        ("information_extraction", ("0",)),
        ("knowledge_update", ("2", "3")),
        ("event_ordering", ("0", "1", "3")),
    ]
    assert {each.asked_at for each in first.questions} == {"2024-04-09T00:00:00.000Z"}
    assert dataset.left_out == {"questions_without_evidence": 2}


def test_one_chat_of_beam_alone_and_questions_in_a_folder_of_their_own(tmp_path: Path) -> None:
    write_beam(tmp_path)
    alone = read_dataset(tmp_path / "2", "beam")
    assert [(part.name, len(part.questions)) for part in alone.parts] == [("2", 4)]
    write(tmp_path / "4" / "probing_questions" / "probing_questions.json", PROBES)
    (tmp_path / "4" / "probing_questions.json").unlink()
    assert len(read_dataset(tmp_path, "beam").parts[1].questions) == 4


@pytest.mark.slow
def test_beam_is_measured_by_sort_with_its_silence(tmp_path: Path, now: datetime) -> None:
    """Both turns on watering share its words, so they are the first two of four; the fern is never spoken of."""
    found = measured(read_dataset(write_beam(tmp_path / "beam"), "beam"), tmp_path, now)
    figures = found.profiles["keyword_only"]
    assert (found.queries, found.answerable, found.negatives, found.items) == (8, 6, 2, 8)
    assert found.left_out == {"questions_without_evidence": 2}
    update = figures["by_style"]["knowledge_update"]
    assert (update["recall@5"]["mean"], update["all_of@5"]["mean"]) == (1, 1)
    ordering = figures["by_style"]["event_ordering"]
    assert ordering["all_of@5"]["mean"] <= ordering["recall@5"]["mean"]
    silence = figures["abstention"]["silence"]
    assert silence["kept"] >= 0.8 or silence["threshold"] == 0
    assert silence["negatives"]["mean"] == 1
    assert {"threshold", "deleted", "precision"} <= set(silence)


def test_what_an_assistant_said_is_a_reply(tmp_path: Path, now: datetime) -> None:
    part = read_dataset(write_beam(tmp_path / "beam"), "beam").parts[0]
    loaded = loading.load(part, tmp_path / "part.db", model="none", now=now)
    with closing(loaded.db) as db:
        found = db.execute("select uid, role, kind from entries order by id").fetchall()
    assert [tuple(row) for row in found][:2] == [("0", "user", "prompt"), ("1", "assistant", "reply")]


SHAPES = st.recursive(
    st.integers(0, 99) | st.none() | st.booleans() | st.floats(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=10,
)


@given(SHAPES)
def test_ids_are_found_in_any_shape(value: object) -> None:
    numbers = json.loads(json.dumps(value), parse_float=lambda _: None, parse_constant=lambda _: None)
    found = [int(text) for text in ids_in(numbers)]
    assert sorted(found) == sorted(whole_numbers(numbers))


def whole_numbers(value: Any) -> list[int]:
    if isinstance(value, dict | list):
        inner = value.values() if isinstance(value, dict) else value
        return [number for each in inner for number in whole_numbers(each)]
    return [value] if type(value) is int else []


# -------------------------------------------------------------------- SDE-bench

AMENDED = [
    [
        {"role": "user", "text": "Uploads are retried for ever. What is our limit?"},
        {"role": "assistant", "text": "Settled: at most 5 attempts, a pause capped at 60 seconds."},
    ],
    [
        {"role": "user", "text": "The balancer drops idle uploads now."},
        {"role": "assistant", "text": "Amended. Still 5 attempts at most; the pause is capped at 25 seconds. Done."},
    ],
]
TASKS: list[dict[str, Any]] = [
    {
        "task_id": "uploads-1", "category": "numeric-policy", "policy": "5 attempts; pause capped at 25 seconds",
        "bug_report": "Uploads hammer the server for hours. Restore the limit.", "conversations": AMENDED,
    },
    {
        "task_id": "names-1", "category": "mapping", "policy": "quay -> quays",
        "bug_report": "The plural of quay is wrong.", "conversations": AMENDED[0][:1],
    },
]  # fmt: skip
DECOYS = [{"id": "decoy-1", "topic": "tides", "turns": [{"role": "user", "text": "How is the tide table read?"}]}]


def write_sde(folder: Path, tasks: object = TASKS, decoys: object = DECOYS) -> Path:
    write(folder / "tasks.json", tasks)
    write(folder / "decoy_conversations.json", decoys)
    return folder


def test_the_last_turn_that_says_most_of_a_policy_holds_the_decision(tmp_path: Path) -> None:
    dataset = read_dataset(write_sde(tmp_path), "sde-bench")
    (part,) = dataset.parts
    assert [(turn.uid, turn.session, turn.created_at[:10]) for turn in part.turns] == [
        ("uploads-1:1:1", "uploads-1:1", "2026-01-01"), ("uploads-1:1:2", "uploads-1:1", "2026-01-01"),
        ("uploads-1:2:1", "uploads-1:2", "2026-01-02"), ("uploads-1:2:2", "uploads-1:2", "2026-01-02"),
        ("names-1:1:1", "names-1:1", "2026-01-01"), ("decoy-1:1", "decoy-1", "2026-01-01"),
    ]  # fmt: skip
    (asked,) = part.questions
    assert (asked.uid, asked.relevant, asked.style) == ("uploads-1", ("uploads-1:2:2",), "numeric-policy")
    assert asked.decisive == {"pause", "capped", "25", "seconds"}
    assert asked.query == TASKS[0]["bug_report"]
    assert dataset.left_out == {"tasks_whose_chats_say_no_word_of_the_policy": 1}


@pytest.mark.parametrize(("padding", "decided"), [(0, 1), (500, 0)])
def test_a_decisive_sentence_counts_where_its_line_says_it(
    tmp_path: Path, now: datetime, padding: int, decided: int
) -> None:
    """A line of a brief has the beginning of a long text: what stands behind it decides nothing."""
    chat = [{"role": "assistant", "text": f"Uploads: {'so ' * padding}the pause is capped at 25 seconds."}]
    folder = write_sde(tmp_path / "sde", [{**TASKS[0], "conversations": chat}])
    found = measured(read_dataset(folder, "sde-bench"), tmp_path, now)
    assert (figure_of(found, "recall@5"), figure_of(found, "all_of@5")) == (1, 1)
    assert (figure_of(found, "decisive@1000"), figure_of(found, "decisive@2500")) == (decided, decided)


@pytest.mark.parametrize(
    ("report", "said"),
    [
        ("Between two tries of a large upload the pause grows and grows. Restore what was settled.", 1),
        ("The tide table is late on Mondays. Restore what was settled.", 0),
    ],
)
def test_a_prompts_brief_is_asked_for_the_words_that_decide(
    tmp_path: Path, now: datetime, report: str, said: int
) -> None:
    """Memories are made of the chats first; one that a report meets says what its fix hangs on."""
    chat = [
        {"role": "user", "text": "Large uploads never resume. The pause between two tries is capped at 25 seconds."},
        {"role": "assistant", "text": "Noted."},
    ]
    folder = write_sde(tmp_path / "sde", [{**TASKS[0], "bug_report": report, "conversations": chat}])
    found = measured(read_dataset(folder, "sde-bench"), tmp_path, now)
    assert set(found.told) == {"cold"}, "no model is loaded here"
    assert [found.told["cold"][f"told@{most}"]["mean"] for most in (1000, 2500)] == [said, said]
    assert found.as_dict()["told"] == found.told


@pytest.mark.slow
def test_where_no_sentence_decides_no_such_figure_is_told(tmp_path: Path, now: datetime) -> None:
    found = measured(read_dataset(write_beam(tmp_path / "beam"), "beam"), tmp_path, now)
    assert "decisive@1000" not in found.profiles["keyword_only"]
    assert found.told == {} and "told" not in found.as_dict()


# ------------------------------------------------------------- PrecisionMemBench

BELIEF: dict[str, Any] = {
    "user_id": "u1", "type": "preference", "aliases": [], "scope": ["domain:code"], "pinned": False,
    "resolved_at": None, "superseded_by": None, "created_at": "2026-09-01T00:00:00Z", "why_it_matters": "Because.",
}  # fmt: skip
BELIEFS = [
    {**BELIEF, "_id": "lint", "canonical_name": "lint_tool", "aliases": ["checker"], "content": "Ruff checks."},
    {**BELIEF, "_id": "old", "canonical_name": "old_lint", "content": "Flake8 checks.", "superseded_by": "lint"},
    {**BELIEF, "_id": "older", "canonical_name": "oldest", "content": "Pylint checks.", "superseded_by": "lint"},
    {**BELIEF, "_id": "host", "type": "open_question", "content": "Which host?", "resolved_at": "2026-09-02T00:00:00Z"},
    {**BELIEF, "_id": "tone", "scope": ["user:universal"], "content": "Wants short answers."},
    {**BELIEF, "_id": "theirs", "user_id": "u2", "content": "Somebody else checks with Haskell."},
]
CASES = [
    {"caseId": "c1", "category": "Alias", "scope": ["domain:code"], "query": "which checker?", "expect": {
        "pinnedFacts": {"mustInclude": ["tone"], "mustExclude": ["lint", "host"]},
        "relevantBeliefs": {"shouldOnlyInclude": ["lint"]}, "personaPrelude": {"nonEmpty": True, "contains": ["x"]}}},
    {"caseId": "c2", "category": "Boundary", "scope": ["domain:sea"], "query": "who won the regatta", "expect": {
        "relevantBeliefs": {"shouldOnlyInclude": []}}},
    {"caseId": "c3", "category": "Boundary", "scope": [], "query": " ", "expect": {}},
]  # fmt: skip


def write_precision(folder: Path, beliefs: object = BELIEFS, cases: object = CASES) -> Path:
    write(folder / "beliefs.seed.json", beliefs)
    write(folder / "retrieval.cases.json", cases)
    return folder


def test_beliefs_are_memories_and_every_section_says_what_comes_back(tmp_path: Path) -> None:
    dataset = read_dataset(write_precision(tmp_path), "precisionmembench")
    (part,) = dataset.parts
    assert [(note.uid, note.kind, note.project, note.supersedes, note.is_retired) for note in part.notes] == [
        ("lint", "preference", "code", "old", False), ("old", "preference", "code", None, False),
        ("older", "preference", "code", None, False), ("host", "issue", "code", None, True),
        ("tone", "preference", None, None, False),
    ]  # fmt: skip
    assert (part.notes[0].title, part.notes[0].keys) == ("lint tool", ("checker",))
    assert [(each.project, each.relevant, each.must_not, each.style) for each in part.questions] == [
        ("code", ("tone", "lint"), ("host",), "Alias"),
        ("sea", (), (), "Boundary"),
    ]
    assert dataset.left_out == {
        "beliefs_of_another_user": 1, "cases_without_a_query": 1, "successions_that_no_note_can_tell": 1,
    }  # fmt: skip


def test_precision_is_the_share_of_what_comes_back(tmp_path: Path, now: datetime) -> None:
    """By words the checker comes back alone, though it is half of what is wanted; the regatta brings nothing."""
    found = measured(read_dataset(write_precision(tmp_path / "beliefs"), "precisionmembench"), tmp_path, now)
    assert (found.answerable, found.negatives, found.items) == (1, 1, 5)
    assert (figure_of(found, "recall@5"), figure_of(found, "all_of@5"), figure_of(found, "precision@5")) == (0.5, 0, 1)
    silence = found.profiles["keyword_only"]["abstention"]["silence"]
    assert (silence["negatives"]["mean"], silence["precision"]["mean"]) == (1, 1)


def test_a_retired_belief_is_out_of_use(tmp_path: Path, now: datetime) -> None:
    part = read_dataset(write_precision(tmp_path / "beliefs"), "precisionmembench").parts[0]
    loaded = loading.load(part, tmp_path / "part.db", model="none", now=now)
    with closing(loaded.db) as db:
        found = dict(db.execute("select v.text, m.status from memories m join memory_versions v on v.memory_id = m.id"))
    assert (found["Which host?"], found["Flake8 checks."], found["Ruff checks."]) == ("retired", "superseded", "active")


# -------------------------------------------------------------- what is refused


@pytest.mark.parametrize(
    ("form", "name", "content", "message"),
    [
        ("beam", "2/other.json", "[]", "has no chat.json"),
        ("beam", "2/chat.json", "[]", "has no probing_questions.json beside it"),
        ("sde-bench", "tasks.json", "{", "tasks.json is not JSON"),
        ("sde-bench", "tasks.json", "{}", "tasks.json is no JSON list"),
        ("sde-bench", "tasks.json", "[]", "has no decoy_conversations.json"),
        ("sde-bench", "other.json", "[]", "has no tasks.json"),
        ("precisionmembench", "beliefs.seed.json", "[]", "beliefs.seed.json holds no belief"),
        ("precisionmembench", "other.json", "[]", "has no beliefs.seed.json"),
    ],
)
def test_a_bad_folder_is_named_in_one_line(tmp_path: Path, form: str, name: str, content: str, message: str) -> None:
    (tmp_path / name).parent.mkdir(exist_ok=True)
    (tmp_path / name).write_text(content)
    with pytest.raises(InputError, match=message) as caught:
        read_dataset(tmp_path, form)
    assert "\n" not in str(caught.value)


def one_turn(**changes: object) -> list[object]:
    """A batch of one turn, with something else in it."""
    turn = {"role": "user", "id": 1, "time_anchor": "March-15-2024", "content": "x"}
    return [{"time_anchor": None, "turns": [[turn | changes]]}]


@pytest.mark.parametrize(
    ("written", "message"),
    [
        (lambda folder: write_beam(folder, []), "2/chat.json has no turn"),
        (lambda folder: write_beam(folder, one_turn(role="tool")), "has the role 'tool'. There are: user, assistant."),
        (lambda folder: write_beam(folder, one_turn(time_anchor="soon")), "has the time_anchor 'soon'. Write it as"),
        (lambda folder: write_beam(folder, one_turn(content=None)), "a turn of batch 1 of 2/chat.json has no text"),
        (lambda folder: write_beam(folder, [{"turns": {}}]), "The field turns of batch 1 of 2/chat.json is no JSON"),
        (lambda folder: write_beam(folder, probes={"summary": {}}), "The sort summary of 2/probing_questions.json is"),
        (lambda folder: write_sde(folder, [{**TASKS[0], "policy": None}]), "tasks.json item 1 has no text 'policy'"),
        (lambda folder: write_sde(folder, decoys=[{"id": "d"}]), "A chat of decoy_conversations.json item 1 is no"),
        (
            lambda folder: write_sde(folder, decoys=[{"id": "d", "turns": [{"role": "cat", "text": "x"}]}]),
            "turn 1 of decoy_conversations.json item 1 has the role 'cat'",
        ),
        (lambda folder: write_precision(folder, [{**BELIEFS[0], "type": "rumour"}]), "item 1 has the type 'rumour'"),
        (lambda folder: write_precision(folder, [{**BELIEFS[0], "created_at": "soon"}]), "item 1: 'soon' is not a"),
        (lambda folder: write_precision(folder, cases=[{**CASES[0], "expect": 1}]), "The field expect of retrieval"),
    ],
)  # fmt: skip
def test_a_bad_item_is_named_in_one_line(tmp_path: Path, written: Callable[[Path], Path], message: str) -> None:
    form = {"write_beam": "beam", "write_sde": "sde-bench"}.get(written.__code__.co_names[0], "precisionmembench")
    with pytest.raises(SourceError, match=message) as caught:
        read_dataset(written(tmp_path), form)
    assert "\n" not in str(caught.value)


ANY_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["turns", "id", "role", "content", "text", "conversations", "policy", "expect", "scope"]),
            inner,
        )
    ),
    max_leaves=10,
)


@given(ANY_JSON, ANY_JSON)
@pytest.mark.slow
def test_no_json_at_all_brings_a_traceback(
    tmp_path_factory: pytest.TempPathFactory, value: object, other: object
) -> None:
    folder = tmp_path_factory.mktemp("any")
    for form, writer in (("beam", write_beam), ("sde-bench", write_sde), ("precisionmembench", write_precision)):
        with pytest.raises(InputError):
            read_dataset(writer(folder / form, value, other), form)


# -------------------------------------------------------------------- the bench


def test_sets_are_found_below_a_folder_and_in_it(tmp_path: Path) -> None:
    write_beam(tmp_path / "data" / "beam-small")
    write_sde(tmp_path / "data" / "sde")
    (tmp_path / "data" / "none").mkdir()
    beam, sde = ("chat.json", "probing_questions.json"), ("tasks.json", "decoy_conversations.json")
    assert public_sets.sets(tmp_path / "data", beam, 1) == [tmp_path / "data" / "beam-small"]
    assert public_sets.sets(tmp_path / "data" / "beam-small", beam, 1) == [tmp_path / "data" / "beam-small"]
    assert public_sets.sets(tmp_path / "data" / "beam-small" / "2", beam, 1) == [tmp_path / "data" / "beam-small" / "2"]
    assert public_sets.sets(tmp_path / "data" / "sde", sde, 0) == [tmp_path / "data" / "sde"]
    for name in ("beam", "sde_bench", "precisionmembench"):
        found = DATA_BENCHES[name](tmp_path / "data" / "none")
        assert "skipped" in found


@pytest.mark.slow
def test_the_bench_measures_what_is_brought(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    write_precision(tmp_path / "data")
    found = rankings.stored_contest(DATA_BENCHES["precisionmembench"](tmp_path / "data")["data"])
    assert {"default", "hook", "keyword_only"} <= set(found["profiles"])
    silence = found["profiles"]["hook"]["abstention"]["silence"]
    assert {"kept", "threshold", "negatives", "deleted", "precision"} == set(silence)
    assert "| silent where nothing answers, 80 % kept |" in report_rankings.completeness(found)
    assert "folds" not in report_rankings.setting(found)


# --------------------------------------------------------------- the real data


@pytest.mark.parametrize(
    ("name", "form", "parts", "questions", "negatives", "left_out"),
    [
        ("beam-tune", "beam", 10, 196, 20, {"questions_without_evidence": 4}),
        ("sde-bench-tune", "sde-bench", 1, 17, 0, {}),
        ("precisionmembench-tune", "precisionmembench", 1, 38, 6,
         {"beliefs_of_another_user": 1, "cases_without_a_query": 1}),
    ],
)  # fmt: skip
def test_the_real_data_comes_in(
    name: str, form: str, parts: int, questions: int, negatives: int, left_out: dict[str, int]
) -> None:
    if not (DATA / name).is_dir():
        pytest.skip(f"no folder {name} of public data beside the checkout")
    dataset = read_dataset(DATA / name, form)
    asked = [each for part in dataset.parts for each in part.questions]
    uids = [{turn.uid for turn in part.turns} | {note.uid for note in part.notes} for part in dataset.parts]
    assert (len(dataset.parts), len(asked)) == (parts, questions)
    assert sum(not each.relevant for each in asked) == negatives
    assert {name: count for name, count in dataset.left_out.items() if count} == left_out
    for part, known in zip(dataset.parts, uids, strict=True):
        assert all(set(each.relevant) <= known for each in part.questions)
