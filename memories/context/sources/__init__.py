"""Where the pieces of a context come from, a module for each; not how they are laid out."""
