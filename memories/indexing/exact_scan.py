"""The size up to which a scope is searched exactly, row by row. Pure."""

# Above this an organisation gets indexes of its own, which serve askers who read more rows than
# this.
EXACT_SCAN_LIMIT = 20_000
