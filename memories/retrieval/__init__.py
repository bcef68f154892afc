"""Recall: from a question to what the asker may read, ranked and noted."""
