"""BEIR: documents, queries, and judgements of which documents answer which query.

In: a folder or a zip archive with corpus.jsonl (_id, title, text), queries.jsonl (_id, text) and qrels/test.tsv
(query-id, corpus-id, score). Out: one part; each document is an entry of a session of its own, for it has no
neighbours. BEIR knows no times: all is as old.

Source: Thakur et al. 2021, BEIR: A Heterogenous Benchmark for Zero-shot Evaluation of Information Retrieval Models.
"""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

from memory_db.errors import SourceError
from memory_db.evaluation.datasets.records import Dataset, DatasetQuestion, Part, Source, Turn

WHEN = "2026-01-01T00:00:00.000Z"
"""When everything was written and asked: one moment for all, so that age says nothing."""


def read(path: Path) -> Dataset:
    """The documents and the queries that have a judgement. Raises: SourceError."""
    source = Source(path)
    turns = []
    for row in source.lines(source.one("/corpus.jsonl")):
        uid, title, text = row.text("_id"), row.text("title", ""), row.text("text", "")
        turns.append(Turn(uid, uid, f"{title}\n{text}".strip(), WHEN))
    judged = judgements(source, source.one("/qrels/test.tsv"))
    questions = []
    for row in source.lines(source.one("/queries.jsonl")):
        uid = row.text("_id")
        if uid in judged:
            relevant, others = judged[uid]
            questions.append(DatasetQuestion(uid, row.text("text"), None, WHEN, relevant, others, "query"))
    part = Part(source.name, tuple(questions), tuple(turns))
    unknown = len(set(judged) - {each.uid for each in questions})
    return Dataset(source.name, "beir", source.file_hash(), (part,), {"judged_queries_without_text": unknown})


def judgements(source: Source, name: str) -> dict[str, tuple[tuple[str, ...], tuple[str, ...]]]:
    """The documents that answer each query. A score of 0 says that one does not, which is no harm if it is shown."""
    relevant: dict[str, list[str]] = defaultdict(list)
    for number, line in enumerate(source.text(name).splitlines(), start=1):
        cells = line.split("\t")
        if not line.strip() or cells[0] == "query-id":
            continue
        try:
            query, document, score = cells[0], cells[1], int(cells[2])
        except (IndexError, ValueError) as error:
            raise SourceError(f"{name} line {number} is not query-id, corpus-id and score between tabs.") from error
        relevant[query] += [document] if score > 0 else []
    return {query: (tuple(dict.fromkeys(found)), ()) for query, found in relevant.items() if found}
