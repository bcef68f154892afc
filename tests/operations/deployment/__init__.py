"""The Helm chart, and what a rolling restart does to callers."""
