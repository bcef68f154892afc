"""Rules that find text which would steer a reading model. Pure. What happens then:
`safety.gate`."""
