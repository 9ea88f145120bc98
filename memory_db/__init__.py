"""A measured memory for AI coding agents, in one SQLite file.

The formula is in `recall.scoring`, the question in `recall`, the tables in
`store/migrations/`, the views in `store/views/`. README.md has a "Where is ...?" table.
"""

import os

# Nothing leaves the machine. onnxruntime tells its maker what it runs on, from its import on; it does not where this is
# set before. Source: Privacy.md in the package.
os.environ["ORT_DISABLE_TELEMETRY"] = "1"  # noqa: TID251  # it has no other way to be told

__version__ = "0.1.0"
