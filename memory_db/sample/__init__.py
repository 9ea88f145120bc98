"""The sample history: two months of an invented developer's Claude Code sessions.

What enters: `sessions/*.yaml`, dialogues that a person can read and edit. What leaves: JSONL files laid out as
Claude Code lays them out below `~/.claude/projects`. Everything in it is invented; the same YAML gives the same bytes.
"""
