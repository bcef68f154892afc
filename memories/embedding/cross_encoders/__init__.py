"""Question and text read together: how well the one answers the other, on request only."""
