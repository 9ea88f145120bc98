"""Answers of models: what can be used is used, what cannot has its reason, and nothing is a traceback."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from memory_db.extract.model import answers
from memory_db.extract.model.answers import AnswerError, ParsedAnswer, find_quote, json_object, read_answer, schema_of
from memory_db.extract.model.chunks import Chunk, TranscriptLine
from tests.support.scripted_model import answer, memory

WHEN = "2026-10-01T10:00:00.000Z"
TEXTS = ("Always run `make lint`\n  before a commit.", "We moved to pnpm, npm is gone.")
KINDS = ("convention", "decision")
SAID = tuple(
    TranscriptLine(number, number, "user", text, ((10 * number, text),), WHEN)
    for number, text in enumerate(TEXTS, start=1)
)
PORTION = Chunk(1, 0, SAID, 0, "", 0, 2, True)


def read(text: str) -> ParsedAnswer:
    return read_answer(text, PORTION, KINDS)


def test_a_good_answer_is_read_whole() -> None:
    proposal = memory(
        "We moved to pnpm", 2, text="The project uses pnpm.", title="pnpm", keys=["yarn", " yarn ", "npm"],
        prompts=["add lodash", "install\nlodash", "add lodash", "bump it", "and one more"],
        importance=4, condition="before\nadding a package", supersedes="npm",
    )  # fmt: skip
    found = read(json.dumps(answer(proposal, asked="To move.", done="Moved.")))
    (only,) = found.proposals
    assert (only.entry_id, only.quote, only.title) == (20, "We moved to pnpm", "pnpm")
    assert (only.keys, only.importance, only.scope) == (("yarn", "npm"), 4, "project")
    assert only.prompts == ("add lodash", "install lodash", "bump it")
    assert (only.condition, only.supersedes) == ("before adding a package", "npm")
    assert found.episode == "Asked: To move.\nDone: Moved."
    assert found.left_out == ()


def test_the_dots_of_the_form_are_no_episode() -> None:
    assert read(json.dumps(answer(asked="...", learned="A port.", done=" - ", next="…"))).episode == "Learned: A port."
    assert read(json.dumps(answer(asked="...", learned="...", done="...", next="..."))).episode == ""


def test_the_schema_is_valid_bounded_and_takes_a_good_answer() -> None:
    schema = schema_of(KINDS)
    Draft202012Validator.check_schema(schema)
    Draft202012Validator(schema).validate(answer(memory("We moved to pnpm", 2)))
    assert not Draft202012Validator(schema).is_valid(answer(memory("x", kind="gossip")))
    assert unbounded(schema) == []


def unbounded(schema: dict, path: str = "") -> list[str]:
    """The places of a schema where a model may write without end."""
    found = [path] if schema["type"] == "string" and not {"maxLength", "enum"} & set(schema) else []
    found += [path] if schema["type"] == "array" and "maxItems" not in schema else []
    found += [path] if schema["type"] == "object" and schema.get("additionalProperties") is not False else []
    for name, member in (schema.get("properties", {}) | {"[]": schema.get("items")}).items():
        if member:
            found += unbounded(member, f"{path}/{name}")
    return found


GOOD = json.dumps(answer(memory("We moved to pnpm", 2)))


@pytest.mark.parametrize(
    "text",
    [
        f"```json\n{GOOD}\n```",
        f"Here you are:\n{GOOD}\nI hope this helps.",
        GOOD.replace('"episode"', ', "episode"').replace(", , ", ", "),
        GOOD.replace('"', "'"),
        GOOD[:-1] + ",}",
        GOOD[: GOOD.index('"keys"')],
        GOOD.replace("We moved", "We\nmoved"),
    ],
)
def test_what_models_do_to_json_is_mended(text: str) -> None:
    assert [proposal.entry_id for proposal in read(text).proposals] == [20]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "The answer holds no JSON object."),
        ("I cannot help with that.", "The answer holds no JSON object."),
        ("{}", "The answer is not a JSON object."),
        ('{"lessons": []}', 'The answer has no list called "memories".'),
        ('{"memories": {}}', 'The answer has no list called "memories".'),
        ('{"a":' * 60 + "1" + "}" * 60, "The answer has more than 40 levels of brackets."),
        ("{" + "x" * 200_001, "The answer has 200002 characters; 200000 may be read."),
        ('{"memories": [1]}', "None of the memories can be used. Proposal 1: it is no object."),
    ],
)
def test_an_answer_that_cannot_be_used_says_why(text: str, reason: str) -> None:
    with pytest.raises(AnswerError) as raised:
        read(text)
    assert str(raised.value) == reason


@pytest.mark.parametrize(
    ("given", "found"),
    [("kiln\n log", "kiln log"), (" kilnlog ", "kilnlog"), ("k" * 81, ""), (["kilnlog"], ""), (7, ""), (None, "")],
)
def test_the_other_project_is_a_short_name_or_none(given: object, found: str) -> None:
    (only,) = read(json.dumps(answer(memory("npm is gone.", 2, project=given)))).proposals
    assert only.project == found


def test_one_bad_proposal_does_not_cost_the_others() -> None:
    bad = [memory("x", kind="gossip"), memory("x", text=" ... "), memory("x", title=["no"]), "nothing"]
    found = read(json.dumps(answer(*bad, memory("npm is gone.", 2))))
    assert len(found.proposals) == 1
    assert found.left_out == (
        "proposal 1: its kind is none of those listed",
        "proposal 2: its text says nothing",
        "proposal 3: its title is no text",
        "proposal 4: it is no object",
    )


def test_more_than_may_be_proposed_are_cut_off_and_counted() -> None:
    found = read(json.dumps(answer(*[memory("npm is gone.", 2)] * (answers.MOST_MEMORIES + 3))))
    assert len(found.proposals) == answers.MOST_MEMORIES == 32
    assert found.left_out == ("3 proposals after the first 32",)


@pytest.mark.parametrize("importance", [0, 6, True, 2.5, "high", None, 10**400, -1, float("inf")])
def test_importance_outside_its_bounds_is_the_ordinary_one(importance: object) -> None:
    found = read(json.dumps(answer(memory("npm is gone.", 2, importance=importance))))
    assert found.proposals[0].importance == 3


@pytest.mark.parametrize(
    ("quote", "number", "found"),
    [
        ("run `make lint` before a commit.", 1, (10, "run `make lint`\n  before a commit.")),
        ("npm is gone", 1, (20, "npm is gone")),
        ("npm  is\ngone", 2, (20, "npm is gone")),
        ("Always run make lint before a commit", 1, (None, "Always run make lint before a commit")),
        ("npm is gone and yarn too", 2, (None, "npm is gone and yarn too")),
        ("pnpm", 2, (None, "pnpm")),
        ("", 1, (None, "")),
        ("... npm is gone ...", {}, (None, "... npm is gone ...")),
    ],
)
def test_a_quote_is_found_word_by_word_or_not_at_all(quote: str, number: object, found: tuple[object, str]) -> None:
    assert find_quote(quote, number, SAID) == found


def test_the_named_entry_goes_before_others_with_the_same_words() -> None:
    both = tuple(TranscriptLine(n, n, "user", "it is the same", ((n, "it is the same"),), WHEN) for n in (1, 2, 3))
    assert find_quote("is the same", 3, both)[0] == 3
    assert find_quote("is the same", 99, both)[0] == 1


ODD = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(), st.binary().map(repr))
JSON = st.recursive(ODD, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=8)
SHAPED = st.fixed_dictionaries(
    {
        "memories": st.lists(
            JSON | st.fixed_dictionaries({}, optional=dict.fromkeys(memory("x"), JSON) | {"kind": st.just(KINDS[0])})
        )
    },
    optional={"episode": JSON},
)


@given(st.text() | st.text(alphabet='{}[]",:\\ \n\x00\ud800memoris'))
def test_any_text_is_an_answer_or_an_error(text: str) -> None:
    assert_answer_or_error(text)


@given(SHAPED, st.integers(0, 400))
@pytest.mark.slow
def test_any_object_cut_anywhere_is_an_answer_or_an_error(value: dict, cut: int) -> None:
    text = json.dumps(value)
    assert_answer_or_error(text)
    assert_answer_or_error(text[: len(text) - cut])


def assert_answer_or_error(text: str) -> None:
    """Reads a text and looks whether the bounds of what comes out are kept."""
    try:
        found = read(text)
    except AnswerError as error:
        assert "\n" not in str(error)
        return
    assert len(found.proposals) <= answers.MOST_MEMORIES
    for proposal in found.proposals:
        assert proposal.kind in KINDS
        assert proposal.scope in ("project", "user")
        assert 1 <= proposal.importance <= 5
        assert len(proposal.text) <= answers.TEXT_CHARACTERS
        assert len(proposal.keys) <= answers.MOST_KEYS
        assert len(proposal.prompts) <= answers.MOST_PROMPTS
        assert len(proposal.project) <= answers.PROJECT_CHARACTERS
        assert proposal.entry_id is None or any(proposal.quote in text for text in TEXTS)


def test_an_object_with_other_text_around_is_found() -> None:
    assert json_object('so {"memories": []} it is') == {"memories": []}


@pytest.mark.parametrize(
    ("episode", "expected"),
    [
        ({"asked": "To move.", "learned": "...", "done": "", "next": 7}, "Asked: To move."),
        ("It went\nwell.", "It went well."),
        ("...", ""),
        (None, ""),
        ([], ""),
    ],
)
def test_an_episode_is_what_was_told_of_it(episode: object, expected: str) -> None:
    assert read(json.dumps({"memories": [], "episode": episode})).episode == expected


@pytest.mark.parametrize(
    ("quote", "number", "entry_id"),
    [("off", 2, 20), (" off\n", 2, 20), ("off", 1, None), ("of", 2, None), ("", 2, None)],
)
def test_a_short_answer_of_the_user_may_be_quoted_as_a_whole(quote: str, number: int, entry_id: int | None) -> None:
    said = (
        TranscriptLine(1, 1, "agent", "Retries on or off?", ((10, "Retries on or off?"),), WHEN),
        TranscriptLine(2, 2, "user", "off\n", ((20, "off\n"),), WHEN),
    )
    found, words = find_quote(quote, number, said)
    assert found == entry_id
    assert words == ("off" if entry_id else quote)


def test_a_short_word_of_the_agent_proves_nothing() -> None:
    said = (TranscriptLine(1, 1, "agent", "off", ((10, "off"),), WHEN),)
    assert find_quote("off", 1, said) == (None, "off")
