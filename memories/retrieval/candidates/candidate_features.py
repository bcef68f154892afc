"""The further facts of candidates that ranking needs, as columns."""

from collections.abc import Sequence
from dataclasses import fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memories.lifecycle.decay import CATEGORIES, CONFIRMED_AT_SQL
from memories.retrieval.candidates.scan_rows import compute_tag_similarity
from memories.retrieval.scoring_profiles import TIERS
from memories.retrieval.search_types import (
    CandidateFeatures,
    Candidates,
    Ids,
    SearchRequest,
)
from memories.store.known_use import CURRENT_TIER_SQL, WITH_USE
from orgs.database.driver.binary_values import encode_halfvec, encode_uuid_bytes
from orgs.database.prepared_statements import fetch_all
from orgs.expiry import not_expired_sql

# A fact, which may be served once for several audiences: not a turn of a conversation, and without
# an end or a beginning, which another with the same words may not have.
IS_TURN_SQL = "(m.conversation IS NOT NULL OR m.type = 'conversation')"
_IS_FACT_SQL = f"NOT {IS_TURN_SQL} AND m.valid_until IS NULL AND m.valid_from IS NULL"
# Of a memory `m`: when it was said, in seconds since 1970; numbers for whom it is about and whose
# words it gives; and how that is proven: 2 a member, 1 a robot's own words, 0 a mere name.
SAID_AT_SQL = "date_part('epoch', coalesce(m.occurred_at, m.created_at))"
SUBJECT_SQL = "coalesce(uuid_hash(m.member_id), 0)"
SPEAKER_SQL = """CASE WHEN m.speaker_member_id IS NOT NULL THEN uuid_hash(m.speaker_member_id)
        WHEN m.speaker <> '' THEN hashtext(lower(m.speaker))
        ELSE coalesce(uuid_hash(m.author_id), 0) END"""
PROVEN_SQL = """CASE WHEN m.speaker_member_id IS NOT NULL THEN 2 WHEN m.speaker <> '' THEN 0
        WHEN m.author_id IS NOT NULL THEN 2 ELSE 1 END"""
# A candidate whose words are read.
_IS_COMPARED_SQL = "m.id = ANY(%(front)s::uuid[])"
# The longest text, in bytes, that is compared with others of the answer.
MAX_COMPARED_BYTES = 600
# A hash of its first characters without case, spacing and punctuation.
_WORDING_HASH_SQL = (
    "hashtext(regexp_replace(lower(left(m.content, 400)), '[^[:alnum:]%%€$£+-]+', '', 'g'))::float8"
)
# One row of numbers for each memory. Forgotten memories are left out, and expired ones unless they
# are wanted. `date_part` gives a float; `extract` gives a numeric, which takes a fifth longer here.
_FEATURES_SQL = """
SELECT string_agg(uuid_send(m.id), ''), array_send(array_agg(ARRAY[
    coalesce((u.successes - u.failures)::float8 / (u.successes + u.failures + 2), 0),
    m.confidence, (NOT {not_expired})::int,
    coalesce(m.valid_until <= greatest(%(as_of)s, m.valid_from), false)::int,
    coalesce(array_position(%(ids)s::uuid[], m.superseded_by_id), 0),
    coalesce(m.valid_from > %(as_of)s, false)::int, {turn}::int,
    coalesce({similarity}, 'NaN'),
    coalesce(m.speaker_member_id = %(asker)s, false)::int, m.importance,
    coalesce(u.access_count, 0),
    date_part('epoch', %(now)s - coalesce(u.last_accessed_at, m.created_at)) / 86400,
    greatest(0, date_part('epoch', %(now)s - coalesce(m.occurred_at, m.created_at))) / 3600,
    coalesce(array_position({categories}, m.category::text), 0),
    coalesce(array_position({tiers}, {tier}::text), 0),
    (m.audience_id = %(organisation_audience)s::uuid)::int,
    CASE WHEN {fact} THEN uuid_hash(m.audience_id)::float8 ELSE 'NaN' END,
    CASE WHEN {front} AND {fact} THEN {wording} ELSE 'NaN' END,
    {unconfirmed},
    {said_at}, {subject}, {speaker}, {proven}]::float8[])),
    array_agg(CASE WHEN {front} AND octet_length(m.content) <= {most_bytes} THEN m.content END)
FROM memories_memory m
{with_use}
WHERE m.organisation_id = %(organisation)s AND m.id = ANY(%(ids)s::uuid[])
    AND m.status = 'active'
    AND (%(include_expired)s OR {not_expired})
"""
_SIMILARITY_SQL = (
    "(SELECT -(e.own <#> %(vector)s::halfvec) FROM memories_embedding e WHERE "
    "e.organisation_id = m.organisation_id AND e.memory_id = m.id AND e.model = %(model)s)"
)
# Days since confirmation, only for audiences of a profession; left out for askers without one.
_UNCONFIRMED_DAYS_SQL = f"""CASE WHEN m.audience_id = ANY(%(cohorts)s::uuid[])
    THEN extract(epoch FROM %(now)s - {CONFIRMED_AT_SQL}) / 86400 ELSE 0 END"""


def _to_sql_array(words: Sequence[str]) -> str:
    """These words, which the code knows, as an array of the statement."""
    return "ARRAY[" + ", ".join(f"'{word}'" for word in words) + "]::text[]"


_COLUMN_COUNT = 23
_CANDIDATE_COLUMNS = [one.name for one in fields(Candidates) if one.name != "most"]
_STATEMENTS = {
    (similar, compared, fades): _FEATURES_SQL.format(
        similarity=_SIMILARITY_SQL if similar else "NULL",
        front=_IS_COMPARED_SQL if compared else "false",
        fact=_IS_FACT_SQL,
        turn=IS_TURN_SQL,
        wording=_WORDING_HASH_SQL,
        said_at=SAID_AT_SQL,
        subject=SUBJECT_SQL,
        speaker=SPEAKER_SQL,
        proven=PROVEN_SQL,
        most_bytes=MAX_COMPARED_BYTES,
        with_use=WITH_USE,
        not_expired=not_expired_sql(now="%(now)s"),
        tier=CURRENT_TIER_SQL,
        categories=_to_sql_array(CATEGORIES),
        tiers=_to_sql_array(TIERS),
        unconfirmed=_UNCONFIRMED_DAYS_SQL if fades else "0",
    )
    for similar in (False, True)
    for compared in (False, True)
    for fades in (False, True)
}
# dimensions, flags, type, then length and lower bound of each of two dimensions.
_ARRAY_HEADER_BYTES = 28
_ELEMENT_DTYPE = np.dtype([("size", ">i4"), ("value", ">f8")])


def load_features(
    question: SearchRequest, found: Candidates, *, front: Ids | None = None
) -> tuple[CandidateFeatures, NDArray[np.intp]]:
    """(the candidates that may be served, with all facts for ranking; their places in `found`). One
    query in the asker's scope, and another for tags if the profile uses them.

    front: the ids whose words are read for comparing, if they are facts.
    """
    hive = question.profile == "hive"
    wanted = question.with_similarity or question.min_similarity is not None or hive
    values: dict[str, Any] = {
        "organisation": question.organisation_id,
        "ids": encode_uuid_bytes(found.ids),
        "asker": question.asker,
        "now": question.now,
        "as_of": question.as_of,
        "include_expired": question.include_expired,
        "organisation_audience": question.organisation_audience,
    }
    similar = wanted and question.vector is not None
    if question.vector is not None and similar:
        values |= {"model": question.model, "vector": encode_halfvec(question.vector)}
    compared = front is not None
    if front is not None and compared:
        values["front"] = encode_uuid_bytes(front)
    if question.cohorts:
        values["cohorts"] = list(question.cohorts)
    [(ids, packed, texts)] = fetch_all(
        _STATEMENTS[similar, compared, bool(question.cohorts)], values
    )
    if ids is None:
        places, numbers = np.empty(0, dtype=np.intp), np.empty((0, _COLUMN_COUNT))
        texts = []
    else:
        order = np.argsort(found.ids)
        served = np.frombuffer(ids, dtype="S16")
        places = order[np.searchsorted(found.ids, served, sorter=order)]
        sent = np.frombuffer(packed, dtype=_ELEMENT_DTYPE, offset=_ARRAY_HEADER_BYTES)["value"]
        numbers = sent.astype(np.float64).reshape(-1, _COLUMN_COUNT)
    helped, confidence, expired, superseded, successor, upcoming, turn, *numbered = numbers.T
    similarity, asker, *numbered = numbered
    importance, accesses, days, hours, category, tier, shared, readers, wording, *numbered = (
        numbered
    )
    unconfirmed, said_at, subject, speaker, proven = numbered
    same = {name: getattr(found, name)[places] for name in _CANDIDATE_COLUMNS}
    pool = CandidateFeatures(
        **same,
        most=found.most,
        similarity=similarity,
        by_asker=asker > 0,
        importance=importance,
        accesses=accesses,
        days=days,
        hours=hours,
        tag_likeness=compute_tag_similarity(question, same["ids"])
        if hive
        else np.full(len(places), np.nan),
        category=category.astype(np.intp),
        tier=tier.astype(np.intp),
        confidence=confidence,
        helped=helped,
        expired=expired > 0,
        superseded=superseded > 0,
        upcoming=upcoming > 0,
        turn=turn > 0,
        successor=_translate_indexes(successor.astype(np.intp) - 1, places, len(found)),
        shared=shared > 0,
        readers=readers,
        wording=wording,
        unconfirmed=unconfirmed,
        said_at=said_at,
        subject=subject,
        speaker=speaker,
        proven=proven,
        texts=np.array(texts, dtype=np.object_),
    )
    return pool, places


def _translate_indexes(
    named: NDArray[np.intp], places: NDArray[np.intp], most: int
) -> NDArray[np.intp]:
    """Translate places among the found memories into places among the kept ones; -1 for none."""
    here = np.full(most + 1, -1, dtype=np.intp)
    here[places] = np.arange(len(places))
    return here[np.where(named < 0, most, named)]
