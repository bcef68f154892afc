"""Profiles: what is known about a member, a group or a topic within what the asker reads.

What answers one question is in `retrieval`; texts for prompts are in `context`.
"""
