"""Health, operations and settings from the pages: the same as in the shell, done by who may, with a row for each."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from memory_db.errors import InputError
from memory_db.pages import settings as settings_page
from memory_db.pages.health import actions as operations
from memory_db.pages.health import page as health
from memory_db.store import backup, jobs, settings
from memory_db.store.connection import connect
from memory_db.store.dates import utc_text
from memory_db.store.schema import open_database
from memory_db.transcripts.waiting import note_found, portions, waiting_files
from memory_db.upkeep import history
from tests.pages.test_pages import PAYLOADS
from tests.support.in_process import guest, one, open_to_all, soup, started, text_of

pytestmark = pytest.mark.slow

VERDICTS = {"fine": "Healthy", "degraded": "Degraded", "failing": "Failing"}


def cookies(server: Any) -> dict[str, str]:
    return {"ds_actor": server.sign({"a": {"id": "root"}}, "actor")}


async def get(server: Any, path: str, *, root: bool = False) -> Any:
    return await server.client.get(path, cookies=cookies(server) if root else guest(server))


async def post(server: Any, path: str, *, root: bool = True, **fields: str) -> Any:
    """What a program sends, in the name of root or of somebody who may only read."""
    return await server.client.post(
        path, cookies=cookies(server) if root else guest(server), content=json.dumps(fields),
        headers={"content-type": "application/json", "authorization": "Bearer of-a-plugin"},
    )  # fmt: skip


def add_dead_job(db: sqlite3.Connection, key: str, error: str, at: str) -> int:
    return int(
        db.execute(
            "insert into jobs (kind, key, state, attempts, last_error, created_at, changed_at)"
            " values ('transcript', ?, 'dead', 3, ?, ?, ?) returning id", [key, error, at, at]
        ).fetchone()[0]
    )  # fmt: skip


# --------------------------------------------------------------------- health


async def test_the_page_shows_how_it_does(server: Any, sample_db: sqlite3.Connection) -> None:
    response = await get(server, "/-/memory/health")
    assert response.status_code == 200 and len(response.content) < 150_000
    page = soup(response)
    data = (await get(server, "/-/memory/health.json")).json()
    assert data["status"] in ("fine", "degraded") and data["ok"] and not data["is_all"]
    assert text_of(page.select_one(".bigverdict b")) == VERDICTS[data["status"]]
    found = [line["what"] for line in data["lines"] if line["level"] != "fine"]
    assert len(page.select("#doctor > .findings li")) == len(found) > 0
    speeds = {speed["hook"]: speed for speed in data["hooks"]["speeds"]}
    runs = dict(sample_db.execute("select hook, count(*) from hook_runs where duration_ms is not null group by hook"))
    assert {hook: speed["runs"] for hook, speed in speeds.items()} == runs
    # The view keeps two digits and the page one, so the same time may be rounded twice.
    ours = dict(sample_db.execute("select hook, p50_ms from hook_speed where outcome = 'all'").fetchall())
    assert {hook: speed["p50_ms"] for hook, speed in speeds.items()} == pytest.approx(ours, abs=0.06)
    assert page.select_one("#hooks figure svg title")
    assert not page.select(".memory form[method=post]"), "who may only read has no buttons"


async def test_everything_is_looked_at_on_demand(server: Any) -> None:
    data = (await get(server, "/-/memory/health.json?all=yes")).json()
    assert data["is_all"] and data["everything"]["weeks"]
    sizes = data["everything"]["sizes"]
    assert sizes is None or sizes[0]["bytes"] > 10_000
    assert any("sound" in line["what"] for line in data["lines"])
    page = soup(await get(server, "/-/memory/health?all=yes"))
    assert any("sound" in text_of(line) for line in page.select("#doctor li"))
    refused = await get(server, "/-/memory/health.json?all=maybe")
    assert refused.status_code == 400 and "maybe" in refused.json()["error"]


def test_a_damaged_file_is_a_status(tmp_path: Path, now: datetime) -> None:
    path = tmp_path / "broken.db"
    path.write_bytes(b"SQLite format 3\x00" + b"\xff" * 5000)
    data = health.health(path, {}, now, transcripts=())
    assert data["status"] == "failing" and not data["ok"] and not data["is_readable"]
    assert health.http_status(data) == 503 and data["lines"][0]["level"] == "failure"
    missing = health.health(tmp_path / "none.db", {}, now, transcripts=())
    assert missing["status"] == "failing" and "No database" in missing["lines"][0]["what"]


async def test_what_fails_is_reported_by_the_status_of_the_answer(server: Any, sample_db: sqlite3.Connection) -> None:
    sample_db.execute("insert or replace into settings (name, value, changed_at) values ('hits_days', '\"x\"', '2026')")
    response = await get(server, "/-/memory/health.json")
    assert response.status_code == 503 and response.json()["status"] == "failing" and not response.json()["ok"]
    page = await get(server, "/-/memory/health")
    assert page.status_code == 503 and "hits_days" in page.text


async def test_an_empty_file_has_a_page_too(db: sqlite3.Connection, db_path: Path) -> None:
    server = await started(db_path)
    page = soup(await get(server, "/-/memory/health"))
    assert "No hook has run in these days" in text_of(page.select_one("#hooks"))
    assert "Nothing read yet" in text_of(page.select_one("#sources"))
    assert (await get(server, "/-/memory/settings")).status_code == 200


async def test_hostile_text_is_shown_as_text(tmp_path: Path, now: datetime) -> None:
    path = tmp_path / "hostile.db"
    db = open_database(path, now=now)
    at = utc_text(datetime.now(UTC) - timedelta(hours=1))
    for number, payload in enumerate(PAYLOADS.values()):
        add_dead_job(db, f"{number}{payload}", payload, at)
        db.execute("insert into hook_runs (hook, started_at, duration_ms, outcome, reason, error) values"
                   " (?, ?, 5, 'failed', ?, ?)", [payload, at, payload, payload])  # fmt: skip
        db.execute("insert into sources (path, format, size_bytes, mtime_ns, state, state_reason, found_at) values"
                   " (?, 'text', 1, 1, 'unreadable', ?, ?)", [f"/x{payload}", payload, at])  # fmt: skip
        db.execute("insert into audit_log (actor, action, target, outcome, said, started_at) values"
                   " (?, ?, '/', 'done', ?, ?)", [payload, payload, payload, at])  # fmt: skip
    db.execute("insert into settings (name, value, changed_at) values ('timezone', ?, ?)",
               [json.dumps(PAYLOADS["script"]), at])  # fmt: skip
    server = await started(path)
    for where in ("/-/memory/health", "/-/memory/health?all=yes", "/-/memory/settings"):
        response = await get(server, where, root=True)
        assert "<script>alert" not in response.text and "\x1b" not in response.text and "\u202e" not in response.text
        page = soup(response)
        assert not page.select(".memory img, .memory script"), where


# ----------------------------------------------------------------- operations


async def test_a_backup_is_made_and_opens(server: Any, sample_path: Path, sample_db: sqlite3.Connection) -> None:
    before = backup.row_counts(sample_db)
    data = (await post(server, "/-/memory/health/backup.json")).json()
    made = Path(data["path"])
    assert made.parent == sample_path.parent / "backups" and made.stat().st_mode & 0o777 == 0o600
    assert data["bytes"] == made.stat().st_size and "verified" in data["said"]
    with closing(connect(made)) as copy:
        copied = backup.row_counts(copy)
        assert sum(copied.values()) == data["rows"] and len(copied) == data["tables"]
    assert {name: copied[name] for name in before if name != "audit_log"} == {
        name: count for name, count in before.items() if name != "audit_log"
    }
    verified = (await post(server, "/-/memory/health/verify.json")).json()
    assert (verified["path"], verified["rows"]) == (str(made), data["rows"])
    page = soup(await get(server, "/-/memory/health", root=True))
    assert made.name in text_of(page.select_one("#operations"))


def test_a_copy_of_the_same_moment_is_not_written_over(sample_path: Path, now: datetime) -> None:
    first = operations.copy(sample_path, {}, now)
    with pytest.raises(InputError, match="already"):
        operations.copy(sample_path, {}, now)
    later = operations.copy(sample_path, {}, now + timedelta(minutes=1))
    assert backup.latest(sample_path) == Path(later["path"]) != Path(first["path"])


async def test_a_damaged_copy_is_reported(server: Any) -> None:
    made = Path((await post(server, "/-/memory/health/backup.json")).json()["path"])
    content = bytearray(made.read_bytes())
    content[8192:40960] = b"\x55" * (40960 - 8192)
    made.write_bytes(bytes(content))
    refused = await post(server, "/-/memory/health/verify.json")
    assert refused.status_code == 400 and not refused.json()["ok"]


async def test_old_hits_are_counted_and_let_go(server: Any, sample_db: sqlite3.Connection) -> None:
    unshown = one(sample_db, "select count(*) from hits where rank is null")
    sample_db.execute("update recalls set asked_at = '2020-01-01T00:00:00.000Z'")
    counted = (await post(server, "/-/memory/health/retain.json", dry_run="yes")).json()
    assert counted["hits_aged"] == unshown > 100 and counted["dry_run"]
    assert one(sample_db, "select count(*) from hits where rank is null") == unshown
    done = (await post(server, "/-/memory/health/retain.json")).json()
    assert done["hits_aged"] == unshown and one(sample_db, "select count(*) from hits where rank is null") == 0
    assert one(sample_db, "select count(*) from runs where stage = 'retention'") == 1


async def test_a_check_is_shown_in_lines(server: Any, sample_db: sqlite3.Connection) -> None:
    fine = await server.client.post(
        "/-/memory/health/check", cookies=cookies(server), headers={"authorization": "Bearer of-a-plugin"}
    )
    assert fine.status_code == 200 and "Everything matches" in fine.text
    sample_db.execute("update memory_sources set quote = 'never said by anybody' where id = 1")
    data = (await post(server, "/-/memory/health/check.json")).json()
    assert [finding["what"] for finding in data["findings"]] == ["a quote is in its entry"]


async def test_dead_jobs_are_taken_up_again(server: Any, sample_db: sqlite3.Connection, now: datetime) -> None:
    ids = [add_dead_job(sample_db, f"job {number}", "it broke", utc_text(now)) for number in range(3)]
    page = soup(await get(server, "/-/memory/health", root=True))
    assert len(page.select('#jobs form[action="/-/memory/health/retry"]')) == 4
    assert (await post(server, "/-/memory/health/retry.json", job=str(ids[0]))).json()["revived"] == 1
    assert one(sample_db, "select state from jobs where id = ?", ids[0]) == "due"
    assert (await post(server, "/-/memory/health/retry.json", job="all")).json()["revived"] == 2
    assert one(sample_db, "select count(*) from dead_jobs") == 0
    for wrong, status in (("999999", 404), ("x", 400), ("", 400), ("-1", 400)):
        refused = await post(server, "/-/memory/health/retry.json", job=wrong)
        assert refused.status_code == status and "\n" not in refused.json()["error"]


@pytest.mark.parametrize("name", [*operations.OPERATIONS, "nothing"])
async def test_only_who_may_does_anything_and_each_is_a_row(
    server: Any, sample_path: Path, sample_db: sqlite3.Connection, name: str
) -> None:
    refused = await post(server, f"/-/memory/health/{name}.json", root=False)
    assert refused.status_code == 403
    assert (await get(server, f"/-/memory/health/{name}", root=True)).status_code == 405
    elsewhere = await server.client.post(
        f"/-/memory/health/{name}", cookies=cookies(server), data={"job": "all"},
        headers={"origin": "http://evil.example", "sec-fetch-site": "cross-site"},
    )  # fmt: skip
    assert elsewhere.status_code == 403, "a form of another site"
    assert not (sample_path.parent / "backups").exists()
    assert one(sample_db, "select count(*) from audit_log") == 0
    await post(server, f"/-/memory/health/{name}.json", **({"job": "all"} if name == "retry" else {}))
    row = sample_db.execute("select actor, action, outcome from audit_log").fetchone()
    assert tuple(row)[:2] == ("root", name)
    assert row["outcome"] == ("refused" if name in ("nothing", "verify", "pause") else "done")


async def test_memories_are_taken_along(server: Any, sample_db: sqlite3.Connection) -> None:
    active = one(sample_db, "select count(*) from memories where status = 'active'")
    response = await get(server, "/-/memory/export.json", root=True)
    assert response.headers["content-disposition"].startswith('attachment; filename="memories-')
    assert "no-store" in response.headers["cache-control"]
    exported = response.json()
    assert len(exported) == active and exported[0]["sources"]
    everything = (await get(server, "/-/memory/export.json?all=yes", root=True)).json()
    assert len(everything) == one(sample_db, "select count(*) from memories") > active
    markdown = await get(server, "/-/memory/export.md?project=tidepool&kind=correction", root=True)
    wanted = [row[0] for row in sample_db.execute(
        "select m.uid from memories m join projects p on p.id = m.project_id where m.status = 'active'"
        " and m.kind = 'correction' and p.name = 'tidepool'"
    )]  # fmt: skip
    assert markdown.headers["content-type"].startswith("text/markdown") and len(wanted) > 3
    assert markdown.text.count("\n- ") == len(wanted) and all(uid in markdown.text for uid in wanted)


async def test_memories_are_given_to_nobody_else(server: Any, sample_path: Path) -> None:
    for form in ("json", "md"):
        assert (await server.client.get(f"/-/memory/export.{form}", cookies={})).status_code == 401
        open_server = await started(sample_path, open_to_all(sample_path))
        assert (await open_server.client.get(f"/-/memory/export.{form}", cookies={})).status_code == 403
    unknown = await get(server, "/-/memory/export.json?kind=nonsense", root=True)
    assert unknown.status_code == 404 and "nonsense" in unknown.json()["error"]


# ------------------------------------------------------------------- settings


async def test_every_setting_stands_in_a_group(server: Any) -> None:
    data = (await get(server, "/-/memory/settings.json")).json()
    listed = [setting["name"] for group in data["groups"] for setting in group["settings"]]
    assert sorted(listed) == sorted(settings.BY_NAME)
    grouped = {name for names in settings_page.GROUPS.values() for name in names}
    assert grouped <= set(settings.BY_NAME)
    page = soup(await get(server, "/-/memory/settings", root=True))
    assert len(page.select("[name^=set]")) == len(listed) and data["changed"] == 0
    assert not soup(await get(server, "/-/memory/settings")).select("[name^=set]")


async def test_a_setting_is_changed_and_put_back(server: Any, sample_db: sqlite3.Connection) -> None:
    done = (await post(server, "/-/memory/settings.json", name="recall_limit", value="25")).json()
    assert (done["before"], done["value"]) == (10, 25) and "was 10" in done["said"]
    assert settings.get(sample_db, "recall_limit") == 25
    data = (await get(server, "/-/memory/settings.json")).json()
    assert data["changed"] == 1
    page = soup(await get(server, "/-/memory/settings", root=True))
    assert page.select_one("#recall_limit button[name=reset]") and not page.select_one("#hits_days button[name=reset]")
    back = (await post(server, "/-/memory/settings.json", name="recall_limit", reset="yes")).json()
    assert back["value"] == 10
    assert one(sample_db, "select count(*) from settings where name = 'recall_limit'") == 0
    assert one(sample_db, "select count(*) from audit_log where action = 'settings' and outcome = 'done'") == 2


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"name": "recall_limit", "value": "0"}, "from 1 to 200"),
        ({"name": "recall_limit", "value": "many"}, "whole number"),
        ({"name": "pre_tool_use", "value": "perhaps"}, "true or false"),
        ({"name": "default_profile", "value": "nope"}, "There are the profiles"),
        ({"name": "embedding_model", "value": "no-such-model"}, "no-such-model"),
        ({"name": "sample", "value": "true"}, "There is no setting"),
        ({"name": "recall_limit"}, "field value"),
        ({"value": "3"}, "No setting named"),
    ],
)
async def test_what_a_setting_does_not_accept_changes_nothing(
    server: Any, sample_db: sqlite3.Connection, fields: dict[str, str], words: str
) -> None:
    before = sample_db.execute("select * from settings order by name").fetchall()
    refused = await post(server, "/-/memory/settings.json", **fields)
    assert refused.status_code == 400 and words in refused.json()["error"] and "\n" not in refused.json()["error"]
    assert sample_db.execute("select * from settings order by name").fetchall() == before


async def test_settings_are_changed_by_who_may(server: Any, sample_db: sqlite3.Connection) -> None:
    assert (await post(server, "/-/memory/settings.json", root=False, name="hits_days", value="9")).status_code == 403
    assert settings.get(sample_db, "hits_days") == 180


async def test_a_setting_that_somebody_broke_is_reported_and_mended(server: Any, sample_db: sqlite3.Connection) -> None:
    sample_db.execute("insert into settings (name, value, changed_at) values ('hits_days', '\"soon\"', '2026')")
    page = soup(await get(server, "/-/memory/settings", root=True))
    assert "Set it again" in text_of(page.select_one("#hits_days"))
    done = (await post(server, "/-/memory/settings.json", name="hits_days", reset="yes")).json()
    assert done["before"] is None and settings.get(sample_db, "hits_days") == 180


async def test_reading_a_long_history_is_shown_and_paused(
    server: Any, sample_path: Path, sample_db: sqlite3.Connection, tmp_path: Path, now: datetime
) -> None:
    assert not soup(await get(server, "/", root=True)).select(".reading")
    folder = tmp_path / "projects" / "shop"
    folder.mkdir(parents=True)
    (folder / "one.jsonl").write_text("x" * 2_000_000)
    files = waiting_files(sample_db, [folder.parent])
    note_found(sample_db, files, now)
    history.leave_to_worker(sample_db, [folder.parent], portions(files, 1, 1), now=now)
    shown = soup(await get(server, "/", root=True)).select_one(".reading")
    assert "Reading older sessions, the newest first: 0 bytes of 2.0 MB" in text_of(shown)
    assert (await post(server, "/-/memory/health/pause.json")).json()["paused"]
    assert "paused" in text_of(soup(await get(server, "/", root=True)).select_one(".reading"))
    assert not jobs.is_due(sample_db, now, kind=history.HISTORY)
    going_on = await post(server, "/-/memory/health/pause.json", go_on="yes", dry_run="yes")
    assert "Dry run" in going_on.json()["said"] and not jobs.is_due(sample_db, now, kind=history.HISTORY)
