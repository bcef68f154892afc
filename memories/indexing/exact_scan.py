"""Up to how many rows a scope is searched by looking at each of them. Pure."""

# Above, an organisation gets indexes of its own, and who reads more than this is searched by them.
EXACT = 20_000
