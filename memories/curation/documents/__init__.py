"""Documents as memories: planned, imported by a job, listed, forgotten as a whole."""
