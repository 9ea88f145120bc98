"""Briefs of the past under other weights: their own change nothing, and every figure is a count of what is listed."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from click.testing import CliRunner

from memory_db.cli.group import cli
from memory_db.errors import InputError
from memory_db.evaluation.replay import FIGURES, Replayed, replay
from memory_db.recall.search import load_profile
from memory_db.store.connection import connect

SINCE, UNTIL = datetime(2026, 10, 25, tzinfo=UTC), datetime(2026, 11, 2, tzinfo=UTC)


def replayed(path: Path, name: str) -> Replayed:
    with closing(connect(path)) as db:
        return replay(db, load_profile(db, name), since=SINCE, until=UNTIL)


@pytest.mark.slow
def test_the_weights_that_chose_a_brief_give_it_again(sample_file: Path) -> None:
    found = replayed(sample_file, "hook")
    assert found.briefs >= 10 and not found.changes
    assert found.figures["as_logged"].value == 1.0, "each is what the log says was shown"
    assert found.figures["changed"].value == 0.0 and found.figures["lines"].count == 0


@pytest.mark.slow
def test_figures_count_what_the_changes_list(sample_file: Path) -> None:
    found = replayed(sample_file, "memlayer")
    figures, gone = found.figures, [line for change in found.changes for line in change.gone]
    assert found.changes and set(figures) == set(FIGURES)
    assert (figures["changed"].count, figures["changed"].of) == (len(found.changes), found.briefs)
    for name, sign in (("ignored_gone", "ignored"), ("useful_gone", "useful"), ("wrong_gone", "wrong")):
        assert figures[name].count == sum(line.sign == sign for line in gone), name
    moved = sum(change.lines_after - change.lines_before for change in found.changes)
    assert figures["lines"].count == moved == sum(len(c.come) - len(c.gone) for c in found.changes)
    assert figures["lines"].value == moved / found.briefs
    for name, figure in figures.items():
        if figure.low is not None and figure.value is not None and figure.high is not None:
            assert figure.low <= figure.value <= figure.high, name
    with closing(connect(sample_file)) as db:
        for change in found.changes:
            shown = {row[0] for row in db.execute(SHOWN, [change.recall_uid])}
            assert {line.uid for line in change.gone} <= shown
            assert not {line.uid for line in change.come} & shown


SHOWN = """
select coalesce(m.uid, e.uid) from hits h join recalls r on r.id = h.recall_id
left join memory_versions v on v.id = h.memory_version_id left join memories m on m.id = v.memory_id
left join entries e on e.id = h.entry_id where r.uid = ? and h.rank is not null
"""


@pytest.mark.slow
def test_nothing_that_is_learnt_afterwards_counts(sample_path: Path) -> None:
    before = replayed(sample_path, "keyword_only").as_dict()
    with closing(connect(sample_path, write=True)) as db:
        db.execute("update settings set value = 1 where name = 'never'")
        db.execute("delete from embeddings")
        db.execute("delete from static_vectors")
    assert replayed(sample_path, "keyword_only").as_dict() == before, "no question is asked again"


@pytest.mark.slow
def test_what_the_user_had_to_repeat_is_counted_where_it_would_have_come(sample_path: Path) -> None:
    with closing(connect(sample_path, write=True)) as db:
        strict_id = db.execute(STRICT).lastrowid
        db.execute("update recalls set profile_id = ? where surface = 'hook'", [strict_id])
        db.execute("update hits set rank = null, left_out_reason = 'below the threshold' where rank is not null")
    changes = replayed(sample_path, "hook").changes
    change, line = next((c, line) for c in changes for line in c.come if line.type == "memory")
    with closing(connect(sample_path, write=True)) as db:
        db.execute("update memories set created_at = '2026-01-01' where uid = ?", [line.uid])
        added = db.execute(REPEATED, {"recall": change.recall_uid, "memory": line.uid}).rowcount
    assert added == 1
    found = replayed(sample_path, "hook")
    assert (found.figures["known_come"].count, found.figures["known_come"].of) == (1, 1)
    assert {line.uid for c in found.changes for line in c.come if line.sign == "known"} == {line.uid}
    with closing(connect(sample_path)) as db:
        (name,) = db.execute("select name from profiles where id = ?", [strict_id]).fetchone()
    assert replayed(sample_path, name).figures["known_come"].value == 0.0


STRICT = """
insert into profiles (name, version, weights, threshold, description, created_at)
select 'strict', 1, weights, 1.5, 'the hook with a score that nothing reaches', created_at
from profiles where name = 'hook' order by version desc limit 1
"""

REPEATED = """
insert into evidence (memory_id, kind, direction, weight, entry_id, source, created_at)
select m.id, 'repeated', 'for', 1.0, e.id, 'a test', e.created_at
from memories m, recalls r
join entries e on e.session_id = r.session_id and e.role = 'user' and e.created_at > r.asked_at
where m.uid = :memory and r.uid = :recall order by e.created_at limit 1
"""


@pytest.mark.slow
def test_briefs_whose_other_hits_have_aged_out_are_counted_apart(sample_path: Path) -> None:
    before = replayed(sample_path, "keyword_only")
    with closing(sqlite3.connect(sample_path)) as db, db:
        db.execute("delete from hits where rank is null and recall_id = (select max(recall_id) from hits)")
    found = replayed(sample_path, "keyword_only")
    assert found.briefs == before.briefs - 1
    assert found.left_out == {"the hits that it did not show have aged out": 1}


def test_a_span_that_ends_before_it_begins_is_refused(sample_file: Path) -> None:
    with closing(connect(sample_file)) as db, pytest.raises(InputError, match="not after it begins"):
        replay(db, load_profile(db, "hook"), since=UNTIL, until=UNTIL - timedelta(days=1))


@pytest.mark.slow
def test_the_command_prints_the_figures_of_the_function(sample_path: Path) -> None:
    asked = ["evaluate", "--replay", "--since", "2026-10-25", "--profile", "memem", "-d", str(sample_path)]
    printed = CliRunner().invoke(cli, [*asked, "--json"])
    assert printed.exit_code == 0, printed.output
    (of_the_command,) = json.loads(printed.stdout)["profiles"]
    own = json.loads(json.dumps(replayed(sample_path, "memem").as_dict()))
    assert of_the_command["figures"] == own["figures"] and of_the_command["changes"] == own["changes"]
    table = CliRunner().invoke(cli, asked)
    assert f"{own['figures']['changed']['value']:.3f} (" in table.stdout
    refused = CliRunner().invoke(cli, ["evaluate", "--since", "7", "-d", str(sample_path)])
    assert refused.exit_code == 1 and "--replay" in refused.stderr
