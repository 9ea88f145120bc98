"""One reader a format: a source in, the common shapes of `records` out.

Readers know nothing of the database; `writer` knows nothing of formats.
Invariant: every text a reader hands on has passed `redact`.
"""
