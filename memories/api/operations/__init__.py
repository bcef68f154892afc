"""The log of operations, index layouts, the feed of changes, and changes of many memories, over
HTTP."""
