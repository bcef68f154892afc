"""What the trail says of each act, behind who did it. Pure."""

from collections.abc import Sequence
from typing import Any

# What an action is called in a sentence; the others are shown as they are written.
ACTION_LABELS = {
    "account.added": "handed in the calendar or mailbox",
    "account.refreshed": "handed in anew the calendar or mailbox",
    "account.removed": "removed the calendar or mailbox",
    "debate.opened": "opened the debate",
    "debate.criticised": "wrote down critiques in the debate",
    "debate.closed": "ended the debate",
    "decision.recorded": "recorded the decision",
    "dissent.added": "dissented from the decision",
    "dissent.answered": "answered a dissent from the decision",
    "memory.edited": "changed",
    "memory.shared": "changed who may read",
    "memory.forgotten": "forgot",
    "memory.restored": "brought back",
    "memory.archived": "archived",
    "memory.moved": "put into the slowest tier",
    "memory.summarised": "summarised what was too many into",
    "model.asked": "had the language model write an answer",
    "memory.summary_reworded": "had a language model reword",
    "memory.summary_undone": "brought back the originals of",
    "pattern.promoted": "made known to everyone, from several groups,",
    "pattern.withdrawn": "withdrew, for want of evidence,",
    "memory.attributed": "wrote down as somebody’s words",
    "member.spoken_for": "gave words or wrote for",
    "memory.protected": "protected",
    "memory.superseded": "noted that a newer memory holds in the place of",
    "memory.holds_again": "found true again",
    "memory.unprotected": "took the protection off",
    "memory.made_sensitive": "had encrypted",
    "memory.made_plain": "had stored in plain again",
    "encryption.rotated": "encrypted anew, under the newest key,",
    "memory.forced": "forced a change of the protected",
    "proposal.red_line": "asked to protect",
    "gate.passed": "wrote, and the gates let pass,",
    "gate.sanitised": "wrote, without what the gates found personal,",
    "gate.held": "wrote something personal, which waits, in",
    "gate.quarantined": "wrote what may steer a robot, which is held back, in",
    "gate.refused": "was refused, by the gates, a change of",
    "gate.asked": "asked what the gates would say",
    "gate.term_added": "added a name that stays inside",
    "gate.term_removed": "removed a name that stayed inside",
    "gate.policy_changed": "changed how strict the gates are",
    "policy.changed": "changed what happens by itself",
    "policy.archived": "archived, as the policy says,",
    "persona.faded": "archived, because nobody confirmed them any more,",
    "suggestion.made": "suggested lessons of one persona to others",
    "suggestion.accepted": "accepted a suggested lesson for the persona",
    "suggestion.rejected": "rejected a suggested lesson for the persona",
    "memory.erased": "erased for good",
    "erasure.asked": "asked to erase, everywhere and for good,",
    "erasure.done": "erased everywhere",
    "proposal.publish": "suggested for everyone",
    "proposal.return": "asked to bring back",
    "proposal.correction": "suggested another text for",
    "proposal.report": "reported",
    "proposal.mention": "found the name of somebody erased in",
    "proposal.duplicate": "saw a possible duplicate in",
    "proposal.over_capacity": "saw a full tier around",
    "proposal.contradiction": "saw something else said than in",
    "proposal.personal_data": "held back, for something personal,",
    "proposal.poison": "held back, for what could steer a robot,",
    "proposal.approved": "approved a proposal",
    "proposal.rejected": "rejected a proposal",
    "proposal.merged": "merged a proposal",
    "proposal.assigned": "assigned a proposal",
    "proposal.reopened": "took a decision back",
    "organisation.created": "made",
    "encoder.switched": "changed the embedding model of",
    "encoder.switched_back": "changed back the embedding model of",
    "encoder.removed": "removed an embedding model of",
    "organisation.suspended": "suspended",
    "organisation.resumed": "ended the suspension of",
    "organisation.quota": "changed how much may be kept by",
    "organisation.changed": "changed name, language or settings of",
    "group.created": "made the group",
    "group.members": "changed the people in",
    "group.renamed": "renamed",
    "group.confidential": "changed who curates",
    "group.profile": "changed who reads what is posted in",
    "group.contradiction_policy": "changed what is decided by itself in",
    "member.created": "added",
    "member.invited": "invited",
    "demo.removed": "removed the demo organisation",
    "member.uninvited": "withdrew the invitation of",
    "member.joined": "joined",
    "member.role": "changed the role of",
    "member.removed": "removed",
    "member.time_zone": "changed their time zone",
    "news.mail_on": "asked for their news by mail",
    "news.mail_off": "wanted no more news by mail",
    "learning.paused": "paused what robots learn about them",
    "learning.resumed": "let robots learn about them again",
    "sharing.stopped": "opted out of sharing",
    "sharing.allowed": "opted in to sharing again",
    "job.change": "changed many memories at once",
    "job.import": "began an import",
    "job.export": "began to export what they may read",
    "job.accounts": "let events and mails be remembered",
    "snapshot.exported": "exported what they may read",
    "snapshot.restored": "restored a snapshot",
    "job.consolidate": "began a run of consolidation",
    "job.re-embed": "began to embed by another model",
    "job.age": "began to judge the tiers",
    "job.retain": "began to archive what is past its time",
    "job.erase": "began to erase",
    "job.learn": "began to tend what personas learned",
    "job.project": "began to fill or clear an index layout",
    "job.summarise": "began to summarise what is full",
    "job.cancelled": "cancelled a job",
    "job.resumed": "let a job go on",
    "job.retried": "had a job tried again",
    "job.dropped": "dropped a failed job",
    "embedding.retried": "had memories indexed again",
    "embedding.dropped": "left memories without an index of their meaning",
    "restating.retried": "had the language model asked again",
    "restating.dropped": "left memories to what the rules worked out",
    "identity.linked": "linked an identity to",
    "identity.proven": "heard the proof of an identity of",
    "identity.confirmed": "confirmed an identity of",
    "identity.unlinked": "took an identity from",
    "memory.divided": "took apart",
    "robot.registered": "registered",
    "trace.read": "looked at a recall of a robot",
    "robot.changed": "changed the description of",
    "robot.seated": "changed the groups of",
    "persona.made": "made the persona",
    "persona.described": "described the persona",
    "persona.removed": "removed the persona",
    "association.made": "said which persona a member has",
    "association.repeated": "said again which persona a member has",
    "association.confirmed": "confirmed which persona a member has",
    "association.removed": "took back which persona a member has",
    "robot.personal": "made for a member",
    "block.written": "wrote to a block",
    "block.entry_archived": "took an entry out of a block",
    "block.consolidated": "made one entry of several in a full block",
    "team.created": "made the team",
    "team.changed": "changed name, purpose or budget of the team",
    "team.removed": "removed the team",
    "team.robot_added": "put a robot into the team",
    "team.robot_removed": "took a robot out of the team",
    "team.promoted": "made a robot active in the team",
    "team.demoted": "made a robot passive in the team",
    "team.transferred": "handed over what was at hand in the team",
    "key.created": "made the key",
    "key.renewed": "made, in the place of an older one, the key",
    "key.limited": "changed to which groups and networks the key is limited",
    "key.refused": "was refused with its key, from an address where the key opens nothing:",
    "key.revoked": "revoked the key",
    "webhook.created": "made",
    "webhook.changed": "changed",
    "webhook.deleted": "deleted",
    "webhook.disabled": "switched off",
    "enrolment.created": "made an enrolment key for new robots",
    "enrolment.revoked": "ended an enrolment key",
    "enrolment.used": "registered itself with an enrolment key",
    "delegation.given": "gave leave to",
    "delegation.revoked": "took leave back",
    "memories.forgotten": "forgot everything about themselves",
    "memories.restored": "brought back what they had forgotten about themselves",
    "entity.given": "named something in",
    "entity.changed": "corrected a name in",
    "entity.removed": "took a name away from",
    "task.added": "put down a task in",
    "task.changed": "changed a task in",
    "playground.asked": "asked in the playground as",
    "support.chose": "began to look at this organisation",
    "support.ended": "stopped looking at this organisation",
    "support.listed": "looked at a list of",
    "support.viewed": "looked at the facts of",
    "support.opened": "opened the text of",
    "support.read": "read",
    "support.account_found": "looked up the account of",
    "support.account_changed": "changed the account of",
    "support.signed_out": "signed out",
    "support.second_step_reset": "took away the second step of",
    "support.job_retried": "had a stopped job tried again",
    "support.embeddings_retried": "had indexing tried again for",
    "support.answers_retried": "had the language model asked again about",
}
# Who did what nobody did.
BY_ITSELF = "Commonmind itself"
# By which policy something was decided that nobody decided.
POLICY_LABELS = {
    "newest_of_own_facts": "by policy: the newest that its speaker said of themselves",
    "newest_of_same_speaker": "by policy: the newest that its speaker said",
}
# What can be changed of a memory besides its words.
FIELD_LABELS = {
    "category": "category",
    "importance": "importance",
    "tags": "tags",
    "metadata": "metadata",
    "expires_at": "end",
    "shareable": "leave to be said elsewhere",
    "sensitive": "encryption",
}
# What one change does to many.
BULK_ACTION_LABELS = {
    "archive": "archive",
    "forget": "forget",
    "share": "change who may read",
    "withdraw": "take back from sharing",
}


def edit_label(fields: Sequence[str]) -> str:
    """What an edit did: a corrected text, or what else was changed; without fields no more than
    that it was."""
    if "content" in fields:
        return "corrected"
    if not fields:
        return ACTION_LABELS["memory.edited"]
    return f"changed the {_join_fields(fields)} of"


def bulk_change_label(told: dict[str, Any]) -> str:
    """What a change of many memories set out to do; where an entry does not say, that there was
    one."""
    act, fields = told.get("act"), told.get("fields") or ()
    if act == "set" and fields:
        to_do = f"change the {_join_fields(fields)} of"
    elif act in BULK_ACTION_LABELS:
        to_do = BULK_ACTION_LABELS[act]
    else:
        return ACTION_LABELS["job.change"]
    return f"began to undo what was to {to_do}" if told.get("undo") else f"began to {to_do}"


def _join_fields(fields: Sequence[str]) -> str:
    words = [FIELD_LABELS.get(one, one.replace("_", " ")) for one in fields]
    return " and ".join(filter(None, [", ".join(words[:-1]), words[-1]]))
