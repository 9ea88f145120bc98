"""How `make site` builds the documentation as a site: every page as it is, and nothing from another host.

The pages are plain Markdown that reads well without the site. The order of its pages is that of docs/index.md. Beside
them stand the pages of the sample history as files, made anew with each build: what the browser shows, to try.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

from sphinx.application import Sphinx
from sphinx.errors import ExtensionError

ROOT = Path(__file__).resolve().parents[1]

project = "memory-db"
version = release = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["version"]
language = "en"
suppress_warnings = ["toc.not_included"]  # the notes of the data sets are reached from the benchmarks

extensions = ["myst_parser"]
root_doc = "docs/index"
include_patterns = ["*.md", "docs/*.md", "bench/data/*/README.md"]
exclude_patterns = [".*", "site", "README.md"]
myst_heading_anchors = 3
myst_enable_extensions = ["attrs_inline"]

html_theme = "furo"
html_title = "memory-db"
html_extra_path = ["site"]
html_copy_source = False
html_last_updated_fmt = None
pygments_style = "friendly"
pygments_dark_style = "monokai"

DEMO = "demo"
"""The folder of the site that the pages of the sample history go to."""

TRY_IT = f"""
<p><a href="../{DEMO}/index.html">Try the pages on the sample history</a>: as they are, without a server.</p>
"""

SECTION = re.compile(r"^## (.+)\n\n((?:- .+\n)+)", re.M)
"""A section of the index: its title, and its list of links."""


def with_contents(app: Sphinx, name: str, source: list[str]) -> None:
    """Give the index its table of contents, which is the links of its sections."""
    if name == root_doc:
        source[0] += "".join(contents(title, links) for title, links in SECTION.findall(source[0]))


def contents(title: str, links: str) -> str:
    """One section of the index as a part of the table of contents."""
    pages = re.findall(r"\]\(([^)]+)\.md\)", links)
    lines = [page if not page.startswith("../") else f"/{page.removeprefix('../')}" for page in pages]
    return "\n".join(["", "```{toctree}", ":hidden:", f":caption: {title}", "", *lines, "```", ""])


def with_demo(app: Sphinx, name: str, source: list[str]) -> None:
    """Lead from the index to the pages of the sample history, before its first section."""
    if name == root_doc and app.builder.name == "html":
        source[0] = source[0].replace("\n## ", f"{TRY_IT}\n## ", 1)


def make_demo(app: Sphinx, trouble: Exception | None) -> None:
    """Write the pages of the sample history into the site, as the command line does."""
    if trouble is not None or app.builder.name != "html":
        return
    folder = Path(app.outdir, DEMO)
    shutil.rmtree(folder, ignore_errors=True)
    with tempfile.TemporaryDirectory() as temporary:
        file = str(Path(temporary, "sample.db"))
        for words in (["run", "--sample"], ["export", "--site", str(folder)]):
            command = [sys.executable, "-m", "memory_db", *words, "-d", file]
            done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
            if done.returncode:
                raise ExtensionError(f"The demo cannot be made: {done.stderr.strip()}")


def without_folders(app: Sphinx, name: str, source: list[str]) -> None:
    """Turn links to folders, which a site cannot show, into their text."""
    folder = (ROOT / name).parent

    def plain(match: re.Match[str]) -> str:
        return f"`{match[1]}`" if (folder / match[2]).is_dir() else match[0]

    source[0] = re.sub(r"(?<!!)\[([^]]+)\]\(([^)\s]+)\)", plain, source[0])


def setup(app: Sphinx) -> None:
    """Read the pages through all of them, and make the demo."""
    app.connect("source-read", with_contents)
    app.connect("source-read", with_demo)
    app.connect("build-finished", make_demo)
    app.connect("source-read", without_folders)
