"""What a robot has at hand: its working memory, what leaves it, and the text that fits a budget."""
