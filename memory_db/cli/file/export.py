"""The command that writes memories for others: export."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from pathlib import Path

import click

from memory_db.cli.common import Command, chosen_path, expanded, moment, reading
from memory_db.cli.file.encryption import key_file_option, key_or_new, named
from memory_db.cli.file.remembering import remembering
from memory_db.cli.options import before_option, database_option, only_project_option, since_option
from memory_db.errors import InputError, NotFoundError
from memory_db.recall.checkpoints import read_start
from memory_db.sample.file import is_sample
from memory_db.store.settings import user_zone
from memory_db.transcripts.projects import project_named
from memory_db.upkeep.encrypted import write_encrypted
from memory_db.upkeep.export import Choice, as_document, as_json, chosen, harmless, write_file, write_folder
from memory_db.upkeep.exports import MEMORIES, SITE


@click.command(cls=Command)
@click.option("--format", "form", type=click.Choice(("json", "markdown")), default="json", show_default=True,
              help="JSON, or a list in Markdown.")  # fmt: skip
@click.option("--output", type=click.Path(path_type=Path), help="A new file, instead of the terminal.")
@click.option("--folder", type=click.Path(path_type=Path), help="A new folder: a Markdown file for each memory.")
@click.option("--site", type=click.Path(path_type=Path), help="A new folder: the pages, to be opened without a server.")
@click.option("--yes", "is_sure", is_flag=True, help="With --site: publish what this file holds.")
@only_project_option
@click.option("--kind", "kinds", multiple=True, help="Only this kind; may be repeated.")
@click.option("--tag", "tags", multiple=True, help="Only with this tag; of several, any.")
@since_option
@before_option
@click.option("--encrypt", "is_encrypting", is_flag=True, help="Encrypt the file of --output.")
@key_file_option
@click.option("--all", "is_all", is_flag=True, help="Replaced and retired ones too.")
@database_option
def export(
    form: str, output: Path | None, folder: Path | None, site: Path | None, is_sure: bool, project: str | None,
    kinds: tuple[str, ...], tags: tuple[str, ...], since: str | None, before: str | None, is_encrypting: bool,
    key_file: Path | None, is_all: bool, database: Path | None,
) -> None:  # fmt: skip
    """Write memories as JSON or Markdown.

    With quotes, evidence and belief. The whole file is one SQLite database: to take everything along, copy it with
    `memory-db file backup`. What is encrypted is read again by `memory-db file decrypt`. Where a file or folder is
    written is remembered, so that `memory-db memory forget` can look into it.

    With --site it is the pages instead, with every session that they lead to, as files that link to each other.
    """
    if site is not None:
        if project or kinds or tags or since or before or output or folder or is_encrypting or is_all:
            raise InputError("--site writes the pages of the whole file. Leave out what else was asked for, but --yes.")
        write_pages(chosen_path(database), expanded(site), is_sure)
        return
    if is_encrypting and output is None:
        raise InputError("--encrypt goes with --output: name the file that is to be encrypted.")
    with reading(database) as db:
        known = {row["name"] for row in db.execute("select name from kinds")}
        if unknown := set(kinds) - known:
            raise NotFoundError(f"No kind {min(unknown)[:80]!r}. There are: {', '.join(sorted(known))}.")
        first, after = (
            each if each is None else read_start(each, now=moment(), zone=user_zone(db)) for each in (since, before)
        )
        place = project_named(db, project) if project is not None else None
        choice = Choice(place, kinds, tags, first, after, is_all)
        memories = chosen(db, choice)
        if folder is not None:
            if output is not None:
                raise InputError("Give --output or --folder, not both.")
            with remembering(database, expanded(folder), MEMORIES):
                number = write_folder(memories, expanded(folder))
            click.echo(f"{number:,} memories below {folder}", err=True)
            return
        parts: Iterable[str] = as_json(memories) if form == "json" else as_document(memories)
        if output is None:
            for part in parts:
                click.echo(harmless(part), nl=False)
            return
        if not expanded(output).parent.is_dir():
            raise InputError(f"There is no folder {expanded(output).parent}. Make it, or name another place.")
        with remembering(database, expanded(output), MEMORIES):
            if is_encrypting:
                path = chosen_path(database)
                write_encrypted(parts, expanded(output), key_or_new(path, named(path, key_file)))
            else:
                write_file(iter(parts), expanded(output))
        click.echo(f"Written to {output}", err=True)


def write_pages(path: Path, folder: Path, is_sure: bool) -> None:
    """Writes the pages of a file; of one that is not the sample only for who is sure. Raises: InputError."""
    from memory_db.pages.web import site  # noqa: PLC0415  # start-up: brings Datasette

    with reading(path) as db:
        if not is_sample(db) and not is_sure:
            entries = db.execute("select count(*) from entries").fetchone()[0]
            raise InputError(
                f"{path} holds {entries:,} entries of yours, and whoever gets the folder can read what they say. Add"
                " --yes if that is meant, or name the sample with -d."
            )
    site.check_new(folder)
    found = asyncio.run(site.walk(path))
    with remembering(path, folder, SITE):
        number = site.write_site(found, folder)
    click.echo(f"{number:,} pages; open {folder / 'index.html'}", err=True)
    if found.left_out:
        click.echo(
            f"{len(found.left_out):,} further pages were left out: a site has {site.MOST_PAGES:,} at most.", err=True
        )
