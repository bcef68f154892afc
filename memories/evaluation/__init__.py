"""The comparison of the architectures: seeded data, scenarios, measures, report, recommendation.

`manage.py compare_architectures` runs it on an organisation that it creates and removes. The data
itself says who may read what, so a leak is found without asking the code under test.
"""
