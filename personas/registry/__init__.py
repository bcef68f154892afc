"""The personas of an organisation. Not who has them (associations)."""
