"""Imports over HTTP, with what they take and give: a file, and the plan of what it would bring."""
