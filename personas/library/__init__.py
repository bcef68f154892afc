"""What people look at: personas, what stands and stood in blocks. Nothing here changes a block."""
