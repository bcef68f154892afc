"""Webhooks: endpoints of robots and admins, the events that they are owed, and their sending."""
