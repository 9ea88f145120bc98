"""Markdown and plain text: documents in pieces that can be found.

In: a file. Out: one `Item` a piece: a section of Markdown, else 1,500
characters with 200 of overlap. Invariants: the text is cleaned before it is
cut, so that no secret hides on both sides of a cut; a piece that was changed
or taken out stays, after those that the document has now.
"""

from __future__ import annotations

import json
import re
import sqlite3
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import datetime
from pathlib import Path

from memory_db.errors import SourceError
from memory_db.store.connection import transaction
from memory_db.transcripts.lines import MIB
from memory_db.transcripts.links import link_out
from memory_db.transcripts.projects import known_project, resolve_project
from memory_db.transcripts.records import Entry, Findings, Item, Session, cleaned, digest, named
from memory_db.transcripts.repositories import repository

FORMAT = "text"

PIECE_CHARACTERS = 1500
OVERLAP_CHARACTERS = 200
"""How long a piece without headings is, and how much of it the next one repeats."""

SECTION_CHARACTERS = 4 * PIECE_CHARACTERS
"""A section longer than this is cut like a text without headings."""

LARGEST_BYTES = 64 * MIB

MARKDOWN = {".md", ".markdown", ".mdx"}
SUFFIXES = MARKDOWN | {".txt", ".text", ".rst", ".org", ".adoc", ".log"}
"""Files that are taken from a folder; a file named by itself may have any name."""

HEADING = re.compile(r"^ {0,3}#{1,6}\s+\S")
FENCE = re.compile(r"^ {0,3}(```|~~~)")

PLACE_ANEW = """
update session_entries set position = anew.position
from (
    select se.session_id, se.entry_id, coalesce(
        now.key + 1,
        :pieces + row_number() over (partition by now.key is null order by se.position, se.entry_id)
    ) as position
    from session_entries se
    join sessions s on s.id = se.session_id
    join entries e on e.id = se.entry_id
    left join json_each(:uids) now on now.value = e.uid
    where s.uid = :session
) anew
where session_entries.session_id = anew.session_id and session_entries.entry_id = anew.entry_id
"""


def find_documents(paths: list[Path]) -> tuple[list[Path], list[Path]]:
    """The text files among and below these paths, and the links below them that lead out, which are not followed.

    Both are sorted; hidden folders are left out.
    Raises: SourceError for a path that is not there.
    """
    found: set[Path] = set()
    links: set[Path] = set()
    for path in paths:
        if path.is_dir():
            for one in path.rglob("*"):
                if any(part.startswith(".") for part in one.relative_to(path).parts):
                    continue
                is_link_out = link_out(one, path) is not None
                if one.suffix.lower() in SUFFIXES and (is_link_out or one.is_file()):
                    (links if is_link_out else found).add(one)
        elif path.exists():
            found.add(path)
        else:
            raise SourceError(f"No file or folder {path}. Name what is to be imported.")
    return sorted(found), sorted(links)


def read_document(path: Path, uid: str, cwd: str | None, created_at: str) -> Iterator[Item]:
    """The pieces of one document; `uid` names it as a session.

    Raises: SourceError for a file that is too large or not a text.
    """
    if path.stat().st_size > LARGEST_BYTES:
        raise SourceError(f"{path} is larger than {LARGEST_BYTES // MIB} MiB. Split it first.")
    data = path.read_bytes()
    if b"\x00" in data[:4096]:
        raise SourceError(f"{path} is not a text file. Convert it to text first.")
    findings: Findings = []
    text = cleaned(data.decode("utf-8-sig", "replace").replace("\r\n", "\n"), "document", findings)
    seen: Counter[str] = Counter()
    session = Session(uid, title=named(path.name), cwd=named(cwd))
    for number, piece in enumerate(pieces(text, is_markdown=path.suffix.lower() in MARKDOWN), 1):
        seen[piece] += 1
        own = digest(uid.encode("utf-8", "replace"), piece.encode("utf-8"), str(seen[piece]).encode())
        entry = Entry(own, uid, "user", "document", piece, created_at, number)
        item = Item(number, entry, [session] if number == 1 else [])
        item.findings = findings if number == 1 else []
        yield item


def place_anew(db: sqlite3.Connection, items: Sequence[Item]) -> None:
    """Gives known pieces of a document the places that they have in it now; what it has no longer stands after them."""
    entries = [item.entry for item in items if item.entry]
    if entries:
        uids = json.dumps([entry.uid for entry in entries])
        with transaction(db):
            db.execute(PLACE_ANEW, {"session": entries[0].session_uid, "uids": uids, "pieces": len(entries)})


def folder_of(db: sqlite3.Connection, path: Path) -> str | None:
    """The top of the git repository that a document is in, else the folder of the known project there, if any."""
    around = repository(str(path.parent))
    if around is not None:
        return around.root
    found = known_project(db, path.parent)
    row = db.execute("select canonical_path from projects where id = ?", [found]).fetchone()
    return str(row["canonical_path"]) if row else None


def move(db: sqlite3.Connection, uid: str, folder: str, now: datetime) -> bool:
    """Makes a document that was read before belong to the project of a folder; whether it belonged elsewhere."""
    with transaction(db):
        if db.execute("select 1 from sessions where uid = ?", [uid]).fetchone() is None:
            return False
        project_id = resolve_project(db, folder, now=now)
        moved = db.execute(
            "update sessions set cwd = ?, project_id = ? where uid = ? and project_id is not ?",
            [named(folder), project_id, uid, project_id],
        )
    return moved.rowcount > 0


def pieces(text: str, *, is_markdown: bool) -> list[str]:
    """A text in pieces: sections where it is Markdown with headings, else windows."""
    found = []
    for section in sections(text) if is_markdown else [text]:
        if is_markdown and len(section) <= SECTION_CHARACTERS:
            found.append(section)
        else:
            found.extend(windows(section))
    return [piece.strip() for piece in found if piece.strip()]


def sections(text: str) -> list[str]:
    """Markdown cut before each heading that is not in a fenced block."""
    found: list[list[str]] = [[]]
    fence = ""
    for line in text.split("\n"):
        mark = FENCE.match(line)
        if mark and fence in ("", mark[1]):
            fence = "" if fence else mark[1]
        if not fence and HEADING.match(line) and found[-1]:
            found.append([])
        found[-1].append(line)
    return ["\n".join(lines) for lines in found]


def windows(text: str) -> list[str]:
    """A text in windows that overlap, each ending at a line or a word where there is one near its end."""
    found = []
    start = 0
    while start < len(text):
        end = min(len(text), start + PIECE_CHARACTERS)
        if end < len(text):
            near = max(text.rfind(mark, end - OVERLAP_CHARACTERS, end) for mark in ("\n", " "))
            end = near + 1 if near > 0 else end
        found.append(text[start:end])
        if end == len(text):
            break
        start = end - OVERLAP_CHARACTERS
    return found
