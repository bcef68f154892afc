"""The sources of a context, a module each. How pieces become a text: `assembly`."""
