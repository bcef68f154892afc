-- Support says why work hangs: who asked, whether somebody works on it, and what ended it.
-- A reason is one of the service's own sentences or the kind of a failure, never a text of anybody
-- (`tests/memories/jobs/test_reasons.py`); what a job is about stays closed.

GRANT SELECT (member_id, reason, leased_until, queued_at, finished_at, period)
    ON memories_job TO commonmind_support;
GRANT SELECT (reason) ON memories_pendingrestatement TO commonmind_support;
