"""A plugin of pytest for the tests of the session that the OpenAI Agents SDK keeps in SQLite: they
meet the one of Commonmind.

`test_openai_agents_suite.py` writes an import of the name at the end of the files that it takes
from the sdist. COMMONMIND_URL and COMMONMIND_KEY say where the server is.
"""

import hashlib
import uuid
from typing import Any

from commonmind import Client
from commonmind.openai_agents import CommonmindSession

CLIENTS: list[Client] = []


def client() -> Client:
    if not CLIENTS:
        CLIENTS.append(Client(timeout=60))
    return CLIENTS[0]


class SQLiteSession(CommonmindSession):
    """With a store of its own for each file of a database."""

    def __init__(self, session_id: str, db_path: Any = None, **options: Any) -> None:
        file = str(db_path or uuid.uuid4())
        name = hashlib.sha256(file.encode()).hexdigest()
        super().__init__(session_id, client(), name=name, **options)

    def close(self) -> None:
        """Theirs closes the database."""
