"""What happened to what a member proposed, wrote or asked for, and what others say of what they do,
on their page and by mail."""
