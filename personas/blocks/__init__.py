"""Blocks: bounded texts in every context of a robot. What may stand in them: memories.safety."""
