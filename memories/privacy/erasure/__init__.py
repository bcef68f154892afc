"""Erasing a member, a memory or a source everywhere, step by step, with tombstones and a receipt.

Erasing a single memory is in `memories.privacy.erase_memory`; the job queue in `memories.jobs`.
"""
