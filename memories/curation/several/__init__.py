"""Several items of the review queue, decided in one act: what it would do, the act, its undo."""
