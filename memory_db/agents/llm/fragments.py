"""What is remembered on a question, as a fragment of llm.

In: the reader of a file, and a question. Out: the text of a brief and the source that llm logs it under. Invariant: the
text stands between the marks of a brief, also where nothing is remembered: an import of llm's log leaves it out.
"""

from __future__ import annotations

from memory_db.agents.reader.access import ALWAYS, SETTING, UNKNOWN_FOLDER, place_of
from memory_db.agents.reader.reader import Reader, brief_with_notes
from memory_db.recall.search import Filters, Question
from memory_db.store import settings

SOURCE = "memory:"
"""What the source of a fragment begins with; the recall's uid follows, or the question where it was not logged."""

NOTHING = "Nothing is remembered on this question."
"""What a brief without a line says: a question that nothing is known about is still asked."""

NOWHERE = (
    f"{UNKNOWN_FOLDER} In a project's folder what it knows is asked too; a person can have every project asked:"
    f" `memory-db settings {SETTING} {ALWAYS}`."
)
"""What a brief says for a folder of no project: a fragment takes no project."""


def brief_for(reader: Reader, query: str) -> tuple[str, str]:
    """The brief for a question with its source, `memory:` and the uid of its recall.

    A model reads it: it is told of the projects that any agent in this folder may be told of (`mcp_places`).

    Raises: MemoryDBError for a question without a word, and for a file that is missing or cannot be read.
    """
    with reader.reading() as db:
        place = place_of(db, reader.folder, "")
        question = Question(
            query,
            profile=settings.get_text(db, "default_profile"),
            project_id=place.project_id,
            filters=Filters(only_project=place.only),
            limit=settings.get_integer(db, "recall_limit"),
            budget_tokens=settings.get_integer(db, "ask_budget_tokens"),
        )
        answer, notes = reader.ask(db, question)
    notes += [NOWHERE] if place.note else []
    notes += reader.log(answer)
    text = brief_with_notes(answer, notes if answer.shown else [NOTHING, *notes])
    return text, f"{SOURCE}{answer.recall_uid or answer.question.query}"
