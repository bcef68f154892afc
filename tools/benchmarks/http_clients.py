"""Clients that ask over kept-alive connections, in a process of their own: a job in, times out.

stdin: {port, key, path, clients, bodies: [text]}; each body is sent once, by whichever client is
free. stdout: {seconds, ms: [each], failed: {status: count}, processor_seconds}.
"""

import json
import sys
import threading
import time
from collections import Counter
from http.client import HTTPConnection
from queue import Empty, SimpleQueue
from typing import Any

HOST = "127.0.0.1"


class ClientThread(threading.Thread):
    """Takes bodies from the queue until it is empty."""

    def __init__(self, job: dict[str, Any], queue: "SimpleQueue[str]") -> None:
        super().__init__()
        self.job, self.queue = job, queue
        self.times: list[float] = []
        self.failed: Counter[int] = Counter()

    def run(self) -> None:
        connection = HTTPConnection(HOST, self.job["port"], timeout=120)
        headers = {
            "Authorization": f"Bearer {self.job['key']}",
            "Content-Type": "application/json",
        }
        while True:
            try:
                body = self.queue.get_nowait()
            except Empty:
                break
            started = time.perf_counter()
            connection.request("POST", self.job["path"], body.encode(), headers)
            answer = connection.getresponse()
            answer.read()
            self.times.append((time.perf_counter() - started) * 1000)
            if answer.status not in (200, 201):
                self.failed[answer.status] += 1
        connection.close()


def main() -> None:
    job = json.load(sys.stdin)
    queue: SimpleQueue[str] = SimpleQueue()
    for body in job["bodies"]:
        queue.put(body)
    clients = [ClientThread(job, queue) for _ in range(job["clients"])]
    began, used = time.perf_counter(), time.process_time()
    for client in clients:
        client.start()
    for client in clients:
        client.join()
    seconds = time.perf_counter() - began
    failed: Counter[int] = sum((c.failed for c in clients), Counter())
    json.dump(
        {
            "seconds": seconds,
            "ms": [value for client in clients for value in client.times],
            "failed": dict(failed),
            "processor_seconds": time.process_time() - used,
        },
        sys.stdout,
    )


if __name__ == "__main__":
    main()
