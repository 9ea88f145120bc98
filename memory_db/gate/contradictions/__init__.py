"""Memories that cannot both hold: found by rules and by a model, judged, decided by a person."""
