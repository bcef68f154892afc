"""Times in words as ranges of a filter; what is relative in a memory's own text is in language/."""
