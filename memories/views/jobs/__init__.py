"""Pages of longer work and of imports."""
