"""From scored hits to the text an agent reads: what is shown, in which role, within which budget; the log."""
