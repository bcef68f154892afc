"""Blocks as they are read: layers, entries, text, versions. Who writes them is in block_writes."""
