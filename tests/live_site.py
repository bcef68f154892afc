"""The product at an address of this machine, in threads of this process."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from django.core.servers.basehttp import ThreadedWSGIServer, WSGIRequestHandler
from django.core.wsgi import get_wsgi_application


class _QuietRequestHandler(WSGIRequestHandler):
    def log_message(self, *args: object) -> None:
        """The requests are not part of the report."""


@contextmanager
def serving_site() -> Iterator[str]:
    """Its address, as long as the block runs. What requests are to see has to be committed."""
    server = ThreadedWSGIServer(("127.0.0.1", 0), _QuietRequestHandler)
    server.daemon_threads = True
    server.set_app(get_wsgi_application())
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
