"""The strategy of `auto`."""

# What the comparison of the architectures recommends (docs/architectures/report.json; a test holds
# the two together): one table, both arms, fused by scores. `auto` names it in the answer.
DEFAULT_STRATEGY = "triple_tenant"
