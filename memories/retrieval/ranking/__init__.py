"""The order of the candidates: fusion, cues, what is served once."""
