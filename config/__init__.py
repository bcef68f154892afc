"""Settings, URLs, logs and probes of the site.

Everything about organisations is in the apps.
"""
