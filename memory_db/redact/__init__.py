"""Secrets and attacks: what must leave a text before it touches the file."""
