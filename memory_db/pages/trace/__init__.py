"""A session as a trace: what happened turn by turn, what it took, and what its agent was shown."""
