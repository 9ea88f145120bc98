"""A plugin of Datasette by which all that are made in this process compile each template once."""

from __future__ import annotations

from typing import Any

from jinja2 import BytecodeCache
from jinja2.bccache import Bucket

from memory_db.pages.web.compat import hookimpl


class Compiled(BytecodeCache):
    """Templates as code, by their key; what is kept of another source is not given."""

    def __init__(self) -> None:
        self.by_key: dict[str, bytes] = {}

    def load_bytecode(self, bucket: Bucket) -> None:
        """Gives what is kept, if anything."""
        if bucket.key in self.by_key:
            bucket.bytecode_from_string(self.by_key[bucket.key])

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Keeps it."""
        self.by_key[bucket.key] = bucket.bytecode_to_string()


COMPILED = Compiled()


@hookimpl
def prepare_jinja2_environment(env: Any) -> None:
    """Asked by each Datasette that has made its environment."""
    env.bytecode_cache = COMPILED
