"""Entities that memories name, edges between memories, and how near two stand."""
