"""`python -m tests.chaos.supervise DUMP`: the supervisor of `make run` with a dump as database."""

import os
import subprocess
import sys
from pathlib import Path

import psycopg

from config.embedded.exec_command import ensure_data_dir
from config.embedded.processes import children
from config.embedded.servers.provisioning import role_url
from config.embedded.supervisor import Supervisor
from tests.chaos.dump import programs, restore_command


class ChaosSupervisor(Supervisor):
    """In the place of migrating and a demo it restores the dump; the rest is as it is shipped."""

    def _set_up(self) -> None:
        url = role_url(self.services.admin_url, database="commonmind")
        with psycopg.connect(url) as connection:
            # Provisioning makes it, and so does the dump.
            connection.execute("DROP SCHEMA search CASCADE")
        subprocess.run(restore_command(programs(), url, sys.argv[1]), check=True)


if __name__ == "__main__":
    os.umask(0o077)
    # A worker that is killed again and again comes back within a second.
    children.MAX_RESTART_DELAY = 1.0
    data_dir = ensure_data_dir(Path(os.environ["DATA_DIR"]))
    raise SystemExit(ChaosSupervisor(data_dir, os.environ.copy()).run())
