"""What the trail says of each act, behind who did it. Pure."""

from collections.abc import Sequence
from typing import Any

from django.utils.translation import gettext

from orgs.languages.page_text import join_names, lazy_text

# What an action is called in a sentence; the others are shown as they are written.
ACTION_LABELS = {
    "account.added": lazy_text("added the calendar, mailbox or feed"),
    "account.changed": lazy_text("changed the subscription of the calendar, feed or mailbox"),
    "account.refreshed": lazy_text("brought up to date the calendar, mailbox or feed"),
    "account.removed": lazy_text("removed the calendar, mailbox or feed"),
    "debate.opened": lazy_text("opened the debate"),
    "debate.criticised": lazy_text("wrote down critiques in the debate"),
    "debate.closed": lazy_text("ended the debate"),
    "decision.recorded": lazy_text("recorded the decision"),
    "dissent.added": lazy_text("dissented from the decision"),
    "dissent.answered": lazy_text("answered a dissent from the decision"),
    "memory.edited": "changed",
    "memory.shared": lazy_text("changed who may read"),
    "memory.forgotten": "forgot",
    "memory.restored": lazy_text("brought back"),
    "memory.archived": "archived",
    "memory.moved": lazy_text("put into the slowest tier"),
    "memory.summarised": lazy_text("summarised what was too many into"),
    "model.asked": lazy_text("had the language model write an answer"),
    "memory.summary_reworded": lazy_text("had a language model reword"),
    "memory.summary_undone": lazy_text("brought back the originals of"),
    "pattern.promoted": lazy_text("made known to everyone, from several groups,"),
    "pattern.withdrawn": lazy_text("withdrew, for want of evidence,"),
    "memory.attributed": lazy_text("wrote down as somebody’s words"),
    "member.spoken_for": lazy_text("gave words or wrote for"),
    "memory.protected": "protected",
    "memory.superseded": lazy_text("noted that a newer memory holds in the place of"),
    "memory.holds_again": lazy_text("found true again"),
    "memory.unprotected": lazy_text("took the protection off"),
    "memory.made_sensitive": lazy_text("had encrypted"),
    "memory.made_plain": lazy_text("had stored in plain again"),
    "encryption.rotated": lazy_text("encrypted anew, under the newest key,"),
    "memory.forced": lazy_text("forced a change of the protected"),
    "proposal.red_line": lazy_text("asked to protect"),
    "gate.passed": lazy_text("wrote, and the gates let pass,"),
    "gate.sanitised": lazy_text("wrote, without what the gates found personal,"),
    "gate.held": lazy_text("wrote something personal, which waits, in"),
    "gate.quarantined": lazy_text("wrote what may steer a robot, which is held back, in"),
    "gate.refused": lazy_text("was refused, by the gates, a change of"),
    "gate.asked": lazy_text("asked what the gates would say"),
    "gate.term_added": lazy_text("added a name that stays inside"),
    "gate.term_removed": lazy_text("removed a name that stayed inside"),
    "gate.policy_changed": lazy_text("changed how strict the gates are"),
    "policy.changed": lazy_text("changed what happens by itself"),
    "policy.archived": lazy_text("archived, as the policy says,"),
    "persona.faded": lazy_text("archived, because nobody confirmed them any more,"),
    "suggestion.made": lazy_text("suggested lessons of one persona to others"),
    "suggestion.accepted": lazy_text("accepted a suggested lesson for the persona"),
    "suggestion.rejected": lazy_text("rejected a suggested lesson for the persona"),
    "memory.erased": lazy_text("erased for good"),
    "erasure.asked": lazy_text("asked to erase, everywhere and for good,"),
    "erasure.done": lazy_text("erased everywhere"),
    "proposal.publish": lazy_text("suggested for everyone"),
    "proposal.return": lazy_text("asked to bring back"),
    "proposal.correction": lazy_text("suggested another text for"),
    "proposal.report": "reported",
    "proposal.mention": lazy_text("found the name of somebody erased in"),
    "proposal.duplicate": lazy_text("saw a possible duplicate in"),
    "proposal.over_capacity": lazy_text("saw a full tier around"),
    "proposal.contradiction": lazy_text("saw something else said than in"),
    "proposal.personal_data": lazy_text("held back, for something personal,"),
    "proposal.poison": lazy_text("held back, for what could steer a robot,"),
    "proposal.approved": lazy_text("approved a proposal"),
    "proposal.rejected": lazy_text("rejected a proposal"),
    "proposal.merged": lazy_text("merged a proposal"),
    "proposal.assigned": lazy_text("assigned a proposal"),
    "proposal.reopened": lazy_text("took a decision back"),
    "organisation.created": "made",
    "encoder.switched": lazy_text("changed the embedding model of"),
    "encoder.switched_back": lazy_text("changed back the embedding model of"),
    "encoder.removed": lazy_text("removed an embedding model of"),
    "organisation.suspended": "suspended",
    "organisation.resumed": lazy_text("ended the suspension of"),
    "organisation.quota": lazy_text("changed how much may be kept by"),
    "organisation.changed": lazy_text("changed name, language or settings of"),
    "group.created": lazy_text("made the group"),
    "group.members": lazy_text("changed the people in"),
    "group.renamed": "renamed",
    "group.confidential": lazy_text("changed who curates"),
    "group.profile": lazy_text("changed who reads what is posted in"),
    "group.contradiction_policy": lazy_text("changed what is decided by itself in"),
    "member.created": "added",
    "member.invited": "invited",
    "demo.removed": lazy_text("removed the demo organisation"),
    "member.uninvited": lazy_text("withdrew the invitation of"),
    "member.joined": "joined",
    "member.role": lazy_text("changed the role of"),
    "member.removed": "removed",
    "member.time_zone": lazy_text("changed their time zone"),
    "news.mail_on": lazy_text("asked for their news by mail"),
    "news.mail_off": lazy_text("wanted no more news by mail"),
    "learning.paused": lazy_text("paused what robots learn about them"),
    "learning.resumed": lazy_text("let robots learn about them again"),
    "sharing.stopped": lazy_text("opted out of sharing"),
    "sharing.allowed": lazy_text("opted in to sharing again"),
    "folder.added": lazy_text("had files imported from a folder on the server"),
    "folder.changed": lazy_text("changed how often a folder on the server is looked through"),
    "folder.removed": lazy_text("removed a folder on the server from the imports"),
    "job.change": lazy_text("changed many memories at once"),
    "job.import": lazy_text("began an import"),
    "job.export": lazy_text("began to export what they may read"),
    "job.accounts": lazy_text("let events and mails be remembered"),
    "snapshot.exported": lazy_text("exported what they may read"),
    "snapshot.restored": lazy_text("restored a snapshot"),
    "job.consolidate": lazy_text("began a run of consolidation"),
    "job.re-embed": lazy_text("began to embed by another model"),
    "job.age": lazy_text("began to judge the tiers"),
    "job.retain": lazy_text("began to archive what is past its time"),
    "job.erase": lazy_text("began to erase"),
    "job.learn": lazy_text("began to tend what personas learned"),
    "job.project": lazy_text("began to fill or clear an index layout"),
    "job.summarise": lazy_text("began to summarise what is full"),
    "job.cancelled": lazy_text("cancelled a job"),
    "job.resumed": lazy_text("let a job go on"),
    "job.retried": lazy_text("had a job tried again"),
    "job.dropped": lazy_text("dropped a failed job"),
    "embedding.retried": lazy_text("had memories indexed again"),
    "embedding.dropped": lazy_text("left memories without an index of their meaning"),
    "restating.retried": lazy_text("had the language model asked again"),
    "restating.dropped": lazy_text("left memories to what the rules worked out"),
    "identity.linked": lazy_text("linked an identity to"),
    "identity.proven": lazy_text("heard the proof of an identity of"),
    "identity.confirmed": lazy_text("confirmed an identity of"),
    "identity.unlinked": lazy_text("took an identity from"),
    "memory.divided": lazy_text("took apart"),
    "questions.shown": lazy_text("let curators see questions that nothing answers, of"),
    "questions.withheld": lazy_text("let curators see no more questions of"),
    "question.answered": lazy_text("wrote an answer to a question that nothing answered"),
    "question.left": lazy_text("left a question without an answer"),
    "robot.registered": "registered",
    "trace.read": lazy_text("looked at a recall of a robot"),
    "robot.changed": lazy_text("changed the description of"),
    "robot.seated": lazy_text("changed the groups of"),
    "persona.made": lazy_text("made the persona"),
    "persona.described": lazy_text("described the persona"),
    "persona.removed": lazy_text("removed the persona"),
    "association.made": lazy_text("said which persona a member has"),
    "association.repeated": lazy_text("said again which persona a member has"),
    "association.confirmed": lazy_text("confirmed which persona a member has"),
    "association.removed": lazy_text("took back which persona a member has"),
    "robot.personal": lazy_text("made for a member"),
    "block.written": lazy_text("wrote to a block"),
    "block.entry_archived": lazy_text("took an entry out of a block"),
    "block.consolidated": lazy_text("made one entry of several in a full block"),
    "team.created": lazy_text("made the team"),
    "team.changed": lazy_text("changed name, purpose or budget of the team"),
    "team.removed": lazy_text("removed the team"),
    "team.robot_added": lazy_text("put a robot into the team"),
    "team.robot_removed": lazy_text("took a robot out of the team"),
    "team.promoted": lazy_text("made a robot active in the team"),
    "team.demoted": lazy_text("made a robot passive in the team"),
    "team.transferred": lazy_text("handed over what was at hand in the team"),
    "key.created": lazy_text("made the key"),
    "key.renewed": lazy_text("made, in the place of an older one, the key"),
    "key.limited": lazy_text("changed to which groups and networks the key is limited"),
    "key.refused": lazy_text(
        "was refused with its key, from an address where the key opens nothing:"
    ),
    "key.revoked": lazy_text("revoked the key"),
    "webhook.created": "made",
    "webhook.changed": "changed",
    "webhook.deleted": "deleted",
    "webhook.disabled": lazy_text("switched off"),
    "enrolment.created": lazy_text("made an enrolment key for new robots"),
    "enrolment.revoked": lazy_text("ended an enrolment key"),
    "enrolment.used": lazy_text("registered itself with an enrolment key"),
    "delegation.given": lazy_text("gave leave to"),
    "delegation.revoked": lazy_text("took leave back"),
    "memories.forgotten": lazy_text("forgot everything about themselves"),
    "memories.restored": lazy_text("brought back what they had forgotten about themselves"),
    "entity.given": lazy_text("named something in"),
    "entity.changed": lazy_text("corrected a name in"),
    "entity.removed": lazy_text("took a name away from"),
    "task.added": lazy_text("put down a task in"),
    "task.changed": lazy_text("changed a task in"),
    "playground.asked": lazy_text("asked in the playground as"),
    "support.chose": lazy_text("began to look at this organisation"),
    "support.ended": lazy_text("stopped looking at this organisation"),
    "support.listed": lazy_text("looked at a list of"),
    "support.viewed": lazy_text("looked at the facts of"),
    "support.opened": lazy_text("opened the text of"),
    "support.read": "read",
    "support.account_found": lazy_text("looked up the account of"),
    "support.account_changed": lazy_text("changed the account of"),
    "support.signed_out": lazy_text("signed out"),
    "support.second_step_reset": lazy_text("took away the second step of"),
    "support.job_retried": lazy_text("had a stopped job tried again"),
    "support.embeddings_retried": lazy_text("had indexing tried again for"),
    "support.answers_retried": lazy_text("had the language model asked again about"),
}
# Who did what nobody did.
BY_ITSELF = lazy_text("Commonmind itself")
# By which policy something was decided that nobody decided.
POLICY_LABELS = {
    "newest_of_own_facts": lazy_text("by policy: the newest that its speaker said of themselves"),
    "newest_of_same_speaker": lazy_text("by policy: the newest that its speaker said"),
}
# What can be changed of a memory besides its words.
FIELD_LABELS = {
    "category": lazy_text("category"),
    "importance": lazy_text("importance"),
    "tags": lazy_text("tags"),
    "metadata": lazy_text("metadata"),
    "expires_at": lazy_text("end"),
    "shareable": lazy_text("leave to be said elsewhere"),
    "sensitive": lazy_text("encryption"),
}
# What one change does to many.
BULK_ACTION_LABELS = {
    "archive": lazy_text("archive"),
    "forget": lazy_text("forget"),
    "share": lazy_text("change who may read"),
    "withdraw": lazy_text("take back from sharing"),
}


def edit_label(fields: Sequence[str]) -> str:
    """What an edit did: a corrected text, or what else was changed; without fields no more than
    that it was."""
    if "content" in fields:
        return gettext("corrected")
    if not fields:
        return ACTION_LABELS["memory.edited"]
    return gettext("changed the %(fields)s of") % {"fields": _join_fields(fields)}


def find_edited_fields(words: str) -> tuple[str, ...]:
    """The fields whose change has all of these words in its sentence (see `edit_label`)."""
    wanted = words.casefold().split()
    return tuple(
        one
        for one in ("content", *FIELD_LABELS)
        if all(word in edit_label([one]).casefold() for word in wanted)
    )


def bulk_change_label(told: dict[str, Any]) -> str:
    """What a change of many memories set out to do; where an entry does not say, that there was
    one."""
    act, fields = told.get("act"), told.get("fields") or ()
    if act == "set" and fields:
        to_do = gettext("change the %(fields)s of") % {"fields": _join_fields(fields)}
    elif act in BULK_ACTION_LABELS:
        to_do = BULK_ACTION_LABELS[act]
    else:
        return ACTION_LABELS["job.change"]
    return (
        gettext("began to undo what was to %(to_do)s") % {"to_do": to_do}
        if told.get("undo")
        else gettext("began to %(to_do)s") % {"to_do": to_do}
    )


def _join_fields(fields: Sequence[str]) -> str:
    return join_names([FIELD_LABELS.get(one, one.replace("_", " ")) for one in fields])
