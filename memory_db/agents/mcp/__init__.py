"""The MCP server, over stdio and HTTP: its tools are what `agents.reader` answers."""
