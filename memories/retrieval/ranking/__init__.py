"""The order of the candidates: fusion, cues, scores, and equal memories."""
