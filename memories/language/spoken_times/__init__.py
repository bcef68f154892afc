"""Times in the words of languages other than English: found, dated, and asked for."""
