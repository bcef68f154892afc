"""The cluster that fails over."""
