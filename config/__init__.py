"""Settings, addresses, logs and probes of the site.

What an organisation keeps lives in the apps.
"""
