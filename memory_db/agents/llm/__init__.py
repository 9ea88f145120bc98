"""Memory inside llm: `ask`, and briefs as fragments."""
