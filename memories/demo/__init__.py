"""The demo organisation: made on a fresh machine, removed when somebody has seen enough."""
