"""What `auto` does."""

# One table, both arms, fused by scores: what no comparison of the strategies has beaten so far.
# `auto` names it in the answer.
RECOMMENDED = "hybrid"
