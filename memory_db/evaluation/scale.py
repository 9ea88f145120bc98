"""What a fleet of another size would take: extrapolated from what `python -m bench fleet` measured.

In: figures of that bench, and a size. Out: the assumptions, each measured or assumed and how, and what follows from
them. Invariants: pure; every number comes from a measured part or is named as assumed; nothing here was measured at the
size that is asked for.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

MEASURED, FITTED, ASSUMED = "measured", "fitted", "assumed"
"""Where an assumption comes from: a figure of the bench, a line through several, or nobody has measured it."""

WORKERS = 2
"""Dask workers that the bench measures with."""

BITS, MILLISECONDS, KILOBYTES = 8, 1000, 1000


@dataclass(frozen=True, slots=True)
class Wanted:
    """The fleet that is asked about: people with a shard each, entries of all together, cores, and the network."""

    persons: int = 500
    entries: int = 100_000_000
    cores: int = 64
    megabits_per_s: int = 1_000

    @property
    def entries_a_shard(self) -> float:
        """Entries of one shard."""
        return self.entries / self.persons


@dataclass(frozen=True, slots=True)
class Row:
    """One number with its unit, and where it comes from."""

    what: str
    value: float
    unit: str
    source: str
    how: str


@dataclass(frozen=True, slots=True)
class Line:
    """A straight line through measured points: `start` at no shards, `slope` for each."""

    start: float
    slope: float

    def at(self, shards: float) -> float:
        """Its value for so many shards."""
        return self.start + self.slope * shards


def line(steps: Sequence[Mapping[str, Any]], *names: str) -> Line:
    """The line of a figure, or the sum of some, by the number of shards; it does not fall, nor begin below 0.

    Source: least squares.
    """
    shards = np.array([step["shards"] for step in steps], dtype=float)
    values = np.array([sum(float(step[name]) for name in names) for step in steps])
    if len(steps) < 2:
        return Line(0.0, float(values[0] / shards[0]))
    slope, start = (float(each) for each in np.polyfit(shards, values, 1))
    if start < 0:
        return Line(0.0, max(0.0, float((values * shards).sum() / (shards * shards).sum())))
    return Line(start, slope) if slope >= 0 else Line(float(values.mean()), 0.0)


def exponent(steps: Sequence[Mapping[str, Any]]) -> float:
    """By which power of its entries the work of one file grows: from 0, not at all, to 1, as they do.

    Source: least squares of the logarithms.
    """
    if len(steps) < 2:
        return 1.0
    entries, work = (np.log([float(step[name]) for step in steps]) for name in ("entries", "one_file_processor_ms"))
    return float(np.clip(np.polyfit(entries, work, 1)[0], 0.0, 1.0))


@dataclass(frozen=True, slots=True)
class Parts:
    """What the bench measured, as an extrapolation needs it."""

    entries_a_shard: float
    exponent: float
    asker: Line
    workers: Line
    moved: Line
    memory: Line
    efficiency: float
    shard_mb: float
    import_processor_s: float
    import_entries: float
    import_mb: float
    import_efficiency: float


def parts_of(figures: Mapping[str, Any]) -> Parts:
    """The parts, of the figures that bench/results/fleet.json has."""
    steps, imported = figures["shards"], figures["import"]
    return Parts(
        figures["entries_a_shard"], exponent(steps),
        line(steps, "asker_processor_ms"), line(steps, "workers_processor_ms"),
        line(steps, "kb_to_shards", "kb_back"), line(steps, "largest_worker_mb"),
        min(1.0, steps[-1]["efficiency"]), figures["mb_a_shard"],
        imported["one_worker"]["processor_s"], imported["one_worker"]["entries"], imported["megabytes"],
        min(1.0, imported["efficiency"]),
    )  # fmt: skip


def assumptions(parts: Parts, wanted: Wanted) -> list[Row]:
    """What is taken for true, number by number."""
    by_shards = f"line through the bench's shards of {parts.entries_a_shard:,.0f} entries"
    return [
        Row("people, a shard each", wanted.persons, "", ASSUMED, "the size that is asked about"),
        Row("entries of a shard", wanted.entries_a_shard, "", ASSUMED, f"{wanted.entries:,} entries, shared evenly"),
        Row("processor cores, a Dask worker each", wanted.cores, "", ASSUMED, "of one cluster"),
        Row("network to each machine", wanted.megabits_per_s, "Mbit/s", ASSUMED, "shared by no other question"),
        Row("work of the asker, at the least", parts.asker.start, "ms", FITTED, by_shards),
        Row("work of the asker for a shard", parts.asker.slope, "ms", FITTED, by_shards),
        Row("work of the workers for a shard of the bench", parts.workers.slope, "ms", FITTED, by_shards),
        Row("power of its entries by which a file's work grows", parts.exponent, "", FITTED,
            "one file that grew with the shards; the same holds of each shard"),
        Row("share of two cores that a question used", parts.efficiency, "", MEASURED,
            "one worker's time to that of two, the asker's in it; more cores do no worse"),
        Row("moved for a shard", parts.moved.slope, "kB", FITTED, by_shards),
        Row("memory of a worker without a shard", parts.memory.start, "MB", FITTED, by_shards),
        Row("memory of a shard of the bench", parts.memory.slope * WORKERS, "MB", FITTED,
            f"{by_shards}, on {WORKERS} workers; it grows as entries do"),
        Row("disk of an entry", parts.shard_mb / parts.entries_a_shard * KILOBYTES, "kB", MEASURED,
            "a shard of the bench, word vectors in it, without embeddings of the full model"),
        Row("transcripts of an entry", parts.import_mb / parts.import_entries * KILOBYTES, "kB", MEASURED,
            "the sample history, repeated with fresh ids"),
        Row("work to import an entry", parts.import_processor_s / parts.import_entries * MILLISECONDS, "ms", MEASURED,
            "the whole pipeline on one worker, without embeddings; later entries take no longer"),
        Row("share of two cores that an import used", parts.import_efficiency, "", MEASURED,
            "one worker's time to that of two; more cores do no worse"),
    ]  # fmt: skip


def extrapolated(figures: Mapping[str, Any], wanted: Wanted | None = None) -> tuple[list[Row], list[Row]]:
    """The assumptions, and what follows from them for a fleet of that size."""
    size, parts = wanted or Wanted(), parts_of(figures)
    larger = size.entries_a_shard / parts.entries_a_shard
    asker_ms = parts.asker.at(size.persons)
    workers_ms = parts.workers.start + parts.workers.slope * size.persons * larger**parts.exponent
    moved_mb = parts.moved.at(size.persons) / KILOBYTES
    network_ms = moved_mb * BITS / size.megabits_per_s * MILLISECONDS
    answer_ms = asker_ms + workers_ms / (size.cores * parts.efficiency) + network_ms
    memory_gb = (size.cores * parts.memory.start + size.persons * parts.memory.slope * WORKERS * larger) / 1000
    import_s = size.entries * parts.import_processor_s / parts.import_entries
    of_import = import_s / (size.cores * parts.import_efficiency)
    rows = [
        ("a question to all", answer_ms / MILLISECONDS, "s", "asker, workers beside each other, network, added"),
        ("of that the asker alone", asker_ms / MILLISECONDS, "s", "one process puts together what all shards tell"),
        ("work of all workers for a question", workers_ms / MILLISECONDS, "s of a core", "the line, at larger shards"),
        ("questions to all in a minute", size.cores * 60_000 * parts.efficiency / workers_ms, "",
         "of several askers, workers all busy"),
        ("moved for a question", moved_mb, "MB", "the line"),
        ("memory of all workers", memory_gb, "GB", "workers and shards"),
        ("disk of all shards", size.entries * parts.shard_mb / parts.entries_a_shard / 1000, "GB", "as an entry takes"),
        ("transcripts that are read once", size.entries * parts.import_mb / parts.import_entries / 1000, "GB",
         "as an entry has"),
        ("import of everything", of_import / 3600, "hours", "on all cores"),
    ]  # fmt: skip
    return assumptions(parts, size), [Row(what, value, unit, "follows", how) for what, value, unit, how in rows]


def shown(value: float) -> str:
    """A number as it is read: whole from 100 on, else three digits."""
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"
