"""What people look at: lists, one memory, history, saved views.

Nothing here changes a memory.
"""
