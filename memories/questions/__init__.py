"""Questions that nothing answered, kept for curators for some days where the asker agreed."""
