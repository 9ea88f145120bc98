"""Ways in by tools of others, from the wheel, each in an environment and a home of its own: uv, pipx, pip with llm or
Datasette, JupyterLab. What is downloaded is kept in one cache for all of them."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import httpx2
import pytest

from tests.pages.test_datasette_serve import environment_with_wheel
from tests.support.patience import WAIT_S

PROGRAMS = Path(sys.executable).parent
UV, PIPX = PROGRAMS / "uv", PROGRAMS / "pipx"
PYTHON = str(Path(sys._base_executable).resolve())

pytestmark = [
    pytest.mark.slow,
    pytest.mark.ways,
    pytest.mark.skipif(not (UV.exists() and PIPX.exists()), reason="uv and pipx come with requirements.txt"),
]

QUESTION, ANSWER = "how do we run the migrations", "uv run alembic upgrade head"


class User:
    """Somebody who has nothing yet: an empty home, and no variable of ours."""

    def __init__(self, home: Path, cache: Path) -> None:
        home.mkdir()
        kept = {name: os.environ[name] for name in ("PATH", "LANG", "SSL_CERT_FILE") if name in os.environ}
        kept |= {name: value for name, value in os.environ.items() if name.startswith(("PIP_", "UV_"))}
        self.home = home
        self.environment = kept | {
            "HOME": str(home), "UV_CACHE_DIR": str(cache / "uv"), "PIP_CACHE_DIR": str(cache / "pip"),
            "PATH": f"{PROGRAMS}:{home / '.local' / 'bin'}:{os.environ.get('PATH', os.defpath)}",
        }  # fmt: skip

    def said(self, *words: str | Path) -> str:
        """What a command prints. Raises: AssertionError where it fails."""
        done = subprocess.run(
            words, cwd=self.home, env=self.environment, stdin=subprocess.DEVNULL, capture_output=True, text=True,
            timeout=WAIT_S, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    @contextmanager
    def running(self, pattern: str, *words: str | Path) -> Iterator[str]:
        """A server, until the block ends; what the pattern finds in what it tells."""
        told = self.home / ".told"
        with told.open("w") as sink:
            process = subprocess.Popen(
                words, cwd=self.home, env=self.environment, stdin=subprocess.DEVNULL, stdout=sink, stderr=sink,
                start_new_session=True,
            )  # fmt: skip
        try:
            while not (found := re.search(pattern, told.read_text("utf-8"))):
                assert process.poll() is None, told.read_text("utf-8")
                time.sleep(0.1)
            yield found[0]
        finally:
            with suppress(ProcessLookupError):  # it ended by itself, which is told above
                os.killpg(process.pid, signal.SIGTERM)  # what it started, too
            process.wait(timeout=WAIT_S)
            told.unlink()


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the wheel, an environment that borrows our packages, and a cache: made once for all tests here."""
    folder = tmp_path_factory.mktemp("others")
    environment_with_wheel(folder)
    return folder


@pytest.fixture
def wheel(place: Path) -> str:
    return str(next(place.glob("*.whl")))


@pytest.fixture
def user(place: Path, tmp_path: Path) -> User:
    return User(tmp_path / "home", place / "cache")


def answer_by(link: str) -> str:
    """What the Ask page answers to who opened the signed-in link."""
    with httpx2.Client(follow_redirects=True, timeout=WAIT_S) as visitor:
        assert visitor.get(link).status_code == 200
        return visitor.get(f"{link.partition('/-/')[0]}/-/memory/recall", params={"q": QUESTION}).text


def test_uv_installs_it_as_a_tool(user: User, wheel: str) -> None:
    user.said(UV, "tool", "install", "--quiet", "--python", PYTHON, wheel)
    program = user.home / ".local" / "bin" / "memory-db"
    assert user.said(program, "--version").startswith("memory-db")
    # A hook and a recall in it need the package alone.
    user.said(program, "run", "--sample", "--memories-only")
    sample = user.home / ".memory-db" / "sample.db"
    assert "migration" in user.said(program, "-d", sample, "recall", QUESTION)


def test_uv_runs_the_demo_and_leaves_nothing_but_caches(user: User, wheel: str) -> None:
    words = ("tool", "run", "--python", PYTHON, "--from", wheel, "memory-db", "demo", "--no-browser", "--port", "0")
    with user.running(r"http://127\S+auth-token\S+", UV, *words) as link:
        assert ANSWER in answer_by(link)
    assert {path.name for path in user.home.iterdir()} <= {".cache", ".local"}
    assert not list(user.home.glob(".local/bin/*"))
    assert [path.name for path in (user.home / ".cache").iterdir() if path.name != "uv"] == ["memory-db"]


def test_pipx_installs_it(user: User, wheel: str) -> None:
    user.said(PIPX, "install", "--quiet", "--python", PYTHON, wheel)
    program = user.home / ".local" / "bin" / "memory-db"
    user.said(program, "notebook", "copy", "mine")
    assert (user.home / "mine" / "prepare.py").is_file()


def test_llm_installs_it(user: User, wheel: str) -> None:
    user.said(UV, "venv", "--quiet", "--seed", "--python", PYTHON, "venv")
    bare = user.home / "venv" / "bin"
    user.said(UV, "pip", "install", "--quiet", "--python", bare / "python", "llm")
    user.said(bare / "llm", "install", wheel)
    ours = user.said(bare / "memory-db", "--help").partition("\n")[2]
    assert user.said(bare / "llm", "memory", "--help").partition("\n")[2] == ours
    assert "memory:" in user.said(bare / "llm", "fragments", "loaders")


def test_datasette_installs_it(user: User, wheel: str) -> None:
    user.said(UV, "venv", "--quiet", "--seed", "--python", PYTHON, "venv")
    bare = user.home / "venv" / "bin"
    user.said(UV, "pip", "install", "--quiet", "--python", bare / "python", "datasette")
    user.said(bare / "datasette", "install", wheel)
    user.said(bare / "memory-db", "run", "--sample", "--memories-only")
    file = (user.home / ".memory-db" / "sample.db").rename(user.home / "memory.db")
    words = ("-u", bare / "datasette", file, "--root", "--port", "0")
    with user.running(r"(?s)auth-token\S+.*running on http://[\d.]+:\d+", bare / "python", *words) as told:
        token = told.split()[0]
        assert ANSWER in answer_by(f"{told.rpartition(' ')[2]}/-/{token}")


def test_notebooks_open_in_jupyterlab(user: User, place: Path) -> None:
    program = place / "venv" / "bin" / "python"
    user.environment |= {"BROWSER": "true", "JUPYTER_PREFER_ENV_PATH": "1"}
    (user.home / ".jupyter").mkdir()
    (user.home / ".jupyter" / "jupyter_server_config.py").write_text("c.ServerApp.allow_root = True\n", "utf-8")
    words = ("-m", "memory_db", "notebook", "lab", "mine")
    lab, visitor = (
        user.running(r"http://127\S+token=\w+", program, *words),
        httpx2.Client(follow_redirects=True, timeout=WAIT_S, transport=httpx2.HTTPTransport(retries=8)),
    )
    with lab as link, visitor:
        assert "JupyterLab" in visitor.get(link).text
        listed = visitor.get(f"{link.partition('/lab')[0]}/api/contents").json()["content"]
    assert "03_tune_recall_weights.ipynb" in {each["name"] for each in listed}
