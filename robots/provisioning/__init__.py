"""What an identity provider does to members and groups: SCIM as acts of the organisation."""
