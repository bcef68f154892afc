"""Pages of working memory."""
