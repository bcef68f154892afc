"""Measurements: `make bench`, or `python -m tools.benchmarks` beside the services.

They run on the product's own services and the real encoder, and need its runtime packages alone.
docs/benchmarks.md says how to read what they print.
"""
