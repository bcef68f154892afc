"""What several memories say together: near-duplicates, contradictions, patterns of groups."""
