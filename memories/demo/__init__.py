"""The demo organisation: created on a fresh machine, removed on request."""
