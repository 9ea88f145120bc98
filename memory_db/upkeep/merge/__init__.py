"""Two files made one: what each table means for that, and the modules that follow it."""
