"""Charts that show anywhere, and running the notebooks: `python notebooks/prepare.py` writes each `.ipynb` anew.

In: the `.py` of a pair, in jupytext's py:percent. Out: its `.ipynb` with outputs from a fresh sample file. A chart is
kept twice in it: as a picture, which needs nothing, and as its specification, whose sliders move in JupyterLab.
"""

from __future__ import annotations

import base64
import sys
import tempfile
from pathlib import Path

import altair as alt
import jupytext
import vl_convert
from nbclient import NotebookClient
from nbformat import NotebookNode

from memory_db.samples import ensure_sample

FOLDER = Path(__file__).parent

LIVE = "vnd.vegalite.v5+json"
"""The form of specification that JupyterLab 4 draws by itself."""

KEPT_METADATA = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}


def bundle(spec: dict[str, object], **_: object) -> dict[str, object]:
    """A chart as a picture and as a live specification, both without the network."""
    picture = base64.b64encode(vl_convert.vegalite_to_png(spec)).decode()
    live = {**spec, "$schema": "https://vega.github.io/schema/vega-lite/v5.json"}
    return {"image/png": picture, f"application/{LIVE}": live, "text/plain": "a chart"}


def enable_charts() -> None:
    """Makes every chart of this kernel show as `bundle` gives it."""
    alt.renderers.register("memory_db", bundle)
    alt.renderers.enable("memory_db")


def run(source: Path, database: Path) -> NotebookNode:
    """The notebook of a `.py`, run on a database file, with outputs and without a trace of where it ran.

    Raises: nbclient.exceptions.CellExecutionError, naming the cell that failed.
    """
    notebook = jupytext.read(source)
    cell = next(cell for cell in notebook.cells if "parameters" in cell.metadata.get("tags", []))
    as_written = cell.source
    cell.source = as_written.replace("database = None", f"database = {str(database)!r}")
    NotebookClient(
        notebook, timeout=120, kernel_name="python3", resources={"metadata": {"path": str(FOLDER)}}
    ).execute()
    cell.source = as_written
    notebook.metadata = {**KEPT_METADATA, "jupytext": {"formats": "ipynb,py:percent"}}
    for number, each in enumerate(notebook.cells):
        each.id = f"cell-{number}"
        each.metadata.pop("execution", None)
    return notebook


def main() -> None:
    """Writes the `.ipynb` of each pair, or of those named."""
    wanted = sys.argv[1:] or sorted(path.stem for path in FOLDER.glob("[0-9]*.py"))
    for name in wanted:
        with tempfile.TemporaryDirectory() as folder:
            notebook = run(FOLDER / f"{name}.py", ensure_sample(Path(folder)))
        jupytext.write(notebook, FOLDER / f"{name}.ipynb")
        print(f"{name}.ipynb", file=sys.stderr)


if __name__ == "__main__":
    main()
