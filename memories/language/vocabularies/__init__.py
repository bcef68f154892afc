"""The words of languages other than English as data, one module each, and what reads them."""
