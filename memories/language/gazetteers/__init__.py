"""Lists of words that rules look up."""
