"""Decisions and the dissent that they keep: recorded, found again, prepared from, debated.

A decision is a memory; what only a decision has lies in parts of it."""
