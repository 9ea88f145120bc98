"""What an agent may ask and propose, and what it reads: for MCP and for tools of llm alike."""
