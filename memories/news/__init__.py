"""What happened to what a member proposed, wrote or asked for, on their page and by mail."""
