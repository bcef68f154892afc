"""The choices of a memory's columns."""

from django.db import models


class Kind(models.TextChoices):
    """Between which kinds of participants it was said."""

    DIRECT = "direct"
    GROUP = "group"
    USER = "user"
    INTERACTION = "interaction"
    ORGANISATION = "organisation"
    INTERNAL = "internal"


class Level(models.TextChoices):
    """How far it reaches; derived (`store.models.levels`), never stored."""

    INDIVIDUAL = "individual"
    GROUP = "group"
    CROSS_GROUP = "cross_group"
    ORGANISATION = "organisation"


class Type(models.TextChoices):
    CONVERSATION = "conversation"
    FACT = "fact"
    PREFERENCE = "preference"
    EXPERTISE = "expertise"
    ANNOUNCEMENT = "announcement"
    INTERACTION = "interaction"


# A preference above this importance is always at hand.
PREFERENCE_ALWAYS_ABOVE = 0.8
# Under this name the metadata of a preference has its kind and its details.
PREFERENCE_METADATA_KEY = "preference"


class Category(models.TextChoices):
    PREFERENCE = "preference"
    FACT = "fact"
    EVENT = "event"
    DECISION = "decision"
    SENTIMENT = "sentiment"
    REMINDER = "reminder"
    RELATIONSHIP = "relationship"
    ORG_FACT = "org_fact"
    ORG_POLICY = "org_policy"
    TEAM_MEMBER = "team_member"
    PROJECT_INFO = "project_info"
    ORG_DECISION = "org_decision"


class Tier(models.TextChoices):
    FAST = "fast"
    MEDIUM = "medium"
    SLOW = "slow"
    GLACIAL = "glacial"


class ArchiveReason(models.TextChoices):
    """Which rule archived a memory: one of the organisation's policy, or that nobody confirms any
    more what a profession shares."""

    AGE = "age"
    HALF_LIFE = "half_life"
    NUMBER = "number"
    STALE = "stale"


# Those that an organisation chooses.
POLICY_ARCHIVE_REASONS = (ArchiveReason.AGE, ArchiveReason.HALF_LIFE, ArchiveReason.NUMBER)


class QuarantineGate(models.TextChoices):
    """For which gate a memory waits or has waited."""

    PERSONAL_DATA = "personal_data"
    POISON = "poison"


class Status(models.TextChoices):
    ACTIVE = "active"
    PENDING_REVIEW = "pending_review"
    QUARANTINED = "quarantined"
    ARCHIVED = "archived"
    FORGOTTEN = "forgotten"
