"""Entries and actions in, candidates out: what is worth proposing as a memory."""

INTERRUPTED = "its process ended without a word"
"""What is said of a run that was killed: the next one of its kind goes on with it."""
