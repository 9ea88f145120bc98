"""Whether sessions may be sent by an agent's own program: off until a person says yes, once for each provider.

In: a model's name. Out: yes or no, from the setting of its program, whose row says since when. Invariant: asked where a
file's words would be sent, in each process anew; a model that a person set up in llm with a key of its own needs none.
"""

from __future__ import annotations

import sqlite3

from memory_db.errors import InputError, ModelError
from memory_db.models.agent_programs import BY_MODEL, PROGRAMS
from memory_db.store import settings


def is_allowed(db: sqlite3.Connection, model_id: str) -> bool:
    """Whether a model may be sent what the file holds. Raises: InputError for a setting edited to something else."""
    program = BY_MODEL.get(model_id)
    return program is None or bool(settings.get(db, program.setting))


def why_not(model_id: str) -> str:
    """What is said of a model that may not be asked yet."""
    program = BY_MODEL[model_id]
    return (
        f"{model_id} would send what you said to {program.provider}, which you have not allowed."
        f" `memory-db model allow {model_id}` shows what would be sent, and asks"
    )


def refuse_unseen_consent(name: str) -> None:
    """Refuses to turn on a setting that is a consent: it is given where what would be sent is shown.

    Raises: InputError.
    """
    program = next((each for each in PROGRAMS if each.setting == name), None)
    if program is not None:
        raise InputError(
            f"{name} lets {program.title} send what you said to {program.provider}. `memory-db model allow"
            f" {program.model_id}` shows what would be sent, and turns it on."
        )


def refuse_without_consent(db: sqlite3.Connection, model_id: str) -> None:
    """Refuses a model that a person has not allowed. Raises: ModelError."""
    if not is_allowed(db, model_id):
        raise ModelError(f"{why_not(model_id)}.")
