"""Commands for operators: arguments in, one service call, text or JSON out."""
