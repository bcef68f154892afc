"""SCIM 2.0 (RFC 7643, RFC 7644) under /scim/v2: an identity provider keeps people and groups."""
