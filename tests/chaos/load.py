"""A seeded load over HTTP, and the list of everything that was acknowledged.

Each call that changes something is sent again until it is answered for good, with one
Idempotency-Key, so each act of the list has happened once and once only.
"""

import json
import random
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import httpx

from tests.chaos.chaos_site import PAUSE, ChaosSite
from tests.world import Tenant

SUBJECTS = ("harbour", "kitchen", "library", "garage", "garden", "workshop", "archive", "office")
VERBS = ("opens", "closes", "moves", "is painted", "is cleaned", "is heated")
# Of robots that write: organisation, robot, the audiences that they write to.
WRITERS = (
    ("here", "aria", ("group launch", "group design", "robot aria", "member mina", "organisation")),
    ("here", "bolt", ("robot bolt", "organisation")),
    ("there", "aria", ("group launch", "organisation")),
)
# Who reads what, written by hand: organisation and name of the reader, and audiences.
READS = {
    ("here", "bolt"): {"organisation", "robot bolt"},
    ("here", "clio"): {"organisation", "robot clio", "group design"},
    ("here", "mina"): {"organisation", "group launch", "group design", "member mina"},
    ("here", "bob"): {"organisation", "group launch", "member bob"},
    ("there", "vera"): {"organisation", "member vera"},
}
# Answers that say: send it again.
AGAIN = {429, 503}


@dataclass
class Written:
    """A memory as it was acknowledged. state: active, forgotten or erased."""

    organisation: str
    audience: str
    text: str
    robot: str
    state: str = "active"


@dataclass
class Ledger:
    """What was acknowledged, who was served what, and what should not have been answered."""

    memories: dict[str, Written] = field(default_factory=dict)
    messages: dict[str, str] = field(default_factory=dict)
    # Ids of jobs, with their kind; of erasures; of imports, with their lines by key.
    jobs: dict[str, str] = field(default_factory=dict)
    erasures: set[str] = field(default_factory=set)
    imports: dict[str, dict[str, str]] = field(default_factory=dict)
    erased_imports: set[str] = field(default_factory=set)
    served: set[tuple[str, str, str]] = field(default_factory=set)
    faults: list[str] = field(default_factory=list)
    acknowledged: int = 0
    # When a change was acknowledged, by the monotonic clock.
    changed: list[float] = field(default_factory=list)
    refused: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)


class Caller:
    """One robot or person: calls until it is answered."""

    def __init__(self, site: ChaosSite, ledger: Ledger, stop: threading.Event, **who: str) -> None:
        self.site, self.ledger, self.stop = site, ledger, stop
        self.client = site.client(**who)

    def call(self, method: str, path: str, body: Any = None, key: str = "") -> httpx.Response:
        """The answer that is no "again". Notes answers that nobody may get."""
        headers = {"Idempotency-Key": key} if key else {}
        while True:
            self.site.check()
            try:
                answer = self.client.request(method, path, json=body, headers=headers)
            except httpx.TransportError:
                time.sleep(PAUSE)
                continue
            if answer.status_code in AGAIN or _still_runs(answer):
                self._check_refusal(answer)
                time.sleep(PAUSE)
                continue
            if answer.status_code >= 500:
                self.fault(answer)
                time.sleep(PAUSE)
                continue
            with self.ledger.lock:
                self.ledger.acknowledged += 1
                if key and answer.status_code < 300:
                    self.ledger.changed.append(time.monotonic())
            return answer

    def _check_refusal(self, answer: httpx.Response) -> None:
        with self.ledger.lock:
            self.ledger.refused += 1
        if answer.status_code != 503 or not answer.request.url.path.startswith("/api/"):
            return
        problem = answer.headers["content-type"].startswith("application/problem+json")
        if not problem or "retry-after" not in answer.headers:
            self.fault(answer)

    def fault(self, answer: httpx.Response) -> None:
        """Note an answer that should not be."""
        request = answer.request
        with self.ledger.lock:
            self.ledger.faults.append(
                f"{request.method} {request.url.path} {answer.status_code} {answer.text[:300]}"
            )


def _still_runs(answer: httpx.Response) -> bool:
    return answer.status_code == 409 and "still-running" in answer.text


class Writer(Caller):
    """A robot that remembers, posts, changes, forgets and erases."""

    def __init__(
        self, site: ChaosSite, ledger: Ledger, stop: threading.Event, here: Tenant, robot: str,
        audiences: tuple[str, ...], organisation: str, seed: str,
    ) -> None:  # fmt: skip
        super().__init__(site, ledger, stop, key=here.keys[robot])
        self.here, self.robot, self.audiences = here, robot, audiences
        self.organisation, self.drawn = organisation, random.Random(seed)  # noqa: S311
        self.number, self.seed = 0, seed
        self.own: list[str] = []
        self.talk = ""

    def run(self) -> None:
        """Write until it is told to stop."""
        if "group launch" in self.audiences:
            body = {"group": "launch", "external_id": f"talk-{self.seed}"}
            made = self.call("POST", "/api/v1/conversations", body, key=f"{self.seed}-talk")
            self.talk = made.json()["id"]
        acts: tuple[Callable[[], None], ...] = (
            self.remember, self.batch, self.post, self.edit, self.forget, self.erase,
        )  # fmt: skip
        while not self.stop.is_set():
            [act] = self.drawn.choices(acts, weights=(10, 3, 4, 3, 2, 2))
            self.number += 1
            act()
        self.client.close()

    def _key(self) -> str:
        return f"{self.seed}-{self.number}"

    def _draft(self, part: str = "") -> tuple[str, dict[str, Any]]:
        audience = self.drawn.choice(self.audiences)
        kind, _, name = audience.partition(" ")
        text = (
            f"The {self.drawn.choice(SUBJECTS)} of unit {self.number}{part} of {self.seed} "
            f"{self.drawn.choice(VERBS)} at {self.drawn.randint(1, 12)}."
        )
        where: dict[str, Any] = {
            "group": {"group": name},
            "robot": {"visibility": "internal"},
            "organisation": {"visibility": "organisation"},
            "member": {"visibility": "private"},
        }[kind]
        if kind == "member":
            where["member"] = str(self.here.members[name].id)
        tier = {"tier": "fast"} if self.drawn.random() < 0.2 else {}
        return audience, {"content": text, **where, **tier}

    def _note(self, audience: str, body: dict[str, Any], result: dict[str, Any]) -> None:
        if result.get("status") != "active":
            self.ledger.faults.append(f"{body} {result}")
            return
        made = Written(self.organisation, audience, body["content"], self.robot)
        self.ledger.memories[result["id"]] = made
        if not audience.startswith("member"):
            # What is a member's own this robot changes only while it acts for them.
            self.own.append(result["id"])

    def remember(self) -> None:
        audience, body = self._draft()
        answer = self.call("POST", "/api/v1/memories", body, key=self._key())
        if answer.status_code != 201:
            self.fault(answer)
        else:
            self._note(audience, body, answer.json())

    def batch(self) -> None:
        drafts = [self._draft(f".{part}") for part in range(self.drawn.randint(2, 6))]
        body = {"items": [draft for _, draft in drafts]}
        answer = self.call("POST", "/api/v1/memories/batch", body, key=self._key())
        if answer.status_code != 200:
            self.fault(answer)
            return
        for (audience, draft), result in zip(drafts, answer.json()["results"], strict=True):
            self._note(audience, draft, result)

    def post(self) -> None:
        if not self.talk:
            return
        text = f"He paints the {self.drawn.choice(SUBJECTS)} {self._key()} tomorrow for Daniel."
        body = {"content": text, "external_id": self._key(), "speaker_name": "Noor"}
        path = f"/api/v1/conversations/{self.talk}/messages"
        answer = self.call("POST", path, body, key=self._key())
        if answer.status_code not in (200, 201):
            self.fault(answer)
        else:
            self.ledger.messages[answer.json()["id"]] = text

    def _pick(self) -> str | None:
        found = [id_ for id_ in self.own if self.ledger.memories[id_].state == "active"]
        return self.drawn.choice(found) if len(found) > 3 else None

    def edit(self) -> None:
        if (id_ := self._pick()) is None:
            return
        text = f"Corrected: unit {self.number} of {self.seed} {self.drawn.choice(VERBS)}."
        answer = self.call("PATCH", f"/api/v1/memories/{id_}", {"content": text}, key=self._key())
        if answer.status_code != 200:
            self.fault(answer)
        elif answer.json().get("status") == "active":
            self.ledger.memories[id_].text = text

    def forget(self) -> None:
        if (id_ := self._pick()) is None:
            return
        answer = self.call("DELETE", f"/api/v1/memories/{id_}", key=self._key())
        if answer.status_code not in (204, 404):
            self.fault(answer)
        else:
            self.ledger.memories[id_].state = "forgotten"

    def erase(self) -> None:
        if (id_ := self._pick()) is None:
            return
        path = f"/api/v1/memories/{id_}?hard=true&confirm={id_}"
        # 404: what it erased cannot be read again, so its answer is not repeated.
        answer = self.call("DELETE", path, key=self._key())
        if answer.status_code not in (200, 404, 409):
            self.fault(answer)
        else:
            self.ledger.memories[id_].state = "erased"


class Reader(Caller):
    """Somebody who asks, and notes what is served."""

    def __init__(
        self, site: ChaosSite, ledger: Ledger, stop: threading.Event, who: tuple[str, str],
        seed: str, **by: str,
    ) -> None:  # fmt: skip
        super().__init__(site, ledger, stop, **by)
        self.who, self.drawn = who, random.Random(seed)  # noqa: S311

    def run(self) -> None:
        """Ask until it is told to stop."""
        while not self.stop.is_set():
            self.ask()
        self.client.close()

    def ask(self) -> None:
        """One question."""
        query = f"Which {self.drawn.choice(SUBJECTS)} {self.drawn.choice(VERBS)}?"
        answer = self.call("POST", "/api/v1/recall", {"query": query, "limit": 20})
        if answer.status_code != 200:
            self.fault(answer)
            return
        with self.ledger.lock:
            self.ledger.served |= {(*self.who, one["id"]) for one in answer.json()["results"]}


class Curator(Caller):
    """The admin: starts jobs of every kind, decides what waits for review."""

    def __init__(
        self, site: ChaosSite, ledger: Ledger, stop: threading.Event, seed: str, session: str
    ) -> None:
        super().__init__(site, ledger, stop, session=session)
        self.drawn = random.Random(seed)  # noqa: S311
        self.number, self.seed = 0, seed

    def _job(self, answer: httpx.Response) -> str | None:
        if answer.status_code not in (200, 202):
            self.fault(answer)
            return None
        found = answer.json()
        self.ledger.jobs[found["id"]] = found["kind"]
        return str(found["id"])

    def start(self, kind: str) -> str | None:
        """Have a job of this kind made; its id."""
        self.number += 1
        key = f"{self.seed}-{kind}-{self.number}"
        if kind == "consolidate":
            return self._job(self.call("POST", "/api/v1/consolidations", key=key))
        if kind == "change":
            body = {
                "action": "set",
                "filters": {"robot": "bolt"},
                "add_tags": [f"round{self.number}"],
            }
            return self._job(self.call("POST", "/api/v1/memories/bulk", body, key=key))
        if kind == "import":
            return self._import()
        return self._erase_import(key)

    def _import(self) -> str:
        lines = {
            f"{self.seed}-{self.number}-{n}": f"Line {n} of file {self.number} of {self.seed} "
            f"on the {self.drawn.choice(SUBJECTS)}."
            for n in range(40)
        }
        file = "\n".join(
            json.dumps({"id": id_, "text": text, "group": "org", "speaker": "Noor"})
            for id_, text in lines.items()
        )
        while True:
            try:
                sent = self.client.post(
                    "/import/",
                    files={"file": ("talk.jsonl", file.encode())},
                    data={"speakers": "organisation", "readers": "organisation"},
                )
                plan = sent.headers["location"]
                # Sent once: who does not get its answer looks at the jobs, as a person does.
                done = self.client.post(plan.partition("?")[0], data={"sit": "no"})
                job = done.headers["location"].strip("/").split("/")[-1]
                break
            except (httpx.TransportError, KeyError):
                time.sleep(PAUSE)
        self.ledger.jobs[job], self.ledger.imports[job] = "import", lines
        return job

    def _erase_import(self, key: str) -> str | None:
        left = [one for one in self.ledger.imports if one not in self.ledger.erased_imports]
        if not left:
            return None
        source = f"import:{self.drawn.choice(left)}"
        body = {"source": source, "confirm": source}
        answer = self.call("POST", "/api/v1/erasures", body, key=key)
        if answer.status_code != 202:
            self.fault(answer)
            return None
        found = answer.json()
        self.ledger.jobs[found["job"]] = "erase"
        self.ledger.erasures.add(found["id"])
        self.ledger.erased_imports.add(source.partition(":")[2])
        return str(found["job"])
