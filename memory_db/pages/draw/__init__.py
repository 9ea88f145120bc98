"""Drawings as numbers for inline SVG, colours, and the filters of templates."""
