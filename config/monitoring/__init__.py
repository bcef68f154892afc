"""What the running site says of itself: logs, figures, probes, health."""
