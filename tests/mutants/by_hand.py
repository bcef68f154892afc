"""Breakages by hand: a line of a service made wrong, and the tests that must notice it.

Machines make mutants of rules and of what the database is asked. What they cannot tell is whether a
permission, an expiry, a lease or an audit line of a service is held by any test. Each of these was
once unnoticed by the whole suite. `make mutants ARGS="--part hand"` runs them; a quick test looks
whether each still applies.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Breakage:
    """words: what is wrong then. old: a text that stands in the module once. tests: as pytest takes
    them; at least one of them must fail."""

    words: str
    module: str
    old: str
    new: str
    tests: tuple[str, ...]

    def applied_to(self, source: str) -> str:
        """The source with the breakage. Raises ValueError unless the text stands there once."""
        if source.count(self.old) != 1:
            raise ValueError(f"{self.module} has {source.count(self.old)} times: {self.old}")
        return source.replace(self.old, self.new)


SHIPPED = "tests/config/settings/test_shipped_values.py"
BREAKAGES = (
    Breakage(
        "a job is leased for an hour",
        "memories/jobs/queue.py",
        "LEASE = timedelta(minutes=5)",
        "LEASE = timedelta(minutes=60)",
        (SHIPPED,),
    ),
    Breakage(
        "eighty wrong passwords are allowed",
        "config/settings/accounts.py",
        '"login_failed": "8/600s/key"',
        '"login_failed": "80/600s/key"',
        (SHIPPED,),
    ),
    Breakage(
        "wrong keys are not limited",
        "config/settings/limits.py",
        'env.int("WRONG_KEYS_PER_MINUTE", default=60)',
        'env.int("WRONG_KEYS_PER_MINUTE", default=0)',
        (SHIPPED,),
    ),
    Breakage(
        "the log of moves has another surprise",
        "memories/lifecycle/age.py",
        "        d.reason, d.surprise, %(now)s",
        "        d.reason, 0, %(now)s",
        ("tests/memories/lifecycle/test_age.py",),
    ),
    Breakage(
        "a summary of a stream may be one token over its budget",
        "memories/context/streams/streams.py",
        "if taken + cost > max_tokens:",
        "if taken + cost > max_tokens + 1:",
        ("tests/memories/context/test_streams.py",),
    ),
    Breakage(
        "a key may be written in capitals",
        "robots/access/keys.py",
        "parts = _FORM.fullmatch(presented)",
        "parts = _FORM.fullmatch(presented.lower())",
        ("tests/robots/access/test_keys.py",),
    ),
    Breakage(
        "a known browser is known for every account",
        "orgs/accounts/known_browsers.py",
        "return browser if email and account == _account(email) else None",
        "return browser if email else None",
        ("tests/orgs/accounts/test_entrance.py",),
    ),
    Breakage(
        "a walk comes back to where it began",
        "memories/retrieval/candidates/graph_walk.py",
        "WHERE depth > 0 AND NOT looped LIMIT 20000",
        "WHERE depth > 0 LIMIT 20000",
        ("tests/memories/retrieval/experts/test_experts.py",),
    ),
    Breakage(
        "a restore does not erase again",
        "orgs/database/backup/restore.py",
        "            hooks.run_restored(entries, say)\n",
        "",
        ("tests/operations/test_backup.py",),
    ),
)
