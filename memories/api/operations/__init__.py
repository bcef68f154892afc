"""The log of operations over HTTP."""
