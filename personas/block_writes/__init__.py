"""Acts on blocks: write, consolidate, attach, and what a gate says to a line."""
