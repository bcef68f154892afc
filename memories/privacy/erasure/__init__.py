"""Erasing a member, a memory or a source everywhere, step by step, with tombstones and a receipt.

What a single memory leaves at once stands in `memories.privacy.erase`; the jobs in `memories.jobs`.
"""
