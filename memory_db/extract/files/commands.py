"""Commands that a project names itself: Makefile targets, package.json and pyproject scripts, recipes of a justfile.

In: the text of such a file. Out: `FileFact`s: what is typed, and what it is for. Pure. Invariants: a command is told
once for a file; what a runner does by itself (`prepare`, `.PHONY`) is none; a quote is a line of the file.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from memory_db.extract.files.facts import FileFact, line_at, line_of
from memory_db.knowledge.procedure_steps import form_of
from memory_db.text.commands.lines import parts_of
from memory_db.text.commands.purposes import PURPOSES, Use, use_of

MOST_COMMANDS = 25
"""Of one file. Source: ours; who has more has most of them for machines."""

SHOWN_CHARACTERS = 90
"""How much of what a command runs is told with it."""

TARGET = re.compile(
    r"^(?P<names>[A-Za-z][\w.-]*(?: [A-Za-z][\w.-]*)*)\s*::?(?!=)\s*(?P<needs>[^#=]*?)\s*(?:##?\s*(?P<help>\S.*))?$"
)
HELP_ABOVE = re.compile(r"^##?\s+(?P<help>\S.*?)\s*$")
RECIPE = re.compile(
    r"^(?P<quiet>@)?(?P<name>[A-Za-z][\w-]*)(?P<takes>(?:\s+[^:=]+?)?)\s*:(?!=)(?P<needs>[^#]*)(?:#.*)?$"
)
QUIET = re.compile(r"^[@\-+]+\s*")
LIFECYCLE = re.compile(
    r"^(?:pre|post)(?:install|pack|publish|version|test|build|start|dev|lint)$|^(?:prepare|prepack|prepublishOnly|husky)$"
)
OWN_HELP = frozenset(("help", "default", "all", ".DEFAULT"))
LOCK_FILES = (
    ("pnpm-lock.yaml", "pnpm"), ("yarn.lock", "yarn"), ("bun.lockb", "bun"), ("bun.lock", "bun"), ("deno.lock", "deno"),
    ("package-lock.json", "npm"),
)  # fmt: skip
"""Which package manager wrote which lock file. Source: their manuals."""


def make_commands(text: str, path: str) -> Iterator[FileFact]:
    """The targets of a Makefile that have a purpose or a line of help."""
    yield from recipes(text, path, "make", TARGET)


def just_commands(text: str, path: str) -> Iterator[FileFact]:
    """The recipes of a justfile that have a purpose or a comment above."""
    yield from recipes(text, path, "just", RECIPE)


def recipes(text: str, path: str, tool: str, head: re.Pattern[str]) -> Iterator[FileFact]:
    """The recipes of a file in which each begins at the margin and its body is indented."""
    lines = text.split("\n")
    for number, line in enumerate(lines, 1):
        found = head.match(line) if not line.startswith((" ", "\t", ".", "#", "export ", "set ", "alias ")) else None
        if found is None:
            continue
        groups = found.groupdict()
        name = (groups.get("names") or groups.get("name") or "").split()[0]
        above = HELP_ABOVE.match(lines[number - 2]) if number > 1 else None
        told = groups.get("help") or (
            above["help"] if above and not lines[number - 2].startswith(("#!", "# -")) else ""
        )
        body = body_of(lines[number:])
        needs = (groups.get("needs") or "").split()
        if name in OWN_HELP or name.startswith("_") or (not body and not needs):
            continue
        fact = command_fact(f"{tool} {name}", path, number, line.strip(), what=told, runs=body or needs_of(tool, needs))
        if fact:
            yield fact


def body_of(lines: Iterable[str]) -> list[str]:
    """The commands below the head of a recipe."""
    found: list[str] = []
    for line in lines:
        if line.strip() and not line.startswith((" ", "\t")):
            break
        command = QUIET.sub("", line.strip())
        if command and not command.startswith(("#", "echo ", "printf ")):
            found.append(command)
    return found


def needs_of(tool: str, needs: Iterable[str]) -> list[str]:
    """What a recipe without a body of its own runs: those it needs."""
    return [f"{tool} {each}" for each in needs if re.fullmatch(r"[\w.-]+", each)]


def command_fact(
    command: str, path: str, line: int, quote: str, *, what: str = "", runs: Iterable[str] = ()
) -> FileFact | None:
    """A command as a fact; None where neither its name nor what it runs nor a line of help says what it is for."""
    body = [each for each in runs if each]
    what = re.sub(r"\s+", " ", what).strip(" .")
    use = purpose_of(command) or (None if what else next((found for each in body if (found := purpose_of(each))), None))
    if use is None and not what and not body:
        return None
    told = first_lower(what) if what else PURPOSES[use.purpose] if use else ""
    shown = short(body)
    if use:
        text = f"To {PURPOSES[use.purpose]}: `{command}`"
        text += f" ({told})" if what else f" (runs {shown})" if shown else ""
    else:
        text = (
            f"`{command}`: {told}"
            if told
            else f"`{command}` runs {shown or f'`{body[0][:SHOWN_CHARACTERS]}` and more'}"
        )
    text += "."
    return FileFact(
        path, line, quote, text, "environment", "command",
        title=f"{command}: {PURPOSES[use.purpose]}" if use else f"What {command} does",
        condition=f"to {PURPOSES[use.purpose]}" if use else "", keys=(command, use.purpose) if use else (command,),
        body="\n".join(body),
    )  # fmt: skip


FENCED = re.compile(r"^\s*(?:\$\s+)?(?P<command>[\w./-]+(?: [^#\n]*?)?)\s*(?:\s#+\s*(?P<help>\S.*?))?\s*$")


def fenced_commands(text: str, path: str) -> Iterator[FileFact]:
    """The commands in the code blocks of a file of prose that have a purpose, each with the comment beside or above."""
    is_block, above = False, ""
    for number, line in enumerate(text.split("\n"), 1):
        if line.lstrip().startswith(("```", "~~~")):
            is_block, above = not is_block, ""
            continue
        if not is_block:
            continue
        if comment := HELP_ABOVE.match(line.strip()):
            above = comment["help"]
            continue
        found = FENCED.match(line)
        use = purpose_of(found["command"]) if found else None
        if found and use and use.purpose not in ("add", "install") and not is_narrow(found["command"]):
            fact = command_fact(found["command"].strip(), path, number, line.strip(), what=found["help"] or above)
            if fact:
                yield fact
        above = ""


def is_narrow(command: str) -> bool:
    """Whether a command is of single files or tests, or has a place to be filled in."""
    return "<" in command or any(form_of(part.words).is_narrow for part in parts_of(command) if part.words)


def purpose_of(command: str) -> Use | None:
    """What a command is for, by the first of its parts that has a purpose."""
    return next((use for part in parts_of(command) if part.words and (use := use_of(part.plain))), None)


def short(body: list[str]) -> str:
    """What a command runs, if it is one line that can be told."""
    if len(body) != 1 or len(body[0]) > SHOWN_CHARACTERS or "`" in body[0] or "$(" in body[0]:
        return ""
    return f"`{body[0]}`"


def first_lower(text: str) -> str:
    """A phrase within a sentence."""
    return text[0].lower() + text[1:] if text[1:2].islower() else text


# ---------------------------------------------------------------- package.json


def package_commands(text: str, path: str, *, beside: Iterable[str]) -> Iterator[FileFact]:
    """The scripts of a package.json, its package manager, and which Node it needs. `beside`: names of files there."""
    data = loaded(json.loads, text)
    scripts = data.get("scripts")
    tool, source = manager_of(data, set(beside))
    if source:
        line = line_of(text, '"packageManager"')
        yield FileFact(
            path, line, line_at(text, line) or f'"name": "{data.get("name", "")}"',
            f"The package manager is {tool} ({source}).", "environment", "setting", title=f"Package manager: {tool}",
            keys=(tool, "package manager"), importance=4,
        )  # fmt: skip
    engines = data.get("engines")
    for name, wanted in engines.items() if isinstance(engines, dict) else ():
        line = line_within(text, name, "engines")
        if isinstance(wanted, str) and line:
            yield setting_fact(
                path, line, text, f"Needs {name.capitalize()} {wanted}.", f"{name.capitalize()} {wanted}"
            )
    for name, runs in list(scripts.items())[:MOST_COMMANDS] if isinstance(scripts, dict) else ():
        line = line_within(text, name, "scripts")
        if isinstance(runs, str) and line and not LIFECYCLE.match(name):
            typed = f"{tool} {name}" if tool in ("pnpm", "yarn") or name in ("test", "start") else f"{tool} run {name}"
            fact = command_fact(typed, path, line, member_at(text, line, name, "scripts"), runs=[runs])
            if fact:
                yield fact


def line_within(text: str, name: str, table: str) -> int:
    """The line on which a member of a table of JSON stands: on the line of the table's name, or behind it."""
    return line_of(text, f'"{name}"', max(0, line_of(text, f'"{table}"') - 1))


def member_at(text: str, line: int, name: str, table: str) -> str:
    """The words of a member of a table on its line: all of the line, but where others stand before it."""
    words = line_at(text, line)
    member = re.compile(rf'"{re.escape(name)}"\s*:\s*"(?:[^"\\]|\\.)*"')
    found = member.search(words, max(0, words.find(f'"{table}"')))
    return found[0] if found and found.start() else words


def manager_of(data: Mapping[str, Any], beside: set[str]) -> tuple[str, str]:
    """The package manager of a project, and what says so; npm, and nothing, where nothing does."""
    named = data.get("packageManager")
    if isinstance(named, str) and re.fullmatch(r"[a-z]+@[\w.+-]+", named):
        return named.partition("@")[0], f"packageManager is {named.partition('+')[0]}"
    found = next(((tool, f"there is a {name}") for name, tool in LOCK_FILES if name in beside), ("npm", ""))
    return found


# --------------------------------------------------------------- pyproject.toml


def pyproject_commands(text: str, path: str, *, beside: Iterable[str]) -> Iterator[FileFact]:
    """The scripts, the tasks of task runners and the settings of tools in a pyproject.toml."""
    data = loaded(tomllib.loads, text)
    project, tools = table(data, "project"), table(data, "tool")
    before = "uv run " if "uv.lock" in set(beside) else "poetry run " if "poetry" in tools else ""
    wanted = project.get("requires-python")
    line = line_of(text, "requires-python")
    if isinstance(wanted, str) and line:
        yield setting_fact(path, line, text, f"Needs Python {wanted}.", f"Python {wanted}")
    for name, place in table(project, "scripts").items():
        line = line_of(text, name, line_of(text, "[project.scripts]"))
        if line:
            said = f"The command `{name}` is `{place}`."
            yield FileFact(
                path, line, line_at(text, line), said, "structure", "command", title=f"The command {name}", keys=(name,)
            )
    for runner, tasks, heading in runners(tools):
        for name, task in list(tasks.items())[:MOST_COMMANDS]:
            line = line_of(text, name, max(0, line_of(text, heading) - 1))
            fact = command_fact(
                f"{before if runner.startswith(('poe', 'task')) else ''}{runner} {name}", path, line or 1,
                line_at(text, line or 1), what=helped(task), runs=run_by(task),
            )  # fmt: skip
            if fact and line:
                yield fact
    yield from tool_settings(tools, text, path)


def runners(tools: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, Any], str]]:
    """The task runners that keep their tasks in pyproject.toml: how one is typed, its tasks, their heading."""
    yield "poe", table(table(tools, "poe"), "tasks"), "[tool.poe.tasks"
    yield "task", table(table(tools, "taskipy"), "tasks"), "[tool.taskipy.tasks"
    yield "pdm run", table(table(tools, "pdm"), "scripts"), "[tool.pdm.scripts"
    for name, env in table(table(tools, "hatch"), "envs").items():
        runner = "hatch run" if name == "default" else f"hatch run {name}:"
        scripts = table(env, "scripts") if isinstance(env, dict) else {}
        yield runner, scripts, f"[tool.hatch.envs.{name}.scripts"


def helped(task: object) -> str:
    """The line of help of a task."""
    return str(task.get("help", "")) if isinstance(task, dict) else ""


def run_by(task: object) -> list[str]:
    """What a task runs."""
    if isinstance(task, dict):
        task = task.get("cmd", task.get("shell", task.get("composite", task.get("sequence", ""))))
    return [str(each) for each in task] if isinstance(task, list) else [str(task)]


Told = Callable[[Any], str]

SETTINGS: tuple[tuple[tuple[str, ...], Told, str], ...] = (
    (("ruff", "line-length"), lambda value: f"Lines have at most {value} characters (ruff).", "Line length"),
    (("black", "line-length"), lambda value: f"Lines have at most {value} characters (black).", "Line length"),
    (("mypy", "strict"), lambda value: "mypy checks strictly." if value is True else "", "mypy is strict"),
    (("pytest", "ini_options", "testpaths"),
        lambda value: "" if value in (["tests"], ["test"]) else f"Tests are in {listed(value)}.", "Where tests are"),
    (("pytest", "ini_options", "filterwarnings"),
        lambda value: "A warning fails a test (pytest)." if "error" in listed(value) else "", "Warnings fail tests"),
    (("pytest", "ini_options", "asyncio_mode"), lambda value: f"pytest-asyncio runs in mode {value}.", "asyncio mode"),
    (("coverage", "report", "fail_under"), lambda value: f"Coverage must be at least {value} %.", "Coverage"),
)  # fmt: skip
"""Settings of tools that whoever writes code has to know, with how each is said."""


def tool_settings(tools: Mapping[str, Any], text: str, path: str) -> Iterator[FileFact]:
    """The settings of tools that bind whoever writes code."""
    for keys, told, title in SETTINGS:
        value: Any = tools
        for key in keys:
            value = value.get(key) if isinstance(value, dict) else None
        said = told(value) if value is not None else ""
        line = line_of(text, keys[-1], max(0, line_of(text, f"[tool.{'.'.join(keys[:-1])}") - 1))
        if said and line:
            yield setting_fact(path, line, text, said, title, kind="convention")


def setting_fact(path: str, line: int, text: str, said: str, title: str, kind: str = "environment") -> FileFact:
    """A setting as a fact."""
    return FileFact(path, line, line_at(text, line), said, kind, "setting", title=title)


def listed(value: object) -> str:
    """A value, or several, in a sentence."""
    return ", ".join(f"`{each}`" for each in value) if isinstance(value, list) else f"`{value}`"


def table(data: Mapping[str, Any], name: str) -> dict[str, Any]:
    """A table of a file by its name; an empty one where there is none."""
    found = data.get(name)
    return found if isinstance(found, dict) else {}


def loaded(load: Callable[[str], Any], text: str) -> dict[str, Any]:
    """The data of a file; nothing where it cannot be read, which the caller counts."""
    try:
        data = load(text)
    except (ValueError, RecursionError):
        return {}
    return data if isinstance(data, dict) else {}
