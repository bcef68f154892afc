"""Partial indexes of the large organisations: HNSW for meaning, GIN for words.

A global HNSW index would return too few rows to an asker who reads only a part, and would slow
every write. Small organisations are scanned exactly. Each larger organisation gets two indexes of
its own, built and rebuilt without blocking writers. Runs in the role of the owner of the tables,
which alone may create an index and reads no row here.
"""

import logging
import os
import re
from collections.abc import Callable
from dataclasses import dataclass
from uuid import UUID

from django.db import OperationalError, connections
from django.db.models import Q
from psycopg import sql

from memories.embedding.model_catalogue import EmbeddingModel
from memories.indexing import exact_scan, partition_projection
from memories.indexing.models import Embedding
from memories.knowledge_graph import rebuild_graph
from memories.store.organisation_models import OrganisationModels, find_organisation_models
from orgs.database.driver.servers import has_role, list_servers, on_server, server_of
from orgs.database.rls import organisation_scope
from orgs.models.organisations import Organisation, Projection
from orgs.placement.all_organisations import list_organisation_ids

# Switch an index layout of an organisation on or off, and rebuild it from the memories.


@dataclass(frozen=True, slots=True)
class ProjectionOperations:
    """fill: rebuild all rows, returns how many. clear: delete all rows. Both commit."""

    fill: Callable[[UUID], int]
    clear: Callable[[UUID], None]


PROJECTION_OPERATIONS: dict[str, ProjectionOperations] = {
    Projection.GRAPH: ProjectionOperations(rebuild_graph.rebuild_graph, rebuild_graph.delete_graph),
    Projection.PARTITIONS: ProjectionOperations(
        partition_projection.rebuild_partitions, partition_projection.clear_partitions
    ),
}


def enable_projection(organisation_id: UUID, name: str) -> int:
    """Switch a layout on and fill it; returns its number of rows. Raises KeyError for an unknown
    one.

    It is switched on first, so that memories written meanwhile are in it. Until it is filled, a
    search in it finds less.
    """
    layout = PROJECTION_OPERATIONS[name]
    set_projection_enabled(organisation_id, name, on=True)
    return layout.fill(organisation_id)


def disable_projection(organisation_id: UUID, name: str) -> None:
    """Switch a layout off and delete its rows. Raises KeyError for an unknown one."""
    layout = PROJECTION_OPERATIONS[name]
    set_projection_enabled(organisation_id, name, on=False)
    layout.clear(organisation_id)


def set_projection_enabled(organisation_id: UUID, name: str, *, on: bool) -> bool:
    """Note that a layout is on or off, without filling or clearing it. Returns whether it was
    otherwise before."""
    with organisation_scope(organisation_id):
        organisation = Organisation.objects.select_for_update().get(id=organisation_id)
        before = name in organisation.projections
        kept = [one for one in organisation.projections if one != name]
        organisation.projections = [*kept, name] if on else kept
        organisation.save(update_fields=["projections"])
    return before is not on


log = logging.getLogger("commonmind.indexes")

OWNER, WORKER = "owner", "worker"
# How often a build is tried in one run, and the seconds that it waits for a lock.
MAX_ATTEMPTS, LOCK_TIMEOUT_SECONDS = 3, 600
_BUILD_SETTINGS_SQL = (
    "SELECT set_config('maintenance_work_mem', %s, false), set_config('lock_timeout', %s, false)"
)
# Dead vectors stay in the graph and slow each search. From this share on a rebuild is better than a
# vacuum.
REBUILD_DEAD_SHARE = 0.10
# With pgvector's default of 64 candidates about 1 % of the nearest of 200,000 rows cannot be
# reached at all, because links into dense clusters are missing from the graph.
HNSW_M, HNSW_EF_CONSTRUCTION = 16, 128
# Indexes called words_... are from before migration 0028 and are dropped.
_INDEX_NAME = re.compile(r"(meaning|further|said|words)_([0-9a-f]{32})(?:_(\d+))?")


@dataclass(frozen=True, slots=True)
class PartialIndex:
    """One partial index of one organisation."""

    name: str
    table: str
    using: str
    organisation_id: UUID
    extra: str = ""

    def create(self) -> sql.Composed:
        """The CREATE INDEX CONCURRENTLY statement. The organisation must be a literal, or the index
        is never used."""
        statement = "CREATE INDEX CONCURRENTLY {} ON {} USING " + self.using
        return sql.SQL(statement + " WHERE organisation_id = {}" + self.extra).format(
            sql.Identifier(self.name), sql.Identifier(self.table), sql.Literal(self.organisation_id)
        )


def list_indexes(
    organisation_id: UUID, models: OrganisationModels | None = None
) -> list[PartialIndex]:
    """The indexes of a large organisation: for meaning, for words, and for meaning by vectors that
    stand beside the narrow rows, if there are any. models: looked up if they are not given."""
    models = models or find_organisation_models(organisation_id, using=WORKER)
    return [
        _meaning_index("meaning", "memories_search", organisation_id, models.rows),
        PartialIndex(
            f"said_{organisation_id.hex}",
            "memories_text",
            "gin (audience_id, own)",
            organisation_id,
        ),
        *(
            _meaning_index("further", "memories_vector", organisation_id, model)
            for model in models.stored
            if model != models.rows or models.is_settling or models.has_parts
        ),
    ]


def _meaning_index(
    what: str, table: str, organisation_id: UUID, model: EmbeddingModel
) -> PartialIndex:
    return PartialIndex(
        f"{what}_{organisation_id.hex}_{model.number}",
        table,
        f"hnsw (embedding halfvec_ip_ops) WITH (m = {HNSW_M}, ef_construction = "
        f"{HNSW_EF_CONSTRUCTION})",
        organisation_id,
        f" AND model = {model.number}",
    )


def is_indexed(organisation_id: UUID, models: OrganisationModels) -> bool:
    """Whether the organisation is searched exactly, or has all indexes for meaning of its models,
    valid ones."""
    if _count_vectors(organisation_id) <= exact_scan.EXACT_SCAN_LIMIT:
        return True
    wanted = [one.name for one in list_indexes(organisation_id, models) if "hnsw" in one.using]
    with connections[WORKER].cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FROM pg_class c JOIN pg_index i ON i.indexrelid = c.oid "
            "WHERE i.indisvalid AND c.relname = ANY(%s)",
            [wanted],
        )
        return bool(cursor.fetchone()[0] == len(wanted))


def maintain_indexes() -> list[str]:
    """Build missing indexes, rebuild invalid or stale ones, and drop those of removed organisations
    and replaced models. Returns the names of the changed indexes."""
    touched: list[str] = []
    for server in list_servers():
        if has_role(OWNER, server):
            with on_server(server):
                touched += _drop_stale()
    for organisation_id in list_organisation_ids():
        touched += ensure_indexes_of_large(organisation_id)
    return touched


def ensure_indexes_of_large(organisation_id: UUID) -> list[str]:
    """Build or rebuild the indexes of an organisation where it needs them; returns the names of
    those that were built, none for a small organisation."""
    with server_of(organisation_id):
        if _count_vectors(organisation_id) <= exact_scan.EXACT_SCAN_LIMIT:
            return []
        return [i.name for i in list_indexes(organisation_id) if _ensure_with_retries(i)]


def build_indexes_on(organisation_id: UUID, server: str) -> list[str]:
    """Build the indexes that an organisation needs on another server than its own, to which it
    moves; returns their names."""
    with server_of(organisation_id):
        if _count_vectors(organisation_id) <= exact_scan.EXACT_SCAN_LIMIT:
            return []
        wanted = list_indexes(organisation_id)
    with on_server(server):
        return [index.name for index in wanted if _ensure_with_retries(index)]


def build_missing_indexes(say: Callable[[str], None]) -> None:
    """Build the indexes that neither a backup nor a migration has."""
    for name in maintain_indexes():
        say(f"Built {name}.")


def _ensure_with_retries(index: PartialIndex) -> bool:
    """`_ensure_index` with up to TRIES tries, for example if a lock was not free. A failed index
    stops no other.

    A build that breaks off leaves an invalid index, which the next try replaces.
    """
    for attempt in range(1, MAX_ATTEMPTS + 1):
        try:
            return _ensure_index(index)
        except OperationalError as error:
            log.warning(
                "%s broke off (%d): %s", index.name, attempt, type(error.__cause__).__name__
            )
            connections[OWNER].close()
    return False


def _drop_stale() -> list[str]:
    with connections[OWNER].cursor() as cursor:
        cursor.execute("SELECT indexname FROM pg_indexes WHERE schemaname = 'public'")
        found = (_INDEX_NAME.fullmatch(name) for (name,) in cursor.fetchall())
        made = {match[0]: match.groups() for match in found if match}
    # Read after the list of indexes: an organisation that is missing here was removed.
    standing = list_organisation_ids(Q(id__in={UUID(whose) for _, whose, _ in made.values()}))
    wanted = {index.name for id_ in standing for index in list_indexes(id_)}
    left = sorted(set(made) - wanted)
    for name in left:
        log.info("dropping %s", name)
        with connections[OWNER].cursor() as cursor:
            cursor.execute(
                sql.SQL("DROP INDEX CONCURRENTLY IF EXISTS {}").format(sql.Identifier(name))
            )
    return left


def _count_vectors(organisation_id: UUID) -> int:
    with organisation_scope(organisation_id, using=WORKER):
        rows = Embedding.objects.using(WORKER).filter(organisation_id=organisation_id)
        return rows.values("id")[: exact_scan.EXACT_SCAN_LIMIT + 1].count()


def maintenance_megabytes() -> int:
    """Megabytes of memory for one build: an eighth of the machine's, between 64 and 2,048."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 1024**2
    return max(64, min(2_048, memory // 8))


def _ensure_index(index: PartialIndex) -> bool:
    """Build an index if it is missing, invalid or stale. Returns whether it was built."""
    with connections[OWNER].cursor() as cursor:
        # A graph of a million vectors is built ten times as fast in memory as on disk. ANALYZE and
        # VACUUM take the same lock, so the wait for it is limited.
        cursor.execute(
            _BUILD_SETTINGS_SQL, [f"{maintenance_megabytes()}MB", f"{LOCK_TIMEOUT_SECONDS}s"]
        )
        cursor.execute(
            "SELECT i.indisvalid, coalesce(s.n_dead_tup::float8 / nullif(s.n_live_tup, 0), 0) "
            "FROM pg_class c JOIN pg_index i ON i.indexrelid = c.oid "
            "LEFT JOIN pg_stat_user_tables s ON s.relid = i.indrelid WHERE c.relname = %s",
            [index.name],
        )
        found = cursor.fetchone()
        if found is None:
            log.info("building %s", index.name)
            cursor.execute(index.create())
            return True
        valid, dead = found
        if not valid or (dead > REBUILD_DEAD_SHARE and index.using.startswith("hnsw")):
            log.info("rebuilding %s", index.name)
            cursor.execute(
                sql.SQL("REINDEX INDEX CONCURRENTLY {}").format(sql.Identifier(index.name))
            )
            return True
    return False
