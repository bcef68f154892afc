"""Who reads what, one by one, and why. How it is said in a sentence: `reader_sentences`."""
