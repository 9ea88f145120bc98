"""What came of shown memories: citations, use, corrections and session outcomes become evidence.

In: entries and recalls of a session. Out: rows of `evidence`, `weak_labels` and `session_outcomes`.
"""
