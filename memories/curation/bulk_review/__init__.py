"""Several items of the review queue decided in one act: preview, act, undo."""
