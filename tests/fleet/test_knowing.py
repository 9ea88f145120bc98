"""What a team knows: by texts as people say them, and of eight invented developers from transcripts to the answer."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("distributed", reason="the fleet needs Dask, which the extra `fleet` brings")
pytest.importorskip("altair", reason="notebooks need altair, which the extra `notebooks` brings")

from memory_db.fleet.knowing import (
    Known,
    Share,
    cost_of,
    costs,
    days_between,
    disagreeing,
    ends_in_all,
    in_all,
    known,
    learned_again,
    persons_of,
    recurring,
)  # fmt: skip
from memory_db.notebook.team import ensure_team, open_team
from memory_db.sample.team import read_team, sessions_of, write_team

RETRY, NO_RETRY = "Always put a retry around a flaky test.", "Never put a retry around a flaky test."
UTC, NOT_UTC = "We always store timestamps in UTC.", "We never store timestamps in UTC."
PORT = "Postgres for tidepool listens on port 5433."


def said(person: str, text: str, kind: str = "correction", project: str = "tidepool", day: str = "2026-09-01") -> Known:
    return Known(person, f"{person}-{text}", kind, project, text, day)


def test_a_correction_recurs_only_where_another_person_made_it() -> None:
    memories = [said("anna", NO_RETRY), said("anna", f"{NO_RETRY} Please."), said("ben", PORT)]
    found, shares = recurring(memories)
    assert (found, shares["anna"], shares["ben"]) == ([], Share(0, 2), Share(0, 1))
    found, shares = recurring([*memories, said("ben", NO_RETRY, project="quayside"), said("cleo", RETRY)])
    assert [persons_of(group) for group in found] == [["anna", "ben"]]
    assert shares == {"anna": Share(2, 2), "ben": Share(1, 2), "cleo": Share(0, 1)}


def test_conventions_are_compared_between_repositories_alone() -> None:
    memories = [
        said("anna", UTC, "convention", "tidepool"), said("ben", NOT_UTC, "convention", "quayside"),
        said("cleo", UTC, "convention", "sandbar"), said("cleo", NOT_UTC, "correction", "sandbar"),
    ]  # fmt: skip
    apart, shares = disagreeing(memories)
    assert {(each.one.project, each.other.project) for each in apart} == {
        ("tidepool", "quayside"), ("quayside", "sandbar"),
    }  # fmt: skip
    assert shares == {
        ("quayside", "sandbar"): Share(1, 1),
        ("quayside", "tidepool"): Share(1, 1),
        ("sandbar", "tidepool"): Share(0, 1),
    }


def test_who_is_later_has_learned_again_and_only_of_the_same_project() -> None:
    first = said("anna", PORT, "environment", day="2026-09-01")
    same_day = said("ben", PORT, "environment", day="2026-09-01")
    later = said("cleo", PORT, "environment", day="2026-09-11")
    elsewhere = said("dmitri", PORT, "environment", "quayside", "2026-09-12")
    found, shares = learned_again([first, same_day, later, elsewhere])
    assert [persons_of(group) for group in found] == [["anna", "ben", "cleo"]]
    assert days_between(found[0]) == 10
    assert [shares[person].part for person in ("anna", "ben", "cleo", "dmitri")] == [0, 0, 1, 0]


def test_a_session_without_a_price_is_counted_apart() -> None:
    found = cost_of("tides", [(100, 0), (300, 0), (None, 2), (50, 1)])
    assert (found.sessions, found.without_price, found.total_nanocents, found.mean_nanocents) == (2, 2, 400, 200.0)
    assert found.ends_usd == (None, None)


@given(
    st.lists(st.tuples(st.integers(0, 9), st.integers(1, 9)).map(lambda each: Share(min(each), max(each))), min_size=1)
)
@pytest.mark.slow
def test_an_interval_lies_around_its_share(parts: list[Share]) -> None:
    low, high = ends_in_all(parts)
    share = in_all(parts).share
    assert low is not None and high is not None and share is not None
    assert 0 <= low <= share + 1e-9 and share - 1e-9 <= high <= 1


@pytest.mark.slow
def test_the_invented_history_is_the_same_each_time(tmp_path: Path) -> None:
    one, other = (write_team(tmp_path / name).parent / "transcripts" for name in ("one", "other"))
    files = sorted(path.relative_to(one) for path in one.rglob("*.jsonl"))
    assert len(files) > 80
    assert all((one / path).read_bytes() == (other / path).read_bytes() for path in files)
    assert all((one / path).stat().st_mtime_ns == (other / path).stat().st_mtime_ns for path in files)
    team = read_team()
    names = [name for person, of in team["persons"].items() for name, _ in sessions_of(person, of, team)]
    assert len(names) == len(set(names)) == len(files)


@pytest.mark.slow
def test_eight_developers_from_transcripts_to_the_answer(tmp_path: Path) -> None:
    catalogue = ensure_team(tmp_path)
    again = ensure_team(tmp_path)
    assert again == catalogue
    team = open_team(catalogue)
    memories = known(team.fleet)
    assert len(persons_of(memories)) == 8
    found, shares = recurring(memories)
    assert {("anna", "emeka", "goran"), ("ben", "freya", "hana")} <= {tuple(persons_of(group)) for group in found}
    assert 0 < in_all(shares.values()).part < in_all(shares.values()).whole
    apart, _ = disagreeing(memories)
    assert {each.one.project for each in apart} | {each.other.project for each in apart} >= {"tidepool", "quayside"}
    learned, _ = learned_again(memories)
    postgres = next(group for group in learned if "5433" in group[0].text)
    assert persons_of(postgres) == ["anna", "dmitri", "hana"]
    lessons = [each for each in read_team()["lessons"] if "5433" in each["say"]]
    assert postgres[0].day == min(date.isoformat(each["day"]) for each in lessons)
    spent = costs(team.fleet)
    assert sum(each.total_nanocents for each in spent) == sum(
        each.total_nanocents for each in costs(team.fleet, dict.fromkeys(persons_of(memories), "all"))
    )
