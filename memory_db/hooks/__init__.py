"""What runs at an agent's events, in a process of its own: the standard library alone, a deadline, no failure.

In: an event's payload. Out: what the agent reads or obeys, and a row of `hook_runs` (or a line in the spool).
"""
