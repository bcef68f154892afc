"""What makes a memory findable.

Words, vectors, windows, partitions, and the worker that fills them.
"""
