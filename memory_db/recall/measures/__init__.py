"""Numbers of a hit that take a walk of their own to measure."""
