"""Tools of the repository, measurements and mutants. The product imports nothing of them."""
