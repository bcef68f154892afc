"""The pages of the review queue."""
