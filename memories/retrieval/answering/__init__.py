"""Whether hits answer the question: the confidence of each hit and of the whole answer. No hit is
removed here."""
