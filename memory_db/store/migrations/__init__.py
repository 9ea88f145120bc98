"""The tables, as an append-only list of migrations: one numbered .sql file each, applied in that order.

`012_name.sql` is recorded as `m012_name`, so that it runs once. It begins with a comment that says what it is for;
its statements end with ";" and stand apart by an empty line.

A migration that has been released is never edited, and depends on nothing else of ours: a default changed in code must
not change what an old file became. Views, triggers and seeded rows are kept in step by `schema`.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib.resources import files

from sqlite_utils import Database, Migrations

migrations = Migrations("memory_db")


def statements_in(script: str) -> list[str]:
    """The statements of a migration's file, as they are executed."""
    _, _, statements = script.partition("\n\n")
    return statements.removesuffix(";\n").split(";\n\n")


def runs(script: str) -> Callable[[Database], None]:
    """The migration of a script, statement by statement (`executescript` would commit the transaction)."""

    def run(db: Database) -> None:
        for statement in statements_in(script):
            db.conn.execute(statement)

    return run


def purposes_after(version: int) -> dict[str, str]:
    """What each migration is for that a file of a schema lacks, by name, in their order."""
    return {
        file.name.removesuffix(".sql"): " ".join(purpose_in(file.read_text("utf-8")))
        for file in sorted(files(__name__).iterdir(), key=lambda file: file.name)
        if file.name.endswith(".sql") and int(file.name[:3]) > version
    }


def purpose_in(script: str) -> list[str]:
    """The lines of the comment with which a migration begins."""
    return [line.removeprefix("--").strip() for line in script.partition("\n\n")[0].splitlines()]


for _file in sorted(files(__name__).iterdir(), key=lambda file: file.name):
    if _file.name.endswith(".sql"):
        migrations(name=f"m{_file.name.removesuffix('.sql')}")(runs(_file.read_text("utf-8")))
