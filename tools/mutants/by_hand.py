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


SCOPES = "tests/isolation/test_scopes.py"
LEFT_OVER = "tests/memories/privacy/erasure/test_left_over.py"
SHIPPED = "tests/config/settings/test_shipped_values.py"
IDEMPOTENCY = "tests/api/test_idempotency.py"
CONDITIONAL = "tests/api/test_conditional.py"
REPLAYS = "tests/isolation/test_replays.py"
BREAKAGES = (
    Breakage(
        "an old ETag passes",
        "orgs/api/conditional.py",
        'etag not in wanted and "*" not in wanted',
        "not etag",
        (CONDITIONAL,),
    ),
    Breakage(
        "an ETag is checked before the lock alone",
        "orgs/api/conditional.py",
        "            etag = _read_etag(name, request, kwargs)\n        _check(",
        "            pass\n        _check(",
        (CONDITIONAL,),
    ),
    Breakage(
        "an ETag is checked without a lock",
        "orgs/api/conditional.py",
        "        for statement in _resources[name].locks:",
        "        for statement in ():",
        (CONDITIONAL,),
    ),
    Breakage(
        "what is hidden differs from what is absent",
        "orgs/api/conditional.py",
        "        if wanted is not None:\n            raise PreconditionError(NOT_FOUND_DETAIL)",
        "        if wanted == []:\n            raise PreconditionError(NOT_FOUND_DETAIL)",
        (CONDITIONAL,),
    ),
    Breakage(
        "a replay shows what its asker reads no longer",
        "orgs/api/idempotency.py",
        "        needed and find_readable_rows",
        "        not needed and find_readable_rows",
        (IDEMPOTENCY,),
    ),
    Breakage(
        "a replay asks no more for the role",
        "orgs/api/idempotency.py",
        "bytes(standing) != call.standing or",
        "False or",
        (IDEMPOTENCY,),
    ),
    Breakage(
        "another body gets the answer of the first",
        "orgs/api/idempotency.py",
        "if bytes(sent) != call.request:",
        "if not sent:",
        (IDEMPOTENCY,),
    ),
    Breakage(
        "two equal calls run at once",
        "orgs/api/idempotency.py",
        "        if not free:",
        "        if free is None:",
        (REPLAYS,),
    ),
    Breakage(
        "the answer that tells a secret is kept",
        "orgs/api/idempotency.py",
        '"Cache-Control") != "no-store"',
        '"Cache-Control") != "none"',
        (IDEMPOTENCY,),
    ),
    Breakage(
        "a job is leased for an hour",
        "config/settings/base.py",
        'env.int("WORK_LEASE_SECONDS", default=300)',
        'env.int("WORK_LEASE_SECONDS", default=3600)',
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
        "memories/lifecycle/tier_moves.py",
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
        "            on_database_restored(entries, say)\n",
        "",
        ("tests/operations/test_backup.py",),
    ),
    Breakage(
        "a viewer forgets what they wrote when they were a member",
        "memories/access/permissions.py",
        "return _is_subject_q(actor) if _is_viewer(actor) else may_change_q(actor)",
        "return may_change_q(actor)",
        (SCOPES,),
    ),
    Breakage(
        "a viewer's session writes",
        "orgs/accounts/sessions.py",
        'scopes=frozenset({"read"} if member.role == "viewer" else {"read", "write"})',
        'scopes=frozenset({"read", "write"})',
        (SCOPES,),
    ),
    Breakage(
        "a key that only reads forgets",
        "robots/api/permissions.py",
        'if needed == "write" and actor.is_person and method in',
        'if needed == "write" and method in',
        (SCOPES,),
    ),
    Breakage(
        "an association that nobody confirmed teaches a context",
        "personas/context_source.py",
        "%(organisation)s AND s.confirmed_at IS NOT NULL",
        "%(organisation)s",
        (SCOPES,),
    ),
    Breakage(
        "words of other readers make a pair",
        "memories/lifecycle/consolidation/near_duplicates.py",
        " AND o.audience_id = given.audience_id",
        "",
        ("tests/memories/lifecycle/consolidation/test_near_duplicates.py",),
    ),
    Breakage(
        "another's fact is superseded without a decision",
        "memories/state/supersede_requests.py",
        "if not may_change(self.principal, memory):",
        "if memory is None:",
        ("tests/memories/curation/test_facts_said.py",),
    ),
    Breakage(
        "a memory that the caller only reads is locked",
        "memories/state/supersede_requests.py",
        "if decides.of(row) or (id_ == newer and may_change(principal, row))",
        "if row is not None",
        ("tests/memories/state/test_supersede_many.py",),
    ),
    Breakage(
        "a mere wish is told as a dispute",
        "memories/state/supersede_requests.py",
        "disputes = bool(others) and wisher is None and _DecisionRights(principal).of(newer)",
        "disputes = bool(others)",
        ("tests/memories/curation/test_wishes.py",),
    ),
    Breakage(
        "approving a text ends what is another's",
        "memories/state/supersede_wishes.py",
        "if matches(may_change_q(writer), row):",
        "if row is not None:",
        ("tests/memories/curation/test_wishes.py",),
    ),
    Breakage(
        "a longer circle of supersedes is let through",
        "memories/state/supersede_memory.py",
        "if not list_successor_ids(organisation_id, newer_id).isdisjoint(older_ids):",
        "if newer_id in older_ids:",
        ("tests/memories/curation/test_facts_said.py",),
    ),
    Breakage(
        "what was over by then is served as of then",
        "memories/retrieval/candidates/search_conditions.py",
        ' "\n    "AND (m.valid_until IS NULL OR m.valid_until > %(as_of)s)"',
        '"',
        ("tests/memories/curation/test_facts_said.py",),
    ),
    Breakage(
        "what is past its end shows an expert",
        "memories/retrieval/candidates/expert_evidence.py",
        "    WHERE m.status = 'active' AND {not_expired_sql()}\n"
        "      AND {QUESTION_NOT_EXPIRED_SQL} AND {IN_GROUP_SQL}\n    GROUP BY",
        "    WHERE m.status = 'active'\n      AND {QUESTION_NOT_EXPIRED_SQL} AND "
        "{IN_GROUP_SQL}\n    GROUP BY",
        ("tests/memories/retrieval/experts/test_experts.py",),
    ),
    Breakage(
        "an erasure leaves the vectors of questions",
        "memories/privacy/erasure/cleanup.py",
        "    invalidate_query_caches()\n",
        "    pass\n",
        (LEFT_OVER,),
    ),
    Breakage(
        "an erasure leaves the export files of others",
        "memories/privacy/erasure/cleanup.py",
        "AND kind = 'export'\"",
        "AND kind = 'export' AND member_id IS NULL\"",
        (LEFT_OVER,),
    ),
    Breakage(
        "a digest outlives a name that was hidden",
        "memories/privacy/erasure/hide_names.py",
        '"DELETE FROM memories_modelanswer WHERE organisation_id = %(organisation)s "',
        '"DELETE FROM memories_modelanswer WHERE false AND organisation_id = %(organisation)s "',
        (LEFT_OVER,),
    ),
    Breakage(
        "the id of a lesson tells its moment",
        "memories/ingestion/build_memory.py",
        "_lesson_id(placer, placement) if item.teaches else new_id()",
        "new_id()",
        ("tests/isolation/test_lesson_times.py",),
    ),
    Breakage(
        "the trail names for whom a robot taught",
        "robots/registry/untold_entries.py",
        "untold=by_robot & (Q(personal) | for_another)",
        "untold=by_robot & Q(personal)",
        ("tests/isolation/test_untold_entries.py",),
    ),
    Breakage(
        "who opted out reads what was learned for everybody",
        "personas/associations/cohort_readers.py",
        "%(organisation)s AND m.sharing_off_at IS NOT NULL AND m.id = {member})",
        "%(organisation)s AND m.sharing_off_at IS NULL AND m.id IS NULL AND m.id = {member})",
        ("tests/personas/blocks/test_everybody.py",),
    ),
    Breakage(
        "figures of tools count the day that is not over",
        "personas/learning/tool_outcomes.py",
        "t.day < %(today)s",
        "t.day <= %(today)s",
        ("tests/personas/learning/test_tool_outcomes.py",),
    ),
    Breakage(
        "two teachers are enough for figures",
        "personas/blocks/teachers.py",
        "ENOUGH = 3",
        "ENOUGH = 2",
        ("tests/personas/learning/test_metrics.py",),
    ),
    Breakage(
        "a receipt under an older key is wrong",
        "memories/privacy/receipts.py",
        "keys = (signer.key, *signer.fallback_keys)",
        "keys = (signer.key,)",
        ("tests/memories/privacy/erasure/test_receipt_copies.py",),
    ),
)
