"""Commands on the file as a whole: open, check, clean, back up, export, settings and tokens."""
