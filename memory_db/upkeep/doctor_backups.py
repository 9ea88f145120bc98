"""What the doctor says of copies: how old the last verified one is.

In: what is looked at. Out: lines. Invariant: a copy is known to be verified by its name alone, which it takes only
then; whether it still has its length is looked at, the rest is left to `memory-db file backup --verify`.
"""

from __future__ import annotations

from datetime import timedelta

from memory_db.recall.brief.select import age_text
from memory_db.store import backup, settings
from memory_db.store.dates import utc_text
from memory_db.store.keeping import OFF
from memory_db.text.sizes import size
from memory_db.upkeep import backups
from memory_db.upkeep.doctor_report import Advice, Advices, DoctorContext

LATE = timedelta(days=7)
"""Age of the last copy from which something keeps the worker from its daily one. Source: ours, a week away."""


def copies(context: DoctorContext) -> Advices:
    """The age of the last verified copy in the folder of backups; copies made elsewhere are not known."""
    made = backup.made_here(context.path)
    whole = [copy for copy in made if backup.is_whole(copy)]
    for copy in sorted(set(made) - set(whole)):
        fix = "Delete it, or keep it for what can be read of it: it is never deleted by itself."
        yield Advice("warning", f"The copy {copy} is not as long as it was made", fix)
    moment = backup.moment_of(whole[-1].name, context.path) if whole else None
    if moment is None and context.db.execute(backups.IS_SAMPLE).fetchone():
        return  # it can be made again at any time
    if moment is None:
        fix = "Run `memory-db file backup`; the worker makes one a day where backup_keep allows it."
        yield Advice("note", "There is no verified copy of the file", fix)
        return
    last, age = whole[-1], age_text(utc_text(moment), context.now)
    what = f"The last verified copy was made {age}: {last.name}, {size(last.stat().st_size)}; {len(whole):,} in all"
    if context.now - moment <= LATE:
        yield Advice("fine", what)
    elif settings.get_text(context.db, backups.SETTING) == OFF:
        yield Advice("note", what, "Run `memory-db file backup`.")
    else:
        fix = "Run `memory-db work --once`, which says what keeps the daily one, or `memory-db file backup`."
        yield Advice("warning", what, fix)
