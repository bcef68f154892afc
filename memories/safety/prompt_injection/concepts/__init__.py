"""Orders by their meaning: words of nine languages stand for concepts, and a rule is a few concepts
near each other. Pure."""
