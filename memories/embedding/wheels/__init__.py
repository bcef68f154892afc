"""Models that lie in the wheel of a package: one folder of it is taken, its code never is."""
