"""Candidates from a project's own files: what they direct, which commands there are, where things lie, what CI runs."""
