"""The working memory of robots and teams, and the context for a prompt within a token budget."""
