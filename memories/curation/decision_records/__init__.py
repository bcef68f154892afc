"""Decisions and their dissents: recorded, found, prepared for a meeting, debated.

A decision is a memory; the further facts of a decision are parts of that memory.
"""
