"""Lists to browse: memories and sessions, by words, facets and order, and what is changed for many at once."""
