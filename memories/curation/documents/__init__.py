"""Documents as memories: planned, imported by a job, listed, forgotten as a whole, as what a
member's own import brought is."""
