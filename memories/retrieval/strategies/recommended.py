"""What `auto` does."""

# One table, both arms, fused by scores: the default until the figures of the comparison
# (docs/architectures) say otherwise. `auto` names what it chose in the answer.
RECOMMENDED = "hybrid"
