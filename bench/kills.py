"""SIGKILL at moments by chance, in every command that writes: what is lost, and what stands half made.

`python -m bench kills [--kills N] [--seed S]`. A command runs as a process of its own, forked from this one, which has
loaded all modules already, so that kills hit the work and not the loading; hooks are cold processes. A third of the
kills comes by the clock, a third before a file is opened for writing, made, renamed or removed, a third before a
statement of SQL. After each the file is opened and compared with what was there before, then the same command is given
again and its end compared with a run that nobody disturbed. Faults are printed with the seed that gives them again.
"""

from __future__ import annotations

import contextlib
import gc
import io
import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import click

import memory_db
from bench.kill_cases import CASES, KillCase, again, filled, make_homes
from bench.kill_states import (
    LEFT_TO_THE_INDEX,
    Clean,
    State,
    differs,
    disagreements,
    faults_after_all,
    faults_after_kill,
    left_over,
    state_of,
)
from memory_db.cli import cli
from memory_db.cli.group import main as command_line

HOOK = (sys.executable, "-I", "-S", str(Path(memory_db.__file__).with_name("hook.py")))

FILE_EVENTS = ("os.rename", "os.remove", "os.rmdir", "os.mkdir", "os.truncate", "os.chmod", "os.link", "os.symlink")
"""Audit events of what changes files, beside opening one for writing. Source: Python's table of audit events."""

LONGEST_S = 120

ATTEMPTS = 12
"""How often a case is tried for one kill: a command may end before its moment comes."""

INDEX = KillCase("index", ("run", "--only", "index"))

WAYS = ("clock", "file", "statement")


@dataclass(slots=True)
class Watch:
    """What a forked command counts of itself, and at which count it kills itself; by sort of event."""

    counts: dict[str, int]
    kill_at: tuple[str, int] | None = None

    def saw(self, sort: str) -> None:
        """One more event."""
        self.counts[sort] += 1
        if self.kill_at == (sort, self.counts[sort]):
            os.kill(os.getpid(), signal.SIGKILL)

    def audit(self, event: str, values: tuple[Any, ...]) -> None:
        """Python's audit hook: tells of files, and starts no worker."""
        if (event == "open" and values[2] & (os.O_WRONLY | os.O_RDWR | os.O_CREAT)) or event in FILE_EVENTS:
            self.saw("file")
        elif event == "subprocess.Popen" and "work" in values[1]:
            raise OSError("no worker is started while kills are counted")

    def connected(
        self, *values: Any, connect: Callable[..., sqlite3.Connection] = sqlite3.connect, **named: Any
    ) -> Any:
        """A connection that tells of each statement; stands in the place of sqlite3.connect, in a fork alone."""
        connection = connect(*values, **named)
        connection.set_trace_callback(lambda statement: self.saw("statement"))
        return connection


@dataclass(frozen=True, slots=True)
class Timing:
    """How long a clean run took, and how many events of each sort it had."""

    seconds: float
    counts: dict[str, int]


def forked(given: KillCase, home: Path, watch: Watch, report: Path | None = None) -> int:
    """Starts a command as a fork of this process; gives its id. `report` gets its counts when it ends by itself."""
    sys.stdout.flush()
    sys.stderr.flush()
    if (pid := os.fork()) != 0:
        return pid
    code = 1
    try:
        os.chdir(home)
        os.environ |= {"HOME": str(home), "TMPDIR": str(home / "tmp")}
        tempfile.tempdir = None
        stdin, output = os.pipe()
        os.write(output, given.piped.encode())
        os.close(output)
        os.dup2(stdin, 0)
        out = os.open(home.parent / "output", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(out, 1)
        os.dup2(out, 2)
        sys.stdin, sys.stdout, sys.stderr = (open(number, mode) for number, mode in ((0, "r"), (1, "w"), (2, "w")))  # noqa: PTH123, SIM115
        sys.argv = ["memory-db", "-d", str(home / "memory.db"), *given.words]
        sys.addaudithook(watch.audit)
        sqlite3.connect = watch.connected  # type: ignore[assignment]
        code = ended_with(command_line)
    finally:
        with contextlib.suppress(OSError, ValueError):
            sys.stdout.flush()
            sys.stderr.flush()
        if report:
            report.write_text(json.dumps(watch.counts))
        os._exit(code)


def ended_with(work: Callable[[], object]) -> int:
    """The exit code of a command line; an error that escapes it is a traceback, as Python would print it."""
    try:
        work()
    except SystemExit as error:
        return error.code if isinstance(error.code, int) else int(error.code is not None)
    except BaseException:  # noqa: BLE001  # what a process would print of it is what is looked for
        sys.excepthook(*sys.exc_info())
        return 1
    return 0


def cold(given: KillCase, home: Path) -> subprocess.Popen[bytes]:
    """A hook as an agent starts it."""
    with (home.parent / "output").open("wb") as output:
        process = subprocess.Popen(
            [*HOOK, given.words[0], "-d", str(home / "memory.db"), "--deadline-ms", "60000"],
            stdin=subprocess.PIPE, stdout=output, stderr=output, cwd=home, env={**os.environ, "HOME": str(home)},
        )  # fmt: skip
    assert process.stdin is not None
    process.stdin.write(given.piped.encode())
    process.stdin.close()
    return process


def to_its_end(given: KillCase, home: Path, report: Path | None = None) -> int:
    """Runs a command without a kill; its exit code."""
    if given.is_hook:
        return cold(given, home).wait(LONGEST_S)
    _, status = os.waitpid(forked(given, home, Watch(dict.fromkeys(WAYS, 0)), report), 0)
    return os.waitstatus_to_exitcode(status)


def clean_runs(given: KillCase, home: Path, kept: Path) -> tuple[Clean, Timing]:
    """A command without kills: once, once more from the same beginning, and twice; each then with its index.

    Raises: click.ClickException where it fails without any kill.
    """
    again(home, kept, given.begins)
    before, report = state_of(home), home.parent / "report"
    ends: list[State] = []
    indexed: list[State] = []
    took_s, counts = 0.0, {}
    for times in (1, 1, 2):
        again(home, kept, given.begins)
        for time_ in range(times):
            started = time.perf_counter()
            code = to_its_end(given, home, report)
            if time_ == 0:
                took_s = time.perf_counter() - started
                counts = {} if given.is_hook else json.loads(report.read_text())
                if code != 0:
                    raise click.ClickException(f"{given.name} fails without any kill: {said(home)}")
        ends.append(state_of(home, code))
        to_its_end(INDEX, home)
        indexed.append(state_of(home))
    clean = Clean(before, *ends, (indexed[0], indexed[1], indexed[2]), disagreements(home))
    return clean, Timing(took_s, counts)


def killed(given: KillCase, home: Path, timing: Timing, chance: random.Random) -> str:
    """Runs a command and kills it; by which way, or nothing where it had ended before."""
    way = "clock" if given.is_hook else chance.choice(WAYS)
    moment_s = chance.uniform(0, timing.seconds)
    if given.is_hook:
        process = cold(given, home)
        time.sleep(moment_s)
        process.kill()
        return way if process.wait() == -signal.SIGKILL else ""
    kill_at = None if way == "clock" else (way, chance.randint(1, max(1, timing.counts[way])))
    pid = forked(given, home, Watch(dict.fromkeys(WAYS, 0), kill_at))
    if way == "clock":
        time.sleep(moment_s)
        os.kill(pid, signal.SIGKILL)  # nobody has waited for it yet: the id is still its own
    _, status = os.waitpid(pid, 0)
    return way if os.waitstatus_to_exitcode(status) == -signal.SIGKILL else ""


def said(home: Path) -> str:
    """The last line of what a command printed."""
    lines = (home.parent / "output").read_text("utf-8", errors="replace").strip().splitlines()
    return lines[-1][:300] if lines else ""


@contextlib.contextmanager
def place() -> Iterator[tuple[Path, Path]]:
    """A folder for the home that is worked on and those that are kept; the surroundings are as before in the end."""
    environment = dict(os.environ)
    for name in ("MEMORY_DB", "CLAUDE_CONFIG_DIR", "LLM_USER_PATH"):
        os.environ.pop(name, None)
    with tempfile.TemporaryDirectory() as folder:
        try:
            yield Path(folder) / "home", Path(folder) / "kept"
        finally:
            os.environ.clear()
            os.environ |= environment


def preload() -> None:
    """Loads what commands load, so that a fork begins with its work."""
    import_module("memory_db.fleet")  # by name: a command loads it once it runs
    waiting: list[click.Command] = [cli]
    while waiting:
        each = waiting.pop()
        if isinstance(each, click.Group):
            context = click.Context(each)
            names = each.list_commands(context)
            waiting += [found for name in names if (found := each.get_command(context, name))]
    gc.freeze()


def measured(kills: int = 1_000, seed: int = 1, cases: tuple[KillCase, ...] = CASES) -> dict[str, Any]:
    """Kills by way and command, and the faults found."""
    chance = random.Random(seed)
    by_way: Counter[str] = Counter()
    by_case: Counter[str] = Counter()
    faults: Counter[str] = Counter()
    left: Counter[str] = Counter()
    load = [round(os.getloadavg()[0], 1)]
    with place() as (home, kept):
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            make_homes(home, kept)
        preload()
        for number, each in enumerate(cases):
            share = kills // len(cases) + (number < kills % len(cases))
            if not share:
                continue
            again(home, kept, each.begins)
            given = filled(each, home)
            clean, timing = clean_runs(given, home, kept)
            for _ in range(share):
                way, found, leaves = one_kill(given, home, kept, clean, timing, chance)
                by_way[way] += 1
                by_case[each.name] += bool(way)
                left["right after a kill"] += bool(leaves[0])
                left["after the same command again"] += bool(leaves[1])
                for sort, what in found.items():
                    faults[sort] += 1
                    print(f"{each.name}, kill {sum(by_case.values())} by {way}: {sort}: {what}", file=sys.stderr)
            print(f"{each.name}: {by_case[each.name]} kills, {timing.seconds:.2f} s", file=sys.stderr, flush=True)
    load.append(round(os.getloadavg()[0], 1))
    return {
        "kills": sum(by_case.values()),
        "seed": seed,
        "commands": len(by_case),
        "ended_before_their_moment": by_way.pop("", 0),
        "kills_by_moment": dict(sorted(by_way.items())),
        "faults": {sort: faults[sort] for sort in SORTS},
        "left_to_the_next_index": faults[LEFT_TO_THE_INDEX],
        "unfinished_files_beside": {when: left[when] for when in LEFT},
        "load": load,
        "kills_by_command": dict(by_case),
    }


SORTS = (
    "files that do not open or are damaged", "rows lost", "half-made files under a final name",
    "same command again, ended otherwise", "same command again, other rows", "file check, disagreements", "tracebacks",
)  # fmt: skip

LEFT = ("right after a kill", "after the same command again")


def one_kill(
    given: KillCase, home: Path, kept: Path, clean: Clean, timing: Timing, chance: random.Random
) -> tuple[str, dict[str, str], tuple[list[str], list[str]]]:
    """One kill and the same command again: the way, the faults, and what was left beside after each."""
    for _ in range(ATTEMPTS):
        again(home, kept, given.begins)
        if way := killed(given, home, timing, chance):
            break
    else:
        return "", {}, ([], [])
    found = faults_after_kill(home, clean)
    first = left_over(home, clean)
    try:
        code = to_its_end(given, home)
    except (sqlite3.Error, subprocess.TimeoutExpired) as error:
        return way, found | {"same command again, ended otherwise": str(error)}, (first, first)
    if "Traceback" in (home.parent / "output").read_text("utf-8", errors="replace"):
        found["tracebacks"] = said(home)
    later = faults_after_all(home, clean, code)
    if LEFT_TO_THE_INDEX in later and to_its_end(INDEX, home) + 1 and (why := differs(state_of(home), *clean.indexed)):
        del later[LEFT_TO_THE_INDEX]
        later["same command again, other rows"] = why
    if "same command again, ended otherwise" in later:
        later["same command again, ended otherwise"] += f": {said(home)}"
    return way, later | found, (first, left_over(home, clean))
