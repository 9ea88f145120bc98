"""Commands that ask: recall, why, brief, ask."""
