"""Which tests run in one process of a run, because what they share is dear to start.

The marks of xdist (`xdist_group`) do not reach its scheduler under this pytest: a test's id can no
longer be changed.
"""

from xdist.scheduler import LoadScopeScheduling

# The beginning of a test's id -> what it shares with others. Chromium and torch take the processor
# for five seconds and more, the production site is collected and booted, and a restore makes a
# database by all migrations. To read every module takes four.
SHARED_RESOURCES = {
    # Apart from what is pure: that runs while another process makes the database.
    "tests/architecture/test_ways.py": "the ways of five acts",
    "tests/architecture/": "the source, read once",
    "tests/docs/test_conformance.py": "the source, read once",
    "tests/journeys/": "a browser",
    "tests/memories/embedding/test_embedding_base.py": "torch",
    "tests/memories/embedding/test_embedding_minilm.py": "torch",
    "tests/memories/indexing/test_model_switch.py": "torch",
    "tests/memories/retrieval/standby/": "a standby",
    "tests/operations/test_backup.py": "a restored database",
    "tests/operations/test_backup_refusals.py": "a small backup",
    "tests/operations/test_production.py::test_probes": "the production site",
    "tests/operations/test_production.py::test_the_site": "the production site",
}


class ResourceScheduler(LoadScopeScheduling):
    """Gives each test to whoever is free, and those that share something to one process, first."""

    def _split_scope(self, nodeid: str) -> str:
        return next(
            (what for begin, what in SHARED_RESOURCES.items() if nodeid.startswith(begin)), nodeid
        )
