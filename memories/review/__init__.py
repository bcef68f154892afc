"""The queue of what waits for a decision. The decisions themselves are in curation."""
