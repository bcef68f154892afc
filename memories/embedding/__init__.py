"""Encoders from text to vectors. No other folder imports a model library."""
