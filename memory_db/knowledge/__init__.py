"""Rows of knowledge: memories and their versions, evidence and belief, layers, locks, succession, proposals."""
