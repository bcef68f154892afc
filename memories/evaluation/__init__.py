"""The architectures compared: seeded data, scenarios, measures, a report and a recommendation.

`manage.py compare_architectures` runs it on an organisation that it makes and removes. The data
knows by itself who may read what, so that a leak is found without asking the code under test.
"""
