"""The command `graph`: what stands around a memory, what is wrong with the edges, drawing and taking away."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from memory_db.cli.common import Command, moment, print_json, print_table, reading, writing
from memory_db.cli.lazy import Group
from memory_db.cli.options import WORDS, changing_options, database_option, reading_options, use_database
from memory_db.gate.review import relate as relating
from memory_db.knowledge.graph import edges, entities
from memory_db.knowledge.succession import PERSON


@click.group(cls=Group)
@database_option
@click.pass_context
def graph(ctx: click.Context, database: Path | None) -> None:
    """Show and change how memories are related."""
    use_database(ctx, database)


@graph.command("neighbours", cls=Command)
@click.argument("uid")
@click.option("--hops", type=int, default=2, show_default=True, help="Steps to walk, 1 to 3.")
@click.option("--limit", type=click.IntRange(1), default=relating.MOST_NEIGHBOURS, show_default=True, help="How many.")
@reading_options
def neighbours_(uid: str, hops: int, limit: int, database: Path | None, as_json: bool) -> None:
    """List the neighbours of memory UID, nearest first, with the edge to each."""
    with reading(database) as db:
        rows = relating.neighbours(db, uid, hops=hops, most=limit)
    shown = ("hops", "uid", "kind", "direction", "score", "by_way_of", "title", "reason")
    show(rows, shown, as_json=as_json, empty=f"No edge leads to {uid} or from it.")


@graph.command(cls=Command)
@click.option("--problem", help="Only this: orphan, dead link, hub, stale link, doubtful link.")
@reading_options
def audit(problem: str | None, database: Path | None, as_json: bool) -> None:
    """List problems of the graph: orphans, dead links, hubs, stale and doubtful links."""
    with reading(database) as db:
        sql = "select * from graph_audit where ? is null or problem = ? order by problem, uid"
        rows = [dict(row) for row in db.execute(sql, [problem, problem])]
    show(rows, ("problem", "uid", "detail"), as_json=as_json, empty="Nothing is wrong.")


@graph.command("stats", cls=Command)
@reading_options
def stats_(database: Path | None, as_json: bool) -> None:
    """Count edges by kind, and list the memories that matter most by PageRank."""
    with reading(database) as db:
        found = relating.stats(db)
    if as_json:
        print_json(found)
        return
    click.echo(f"{found['with_edges']:,} of {found['memories']:,} memories have an edge.")
    show(found["edges"], ("kind", "created_by", "edges", "mean_score"), as_json=False, empty="No edges yet.")
    show(found["top"], ("uid", "page_rank", "edges", "title"), as_json=False, empty="")


@graph.command(cls=Command)
@changing_options
def rebuild(database: Path | None, dry_run: bool, as_json: bool) -> None:
    """Find all entities and draw all edges of rules again; what a person drew stays."""
    with writing(database, dry_run=dry_run, create=False) as db:
        ids = [row[0] for row in db.execute("select id from memories order by id")]
        counts = {"entities_changed": entities.refresh(db, ids, now=moment()), **edges.rebuild(db, now=moment())}
    if as_json:
        print_json({**counts, "dry_run": dry_run})
        return
    line = ", ".join(f"{value:,} {name.replace('_', ' ')}" for name, value in counts.items())
    click.echo(f"{line}{' (not kept: dry run)' if dry_run else ''}")


@graph.command("relate", cls=Command)
@click.argument("one")
@click.argument("other")
@click.argument("kind")
@click.option("--reason", type=WORDS, required=True, help="Why, as it is kept.")
@click.option("--score", type=float, default=1.0, show_default=True, help="How surely, from 0 to 1.")
@changing_options
def relate_(
    one: str, other: str, kind: str, reason: str, score: float, database: Path | None, dry_run: bool, as_json: bool
) -> None:
    """Draw an edge from memory ONE to OTHER of a KIND: supports, depends_on, same_topic, mentions, contradicts ..."""
    with writing(database, dry_run=dry_run, create=False) as db:
        is_new = relating.relate(db, one, other, kind, reason=reason, by=PERSON, now=moment(), score=score)
    if as_json:
        print_json({"from": one, "to": other, "kind": kind, "is_new": is_new, "dry_run": dry_run})
        return
    click.echo(f"{one} {kind} {other}{'' if is_new else ' already'}{' (not kept: dry run)' if dry_run else ''}")


@graph.command("unrelate", cls=Command)
@click.argument("one")
@click.argument("other")
@click.argument("kind", required=False)
@changing_options
def unrelate_(one: str, other: str, kind: str | None, database: Path | None, dry_run: bool, as_json: bool) -> None:
    """Remove the edges between two memories, of one KIND or all; rules do not draw them again."""
    with writing(database, dry_run=dry_run, create=False) as db:
        kinds = relating.unrelate(db, one, other, kind, by=PERSON, now=moment())
    if as_json:
        print_json({"one": one, "other": other, "ended": kinds, "dry_run": dry_run})
        return
    click.echo(f"{', '.join(kinds)} no longer joins {one} and {other}{' (not kept: dry run)' if dry_run else ''}")


def show(rows: Sequence[dict[str, Any]], columns: Sequence[str], *, as_json: bool, empty: str) -> None:
    """Prints rows as JSON or as a table of some of their columns."""
    if as_json:
        print_json(list(rows))
    else:
        print_table(columns, ([row[column] for column in columns] for row in rows), empty=empty)
