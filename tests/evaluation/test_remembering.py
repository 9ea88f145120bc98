"""Whole sessions and their labels: what is rendered, what a model from labels proposes, how memories are counted."""

from __future__ import annotations

import json
import sqlite3
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
import yaml

from bench import remembering, remembering_models
from bench import remembering_set as labelled
from bench.remembering_figures import Pair, Remembered, Said, Told, figures, in_one_order, reachable, remembered
from bench.remembering_set import Fact, Label, Project
from memory_db.knowledge.memories import add_memory, add_source
from tests.support.session_rows import WHEN, add_entry, add_project, add_session

HEAD = {"branch": "main", "version": "2.1.330", "model": "sonnet"}

ALWAYS = "We always run the migrations through make migrate, never by hand."
PORT = "The staging server of tern listens on port 8443."
MOVED = "The staging server of tern moved: it listens on port 9443 now, no longer on port 8443."
TASK = "Rename the helper to parse_rows for me please and show me the diff."


def write_project(folder: Path, name: str, person: str, half: str, talks: list[list[str]], **lists: Any) -> None:
    """A project whose user says these things in these sessions."""
    own = folder / name
    own.mkdir()
    for number, talk in enumerate(talks, start=1):
        turns = [turn for said in talk for turn in ({"user": said}, {"say": f"Understood, that is done: {said[:20]}"})]
        head = {"cwd": f"/home/{person}/code/{name}", **HEAD}
        text = yaml.safe_dump({**head, "turns": turns}, sort_keys=False) + f"start: 2026-09-0{number}T08:00:00\n"
        (own / f"0{number}-talk.yaml").write_text(text, "utf-8")
    (own / "project.yaml").write_text(yaml.safe_dump({"person": person, "half": half}), "utf-8")
    (own / "labels.yaml").write_text(yaml.safe_dump(lists), "utf-8")


@pytest.fixture
def two(tmp_path: Path) -> Path:
    """Two small projects of one person, whose sessions have the same names."""
    write_project(
        tmp_path, "tern", "ida", "seen", [[ALWAYS, PORT], [MOVED, TASK]],
        must=[
            {"id": "tern-1", "session": "01-talk", "text": "Migrations of tern run through make migrate alone.",
             "quote": ALWAYS, "kind": "convention", "scope": "project"},
            {"id": "tern-2", "session": "01-talk", "text": PORT, "quote": PORT, "kind": "environment",
             "scope": "project"},
            {"id": "tern-3", "session": "02-talk", "text": MOVED, "quote": MOVED, "kind": "environment",
             "scope": "project"},
        ],
        must_not=[{"id": "tern-n1", "session": "02-talk", "text": "The helper is named parse_rows.",
                   "quote": "Rename the helper to parse_rows", "why": "one-off task"}],
        changes=[{"id": "tern-c1", "session": "02-talk", "old": "tern-2", "new": "tern-3"},
                 {"id": "tern-c2", "session": "02-talk", "old": "The helper had no name.", "new": "tern-3"}],
    )  # fmt: skip
    write_project(
        tmp_path, "gull", "ida", "unseen", [["I prefer short commit messages in all my projects, without emoji."]],
        must=[{"id": "gull-1", "session": "01-talk", "text": "Commit messages are short and without emoji.",
               "quote": "I prefer short commit messages in all my projects", "kind": "preference", "scope": "user"}],
    )  # fmt: skip
    return tmp_path


# -------------------------------------------------------------------- the set


@pytest.mark.slow
def test_what_is_labelled_stands_in_the_sessions() -> None:
    """Ids are told once, changes name what is known, quotes stand in their session word by word."""
    projects = labelled.projects()
    said = {
        f"{project.name}/{path.stem}": labelled.plain(texts_of(yaml.safe_load(path.read_text("utf-8"))))
        for project in projects for path in project.dialogues
    }  # fmt: skip
    for project in projects:
        assert project.half in (labelled.SEEN, labelled.UNSEEN)
        facts = [*project.must, *project.must_not]
        assert len({fact.id for fact in facts}) == len(facts)
        where = {fact.id: fact.session if "/" in fact.session else f"{project.name}/{fact.session}" for fact in facts}
        missing = [fact.id for fact in facts if labelled.plain(fact.quote) not in said[where[fact.id]]]
        assert not missing


def texts_of(value: Any) -> str:
    """Every text of a dialogue."""
    if isinstance(value, dict):
        return "\n".join(map(texts_of, value.values()))
    return "\n".join(map(texts_of, value)) if isinstance(value, list) else str(value)


def test_a_change_between_texts_has_sides_of_its_own(two: Path) -> None:
    tern = {project.name: project for project in labelled.projects(two)}["tern"]
    assert [(change.old, change.new) for change in tern.changes] == [
        ("tern-2", "tern-3"), ("tern-c2.old", "tern-3"),
    ]  # fmt: skip
    assert tern.facts["tern-c2.old"].text == "The helper had no name."
    path = two / "tern" / "labels.yaml"
    path.write_text(path.read_text().replace("old: tern-2", "old: tern-9"))
    with pytest.raises(ValueError, match="tern-c1: there is no fact tern-9"):
        labelled.projects(two)


def test_sessions_of_one_name_are_rendered_apart(two: Path, tmp_path: Path) -> None:
    names = labelled.rendered(labelled.projects(two), tmp_path / "out")
    assert sorted(names.values()) == [("gull", "01-talk"), ("tern", "01-talk"), ("tern", "02-talk")]
    assert len(list((tmp_path / "out" / "history").rglob("*.jsonl"))) == 3


def test_labels_are_kept_by_text_and_in_order(two: Path) -> None:
    label = Label(("tern-1",), True, None, True, True, None, True, "convention", "project")
    labelled.keep({("tern", "b"): label, ("tern", "a"): Label(must_not="tern-n1")}, two)
    labelled.keep({("tern", "b"): Label()}, two)
    assert labelled.labels(two) == {("tern", "a"): Label(must_not="tern-n1"), ("tern", "b"): Label()}
    assert [json.loads(line)["text"] for line in (two / "memory_labels.jsonl").read_text().splitlines()] == ["a", "b"]


# ----------------------------------------------------------------- the models


@pytest.mark.parametrize("quote", [ALWAYS, "run the\nmigrations", 'said "no", twice'])
def test_words_are_found_in_a_prompt_of_json(quote: str) -> None:
    said = {"entry": 7, "from": "user", "text": f'{ALWAYS}\n\nHe said "no",\n twice'}
    asked = "\n".join(json.dumps(each) for each in ({"entry": 3, "from": "user", "text": "hello"}, said))
    assert remembering_models.stands_in(quote, asked)
    assert remembering_models.entry_of(quote, asked) == 7
    assert not remembering_models.stands_in("run no migrations", asked) and not remembering_models.stands_in("", asked)


HEIGHT = "Boxes of gull hang at two metres at least."


@pytest.fixture
def across(two: Path) -> list[Project]:
    """The two projects, and two things that are said in one of them for the other."""
    path = two / "gull" / "labels.yaml"
    lists = yaml.safe_load(path.read_text("utf-8"))
    lists["must"] += [{"id": "gull-2", "session": "tern/01-talk", "text": HEIGHT, "quote": "boxes hang at two metres",
                       "kind": "convention", "scope": "project"}]  # fmt: skip
    lists["must_not"] = [{"id": "gull-n1", "session": "tern/01-talk", "text": "Gull waits.", "quote": "gull can wait",
                          "why": "one-off"}]  # fmt: skip
    path.write_text(yaml.safe_dump(lists), "utf-8")
    return labelled.projects(two)


@pytest.mark.parametrize(("named", "project"), [("in gull", "gull"), ("over there", "")])
def test_a_model_from_labels_names_the_other_project_if_it_was_shown_its_name(
    across: list[Project], tmp_path: Path, named: str, project: str
) -> None:
    said = [PORT, f"oh and {named} boxes hang at two metres, gull{'' if project else 's'} can wait. {ALWAYS}"]
    asked = "\n".join(json.dumps({"entry": number, "text": text}) for number, text in enumerate(said, start=1))
    tern = next(each for each in across if each.name == "tern")

    def proposed(*, is_sloppy: bool) -> dict[str, tuple[str, int]]:
        model = remembering_models.LabelModel("m", tmp_path / "memory.db", across, {}, {}, is_sloppy=is_sloppy)
        found = list(model.memories_of(tern, "01-talk", asked, ["convention"]))
        assert list(model.memories_of(tern, "02-talk", asked, ["convention"])) == []
        return {each["text"]: (each["project"], each["entry"]) for each in found}

    always = "Migrations of tern run through make migrate alone."
    assert list(proposed(is_sloppy=False).items()) == [(PORT, ("", 1)), (HEIGHT, (project, 2)), (always, ("", 2))]
    assert proposed(is_sloppy=True).get("Gull waits.") == (("gull", 2) if project else None)


def test_a_model_from_labels_doubts_what_readers_would_not_keep(across: list[Project], tmp_path: Path) -> None:
    said = {"of use": (True, True, ()), "no use": (False, True, ()), "unclear": (True, False, ("gull-2",)),
            "half": (True, False, ("gull-2", "gull-9"))}  # fmt: skip
    labels = {("gull", text): labelled.Label(covers, True, None, useful, readable)
              for text, (useful, readable, covers) in said.items()}  # fmt: skip
    asked = "\n".join(json.dumps({"kept": f"m{text}", "entry": 1, "text": text}) for text in (*said, "no label"))
    model = remembering_models.LabelModel("m", tmp_path / "memory.db", across, {}, labels)
    assert list(model.doubts_about(asked)) == [{"uid": "mno use", "why": "misread"}]
    model.shown.add("gull-2")
    assert [each["uid"] for each in model.doubts_about(asked)] == ["mno use", "munclear"]


@pytest.mark.parametrize(("filed", "covers"), [("gull", ("gull-2",)), ("tern", ())])
def test_a_fact_that_is_filed_where_it_was_said_covers_nothing(
    across: list[Project], db: sqlite3.Connection, now: datetime, filed: str, covers: tuple[str, ...]
) -> None:
    ids = {name: add_project(db, f"/home/ida/code/{name}") for name in ("gull", "tern")}
    session = add_session(db, ids["tern"])
    entry = add_entry(db, session, "user", "prompt", HEIGHT)
    add_memory(db, text=HEIGHT, kind="convention", scope="project", project_id=ids[filed], now=now)
    add_source(db, 1, candidate_id=None, entry_id=entry, quote="", created_at=WHEN, now=now)
    names = {"session-1": ("tern", "01-talk"), "session-2": ("gull", "01-talk")}
    (memory,) = remembered(db, names, labelled.of_facts(across)).memories
    assert (memory.project, memory.covers) == (filed, covers) and memory.label is not None


@pytest.mark.slow
def test_a_model_from_labels_goes_through_the_whole_of_memory(two: Path) -> None:
    found = remembering.measured(two)
    assert found["perfect model"]["all"]["must shown to the model"] == 4
    assert found["perfect model"]["all"]["share in full"] >= found["rules"]["all"]["share in full"]
    assert found["rules"]["seen"]["changes closed or contradicted"] == 1  # the port; the other side is not there
    assert found["sloppy model"]["all"]["must not, stored"] <= 1
    assert found["perfect model"]["all"]["must not, stored"] == 0
    assert set(found["rules"]) == {"all", "seen", "unseen"}
    assert found["rules"]["seen"]["lines at the next start"] == 3  # one of them of the other project
    assert found["rules"]["seen"]["of them taken back since"] == 0
    assert found["ordinary requests"] == {"prompts": 0, "memories": 0}


@pytest.mark.slow
def test_what_waits_for_a_reader_is_filled_in_and_taken(two: Path, capsys: pytest.CaptureFixture[str],
                                                        monkeypatch: pytest.MonkeyPatch) -> None:  # fmt: skip
    path = two / "waits.yaml"
    call = ["remembering", "--set", str(two), "--way", "rules"]
    monkeypatch.setattr("sys.argv", [*call, "--unlabelled", str(path)])
    remembering.main()
    asked = yaml.safe_load(path.read_text("utf-8"))
    rows = [(own["project"], row) for own in asked for row in own["memories"]]
    assert f"{len(rows)} memories wait" in capsys.readouterr().out and rows
    for project, row in rows:
        row |= {"covers": ["gull-1"] if project == "gull" else [], "full": True, "useful": True, "readable": False}
    path.write_text(yaml.safe_dump(asked), "utf-8")
    monkeypatch.setattr("sys.argv", [*call, "--take", str(path)])
    remembering.main()
    found = labelled.projects(two)
    kept, _ = remembering.everything("rules", found, remembering.all_labels(found, two))
    assert all(memory.label for memory in kept.memories)
    monkeypatch.setattr("sys.argv", [*call, "--unlabelled", str(path)])
    remembering.main()
    assert yaml.safe_load(path.read_text("utf-8")) == []


def test_a_label_that_is_none_is_refused(two: Path) -> None:
    tern = {project.name: project for project in labelled.projects(two)}["tern"]
    row = {"text": "x", "kind": "fix", "scope": "project", "covers": ["tern-1"], "full": True, "must_not": None,
           "useful": True, "readable": True, "kind_right": None, "scope_right": None}  # fmt: skip
    assert remembering.label_of(row, tern).covers == ("tern-1",)
    assert remembering.label_of(row | {"full": ["tern-1"]}, tern).covers_in_full == ("tern-1",)
    assert remembering.label_of(row | {"full": False}, tern).covers_in_full == ()
    with pytest.raises(ValueError, match="'tern-2', which is no fact"):
        remembering.label_of(row | {"full": ["tern-2"]}, tern)
    with pytest.raises(ValueError, match="'tern-8', which is no fact"):
        remembering.label_of(row | {"covers": ["tern-8"]}, tern)
    with pytest.raises(ValueError, match="'gull-n1', which is no fact"):
        remembering.label_of(row | {"must_not": "gull-n1"}, tern)
    with pytest.raises(ValueError, match="has no full; write true or false"):
        remembering.label_of(row | {"full": None}, tern)


# ---------------------------------------------------------------- the figures


def said(text: str, *covers: str, full: bool = True, kind: str = "fix", **more: Any) -> Said:
    """A memory of the project p with its label."""
    return Said("p", text, "", kind, "project", "", Label(covers, full, useful=True, readable=True, **more))


def project_of(*changes: tuple[str, str]) -> Project:
    """A project of three facts and one that nobody should keep."""
    must = tuple(Fact(f"p-{n}", "01", f"fact {n}", "", "fix", "user" if n == 3 else "project") for n in (1, 2, 3))
    taken_back = tuple(labelled.Change(f"p-c{n}", "01", *each) for n, each in enumerate(changes))
    return Project("p", "ida", "seen", Path(), must, (Fact("p-n1", "01", "no fact", ""),), taken_back, ())


def kept(*memories: Said, **pairs: tuple[Any, ...]) -> Remembered:
    """A file with these memories and pairs."""
    empty: dict[str, tuple[Any, ...]] = dict.fromkeys(("waiting", "between", "proposed", "reworded", "told"), ())
    return Remembered(memories, **empty | pairs)


def test_facts_are_counted_once_and_memories_without_a_label_are_of_no_use() -> None:
    nobody_read = Said("p", "?", "", "fix", "project", "", None)
    elsewhere = Said("q", "other", "", "fix", "project", "", Label(("p-3",), True))
    found = figures([project_of()], kept(said("a", "p-1"), said("b", "p-1", "p-2", full=False),
                                         said("c", must_not="p-n1", kind="quirk"), nobody_read, elsewhere,
                                         waiting=(said("d", "p-3"),)))  # fmt: skip
    assert (found["must in full"], found["must in part"], found["must waiting for a person"]) == (1, 1, 1)
    assert (found["memories"], found["without a label"], found["useful"]) == (4, 1, 0.75)
    assert found["must not, stored"] == found["share of must not stored"] == 1
    assert (found["of the user"], found["of the user, kept as such"]) == (1, 0)
    assert found["kind right"] == 1.0


def test_a_reader_decides_on_a_kind_as_long_as_it_is_that_one() -> None:
    judged = said("a", "p-1", kind="fix", kind_right=False)
    assert figures([project_of()], kept(judged))["kind right"] == 1.0  # the reader saw another kind
    judged = Said("p", "a", "", "fix", "project", "", Label(("p-1",), True, kind_right=False, kind="fix"))
    assert figures([project_of()], kept(judged))["kind right"] == 0.0


def test_changes_are_noticed_by_what_the_two_sides_cover() -> None:
    one, two, three = said("1", "p-1"), said("2", "p-2"), said("3", "p-3")
    project = project_of(("p-1", "p-2"), ("p-2", "p-3"))

    def found(**pairs: tuple[Pair, ...]) -> tuple[int, ...]:
        counts = figures([project], kept(one, two, three, **pairs))
        return (
            counts["changes closed or contradicted"], counts["changes before a person"], counts["false ones"],
            counts["proposed, but none"],
        )  # fmt: skip

    assert found() == (0, 0, 0, 0)
    assert found(between=(Pair(one, two, True),)) == (1, 0, 0, 0)
    assert found(between=(Pair(two, one, True),)) == (0, 0, 1, 0)  # the new one was closed by the old one
    assert found(between=(Pair(two, one, False),)) == (1, 0, 0, 0)
    assert found(between=(Pair(one, three, True),)) == (0, 0, 0, 0)  # by way of the second: not false
    assert found(reworded=(Pair(one, two, True),)) == (1, 0, 0, 0)
    assert found(proposed=(Pair(two, three, True), Pair(three, one, True))) == (0, 1, 0, 1)


def test_a_line_at_the_start_is_of_use_as_long_as_nothing_took_it_back() -> None:
    old, new = said("1", "p-1"), said("2", "p-2", full=False)
    nobody_read = Said("p", "?", "", "fix", "project", "", None)
    told = (*(Told("p", each) for each in (old, new, nobody_read)), Told("q", new))
    found = figures([project_of(("p-1", "p-2"))], kept(old, new, told=told))
    assert found["lines at the next start"] == 3
    assert found["of them useful and readable"] == found["of them taken back since"] == round(1 / 3, 3)
    assert found["must that holds, told there"] == 0.5  # the second of the two that hold, in part


def test_two_memories_that_contradict_each_other_are_one_pair() -> None:
    assert in_one_order([(2, 1), (1, 2), (3, 1), (1, 2)]) == [(1, 2), (1, 3)]


def test_what_came_later_is_found_by_way_of_others() -> None:
    assert reachable([("a", "b"), ("b", "c"), ("c", "d")])["a"] == {"b", "c", "d"}
    assert reachable([("a", "b"), ("b", "a")])["a"] == {"a", "b"}
