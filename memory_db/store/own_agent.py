"""How an agent that memory-db itself starts is recognised: by its environment and by its working folder.

In: nothing. Out: two names. Invariant: standard library only, for hooks load this.
"""

OWN_AGENT = "MEMORY_DB_AGENT"
"""Set in the environment of an agent that memory-db itself started: its hooks do nothing, or they would go round."""

OWN_FOLDER = "asked-by-memory-db"
"""Name of the folder in which such an agent works. A transcript whose session began there is never imported."""
