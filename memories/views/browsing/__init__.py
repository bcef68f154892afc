"""Lists of memories: all, shared, forgotten, as somebody else, under a name."""
