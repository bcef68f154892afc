"""Rules about several memories: near-duplicates, contradictions, patterns across groups,
capacity."""
