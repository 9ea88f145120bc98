"""The command line: `memory-db` and `llm memory` are this one group of commands.

Thin: parse, call, print. Commands are loaded when they are used, so that
asking a question does not wait for the libraries of serving.
"""

from memory_db.cli.group import cli, main

__all__ = ["cli", "main"]
