"""Back to a moment: into a new DATA_DIR, or into a scratch folder to rehearse it."""
