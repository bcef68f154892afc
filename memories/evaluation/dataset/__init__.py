"""The generated organisation that the comparison measures: who says what and asks what."""
