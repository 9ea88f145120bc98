"""The parts of README.md and docs/ that follow from the code.

In: what the code says of itself (signals, presets, settings, commands, rules
of redaction), and metadata.yml. Out: Markdown, the same at every call; cog
puts it in its place (`make docs`), and the tests compare.
"""

from __future__ import annotations

import ast
import re
import sqlite3
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from datetime import UTC, datetime
from inspect import getdoc
from itertools import pairwise
from pathlib import Path
from types import ModuleType
from typing import Any

import click
import yaml

from memory_db.cli import cli, old_words
from memory_db.gate import rules as gate_rules
from memory_db.pages.web.plugging import DATABASE
from memory_db.pages.web.routes import ROUTES
from memory_db.pages.web.shelf import METADATA
from memory_db.pages.web.views import PEOPLE, WRITERS, Route
from memory_db.recall import answer, gather, measure, question, similarity
from memory_db.recall.brief import render as brief_text
from memory_db.recall.brief import select as brief
from memory_db.recall.measures import around, conditions
from memory_db.recall.scoring import SIGNALS
from memory_db.redact.attacks import INJECTED_TAGS, INJECTIONS
from memory_db.redact.engine import TAKEN_OUT
from memory_db.store.presets import PRESETS
from memory_db.store.schema import open_database
from memory_db.store.seeds import EDGE_KINDS, EVIDENCE_KINDS, KINDS, TIERS
from memory_db.store.settings import SETTINGS
from memory_db.text import relations, terms
from memory_db.upkeep.merge import tables

HELP_COLUMNS = 78
"""Width of printed help: what click takes on a terminal of 80 columns or more."""

ANY_MOMENT = datetime(2026, 1, 1, tzinfo=UTC)
"""When the file is made whose schema is printed: no row of it is."""

SIZES: tuple[tuple[ModuleType, tuple[str, ...]], ...] = (
    (terms, ("MAX_QUERY_CHARACTERS", "MAX_TERMS")),
    (question, ("ENTRY_POOL_SIZE", "MEMORY_POOL_SIZE", "NEAREST_BY_VECTORS")),
    (gather, ("NEIGHBOURS_OF", "MOST_RANKED", "NEAREST_BY_MODEL")),
    (similarity, ("NEIGHBOUR_SHARE", "SESSION_BEST")),
    (conditions, ("BY_WORDS", "BY_MEANING")),
    (around, ("REACH",)),
    (measure, ("ENTRY_HALF_LIFE_DAYS",)),
    (brief, ("KEPT",)),
    (brief_text, ("LINE_CHARACTERS",)),
)
"""The numbers that bound a recall, by the module that owns them."""


# ------------------------------------------------------------------ Markdown


def table(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A Markdown table with an empty line on both sides."""
    lines = [columns, ["---"] * len(columns), *rows]
    return "\n" + "".join(f"| {' | '.join(cell(value) for value in line)} |\n" for line in lines) + "\n"


def cell(value: object) -> str:
    """A value in one cell."""
    return " ".join(str("" if value is None else value).split()).replace("|", "\\|")


def code(text: str) -> str:
    """A name as code."""
    return f"`{text}`"


def block(text: str) -> str:
    """Lines of output as they are."""
    return f"\n```text\n{text.rstrip()}\n```\n"


def parted(documentation: str | None) -> tuple[str, str]:
    """A docstring as (what it says, its source), each on one line."""
    said, _, source = (documentation or "").partition("Source:")
    return " ".join(said.split()), " ".join(source.split())


# ------------------------------------------------------------------- scoring


def signal_table() -> str:
    """Every signal with its weight in the default profile."""
    weights = PRESETS["default"].weights
    rows = [(code(name), weights.get(name, 0), parted(getdoc(signal))[0]) for name, signal in SIGNALS.items()]
    return table(("Signal", "Weight", "What it says, from 0 to 1"), rows)


def signal_sources() -> str:
    """Every signal that has a source outside of this project."""
    found = [(code(name), parted(getdoc(signal))[1]) for name, signal in SIGNALS.items()]
    return table(("Signal", "Source"), [row for row in found if row[1]])


def weight_table() -> str:
    """The weights of every preset, a row a signal."""
    rows = [(code(name), *(preset.weights.get(name, "") for preset in PRESETS.values())) for name in SIGNALS]
    return table(("Signal", *map(code, PRESETS)), rows)


def preset_table() -> str:
    """What every preset is, where it comes from, and what it leaves out."""
    rows = [
        (code(name), preset.description, preset.source, preset.threshold, preset.leaves_out or "nothing")
        for name, preset in PRESETS.items()
    ]
    return table(("Profile", "What it is", "Source", "Threshold", "What it leaves out"), rows)


def size_table() -> str:
    """The numbers that bound a recall, with the module that owns each."""
    rows = []
    for module, names in SIZES:
        said = attribute_docs(module)
        rows += [(code(f"{module.__name__}.{name}"), value_of(module, name), parted(said[name])[0]) for name in names]
    return table(("Name", "Value", "What it bounds"), rows)


def value_of(module: ModuleType, name: str) -> str:
    """A constant as it is read."""
    value: Any = getattr(module, name)
    return f"{value:,}" if isinstance(value, int) else str(value)


def attribute_docs(module: ModuleType) -> dict[str, str]:
    """The texts that stand below the constants of a module, by name."""
    body = ast.parse(Path(str(module.__file__)).read_text("utf-8")).body
    found = {}
    for statement, after in pairwise([*body, ast.Pass()]):
        match statement, after:
            case ast.Assign(targets=[ast.Name(id=name)]), ast.Expr(value=ast.Constant(value=str(text))):
                found[name] = text
    return found


# ------------------------------------------------------------------- answers

ANSWER_PARTS = ("AnswerData", "HitData", "RoleData", "LineData", "ProcedureData", "ProfileData")


def answer_tables() -> str:
    """Every field of an answer as JSON, a table for each sort of object in it."""
    return "".join(
        f"\n**{name.removesuffix('Data')}.** {said}\n{table(('Field', 'Type', 'What it is'), rows)}"
        for name, (said, rows) in described_fields(answer, ANSWER_PARTS).items()
    )


def described_fields(module: ModuleType, names: Sequence[str]) -> dict[str, tuple[str, list[tuple[str, str, str]]]]:
    """What the classes of a module say of themselves, and their fields: name, type, and the text below it."""
    body = ast.parse(Path(str(module.__file__)).read_text("utf-8")).body
    classes = {statement.name: statement for statement in body if isinstance(statement, ast.ClassDef)}
    found = {}
    for name in names:
        rows = []
        for statement, after in pairwise([*classes[name].body, ast.Pass()]):
            match statement, after:
                case ast.AnnAssign(target=ast.Name(id=field)), ast.Expr(value=ast.Constant(value=str(text))):
                    rows.append((code(field), json_type(ast.unparse(statement.annotation)), text))
        found[name] = (ast.get_docstring(classes[name]) or "", rows)
    return found


def json_type(annotation: str) -> str:
    """A type of Python as JSON has it."""
    *rest, last = annotation.split(" | ")
    if last == "None":
        return f"{json_type(' | '.join(rest))} or null"
    if annotation.startswith("dict["):
        return "object"
    if annotation.startswith("list["):
        return f"list of {json_type(annotation[5:-1])}s"
    named = {"str": "text", "int": "number", "float": "number", "bool": "true or false"}
    return named.get(annotation, annotation.removesuffix("Data").lower())


# ------------------------------------------------- commands, settings, kinds


def group_help() -> str:
    """What `memory-db --help` prints."""
    return block(help_of(cli, None, "memory-db")) + "\n"


def command_reference() -> str:
    """What `--help` prints of every command, each below a heading: those of a group below that of the group."""
    return "".join(helps_below(cli, context_of(cli, None, "memory-db"), "##")) + "\n"


def helps_below(group: click.Group, context: click.Context, heading: str) -> Iterator[str]:
    """The help of every command of a group, in its order."""
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        below = context_of(command, context, name)
        title = below.command_path.removeprefix("memory-db ")
        yield f"\n{heading} {title}\n{block(help_of(command, context, name))}"
        if isinstance(command, click.Group):
            yield from helps_below(command, below, f"{heading}#")


def old_word_table() -> str:
    """Every old word that is still understood, with the new one."""
    new = old_words.RENAMED | {word: hint for word, (_, hint) in old_words.HIDDEN.items()}
    rows = [(code(f"memory-db {old}"), code(f"memory-db {new[old]}")) for old in sorted(new)]
    return table(("Old", "New"), rows)


def help_of(command: click.Command, parent: click.Context | None, name: str) -> str:
    """The help of one command."""
    return command.get_help(context_of(command, parent, name))


def context_of(command: click.Command, parent: click.Context | None, name: str) -> click.Context:
    """What click knows when it prints help, in one width wherever that is."""
    return click.Context(
        command, info_name=name, parent=parent, terminal_width=HELP_COLUMNS, **command.context_settings
    )


def setting_table() -> str:
    """Every setting with its default."""
    rows = [(code(each.name), code(str(each.default)), each.help) for each in SETTINGS]
    return table(("Setting", "Default", "What it does"), rows)


def kind_table() -> str:
    """Every kind of memory, its prior before any evidence, and its half-life."""
    rows = [
        (code(kind.name), kind.description, f"{kind.prior_alpha:g} : {kind.prior_beta:g}", f"{kind.half_life_days:g}")
        for kind in KINDS
    ]
    return table(("Kind", "What belongs to it", "Prior, for : against", "Half-life in days"), rows)


def tier_table() -> str:
    """How memories come to be known, and how much of a prior that is worth."""
    return table(
        ("Tier", "What belongs to it", "Share of the prior"),
        [(code(tier.name), tier.description, f"{tier.prior_factor:g}") for tier in TIERS],
    )


def evidence_table() -> str:
    """Every kind of evidence with what one of it counts."""
    rows = [(code(kind.name), kind.description, kind.direction, f"{kind.weight:g}") for kind in EVIDENCE_KINDS]
    return table(("Kind", "What it means", "Direction", "Weight"), rows)


def edge_kind_table() -> str:
    """Every kind of edge with the share of feedback that goes along it."""
    rows = [(code(kind.name), kind.description, f"{kind.spread:g}") for kind in EDGE_KINDS]
    return table(("Kind", "What it says", "Spread"), rows)


def question_table() -> str:
    """Every ready question of metadata.yml, what it answers, and where it is asked."""
    found = yaml.safe_load(METADATA.read_text("utf-8"))["databases"][DATABASE]["queries"]
    rows = [(query["title"], query["description"], code(path_of(name, query["sql"]))) for name, query in found.items()]
    return table(("Question", "What it answers", "Where"), rows)


def path_of(name: str, sql: str) -> str:
    """Where a ready question is asked, with its parameters, each once."""
    parameters = dict.fromkeys(re.findall(r":([a-z]\w*)", sql))
    return f"/{DATABASE}/{name}" + "".join(f"{'&' if at else '?'}{each}=" for at, each in enumerate(parameters))


def path_table() -> str:
    """Every path of ours that answers with JSON, with its methods, what is there, and who is answered."""
    rows = [(", ".join(each.methods), code(each.json_path), each.about, answered(each)) for each in ROUTES
            if each.json_path]  # fmt: skip
    return table(("Methods", "Path", "What is there", "Who is answered"), rows)


def answered(route: Route) -> str:
    """Who is answered on a path, in words; a POST that changes something takes who may write."""
    if route.readers == PEOPLE:
        return "the signed-in browser"
    if route.readers == WRITERS or not route.read:
        return "who may write"
    return "who may read; by POST who may write" if route.write else "who may read"


# ----------------------------------------------------------------- redaction


def secret_table() -> str:
    """What is taken out of texts, by rule."""
    return rule_table(TAKEN_OUT)


def injection_table() -> str:
    """What is named as an attempt to steer an agent, by rule."""
    return rule_table([(rule.name, rule.description) for rule in INJECTIONS])


def rule_table(rules: Iterable[tuple[str, str]]) -> str:
    """Rules with what they look for, each once."""
    rows = [(code(name), *parted(description)) for name, description in dict.fromkeys(rules)]
    columns = ("Rule", "What it finds", "Source")
    has_sources = any(source for _, _, source in rows)
    return table(columns if has_sources else columns[:2], rows if has_sources else [row[:2] for row in rows])


def asked_in_order(functions: Iterable[Callable[..., object]]) -> str:
    """Functions that are asked in turn, with what they look for."""
    rows = [(number, code(each.__name__), parted(getdoc(each))[0]) for number, each in enumerate(functions, start=1)]
    return table(("", "Name", "What it looks for"), rows)


def gate_table() -> str:
    """The rules of the gate in the order in which they are asked."""
    return asked_in_order(gate_rules.RULES)


def relation_table() -> str:
    """The tests that tell how two statements stand to each other, in the order in which they are asked."""
    return asked_in_order(relations.TESTS)


def injected_table() -> str:
    """The blocks that are left out, by tag."""
    return table(("Tag", "Whose it is"), [(code(f"<{tag}>"), whose) for tag, whose in INJECTED_TAGS.items()])


# -------------------------------------------------------------------- schema


def merge_table() -> str:
    """What becomes of each table when two files are merged."""
    ways = {
        tables.ROWS: "row by row", tables.OWN: "row by row", tables.MISSING: "what is missing",
        tables.DERIVED: "made again", tables.STAYS: "stays on its machine",
    }  # fmt: skip
    rows = (
        (code(name), ways[rule.how], ", ".join(map(code, rule.key)), rule.why.partition(" (")[0])
        for name, rule in tables.TABLES.items()
    )
    return "\n" + table(("Table", "How", "Told by", "What becomes of it"), rows)


def schema_page() -> str:
    """Every table and view of a fresh file: its columns with types, and what metadata.yml says of each."""
    described = yaml.safe_load(METADATA.read_text("utf-8"))["databases"][DATABASE]["tables"]
    with tempfile.TemporaryDirectory() as folder, closing(open_fresh(Path(folder))) as db:
        types = dict(db.execute("select name, type from sqlite_master where type in ('table', 'view')").fetchall())
        shown = {name: text for name, text in described.items() if name in types and "description" in text}
        parts = [
            f"\n## {title}\n" + "".join(object_part(db, name, shown[name]) for name in shown if types[name] == kind)
            for title, kind in (("Tables", "table"), ("Views", "view"))
        ]
    return "".join(parts) + "\n"


def open_fresh(folder: Path) -> sqlite3.Connection:
    """A connection to a file that was just made."""
    return open_database(folder / "memory.db", now=ANY_MOMENT)


def object_part(db: sqlite3.Connection, name: str, described: dict[str, Any]) -> str:
    """One table or view."""
    columns = db.execute("select * from pragma_table_info(?)", [name]).fetchall()
    targets = {row["from"]: row["table"] for row in db.execute("select * from pragma_foreign_key_list(?)", [name])}
    rows = [
        (code(column["name"]), column_type(column, targets), described.get("columns", {}).get(column["name"]))
        for column in columns
    ]
    return f"\n### {name}\n\n{described['description']}.\n{table(('Column', 'Type', 'What it is'), rows).rstrip()}\n"


def column_type(column: sqlite3.Row, targets: dict[str, str]) -> str:
    """A column's type, with what it refers to."""
    refers = f" → [{targets[column['name']]}](#{targets[column['name']]})" if column["name"] in targets else ""
    needed = ", not null" if column["notnull"] else ""
    key = ", key" if column["pk"] else ""
    return f"{column['type'].lower()}{key}{needed}{refers}".lstrip(", ")
