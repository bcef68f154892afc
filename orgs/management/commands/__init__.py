"""Commands for who runs the machine: arguments in, one call, words or JSON out."""
