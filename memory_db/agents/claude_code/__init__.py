"""Putting memory-db into Claude Code and taking it out again: hooks, commands, timers."""
