"""What people change in memories: edit, share, split, decide, merge, undo.

Forgetting is in lifecycle.
"""
