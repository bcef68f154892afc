"""The mem0 door: addresses and answers of mem0, served by the services of this product."""
