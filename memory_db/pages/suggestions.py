"""Questions that a page offers to somebody who does not know yet what to ask.

In: a connection that reads. Out: a few questions. Invariant: each is a question that somebody asked, or that stands in
the sample; only a file that was asked nothing gets questions made of what it knows.
"""

from __future__ import annotations

import sqlite3

from memory_db.sample import file as samples

MOST = 4

SAMPLE = """
select q.query from labelled_queries q join query_sets s on s.id = q.query_set_id
where s.name = 'sample' and exists (select 1 from judgements j where j.labelled_query_id = q.id and j.relevance = 1)
order by q.id limit ?
"""

ASKED = """
select query from (select id, query from recalls where surface in ('datasette', 'cli', 'api') and query <> ''
    and abstained = 0 order by id desc limit 200)
where length(query) between 8 and 90 group by query order by max(id) desc limit ?
"""

SUBJECTS = """
select e.name from memory_entities q join entities e on e.id = q.entity_id join memories m on m.id = q.memory_id
where m.status = 'active' and e.kind <> 'file' and length(e.name) between 3 and 40
group by e.id order by count(*) desc, e.name limit ?
"""


def suggestions(db: sqlite3.Connection) -> list[str]:
    """The sample's own questions, else those asked last by a person, else one about each frequent subject."""
    for query in ([SAMPLE] if samples.is_sample(db) else []) + [ASKED]:
        found = [row[0] for row in db.execute(query, [MOST])]
        if found:
            return found
    return [f"What do we know about {row[0]}?" for row in db.execute(SUBJECTS, [MOST])]
