"""The tables of who knows what: entities, and edges between people, memories and entities.

There is no table of nodes. A node is an id: a member's, a memory's, or one computed from the
organisation, a type and a key (`node_ids`). For an asker a node exists only if they may read a row
with it, and its weight is the sum over the rows that they read.
"""

from django.db import models

from memories.store.models.memory_part import MemoryPart
from orgs.expiry import not_expired_sql
from orgs.models.base import TenantForeignKey

# The conditions for an observation to count: its question has not expired, and its person was not
# removed.
# Conditions on an edge `e` of the graph; they take %(organisation)s and %(now)s.

# The other memory on which an observation rests: the answered question.
QUESTION_NOT_EXPIRED_SQL = f"""(e.other_id IS NULL OR EXISTS (
    SELECT 1 FROM memories_memory o WHERE o.organisation_id = %(organisation)s
      AND o.id = e.other_id AND {not_expired_sql("o")}))"""
PERSON_NOT_REMOVED_SQL = """NOT EXISTS (
    SELECT 1 FROM orgs_member gone WHERE gone.organisation_id = %(organisation)s
      AND gone.id = e.source AND gone.removed_at IS NOT NULL)"""


class EntityType(models.TextChoices):
    PERSON = "person", "Person"
    COMPANY = "company", "Company"
    PROJECT = "project", "Project"
    DATE = "date", "Date"
    TOPIC = "topic", "Topic"
    LOCATION = "location", "Location"
    ACTION_ITEM = "action_item", "Action item"
    CONCEPT = "concept", "Concept"


class EntitySource(models.TextChoices):
    """The source of an entity: the rules, a language model, or a person or robot by hand."""

    RULES = "rules"
    LLM = "llm"
    GIVEN = "given"


class Entity(MemoryPart):
    """An entity that one memory names; the memory mentions its node.

    key: the name in the form for comparing. member: the member, if it is one of the memory's own
    people. An entity given by hand survives a new extraction.
    """

    node = models.UUIDField()
    type = models.CharField(max_length=11, choices=EntityType.choices)
    name = models.CharField(max_length=200)
    key = models.CharField(max_length=200)
    member = TenantForeignKey("orgs.Member", null=True, blank=True)
    source = models.CharField(max_length=5, choices=EntitySource.choices)
    confidence = models.FloatField(default=1.0)
    extracted_at = models.DateTimeField()

    class Meta:
        verbose_name_plural = "entities"
        constraints = [
            models.UniqueConstraint(fields=["organisation", "memory", "node"], name="entity_once"),
            models.CheckConstraint(
                condition=models.Q(type__in=EntityType.values)
                & models.Q(source__in=EntitySource.values)
                & models.Q(confidence__range=(0, 1)),
                name="entity_words_known",
            ),
        ]
        indexes = [
            # With the audience, so that only rows that the asker reads are visited for a node that
            # many memories name.
            models.Index(fields=["organisation", "node", "audience", "memory"], name="entity_of"),
            models.Index(fields=["organisation", "audience", "-id"], name="entity_recent"),
        ]

    def __str__(self) -> str:
        return f"{self.type} {self.node}"


class Task(MemoryPart):
    """The task of one action item of one memory: its assignee, due date, and whether it is done.

    The action item itself is an `Entity` of the same memory and node, which is found anew whenever
    the memory is read; this row stays. Rules do not change what was set by hand (`*_given`).
    """

    node = models.UUIDField()
    assignee = TenantForeignKey("orgs.Member", null=True, blank=True)
    assignee_given = models.BooleanField(default=False)
    due_at = models.DateTimeField(null=True, blank=True)
    due_given = models.BooleanField(default=False)
    done_at = models.DateTimeField(null=True, blank=True)
    done_by = TenantForeignKey("orgs.Member", null=True, blank=True)
    done_by_robot = TenantForeignKey("robots.Robot", null=True, blank=True)
    noted_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["organisation", "memory", "node"], name="task_once"),
        ]
        indexes = [
            models.Index(fields=["organisation", "audience", "done_at"], name="task_readable"),
        ]

    def __str__(self) -> str:
        return f"task {self.id}"


class Relation(models.TextChoices):
    SAID = "said"
    KNOWS_ABOUT = "knows_about"
    REPLIED_TO = "replied_to"
    MENTIONS = "mentions"
    RELATED_TO = "related_to"
    SUPPORTS = "supports"
    CONTRADICTS = "contradicts"


class Edge(MemoryPart):
    """One observation of a relationship, made in one memory.

    `source` and `target` are nodes. `other` is a second memory on which the observation rests (the
    one answered, the one alike): it is in the same audience, and the observation goes with it as
    well. `inferred`: concluded, not said. That a memory mentions a thing stands in `Entity`; the
    view memories_observation shows both as edges.
    """

    relation = models.CharField(max_length=11, choices=Relation.choices)
    source = models.UUIDField()
    target = models.UUIDField()
    other = TenantForeignKey("memories.Memory", null=True, blank=True)
    weight = models.FloatField()
    inferred = models.BooleanField(default=False)
    observed_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["organisation", "memory", "relation", "source", "target"], name="edge_once"
            ),
            models.CheckConstraint(
                condition=models.Q(relation__in=Relation.values)
                & models.Q(weight__gte=0)
                & ~models.Q(source=models.F("target")),
                name="edge_fits",
            ),
        ]
        indexes = [
            models.Index(fields=["organisation", "target", "audience", "memory"], name="edge_into"),
            models.Index(fields=["organisation", "source", "audience", "memory"], name="edge_from"),
            models.Index(
                fields=["organisation", "other"],
                condition=models.Q(other__isnull=False),
                name="edge_other",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.relation} {self.id}"


class StatedRelationType(models.TextChoices):
    """Relationships that texts state; see `language.stated_relations`."""

    WORKS_AT = "works_at"
    PART_OF = "part_of"
    REPORTS_TO = "reports_to"
    RESPONSIBLE_FOR = "responsible_for"
    LOCATED_IN = "located_in"


class StatedRelation(MemoryPart):
    """One relationship that one memory states between two of its entities.

    `subject` and `object` are nodes; their names stand in the memory's entities alone. confidence:
    0-1, how plainly the text says so.
    """

    relation = models.CharField(max_length=15, choices=StatedRelationType.choices)
    subject = models.UUIDField()
    object = models.UUIDField()
    source = models.CharField(max_length=5, choices=EntitySource.choices)
    confidence = models.FloatField()
    stated_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["organisation", "memory", "relation", "subject", "object"],
                name="stated_relation_once",
            ),
            models.CheckConstraint(
                condition=models.Q(relation__in=StatedRelationType.values)
                & models.Q(source__in=EntitySource.values)
                & models.Q(confidence__range=(0, 1))
                & ~models.Q(subject=models.F("object")),
                name="stated_relation_fits",
            ),
        ]
        indexes = [
            models.Index(
                fields=["organisation", "subject", "audience", "memory"],
                name="stated_relation_from",
            ),
            models.Index(
                fields=["organisation", "object", "audience", "memory"], name="stated_relation_into"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.relation} {self.id}"


class Observation(models.Model):
    """An edge or a mention: the view over both tables, read under their policies."""

    id = models.UUIDField(primary_key=True)
    organisation_id = models.UUIDField()
    memory_id = models.UUIDField()
    audience_id = models.UUIDField()
    relation = models.CharField(max_length=11)
    source = models.UUIDField()
    target = models.UUIDField()
    weight = models.FloatField()
    inferred = models.BooleanField()
    observed_at = models.DateTimeField()

    class Meta:
        managed = False
        db_table = "memories_observation"

    def __str__(self) -> str:
        return self.relation
