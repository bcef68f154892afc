"""Cross-encoders: they read question and text together and score the answer. Only used on
request."""
