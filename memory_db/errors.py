"""Everything that can go wrong and that a user can mend.

    MemoryDBError
      DatabaseFileError         the file itself
        MissingFileError        there is none
        NotADatabaseError       not SQLite, or another program's
        NewerSchemaError        made by a newer memory-db
        OlderSchemaError        must be migrated first, and this reader may not
        MigrationError          cannot be migrated
        BusyError               somebody else holds the write lock
        ReadOnlyError           cannot be written here
        CorruptError            SQLite says so
      InputError                a value that a person or a program gave
        QueryError              a question that cannot be asked
        NotFoundError           no row of that name
        ConflictError           something changed since it was looked at
        SourceError             a transcript or folder that cannot be read
        InstallError            a place of another program that cannot be used
      ModelError                an embedding or language model that cannot be used

Every message is one line: what is wrong, which value, what to do next.
Surfaces turn these into their own form (exit code 1, HTTP 400, a tool error);
nothing else catches them.
"""


class MemoryDBError(Exception):
    """Something a user can mend; the message says how."""

    def _render_traceback_(self) -> list[str]:
        """How a notebook shows it: IPython asks for this in place of a traceback."""
        return [str(self)]


class DatabaseFileError(MemoryDBError):
    """The database file cannot be used."""


class MissingFileError(DatabaseFileError):
    """There is no file at that path."""


class NotADatabaseError(DatabaseFileError):
    """The file is not SQLite, or belongs to another program."""


class NewerSchemaError(DatabaseFileError):
    """A newer memory-db made this file."""


class OlderSchemaError(DatabaseFileError):
    """The file must be migrated before it can be read."""


class MigrationError(DatabaseFileError):
    """A migration and the file do not fit; the file is as it was before."""


class BusyError(DatabaseFileError):
    """Another process holds the write lock."""


class ReadOnlyError(DatabaseFileError):
    """The file or its folder cannot be written."""


class CorruptError(DatabaseFileError):
    """SQLite found the file damaged."""


class InputError(MemoryDBError):
    """A given value cannot be used."""


class QueryError(InputError):
    """The question cannot be asked."""


class NotFoundError(InputError):
    """No row has that name."""


class ConflictError(InputError):
    """Something changed since; what was asked would trample it."""


class SourceError(InputError):
    """A source of transcripts cannot be read."""


class InstallError(InputError):
    """What another program needs cannot be put in its place, or taken out."""


class ModelError(MemoryDBError):
    """A model cannot be used."""
