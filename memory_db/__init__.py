"""A measured memory for AI coding agents, in one SQLite file.

Each folder is a room and imports only rooms below it; docs/architecture.md says what each holds, and where everything
is.
"""

import os

# Nothing leaves the machine. onnxruntime tells its maker what it runs on, from its import on; it does not where this is
# set before. Source: Privacy.md in the package.
os.environ["ORT_DISABLE_TELEMETRY"] = "1"  # noqa: TID251  # it has no other way to be told

__version__ = "0.2.0"
