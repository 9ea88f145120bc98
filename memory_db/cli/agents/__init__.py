"""Commands in an agent: install and uninstall, what answers it, and hooks."""
