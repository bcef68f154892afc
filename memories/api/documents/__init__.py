"""Documents over HTTP: imported by a job, listed, forgotten as a whole."""
