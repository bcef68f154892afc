"""Rules that find personal data in a text. What happens then: `safety.gate`."""
