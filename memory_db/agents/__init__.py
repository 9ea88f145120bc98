"""Ways for an agent to ask and to be told: Claude Code's plugin, MCP, llm. They do not know each other."""
