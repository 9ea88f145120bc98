"""Dates and spans of time in words."""
