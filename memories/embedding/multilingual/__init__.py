"""multilingual-e5-small: its packed file, its tokenizer, its export and its encoder."""
