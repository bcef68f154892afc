"""`python -m tests.chaos.run_cluster`: the cluster as `make cluster` starts it, one of whose nodes
can stay switched off: the one that the file `DATA_DIR/switched-off` names."""

import os
from pathlib import Path

from config.cluster.supervisor import ClusterSupervisor
from config.embedded.exec_command import ensure_data_dir
from config.embedded.servers.server import Server

SWITCHED_OFF = "switched-off"


class TestedSupervisor(ClusterSupervisor):
    """As it is shipped, but for nodes that are switched off."""

    def may_start(self, server: Server) -> bool:
        try:
            # Read without looking first: it may be taken away in between.
            is_off = (self.data_dir / SWITCHED_OFF).read_text() == server.name
        except FileNotFoundError:
            is_off = False
        return not is_off and super().may_start(server)


if __name__ == "__main__":
    os.umask(0o077)
    raise SystemExit(TestedSupervisor(ensure_data_dir(Path(os.environ["DATA_DIR"]))).run())
