"""Whether an answer answers: how sure it is, of each hit and of the whole. Nothing is cut here."""
