"""Personal data, where a file asks for it: found by shape and check digits, left alone where no file asks."""

from __future__ import annotations

import sqlite3
from datetime import datetime
from pathlib import Path

import pytest

from memory_db.extract.rules.run import extract
from memory_db.gate import run as gate
from memory_db.index import build as index
from memory_db.index import change_setting
from memory_db.knowledge.memories import add_memory
from memory_db.redact import wanted
from memory_db.redact.clean import redact
from memory_db.store import settings
from memory_db.store.connection import connect
from memory_db.upkeep.check import check
from memory_db.upkeep.scan import found_since, is_due, scan
from tests.support.rows import rows
from tests.support.session_rows import add_entry, add_project, add_session

STAGES = (extract, gate.run, index.run)
MAIL = "ada" + "@" + "mail.test"
FOUND = [
    ("mail", f"write to {MAIL} today", MAIL),
    ("mail", f'"{MAIL.upper()}"', MAIL.upper()),
    ("phone", "call +49 170" + " 1234567 now", "1234567"),
    ("phone", "Tel.: 0170/" + "1234567", "1234567"),
    ("phone", "(555) 010" + "-4477", "4477"),
    ("us-ssn", "ssn 078-05" + "-1120", "1120"),
    ("uk-nino", "NI AB 12 34" + " 56 C", "34 56"),
    ("de-tax-id", "Steuer-ID 86 095" + " 742 719", "742 719"),
    ("es-dni", "DNI 12345678" + "Z", "12345678Z"),
    ("fr-nir", "NIR 2 55 08 14" + " 168 025 38", "168 025"),
    ("it-codice-fiscale", "CF RSSMRA85T10" + "A562S", "A562S"),
    ("pl-pesel", "PESEL 440514" + "01359", "01359"),
    ("br-cpf", "CPF 529.982" + ".247-25", "247-25"),
    ("ch-ahv", "AHV 756.9217" + ".0769.85", "0769"),
]
STAYS = [
    "git clone git@github.com:owner/repo.git", "icon@2x.png", "pip install pkg@1.2.3", "@scope/package", "2026-11-23",
    "DNI 12345678A", "CPF 529.982.247-26", "AHV 756.9217.0769.86", "Steuer-ID 86 095 742 718", "PESEL 44051401358",
    "1.2.3.4:8080", "version 10.20.30-4", "line 1234567", "+1 -1 +2", "a phone call", "CF RSSMRA85T10A562T",
]  # fmt: skip


@pytest.fixture
def asked() -> None:
    wanted.ask("a file", True)


@pytest.mark.parametrize(("rule", "text", "gone"), FOUND)
def test_personal_data_is_taken_out_where_asked(rule: str, text: str, gone: str, asked: None) -> None:
    assert gone in text
    result, findings = redact(text)
    assert gone not in result
    assert [(finding.rule, finding.category) for finding in findings] == [(rule, "personal")]
    assert redact(result) == (result, [])


@pytest.mark.parametrize("text", STAYS)
def test_what_only_looks_like_it_stays(text: str, asked: None) -> None:
    assert redact(text) == (text, [])


@pytest.mark.parametrize(("rule", "text", "gone"), FOUND)
def test_nothing_is_taken_out_where_no_file_asks(rule: str, text: str, gone: str) -> None:
    assert redact(text) == (text, [])


def test_the_setting_takes_it_out_of_what_is_stored_and_of_what_comes(
    db: sqlite3.Connection, db_path: Path, now: datetime
) -> None:
    before = add_memory(db, kind="decision", scope="user", text=f"Releases are announced to {MAIL}.", now=now)
    assert MAIL in db.execute("select text from memories where uid = ?", [before]).fetchone()[0]
    assert not is_due(db)
    settings.put(db, wanted.SETTING, "true", now=now)
    assert wanted.is_on() and is_due(db)
    scan(db, now=now)
    assert found_since(db, 0)["mail"] >= 1
    after = add_memory(db, kind="decision", scope="user", text=f"Outages are announced to {MAIL}.", now=now)
    for uid in (before, after):
        assert "[redacted:mail]" in db.execute("select text from memories where uid = ?", [uid]).fetchone()[0]
    wanted.ask_no_more()
    connect(db_path).close()
    assert wanted.is_on(), "a file that asks is known as soon as it is opened"
    change_setting.reset(db, wanted.SETTING)
    assert not wanted.is_on() and not is_due(db)


def test_nothing_drawn_from_an_address_outlives_it(db: sqlite3.Connection, now: datetime) -> None:
    """Keys and entities have parts of the address, and by themselves look clean; a person's own keys stay."""
    entry = add_entry(
        db, add_session(db, add_project(db)), "user", "prompt",
        "You can reach me at jonas" + ".weber@harbour.example or +49 151" + " 23456789 in this project.",
    )  # fmt: skip
    own = add_memory(
        db, kind="convention", scope="user", text="Mail to jonas" + ".weber@harbour.example about tides.",
        keys=["quay", "tides", "jon"], now=now,
    )  # fmt: skip
    for stage in STAGES:
        stage(db, now=now)
    assert db.execute("select 1 from memory_sources where entry_id = ?", [entry]).fetchone()
    assert db.execute("select 1 from entities where name = 'jonas.weber'").fetchone()
    settings.put(db, wanted.SETTING, "true", now=now)
    scan(db, now=now)
    assert "weber" not in "\n".join(db.iterdump()) and check(db) == []
    assert rows(db, "select keys from memories where uid = ?", own) == [('["quay", "tides", "jon"]',)]
