"""What happens in an erasure to every column that can hold words.

Erased rows are deleted. These rules are for the rows that stay: of colleagues, groups and robots. A
test reads the database catalogue and fails for a column of text, JSON, bytes, words or vectors
without a rule. docs/erasure.md explains it to people.
"""

from dataclasses import dataclass
from enum import StrEnum


class MaskingRule(StrEnum):
    """masked: names of the erased member are hidden. folded: the same, in any letter case, for text
    in lower case. key: the same, and a part of the row's id is added, because the value must be
    unique. emptied: set to empty if it names the member, because a speaker may be removed but never
    changed. remade: computed again from masked words. sealed: decrypted, masked and encrypted
    again. none: it has no words of anybody."""

    MASKED = "masked"
    FOLDED = "folded"
    KEY = "key"
    EMPTIED = "emptied"
    REMADE = "remade"
    SEALED = "sealed"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class ColumnRule:
    """The rule of a column. why: for `none`, what the column holds."""

    rule: MaskingRule
    why: str = ""


MASKED, KEY = ColumnRule(MaskingRule.MASKED), ColumnRule(MaskingRule.KEY)
FOLDED = ColumnRule(MaskingRule.FOLDED)
EMPTIED = ColumnRule(MaskingRule.EMPTIED)
REMADE = ColumnRule(MaskingRule.REMADE)
SEALED = ColumnRule(MaskingRule.SEALED)
FIXED = ColumnRule(MaskingRule.NONE, "one of a fixed list of words")
IDS = ColumnRule(MaskingRule.NONE, "ids alone")
FIGURES = ColumnRule(MaskingRule.NONE, "figures alone")
SECRET = ColumnRule(MaskingRule.NONE, "a digest of a random secret")
SETTING = ColumnRule(MaskingRule.NONE, "a setting of the organisation")
HANDLE = ColumnRule(
    MaskingRule.NONE, "by which programs call a group, a robot or a team; chosen by them"
)
PERSONA_HANDLE = ColumnRule(MaskingRule.NONE, "an industry and a role; a gate refuses names in it")
ADDRESS = ColumnRule(MaskingRule.NONE, "by which a program is known or reached; chosen by it")
ENCRYPTED_SECRET = ColumnRule(MaskingRule.NONE, "a random secret, encrypted")
KEYED = ColumnRule(MaskingRule.NONE, "a keyed digest")
EMPTIED_WHOLE = ColumnRule(MaskingRule.NONE, "every erasure empties it, whatever it holds")
ENCRYPTED_ADDRESS = ColumnRule(MaskingRule.NONE, "an address, encrypted")
FILE_STATE = ColumnRule(MaskingRule.NONE, "by which a server knows a state of its file")
FOLDER = ColumnRule(
    MaskingRule.NONE, "where on the server files lie; by another name nothing would be found there"
)
PATH_DIGEST = ColumnRule(MaskingRule.NONE, "a digest of the path of a file on the server")
FEED_ID = ColumnRule(MaskingRule.NONE, "a digest of an id that a feed gave")
ERROR_CLASS = ColumnRule(MaskingRule.NONE, "the class of an error, never a text")

_PARTITION = {"kind": FIXED, "parties": IDS, "embedding": REMADE, "words": REMADE}

# table -> column -> rule
COLUMN_RULES: dict[str, dict[str, ColumnRule]] = {
    "memories_account": {
        "kind": FIXED, "name": KEY, "problems": MASKED, "url": ENCRYPTED_ADDRESS,
        "etag": FILE_STATE, "modified": FILE_STATE, "paused_for": FIXED,
    },
    "memories_accountentry": {
        "kind": FIXED, "title": MASKED, "person": MASKED, "place": MASKED, "text": MASKED,
        "uid": FEED_ID,
    },
    "memories_ageingpolicy": {"capacities": FIXED, "max_age_days": FIGURES},
    "memories_ageingrun": {"tier": FIXED, "period": FIGURES},
    "memories_change": {"kind": FIXED},
    "memories_claim": {"kind": FIXED, "name": MASKED, "text": MASKED},
    "memories_contribution": {"kind": FIXED},
    "memories_debate": {"visibility": FIXED, "topic": MASKED, "state": FIXED},
    "memories_decision": {
        "kind": FIXED, "topic_hash": REMADE, "words": FOLDED, "domain": MASKED,
    },
    "memories_departure": {"reason": FIXED},
    "memories_derivation": {"kind": FIXED, "source_kind": FIXED},
    "memories_disclosure": {"staff_name": MASKED, "reason": MASKED, "told": IDS},
    "memories_dissent": {
        "kind": FIXED, "form": FIXED, "name": MASKED, "content": MASKED, "reasoning": MASKED,
        "rebuttal": MASKED,
    },
    "memories_edge": {"kind": FIXED, "relation": FIXED},
    "memories_embedding": {"kind": FIXED, "own": REMADE},
    "memories_entity": {
        "kind": FIXED, "type": FIXED, "name": MASKED, "key": FOLDED, "source": FIXED,
    },
    "memories_erasure": {"what": FIXED, "source": FIXED, "counts": FIGURES},
    "memories_erasurestep": {"name": FIXED, "counts": FIGURES},
    "memories_feedback": {"outcome": FIXED},
    "memories_folderfile": {"path": PATH_DIGEST, "digest": FILE_STATE, "problem": MASKED},
    "memories_gatepolicy": {"personal": SETTING},
    "memories_gazetteerterm": {
        "kind": FIXED, "term": ColumnRule(MaskingRule.NONE, "a name that no text may show"),
        "folded": ColumnRule(MaskingRule.NONE, "a name that no text may show"),
    },
    "memories_heldtext": {"content": MASKED, "findings": FIGURES},
    "memories_importsubscription": {
        "folder": FOLDER, "format": FIXED, "time_zone": FIXED, "columns": SETTING,
        "readers": FIXED, "paused_for": FIXED,
    },
    "memories_job": {
        "kind": FIXED, "state": FIXED, "parameters": MASKED, "problems": MASKED, "result": MASKED,
        "reason": MASKED, "place": MASKED, "period": FIGURES,
    },
    "memories_memory": {
        "status": FIXED, "kind": FIXED, "type": FIXED, "category": FIXED, "first_tier": FIXED,
        "content": MASKED, "content_hash": REMADE, "key": KEY, "topic": MASKED, "tags": FOLDED,
        "metadata": MASKED, "source": MASKED, "speaker": EMPTIED, "listeners": IDS,
        "conversation": MASKED, "red_line_reason": MASKED, "archived_for": FIXED,
        "held_for": FIXED,
        "sealed": SEALED,
    },
    "memories_modelanswer": {
        "kind": FIXED,
        "question": REMADE,
        "answer": FIXED,
    },
    "memories_operation": {"kind": FIXED, "verb": FIXED},
    "memories_participant": {"kind": FIXED, "name": MASKED},
    "memories_partition": _PARTITION,
    "memories_partition_group": _PARTITION,
    "memories_partition_interaction": _PARTITION,
    "memories_partition_user": _PARTITION,
    "memories_pending": {"kind": FIXED, "state": FIXED, "reason": ERROR_CLASS, "reading": FIXED},
    "memories_pendingrestatement": {"kind": FIXED, "state": FIXED, "reason": ERROR_CLASS},
    "memories_proposal": {
        "kind": FIXED, "cause": FIXED, "state": FIXED, "content": MASKED, "reason": MASKED,
        "decision": MASKED, "outcome": MASKED, "details": MASKED, "changes": MASKED,
    },
    "memories_question": {"reason": FIXED, "sealed": EMPTIED_WHOLE},
    "memories_recall": {"strategy": FIXED, "hits": IDS, "answered": FIXED, "folded": IDS},
    "memories_restatement": {
        "kind": FIXED, "text": MASKED, "keywords": FOLDED, "persons": MASKED, "location": MASKED,
        "entities": MASKED, "topic": MASKED, "source": FIXED, "shown": IDS,
    },
    "memories_savedview": {"name": KEY, "query": MASKED},
    "memories_search": {"kind": FIXED, "words": REMADE, "embedding": REMADE},
    "memories_statedrelation": {"kind": FIXED, "relation": FIXED, "source": FIXED},
    "memories_task": {"kind": FIXED},
    "memories_text": {"kind": FIXED, "own": REMADE, "lexemes": REMADE, "speaker_key": REMADE},
    "memories_tombstone": {"kind": FIXED},
    "memories_transition": {"kind": FIXED, "from_tier": FIXED, "to_tier": FIXED, "reason": FIXED},
    "memories_use": {"kind": FIXED, "tier": FIXED, "given_tier": FIXED},
    "memories_vector": {"kind": FIXED, "embedding": REMADE},
    "memories_version": {
        "kind": FIXED, "content": MASKED, "category": FIXED, "tags": FOLDED, "metadata": MASKED,
        "sealed": SEALED,
    },
    "memories_webhookdelivery": {
        "event": FIXED, "facts": FIXED, "state": FIXED, "error": FIXED,
    },
    "memories_webhookendpoint": {
        "url": ADDRESS, "events": FIXED, "secret": ENCRYPTED_SECRET,
        "previous_secret": ENCRYPTED_SECRET, "position": FIGURES, "disabled_for": FIXED,
    },
    "memories_workingentry": {"reason": FIXED},
    "orgs_audience": {
        "kind": FIXED, "key": ColumnRule(MaskingRule.NONE, "an id, or a digest of ids"),
    },
    "orgs_audienceentry": {"kind": FIXED},
    "orgs_auditcursor": {"place": FIGURES},
    "orgs_auditentry": {"action": FIXED, "target_type": FIXED, "detail": MASKED},
    "orgs_externalidentity": {
        "platform": FIXED,
        "identifier": ColumnRule(MaskingRule.NONE, ("of the member alone: the row goes with the "
                                                   "member")),
    },
    "orgs_group": {
        "external_id": HANDLE, "name": MASKED, "profile": FIXED, "contradiction_policy": FIXED,
        "provisioned_id": HANDLE,
    },
    "orgs_idempotencyrecord": {
        "call": KEYED, "request": KEYED, "standing": KEYED, "headers": EMPTIED_WHOLE,
        "body": EMPTIED_WHOLE, "shows": IDS,
    },
    "orgs_member": {
        "name": ColumnRule(MaskingRule.NONE, "of the member alone: emptied with the member"),
        "role": FIXED, "time_zone": FIXED, "language": FIXED, "invite_digest": SECRET,
        "provisioned_id": ColumnRule(MaskingRule.NONE, ("of the member alone: emptied with the "
                                                        "member")),
    },
    "orgs_organisation": {"name": SETTING, "slug": SETTING, "language": SETTING,
                          "indexed_language": SETTING, "projections": SETTING,
                          "encoder": SETTING, "second_encoder": SETTING,
                          "row_encoder": SETTING, "suspended_for": SETTING},
    "personas_block": {"layer": FIXED, "own_text": MASKED},
    "personas_blockline": {"kind": FIXED},
    "personas_blockversion": {"lines": IDS, "own_text": MASKED},
    "personas_persona": {
        "handle": PERSONA_HANDLE, "industry_key": PERSONA_HANDLE, "role_key": PERSONA_HANDLE,
        "industry": MASKED, "role": MASKED, "description": MASKED, "kpis": MASKED,
        "motivations": MASKED, "queries": MASKED,
    },
    "personas_suggestion": {"kind": FIXED, "state": FIXED},
    "personas_tooloutcome": {
        "tool": ColumnRule(MaskingRule.NONE, "the name of a tool; a gate refuses names in it"),
    },
    "robots_conversation": {"external_id": KEY, "title": MASKED, "metadata": MASKED},
    "robots_enrolmentkey": {
        "prefix": SECRET,
        "digest": SECRET,
        "scopes": FIXED,
        "groups": IDS,
        "label": MASKED,
    },
    "robots_identitylink": {"known_as": KEY, "evidence": MASKED},
    "robots_key": {
        "prefix": SECRET, "digest": SECRET, "scopes": FIXED, "label": MASKED, "resource": ADDRESS,
        "groups": IDS, "networks": FIGURES,
    },
    "robots_message": {
        "external_id": KEY, "role": FIXED, "content": MASKED, "speaker": EMPTIED,
        "speaker_key": EMPTIED, "mentions": MASKED, "listeners": IDS, "reply_to_key": MASKED,
        "type": FIXED, "kind": FIXED, "reason": FIXED, "metadata": MASKED,
    },
    "robots_oauthgrant": {
        "client": ADDRESS, "client_name": MASKED, "client_host": ADDRESS, "scopes": FIXED,
        "resource": ADDRESS, "redirect_uri": ADDRESS, "code_challenge": SECRET,
        "code_digest": SECRET, "family_digest": SECRET, "refresh_digest": SECRET,
        "previous_digest": SECRET,
    },
    "robots_robot": {
        "external_id": HANDLE, "name": MASKED, "builtin": FIXED, "purpose": MASKED,
        "metadata": MASKED, "personality": MASKED, "failure": FIXED, "failed_call": FIXED,
        "client": ADDRESS,
    },
    "robots_team": {"external_id": HANDLE, "name": MASKED, "purpose": MASKED},
    "robots_teamrobot": {"status": FIXED},
}  # fmt: skip


def name_columns(table: str) -> dict[str, MaskingRule]:
    """The columns of a table in which names are hidden, with their rules. Raises ValueError for an
    unknown table."""
    if table not in COLUMN_RULES:
        raise ValueError(f"There is no table {table[:100]}.")
    hides = (MaskingRule.MASKED, MaskingRule.FOLDED, MaskingRule.KEY, MaskingRule.EMPTIED)
    return {name: rule.rule for name, rule in COLUMN_RULES[table].items() if rule.rule in hides}


def tables_with_words() -> frozenset[str]:
    """The tables that hold words of people, also as vectors."""
    return frozenset(
        table
        for table, columns in COLUMN_RULES.items()
        if any(one.rule is not MaskingRule.NONE for one in columns.values())
    )
