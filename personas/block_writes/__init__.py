"""Acts on blocks: write, consolidate, attach, and the gate for personal data."""
