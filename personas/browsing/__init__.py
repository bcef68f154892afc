"""What people look at: personas, blocks and their versions. Nothing here changes a block."""
