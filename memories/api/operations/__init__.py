"""The log of operations, index layouts and the feed of changes over HTTP."""
