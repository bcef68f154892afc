"""Words and numbers of pages in the language of who reads (chosen in `config/languages`)."""
