"""What the pages show: read from the file, free of any browser or server.

The Datasette plugins in `plugins/` are thin: they take what `reading`,
`asking` and `bars` give, and hand it to a template or to JSON. Only `compat`
knows which Datasette is running.
"""
