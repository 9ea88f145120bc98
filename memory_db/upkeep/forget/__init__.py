"""Removing something for good, with proof."""
