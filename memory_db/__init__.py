"""A measured memory for AI coding agents, in one SQLite file.

The formula is in `scoring`, the question in `recall`, the tables in
`migrations`, the views in `views/`. README.md has a "Where is ...?" table.
"""

__version__ = "0.1.0"
