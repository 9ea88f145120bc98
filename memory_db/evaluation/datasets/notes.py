"""Our own form: notes of an agent's memory, and questions with the notes that answer them.

In: a folder with corpus.jsonl and queries.jsonl, or the file of queries with corpus.jsonl beside it. Out: one part
whose notes become memories. docs/evaluating.md says what each field means.
"""

from __future__ import annotations

from pathlib import Path

from memory_db.errors import InputError, SourceError
from memory_db.evaluation.datasets.records import ASKED_AFTER, Dataset, DatasetQuestion, Note, Part, Row, Source
from memory_db.store.dates import normal_utc, parse_utc, utc_text
from memory_db.store.seeds import KINDS

CORPUS, QUERIES = "corpus.jsonl", "queries.jsonl"

KIND_NAMES = frozenset(kind.name for kind in KINDS)


def read(path: Path) -> Dataset:
    """The notes and the questions. Raises: SourceError."""
    folder, queries = (path, QUERIES) if path.is_dir() or not path.exists() else (path.parent, path.name)
    source = Source(folder)
    for name in (CORPUS, queries):
        if not (folder / name).is_file():
            raise SourceError(f"{folder} has no {name}. Notes stand in {CORPUS}, questions in {QUERIES}.")
    notes = tuple(note_of(row) for row in source.lines(CORPUS))
    check_notes(notes)
    if not notes:
        raise SourceError(f"{folder / CORPUS} holds no note.")
    asked_at = utc_text(max(parse_utc(note.created_at) for note in notes) + ASKED_AFTER)
    questions = tuple(question_of(row, asked_at) for row in source.lines(queries))
    check_questions(questions, queries)
    return Dataset(source.name, "jsonl", source.file_hash(), (Part(source.name, questions, notes=notes),))


def note_of(row: Row) -> Note:
    """One line of the corpus."""
    return Note(
        uid=row.text("id"),
        kind=row.text("kind"),
        title=row.text("title", ""),
        text=row.text("text"),
        project=row.text_or_none("project"),
        tags=row.texts("tags"),
        paths=row.texts("paths"),
        importance=row.number("importance", 3),
        created_at=moment(row, "created_at"),
        supersedes=row.text_or_none("supersedes"),
        condition=row.text_or_none("condition"),
        keys=row.texts("keys"),
    )


def question_of(row: Row, asked_at: str) -> DatasetQuestion:
    """One line of the queries; asked at that moment unless it names one. Raises: SourceError."""
    query = row.text("query")
    if not query.strip():
        raise SourceError(f"{row.place} has an empty 'query'. Write the question, or take the line out.")
    return DatasetQuestion(
        uid=row.text("id"),
        query=query,
        project=row.text_or_none("project"),
        asked_at=moment(row, "asked_at", asked_at),
        relevant=tuple(dict.fromkeys(row.texts("relevant"))),
        must_not=tuple(dict.fromkeys(row.texts("must_not"))),
        style=row.text("style", ""),
    )


def moment(row: Row, name: str, default: str | None = None) -> str:
    """A time of a line, in the file's form. Raises: SourceError."""
    try:
        return normal_utc(row.text(name, default))
    except InputError as error:
        raise SourceError(f"{row.place}: {error}") from error


def check_notes(notes: tuple[Note, ...]) -> None:
    """Raises: SourceError for a note that no memory can be made from, or one that replaces what is not there."""
    if twice := repeated([note.uid for note in notes]):
        raise SourceError(f"{CORPUS} has the id {twice!r} twice. Give each note its own.")
    known = {note.uid for note in notes}
    for note in notes:
        if note.kind not in KIND_NAMES:
            kinds = ", ".join(sorted(KIND_NAMES))
            raise SourceError(f"Note {note.uid!r} has the kind {note.kind!r}. There are: {kinds}.")
        if not 1 <= note.importance <= 5:
            given = str(note.importance)[:20]
            raise SourceError(f"Note {note.uid!r} has the importance {given}. Give one from 1 to 5.")
        if note.supersedes is not None and note.supersedes not in known:
            raise SourceError(f"Note {note.uid!r} supersedes {note.supersedes!r}, which is not in {CORPUS}.")
    check_successions({note.uid: note.supersedes for note in notes})


def check_successions(older: dict[str, str | None]) -> None:
    """Raises: SourceError where notes replace each other in a circle. `older` is what each note supersedes."""
    ended: set[str] = set()
    for start in older:
        met: list[str] = []
        uid: str | None = start
        while uid is not None and uid not in ended:
            if uid in met:
                circle = " supersedes ".join(map(repr, [*met[met.index(uid) :], uid]))
                raise SourceError(f"Note {circle}. Say which one holds now.")
            met.append(uid)
            uid = older[uid]
        ended.update(met)


def check_questions(questions: tuple[DatasetQuestion, ...], name: str) -> None:
    """Raises: SourceError for a question that stands there twice, or whose note both answers and misleads."""
    if twice := repeated([each.uid for each in questions]):
        raise SourceError(f"{name} has the id {twice!r} twice. Give each question its own.")
    for each in questions:
        if both := sorted(set(each.relevant) & set(each.must_not)):
            raise SourceError(f"Question {each.uid!r} has {both[0]!r} as relevant and as must_not. Say which it is.")


def repeated(uids: list[str]) -> str | None:
    """The first uid that stands there twice."""
    seen: set[str] = set()
    return next((uid for uid in uids if uid in seen or seen.add(uid)), None)  # type: ignore[func-returns-value]
