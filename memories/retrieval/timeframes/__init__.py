"""Times in words as ranges for filters. Relative times in memories are handled in language/."""
