"""From a draft to rows: choose its audience, compare it with existing memories, write it."""
