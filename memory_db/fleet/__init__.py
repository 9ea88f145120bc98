"""Many files asked as one, on Dask: what notebooks and commands use of the room.

    with open_fleet("fleet.yml") as fleet:
        found = ask(fleet, Question("which port does the database use?"), now=now)

Needs the packages of the extra `fleet`; nothing else of memory_db loads it.
"""

from memory_db.fleet.answers import FleetAnswer, ask
from memory_db.fleet.catalogue import EVERYTHING, Scope, Shard, read_catalogue
from memory_db.fleet.engine import open_engine
from memory_db.fleet.evaluating import FleetContest, evaluate
from memory_db.fleet.fleet import DEADLINE_S, Fleet, FleetRecall, Missing, open_fleet
from memory_db.fleet.importing import Imported, import_transcripts
from memory_db.fleet.tables import FleetRows, export, sql
from memory_db.recall.question import Filters, Question

__all__ = [
    "DEADLINE_S", "EVERYTHING", "Filters", "Fleet", "FleetAnswer", "FleetContest", "FleetRecall", "FleetRows",
    "Imported", "Missing", "Question", "Scope", "Shard", "ask", "evaluate", "export", "import_transcripts",
    "open_engine", "open_fleet", "read_catalogue", "sql",
]  # fmt: skip
