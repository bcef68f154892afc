"""The console of support staff, at /admin/."""
