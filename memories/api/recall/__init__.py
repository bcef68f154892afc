"""Asking over HTTP: a recall by both ways, and why a memory came. Not what an answer looks like."""
