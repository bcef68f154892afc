"""Exports of other programs, as the JSON lines that an import reads: a module for each format, and
`registry`, which recognises them. Pure: bytes in, bytes out."""
