"""Loads what commands load. For the server of `forked.py` alone: whoever imports it has all of it."""

from bench.kills import preload

preload()
