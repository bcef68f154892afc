"""What people look at: lists, one memory, history, views that they keep.

Nothing here changes a memory.
"""
