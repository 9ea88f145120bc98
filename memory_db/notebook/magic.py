"""SQL in a cell: `%%memory` above a statement gives its rows as a table.

In: a cell of IPython. Out: a DataFrame, or one line that says what is wrong. Invariant: a cell only reads unless its
first line says `--write`; then it is one transaction.
"""

from __future__ import annotations

from typing import Any

import pandas as pd
from IPython.core.getipython import get_ipython
from IPython.core.magic import Magics, cell_magic, magics_class
from IPython.core.magic_arguments import argument, magic_arguments, parse_argstring

from memory_db.errors import InputError
from memory_db.notebook import files
from memory_db.notebook.display import as_html
from memory_db.notebook.tables import executed, frame_of, query
from memory_db.notebook.theme import enable_charts
from memory_db.pages.web.in_notebook import parameters_of
from memory_db.store.connection import transaction

MOST_COLUMNS = 60
"""Columns of a table that are shown: a hit has thirty signals."""

MOST_CHARACTERS = 90
"""Characters of a cell that are shown: most titles, and a line of text."""


@magics_class
class MemoryMagics(Magics):
    """The magic `%%memory`."""

    @magic_arguments()
    @argument("-d", "--database", help="the file; without it the one that connect() opened last, else your own")
    @argument("-w", "--write", action="store_true", help="the statement may change the file")
    @argument("-o", "--output", help="a name to keep the table under")
    @cell_magic
    def memory(self, line: str, cell: str) -> pd.DataFrame | None:
        """One SQL statement over the memory-db file; :names in it are variables of the notebook."""
        options = parse_argstring(self.memory, line)
        if options.output and not options.output.isidentifier():
            raise InputError(f"{options.output[:40]!r} is no name of a variable. Give letters, digits and _.")
        db = files.connect(options.database) if options.database else files.current()
        found = changed(db, cell, self.given(cell)) if options.write else query(cell, self.given(cell), db=db)
        if options.output:
            self.names[options.output] = found
        return found

    @property
    def names(self) -> dict[str, object]:
        """The variables of the notebook."""
        assert self.shell is not None  # a magic is registered by a shell
        found: dict[str, object] = self.shell.user_ns
        return found

    def given(self, sql: str) -> dict[str, object]:
        """The variables of the notebook that a statement names. Raises: InputError for one that SQL cannot take."""
        names = [name for name in parameters_of(sql) if name in self.names]
        return {name: plain(name, self.names[name]) for name in names}


def plain(name: str, value: Any) -> object:
    """A value as SQLite takes it. Raises: InputError."""
    value = value.item() if hasattr(value, "item") and getattr(value, "size", 1) == 1 else value
    if value is None or isinstance(value, str | int | float | bytes):
        return value
    raise InputError(f":{name} is a {type(value).__name__}, which SQL cannot take. Give a text or a number.")


def changed(db: Any, sql: str, parameters: dict[str, object]) -> pd.DataFrame | None:
    """What a statement that may write gives, done as a whole; where it gives no rows it is told how many it changed."""
    with files.writing(db) as other, transaction(other):
        cursor = executed(other, sql, parameters)
        if cursor.description:
            return frame_of(cursor)
        print(f"{cursor.rowcount if cursor.rowcount >= 0 else 0:,} rows changed.")
        return None


def load_ipython_extension(shell: Any) -> None:
    """What `%load_ext memory_db.notebook` does: the magic, the look of tables and of charts."""
    shell.register_magics(MemoryMagics)
    shell.display_formatter.formatters["text/html"].for_type(pd.DataFrame, as_html)
    enable_charts()
    pd.options.display.max_columns, pd.options.display.max_colwidth = MOST_COLUMNS, MOST_CHARACTERS


def activate() -> None:
    """The same where the package is imported in a notebook."""
    if (shell := get_ipython()) is not None:
        load_ipython_extension(shell)
