"""Commands about the whole service; what they do lives in `config.monitoring`."""
