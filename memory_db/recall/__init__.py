"""A question in, scored hits out. `scoring` has the formula, `search` the way to it, `pool` what is considered."""
