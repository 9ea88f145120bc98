"""What the pages show: read from the file, free of any browser or server.

A module or a package is a page: `page` reads it, `actions` is what its buttons do. `web` alone knows Datasette, and its
`routes` has the table of pages; `draw` has what templates draw with.
"""
