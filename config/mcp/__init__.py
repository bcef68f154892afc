"""MCP at /mcp: tools, resources and a prompt, each answered by a call of the REST API."""
