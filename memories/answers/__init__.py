"""Answers: the sentences that answer a question, marked in their memories, or a checked text."""
