"""The file from which a hook reads its modules at once: it changes nothing but the time that a hook takes."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from memory_db import packed
from tests.support.hook_process import PATIENT, SCRIPT
from tests.support.patience import WAIT_S, wait_for

FOLDER = "/home/sam/code/tidepool"
"""A project of the sample."""

LOADS = """
import sys
sys.path.insert(0, sys.argv[1])
from memory_db import packed
packed.use()
import memory_db.hooks.prompt as prompt
print(type(prompt.__loader__).__name__, *sorted({"re", "json", "enum"} & set(sys.modules)))
"""

PATTERNS = """
import re, sys
sys.path.insert(0, sys.argv[1])
from memory_db import packed
packed.use()
packed.PACK.pattern("", 0)
made = [(key, packed.pattern(*key)) for key in packed.PACK.patterns]
print(len(made), all(re.compile(*key) == pattern for key, pattern in made))
"""


@pytest.fixture(scope="module")
def code(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a copy of the package, whose modules are packed."""
    folder = tmp_path_factory.mktemp("packed")
    shutil.copytree(SCRIPT.parent, folder / "memory_db", ignore=shutil.ignore_patterns("*.pack"))
    pack(folder)
    return folder


@pytest.fixture
def file_of_pack(code: Path) -> Path:
    return code / "memory_db" / "__pycache__" / Path(packed.PATH).name


def run(*arguments: str, payload: str = "") -> str:
    command = [sys.executable, "-I", "-S", *arguments]
    done = subprocess.run(command, input=payload, capture_output=True, text=True, check=False, timeout=WAIT_S)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def pack(folder: Path) -> None:
    assert run(str(folder / "memory_db" / "hooks" / "pack.py")) == ""


def told(folder: Path, sample_file: Path, path: Path) -> str:
    """What the hook of a folder says on a copy of the sample, without what names the recall."""
    shutil.copy(sample_file, path)
    payload = json.dumps({"prompt": "how do we run the migrations", "cwd": FOLDER, "session_id": "s"})
    script = str(folder / "memory_db" / "hook.py")
    said = run(script, "user-prompt", "-d", str(path), *PATIENT, payload=payload)
    return re.sub(r'recall=\\"\w+\\"', "", said)


def test_modules_come_from_it_and_no_pattern_is_compiled(code: Path) -> None:
    assert run("-c", LOADS, str(code)) == "PackedLoader\n"


def test_its_patterns_are_those_that_would_be_compiled(code: Path) -> None:
    count, are_equal = run("-c", PATTERNS, str(code)).split()
    assert int(count) > 100 and are_equal == "True"


@pytest.mark.parametrize("harm", ["changed", "cut off", "other", "empty", "missing"])
def test_one_that_cannot_be_used_is_as_good_as_none(
    code: Path, file_of_pack: Path, sample_file: Path, tmp_path: Path, harm: str
) -> None:
    before = told(code, sample_file, tmp_path / "before.db")
    data, module = file_of_pack.read_bytes(), code / "memory_db" / "recall" / "search.py"
    if harm == "changed":
        module.write_text(f"{module.read_text('utf-8')}\n# changed\n", "utf-8")
    elif harm == "missing":
        file_of_pack.unlink()
    else:
        file_of_pack.write_bytes({"cut off": data[: len(data) // 2], "other": b"\1\0\0\0" + data, "empty": b""}[harm])
    try:
        if harm != "cut off":  # of that one the first parts are whole
            assert run("-c", LOADS, str(code)).startswith("SourceFileLoader")
        assert told(code, sample_file, tmp_path / "after.db") == before
    finally:
        pack(code)


def test_the_answer_is_the_same_without_it(
    code: Path, sample_file: Path, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    plain = tmp_path_factory.mktemp("plain")
    shutil.copytree(SCRIPT.parent, plain / "memory_db", ignore=shutil.ignore_patterns("*.pack"))
    answer = told(code, sample_file, tmp_path / "packed.db")
    assert "additionalContext" in answer
    assert told(plain, sample_file, tmp_path / "plain.db") == answer


def test_the_first_session_writes_it_and_a_prompt_waits_for_nothing(
    code: Path, file_of_pack: Path, sample_file: Path, tmp_path: Path
) -> None:
    path, script = tmp_path / "sample.db", str(code / "memory_db" / "hook.py")
    shutil.copy(sample_file, path)
    file_of_pack.unlink()
    told(code, sample_file, tmp_path / "other.db")
    start = json.dumps({"session_id": "s", "cwd": FOLDER, "source": "startup"})
    run(script, "session-start", "-d", str(path), *PATIENT, payload=start)
    wait_for("no pack was written", file_of_pack.exists)
    assert run("-c", LOADS, str(code)) == "PackedLoader\n"
