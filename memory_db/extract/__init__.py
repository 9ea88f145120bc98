"""Entries and actions in, candidates out: what is worth proposing as a memory."""
