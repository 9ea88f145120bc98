"""The command line, in this process: what a command answers, what it prints, and what is in the file then."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

from click.testing import CliRunner, Result

from memory_db.cli import cli
from memory_db.store.connection import connect


def run(*words: object, code: int | None = 0, piped: str = "") -> Result:
    """What a command answers; it must end with that code, unless none is given. A `Path` as first word is its file."""
    given = ["-d", *words] if words and isinstance(words[0], Path) else words
    result = CliRunner().invoke(cli, [str(word) for word in given], input=piped, prog_name="memory-db")
    assert code is None or result.exit_code == code, (result.output, result.exception)
    return result


def printed(*words: object, piped: str = "") -> str:
    """What a command prints that must end well."""
    return run(*words, piped=piped).output


def scalar(path: Path, sql: str, *parameters: object) -> object:
    """One value of a file."""
    with closing(connect(path)) as db:
        return db.execute(sql, parameters).fetchone()[0]
