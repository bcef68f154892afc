"""The gates over HTTP."""
