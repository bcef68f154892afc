"""The readers of an audience one by one, each with the reason. Sentences: `reasons`."""
