"""Personal data as people write it in a hurry: in lower case, in words, in a sentence. Pure."""
