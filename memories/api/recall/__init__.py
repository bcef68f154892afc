"""Recall over HTTP, by the usual and the short way, and explanations. JSON is made in
`api.rendering`."""
