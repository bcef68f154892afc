"""The gates over HTTP, and the policies of an organisation."""
