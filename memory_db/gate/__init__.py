"""One decision for each candidate, by ordered rules; it makes, merges, replaces, or puts before a person.

In: candidates. Out: rows of `decisions`, and what they changed: memories, evidence, edges, contradictions.
"""
