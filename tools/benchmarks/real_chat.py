"""A large organisation out of real chat: its messages over and over, with other names and numbers.

Each copy of the chat calls its people differently and counts differently, so that words are as
frequent and as rare as people use them. A hundred groups hold blocks of a thousand messages each.
The superuser copies the rows in, because filling is not what is measured.
"""

import gzip
import re
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import islice
from pathlib import Path
from typing import Any
from uuid import UUID

import numpy as np
import orjson
import psycopg
from numpy.typing import NDArray

from memories.embedding.encoder_loading import get_encoder, model_number
from memories.indexing.organisation_indexes import maintain_indexes
from memories.store.context_window import WORD_WEIGHTS
from orgs.models.base import new_id
from tools.benchmarks.database import superuser, vacuum_tables
from tools.benchmarks.report import print_line
from tools.benchmarks.synthetic import GROUPS, Synthetic, fill_organisation

BLOCK = 1_000
CHUNK = 20_000
# Cosine of a message and its copy under another name: about .9.
NOISE = 0.45
_WORD = re.compile(r"[A-Za-z_][\w`|\[\]-]*|\d+")

_ROWS = """
INSERT INTO memories_memory (id, organisation_id, audience_id, robot_id, group_id, kind, type,
    category, first_tier, status, content, content_hash, topic, tags, metadata, source, speaker,
    listeners, conversation, position, importance, confidence, sensitive, shareable, red_line,
    red_line_reason, remember_count, created_at, updated_at, forgotten_by_subject, version)
SELECT c.id, m.organisation_id, c.audience_id, m.robot_id, c.group_id, m.kind, m.type,
    m.category, 'slow', 'active', c.content, sha256(c.id::text::bytea), '', '{}', '{}', '{}',
    c.speaker, '{}', c.conversation, c.position, .5, 1, false, false, false, '', 1,
    m.created_at, m.created_at, false, 1
FROM chat c, memories_memory m WHERE m.organisation_id = %(organisation)s AND m.id = %(like)s
"""
_TEXTS = """
INSERT INTO memories_text (id, organisation_id, memory_id, audience_id, kind, group_id, own,
    lexemes, length, speaker_key, asks, timed)
SELECT c.text_id, %(organisation)s, c.id, c.audience_id, 'group', c.group_id,
    to_tsvector('english', c.speaker || ': ' || c.content), c.lexemes::tsvector,
    length(to_tsvector('english', c.content)), lower(c.speaker), c.content LIKE '%%?', false
FROM chat c
"""
_SEARCH_ROWS = """
INSERT INTO memories_search (organisation_id, memory_id, audience_id, group_id, kind, model, asks,
    timed, length, speaker, words, embedding)
SELECT t.organisation_id, t.memory_id, t.audience_id, t.group_id, t.kind, %(model)s, t.asks,
    t.timed, t.length, memories_speaker_place(t.speaker_key), memories_sparse_words(t.lexemes),
    c.embedding::halfvec
FROM chat c JOIN memories_text t ON t.organisation_id = %(organisation)s AND t.memory_id = c.id
"""
_VECTORS = """
INSERT INTO memories_embedding (id, organisation_id, memory_id, audience_id, kind, group_id, model,
    own)
SELECT gen_random_uuid(), %(organisation)s, c.id, c.audience_id, 'group', c.group_id, %(model)s,
    l2_normalize(c.embedding::halfvec) FROM chat c
"""
_TEMPORARY = """
CREATE TEMPORARY TABLE chat (id uuid, text_id uuid, audience_id uuid, group_id uuid,
    conversation text, position integer, speaker text, content text, lexemes text, embedding text)
"""


@dataclass(frozen=True, slots=True)
class Message:
    """One message of the chat; number: its place in the file."""

    number: int
    speaker: str
    text: str


@dataclass(slots=True)
class Chat:
    """A filled organisation. Row i of `vectors` is memory `ids[i]`, in `group_of(i)`."""

    made: Synthetic
    ids: list[UUID]
    texts: list[str]
    vectors: NDArray[np.float16]

    def questions(self, count: int) -> list[str]:
        """Messages of the chat that ask something, as they stand there; without such any."""
        some = self.texts[: 60 * count]
        asked = [text for text in some if text.endswith("?") and 5 <= len(text.split()) <= 16]
        return (asked if len(asked) >= count else some)[:count]


def group_index(row: int) -> int:
    """In which of GROUPS a row lies."""
    return row // BLOCK % GROUPS


def read_messages(folder: Path) -> list[Message]:
    """The messages of a folder, in the order of the file."""
    packed = folder / "memories.jsonl.gz"
    plain = folder / "memories.jsonl"
    lines = (
        gzip.decompress(packed.read_bytes()) if packed.is_file() else plain.read_bytes()
    ).splitlines()
    rows = (orjson.loads(line) for line in lines)
    return [
        Message(n, row.get("speaker") or "", row["text"].replace("\0", ""))
        for n, row in enumerate(rows)
        if row.get("text")
    ]


def iter_copies(chat: Sequence[Message], size: int) -> Iterator[tuple[Message, str, str]]:
    """(message, speaker, text) until there are so many; from the second round on with others'
    names and numbers."""
    names = {m.speaker for m in chat}
    given = 0
    for copy in range(size // len(chat) + 1):
        for message in islice(chat, size - given):
            given += 1
            yield message, *_vary(message, names, copy)


def _vary(message: Message, names: set[str], copy: int) -> tuple[str, str]:
    if copy == 0:
        return message.speaker, message.text

    def other(match: re.Match[str]) -> str:
        word = match[0]
        if word.isdigit():
            return str((int(word[:9]) * (copy + 1) + copy) % 10 ** min(len(word), 9))
        return f"{word}{copy}" if word in names and len(word) > 3 else word

    return f"{message.speaker}{copy}", _WORD.sub(other, message.text)


def load_vectors(chat: Sequence[Message], file: Path) -> NDArray[np.float16]:
    """Of each message as it is embedded; kept in a file."""
    texts = [f"{m.speaker}: {m.text}" for m in chat]
    mark = sha256("\n".join(texts).encode()).hexdigest()[:16]
    kept = file.with_name(f"chat-{mark}.npy")
    if kept.is_file():
        return np.load(kept)
    encoder, found = get_encoder(), np.empty((len(texts), 384), np.float16)
    order = np.argsort([len(t) for t in texts])
    for at in range(0, len(order), 64):
        part = order[at : at + 64]
        found[part] = encoder.encode([texts[i] for i in part])
    kept.parent.mkdir(parents=True, exist_ok=True)
    np.save(kept, found)
    return found


def fill_chat(folder: Path, size: int, cache: Path) -> Chat:
    """Make an organisation of so many memories out of the chat of a folder."""
    started = time.perf_counter()
    chat = read_messages(folder)
    base = load_vectors(chat, cache / "chat.npy")
    print_line(f"{len(chat):,} messages encoded after {time.perf_counter() - started:.0f} s")
    made = fill_organisation(100, seed=size)
    vectors = np.empty((size, 384), np.float16)
    ids, texts = [], []
    rng = np.random.default_rng(size)
    with superuser() as connection:
        connection.execute("SET session_replication_role = replica")
        connection.execute("SET synchronous_commit = off")
        connection.execute(_TEMPORARY)
        rows = iter_copies(chat, size)
        while part := list(islice(rows, CHUNK)):
            first = len(ids)
            own = base[[m.number for m, _, _ in part]].astype(np.float32)
            if first:
                own += rng.standard_normal(own.shape, dtype=np.float32) * NOISE / np.sqrt(384)
                own /= np.linalg.norm(own, axis=1, keepdims=True)
            new = [new_id() for _ in part]
            ids += new
            texts += [text for _, _, text in part]
            searched = 2 * own
            vectors[first : first + len(part)] = own
            _copy(connection, made, first, new, part, searched)
            if first % 100_000 == 0:
                print_line(f"  {first:,} after {time.perf_counter() - started:.0f} s")
    vacuum_tables()
    print_line(f"  {size:,} filled after {time.perf_counter() - started:.0f} s")
    started = time.perf_counter()
    if built := maintain_indexes():
        print_line(f"  {len(built)} partial indexes built in {time.perf_counter() - started:.0f} s")
    return Chat(made, ids, texts, vectors)


def _copy(
    connection: psycopg.Connection[Any],
    made: Synthetic,
    first: int,
    ids: Sequence[UUID],
    part: Sequence[tuple[Message, str, str]],
    searched: NDArray[np.float32],
) -> None:
    lexemes = _windows(connection, [f"{speaker}: {text}" for _, speaker, text in part])
    connection.execute("TRUNCATE chat")
    with connection.cursor().copy("COPY chat FROM STDIN") as copy:
        for i, (_, speaker, text) in enumerate(part):
            place = group_index(first + i)
            group = made.groups[place]
            vector = "[" + ",".join(f"{x:.4g}" for x in searched[i].tolist()) + "]"
            copy.write_row(
                (ids[i], new_id(), made.audiences[place], group.id, group.external_id, first + i,
                 speaker, text, lexemes[i], vector)
            )  # fmt: skip
    values = {"organisation": made.organisation.id, "like": made.ids[0], "model": model_number()}
    for statement in (_ROWS, _TEXTS, _SEARCH_ROWS, _VECTORS):
        connection.execute(statement, values if "%(" in statement else None)


def _windows(connection: psycopg.Connection[Any], texts: Sequence[str]) -> list[str]:
    """The words of each with those of its neighbours, as the context windows label them."""
    found = connection.execute(
        "SELECT tsvector_to_array(to_tsvector('english', t)) FROM unnest(%s::text[]) AS t", [texts]
    ).fetchall()
    own = [row[0] for row in found]
    label = ["A", *("B" if w >= 0.6 else "C" if w >= 0.4 else "D" for w in WORD_WEIGHTS)]
    windows = []
    for i in range(len(own)):
        words: dict[str, str] = {}
        low, high = i - i % BLOCK, i - i % BLOCK + BLOCK
        for distance in range(len(label) - 1, -1, -1):
            for at in (i - distance, i + distance):
                if low <= at < min(high, len(own)):
                    words |= dict.fromkeys(own[at], label[distance])
        windows.append(
            " ".join(
                "'" + w.replace("\\", "\\\\").replace("'", "''") + "':1" + tag
                for w, tag in words.items()
            )
        )
    return windows
