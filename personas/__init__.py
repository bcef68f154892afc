"""What robots learn about serving people of one profession, in blocks without anything personal."""
