"""What can be set, by group, and setting it: fields in, what changed as plain data out.

In: a connection, or a path and the fields of a form or of a JSON body. Out: plain dicts. Invariants: every setting
stands in one group; a page, a program and the command line accept and refuse the same.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from memory_db.errors import InputError
from memory_db.index import change_setting as setting_changes
from memory_db.pages.forms import Fields, changing, check_known, first, flag, note_dry_run, undo_by
from memory_db.store import settings
from memory_db.store.setting import Setting, Value

GROUPS: Mapping[str, tuple[str, ...]] = {
    "Recall and briefs": ("default_profile", "recall_limit", "abstainer", "brief_budget_tokens", "start_budget_tokens",
                          "ask_budget_tokens", "layer_0_cap", "timezone"),
    "Agents": ("prompt_briefs", "pre_tool_use", "holdout_share", "mcp_other_projects", "mcp_proposals_a_day"),
    "Models and money": ("model_extraction", "extraction_model", "model_budget_cents", "daily_cost_cents",
                         "embedding_model", "embed_entries", "interaction"),
    "The gate": ("gate_vectors", "gate_duplicate_likeness", "gate_related_likeness", "gate_most_destructive"),
    "Retention and backups": ("hits_days", "backup_keep", "backup_encrypt", "encryption_key_file"),
    "Privacy": ("redact_personal",),
}  # fmt: skip
"""Settings by what they are about; what stands in none of these is listed last."""

OTHERS = "Others"

PROFILES = "select distinct name from profiles order by name"


def listed(db: sqlite3.Connection) -> dict[str, Any]:
    """Every setting with its value and default, by group; `changed` counts those that are not as they come."""
    profiles = [row["name"] for row in db.execute(PROFILES)]
    rows = {row["name"]: row for row in db.execute("select name, value, changed_at from settings")}
    entries = {each.name: entry(db, each, rows.get(each.name), profiles) for each in settings.SETTINGS}
    grouped = {name for names in GROUPS.values() for name in names}
    groups = {**GROUPS, OTHERS: tuple(name for name in entries if name not in grouped)}
    return {
        "groups": [
            {"name": name, "settings": [entries[each] for each in names if each in entries]}
            for name, names in groups.items() if names
        ],
        "changed": sum(each["is_changed"] for each in entries.values()),
    }  # fmt: skip


def entry(db: sqlite3.Connection, setting: Setting, row: sqlite3.Row | None, profiles: list[str]) -> dict[str, Any]:
    """A setting as a page has it; `trouble` says what is wrong with a row that somebody wrote by hand."""
    value: Value | None = setting.default
    trouble = None
    if row is not None:
        try:
            value = settings.stored_value(db, setting, row["value"])
        except InputError as error:
            value, trouble = None, str(error)
    choices = list(setting.choices)
    if setting.kind == "boolean":
        choices = ["true", "false"]
    elif setting.kind == "profile":
        choices = profiles
    return {
        "name": setting.name,
        "kind": setting.kind,
        "help": setting.help,
        "value": value,
        "default": setting.default,
        "text": "" if value is None else text_of(value),
        "default_text": text_of(setting.default),
        "choices": choices,
        "minimum": setting.minimum,
        "maximum": setting.maximum,
        "changed_at": row["changed_at"] if row is not None else None,
        "is_changed": row is not None and value != setting.default,
        "trouble": trouble,
    }


def text_of(value: Value) -> str:
    """A value as it is typed."""
    return str(value).lower() if isinstance(value, bool) else str(value)


SET, WAS = "set.", "was."
"""What a field begins with that has a setting's new value, and one that has what the page showed of it."""

PATH = "/-/memory/settings"

OWN_PAGE = re.compile(r"/-/memory/(?:compare|recall)(?:\?(?:(?![#\\])[!-~])*)?", re.ASCII)
"""Where a form may lead back to: pages with a button for a setting. Nothing else, so no link leads to another site."""


def change(path: Path, fields: Fields, now: datetime) -> dict[str, Any]:
    """Sets settings, all or none; `dry_run`. `next` names the page to go back to.

    One: the field `value` for the setting of the field `name`, or `reset` for its default; `reset` may name it too.
    Many: a field `set.NAME` for each; one that is as `was.NAME` says it was shown is left alone, and a default is kept
    as no row. Raises: InputError, DatabaseFileError.
    """
    check_known(fields, ("name", "value", "reset", f"{SET}*", f"{WAS}*", "next", "dry_run"))
    dry_run, back = flag(fields, "dry_run"), first(fields, "next")
    if back and not OWN_PAGE.fullmatch(back):
        raise InputError(f"next {back[:60]!r} is no page with such a button. Leave it out, to go to the settings.")
    wanted = wanted_of(fields)
    with changing(path, dry_run=dry_run) as db:
        done = [put(db, name, text, now) for name, text in wanted.items()]
    changed = [each for each in done if each.before != each.after]
    told = " ".join(each.said for each in (changed or done)) or "Nothing was changed: every value is as it was."
    answer = {
        "ok": True, "dry_run": dry_run, "said": note_dry_run(told, dry_run), "there": back or PATH,
        "changed": [{"name": each.name, "before": each.before, "value": each.after} for each in changed],
        "undo": undo_of(changed, back),
    }  # fmt: skip
    if len(done) == 1:
        [one] = done
        answer |= {"name": one.name, "before": one.before, "value": one.after, "there": back or f"{PATH}#{one.name}"}
        if one.name == "default_profile" and changed and not dry_run:
            answer["flash"] = f"“{one.after}” is the default profile now; before, it was “{one.before}”."
    return answer


def wanted_of(fields: Fields) -> dict[str, str | None]:
    """The new texts of settings by name, None for the default. Raises: InputError where none is named."""
    name, reset = first(fields, "name"), first(fields, "reset")
    if not name and reset in settings.BY_NAME:
        return {reset: None}
    many = {field.removeprefix(SET): first(fields, field) for field in fields if field.startswith(SET)}
    if many and not name:
        turned = {each: text for each, text in many.items() if fields.get(f"{WAS}{each}") != [text]}
        return {each: None if text == text_of(settings.find(each).default) else text for each, text in turned.items()}
    if not name:
        raise InputError("No setting named. Send its name in the field name, and its value in the field value.")
    if "value" not in fields and "reset" not in fields:
        raise InputError(f"No value for {name[:40]}. Send it in the field value, or send reset for the default.")
    return {name: None if "reset" in fields else first(fields, "value")}


def put(db: sqlite3.Connection, name: str, text: str | None, now: datetime) -> setting_changes.Changed:
    """Sets one, or without a text puts it back to its default. Raises: InputError."""
    return setting_changes.reset(db, name) if text is None else setting_changes.change(db, name, text, now=now)


def undo_of(changed: Sequence[setting_changes.Changed], back: str) -> dict[str, Any] | None:
    """What sets them back; None where nothing changed, or one was unreadable before."""
    before = {f"{SET}{each.name}": text_of(each.before) for each in changed if each.before is not None}
    return undo_by(PATH, **before, next=back) if changed and len(before) == len(changed) else None
