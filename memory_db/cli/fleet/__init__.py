"""Commands for many files at once."""
