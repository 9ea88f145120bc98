"""How well the file does, and what can be done about it."""
