"""Which texts have their vectors, and bits of tokens: what the index has still to do, as the doctor tells it.

In: a `DoctorContext`. Out: advice. Reads only.
"""

from __future__ import annotations

import sqlite3

from memory_db.index import token_signs
from memory_db.index.build import full_name, pending
from memory_db.index.semantic import find_semantic
from memory_db.index.texts import ENTRIES, MEMORIES
from memory_db.models.embedders import NO_MODEL, load_embedder
from memory_db.store import settings
from memory_db.text.static_vectors import MODEL_ID
from memory_db.upkeep.doctor_report import (
    Advice,
    Advices,
    DoctorContext,
)


def static_coverage(context: DoctorContext) -> Advices:
    """Texts without a static vector of the current model."""
    for sort in (MEMORIES, ENTRIES):
        missing = context.db.execute(
            f"select count(*) from ({sort.static_texts}) t left join static_vectors v on v.{sort.static_column} = t.id"
            " where v.id is null or v.model <> ?",
            [MODEL_ID],
        ).fetchone()[0]
        yield coverage_line(context.db, sort.name, sort.static_texts, missing, "static vector")


def embedding_model(context: DoctorContext) -> Advices:
    """Whether the model that the settings ask for can be used. Raises: ModelError, InputError."""
    wanted = settings.get_text(context.db, "embedding_model")
    if wanted == NO_MODEL:
        yield Advice("note", "Full embeddings are off", f"Run `memory-db settings embedding_model {DEFAULT}`.")
        return
    model = full_name(context.db, wanted)
    load_embedder(model)
    yield Advice("fine", f"The embedding model {model} can be used")


def embedding_coverage(context: DoctorContext) -> Advices:
    """Texts without an embedding of the current model, and whether that model can be used."""
    db = context.db
    yield from embedding_model(context)
    wanted = settings.get_text(db, "embedding_model")
    if wanted == NO_MODEL:
        return
    model = full_name(db, wanted)
    sorts = (MEMORIES, ENTRIES) if settings.get(db, "embed_entries") else (MEMORIES,)
    for sort in sorts:
        yield coverage_line(db, sort.name, sort.texts_for(model), len(pending(db, sort, model)), f"vector of {model}")
    if token_signs.are_wanted(db, model):
        for sort, ids in token_signs.waiting(db, model):
            # A worker makes them: until then such a text is compared by its vector alone.
            yield coverage_line(db, sort.name, sort.texts_for(model), len(ids), "row of token bits", "memory-db work")
    opened = find_semantic(db)
    if opened.index and opened.index.model != model:
        yield Advice(
            "note", f"Questions are answered by {opened.index.model} meanwhile", "Run `memory-db run --only index`."
        )


DEFAULT = settings.BY_NAME["embedding_model"].default


def coverage_line(
    db: sqlite3.Connection, name: str, texts: str, missing: int, vector: str, remedy: str = "memory-db run --only index"
) -> Advice:
    """How many texts of a sort have a vector, and what makes those that are missing."""
    total = db.execute(f"select count(*) from ({texts})").fetchone()[0]
    if missing:
        return Advice("warning", f"{missing:,} of {total:,} {name} lack a {vector}", f"Run `{remedy}`.")
    return Advice("fine", f"All {total:,} {name} have a {vector}")
