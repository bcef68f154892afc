"""The review queue: items that wait for a decision. The decisions themselves are in curation."""
