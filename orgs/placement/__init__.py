"""Which organisations there are and where: whatever is asked before one of them is named."""
