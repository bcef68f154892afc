"""MCP at /mcp: tools, resources and a prompt for agents, each answered by a call of the REST API."""
