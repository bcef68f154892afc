"""Delete sessions that are over, with what the list of sign-ins says of them.

Each visitor of the sign-in page may leave a session, so they would grow by reading alone.
"""

from datetime import datetime, timedelta

from orgs.database.prepared_statements import fetch_all

BATCH = 5_000
# A sign-in is written a moment before its session is.
MARGIN = timedelta(hours=1)
_SESSIONS = """
DELETE FROM django_session WHERE session_key = ANY (ARRAY(
    SELECT session_key FROM django_session WHERE expire_date < %(now)s
    ORDER BY expire_date LIMIT %(most)s))
RETURNING 1
"""
_SIGN_INS = """
DELETE FROM orgs_signin WHERE id = ANY (ARRAY(
    SELECT s.id FROM orgs_signin s WHERE s.last_seen_at < %(before)s AND NOT EXISTS (
        SELECT 1 FROM django_session d WHERE d.session_key = s.session_key)
    LIMIT %(most)s))
RETURNING 1
"""


def delete_old_sessions(*, now: datetime) -> int:
    """Delete sessions of all accounts that have ended, and sign-ins without a session, each batch
    in a transaction of its own. Returns how many rows."""
    values = {"now": now, "before": now - MARGIN, "most": BATCH}
    gone = 0
    for statement in (_SESSIONS, _SIGN_INS):
        rows = BATCH
        while rows == BATCH:
            rows = len(fetch_all(statement, values))
            gone += rows
    return gone
