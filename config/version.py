"""The release, by semantic versioning: the one place that says it."""

VERSION = "0.2.0.dev0"
