"""Which members have which personas, and the personal robots that serve them."""
