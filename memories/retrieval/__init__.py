"""Recall: from a question to the readable memories that answer it, ranked and recorded."""
