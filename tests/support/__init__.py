"""What tests share: rows written by hand, models that answer from a script, browsers, real clients."""
