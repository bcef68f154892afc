"""Nothing that was acknowledged is lost.

The product's own processes run under load, while a killer ends workers, the database and the
broker, and a judge compares the database with what was answered. What is drawn has a seed, states
are waited for, and nothing is held to a time.
"""
