"""A question in, scored hits out. `scoring` has the formula, `search` the way to it, `gather` what is considered."""
