"""Make memories sensitive or plain, and rotate keys. How a text is encrypted:
`store.encryption`."""
