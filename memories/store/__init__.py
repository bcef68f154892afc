"""The stored rows: memories, versions, lineage, and the rule for equal texts."""
