"""Why a memory came up, and why another did not."""
