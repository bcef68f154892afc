"""Every service that changes something for somebody says what it puts into the audit trail.

A new act fails here until it has an entry; an act that no longer records what its entry says fails
as well. tests/memories/insights/test_audited_acts.py plays the acts and looks at the rows.
"""

from tests.architecture.acts import acts

# Why an act records nothing.
LOOKS = "it looks: what it writes is undone, or a note that somebody looked"
WROTE = "the row itself keeps who wrote it, when and for whom"
JOB = "the job's beginning is recorded, and the job keeps what became of it"
PART = "a part of an act that records"
ASKED = "a question leaves its own record (memories_recall), without its text"
HELD = "a hold of some minutes in the queue"
OWN = "a view of one's own"
ROBOT = "a key with `manage` describes robots: the keys and their scopes are recorded"

ENTRIES: dict[str, tuple[str, ...] | str] = {
    "orgs.accounts.sessions.end_sign_ins": "sessions are the account's own, in no organisation",
    "memories.library.browse.detail": LOOKS,
    "memories.library.browse.found": LOOKS,
    "memories.library.browse.library": LOOKS,
    "memories.curation.bulk.change_one": (
        "memory.archived",
        "memory.edited",
        "memory.forced",
        "memory.forgotten",
        "memory.shared",
    ),
    "memories.curation.bulk.undo_one": (
        "memory.edited",
        "memory.forced",
        "memory.restored",
    ),
    "memories.curation.decide.approve": (
        "memory.edited",
        "memory.forced",
        "memory.protected",
        "memory.shared",
        "proposal.*",
    ),
    "memories.curation.decide.merge": (
        "memory.edited",
        "memory.forced",
        "proposal.*",
    ),
    "memories.curation.decide.reject": ("proposal.*",),
    "memories.demo.remove.remove_demo": ("demo.removed",),
    "memories.privacy.break_glass.open_memory": ("support.opened",),
    "memories.privacy.break_glass.read_opened": ("support.read",),
    "memories.curation.split.divide_memory": ("memory.divided",),
    "memories.curation.split.foresee_division": LOOKS,
    "memories.lifecycle.forget.archive_memory": (
        "memory.archived",
        "memory.forced",
    ),
    "memories.lifecycle.forget.forget_memory": (
        "memory.forced",
        "memory.forgotten",
    ),
    "memories.lifecycle.forget.restore_memory": ("memory.restored",),
    "memories.ingestion.messages.promote_messages": (
        "memory.attributed",
        "memory.protected",
        "proposal.*",
        "proposal.red_line",
    ),
    "memories.curation.restore_version.restore_version": (
        "memory.edited",
        "memory.forced",
    ),
    "memories.curation.review_item.open_item": LOOKS,
    "memories.curation.bulk_job.change_many": (
        "job.*",
        "memory.archived",
        "memory.edited",
        "memory.forced",
        "memory.forgotten",
        "memory.restored",
        "memory.shared",
    ),
    "memories.jobs.queue.enqueue": ("job.*",),
    "memories.jobs.queue.finish": JOB,
    "memories.jobs.queue.progress": JOB,
    "memories.jobs.queue.requeue": JOB,
    "memories.library.jobs.retry": ("job.retried",),
    "memories.library.jobs.retry_embeddings": ("embedding.retried",),
    "memories.curation.bulk_job.run_change": (
        "job.*",
        "memory.archived",
        "memory.edited",
        "memory.forced",
        "memory.forgotten",
        "memory.restored",
        "memory.shared",
    ),
    "memories.curation.bulk_job.undo": (
        "job.*",
        "memory.archived",
        "memory.edited",
        "memory.forced",
        "memory.forgotten",
        "memory.restored",
        "memory.shared",
    ),
    "memories.curation.merge.copy_to": PART,
    "memories.curation.edit.edit_memory": (
        "memory.edited",
        "memory.forced",
    ),
    "memories.access.lookup.note": PART,
    "memories.privacy.forget_all.bring_back": ("memories.restored",),
    "memories.privacy.forget_all.forget_all": ("memories.forgotten",),
    "memories.privacy.opt_out.withdraw_shared": ("memory.shared",),
    "memories.knowledge_graph.entities.change_entity": ("entity.changed",),
    "memories.knowledge_graph.entities.give_entity": ("entity.given",),
    "memories.knowledge_graph.entities.remove_entity": ("entity.removed",),
    "memories.lifecycle.consolidation.promote_patterns.withdraw_patterns_of": (
        "pattern.withdrawn",
    ),
    "memories.privacy.opt_out.set_sharing": (
        "memory.shared",
        "pattern.withdrawn",
        "sharing.allowed",
        "sharing.stopped",
    ),
    "memories.review.propose.ask": ("proposal.*",),
    "memories.review.propose.propose_correction": ("proposal.*",),
    "memories.review.propose.report_memory": ("proposal.*",),
    "memories.review.red_line.approve_wish": ("memory.protected",),
    "memories.review.red_line.draw": ("memory.protected",),
    "memories.review.red_line.lift": ("memory.unprotected",),
    "memories.review.red_line.protect_memory": (
        "memory.protected",
        "proposal.*",
    ),
    "memories.review.red_line.settle_wishes": (
        "memory.protected",
        "proposal.red_line",
    ),
    "memories.review.red_line.unprotect_memory": ("memory.unprotected",),
    "memories.retrieval.recall.recall": ASKED,
    "memories.retrieval.recall.serve": ASKED,
    "memories.access.red_lines.hold_red_line": ("memory.forced",),
    "memories.ingestion.remember.remember": (
        "memory.attributed",
        "memory.protected",
        "proposal.*",
        "proposal.red_line",
    ),
    "memories.ingestion.remember.remember_many": (
        "memory.attributed",
        "memory.protected",
        "proposal.*",
        "proposal.red_line",
    ),
    "memories.review.holds.assign": ("proposal.assigned",),
    "memories.review.holds.hold": HELD,
    "memories.review.holds.release": HELD,
    "memories.review.holds.take_hold": HELD,
    "memories.library.saved_views.keep_view": OWN,
    "memories.library.saved_views.remove_view": OWN,
    "memories.retrieval.served.record_served": ASKED,
    "memories.curation.share.share_memory": (
        "memory.forced",
        "memory.shared",
    ),
    "memories.ingestion.file_import.uploads.begin_import": ("job.*",),
    "memories.ingestion.file_import.uploads.run_import": JOB,
    "memories.library.ask_as.ask_as": ("playground.asked",),
    "memories.restatement.unanswered.ask_again": ("restating.retried",),
    "memories.curation.undo.undo": (
        "memory.edited",
        "memory.forced",
        "memory.unprotected",
        "proposal.reopened",
    ),
    "orgs.members.preferences.opt_out_of_sharing": (
        "sharing.allowed",
        "sharing.stopped",
    ),
    "orgs.members.preferences.pause_learning": (
        "learning.paused",
        "learning.resumed",
    ),
    "orgs.members.preferences.set_time_zone": ("member.time_zone",),
    "orgs.members.invitations.invite_member": ("member.invited",),
    "orgs.members.invitations.join": ("member.joined",),
    "orgs.members.invitations.withdraw_invitation": ("member.uninvited",),
    "orgs.members.members.change_role": ("member.role",),
    "orgs.members.members.remove_member": ("member.removed",),
    "orgs.organisations.groups.set_confidential": ("group.*",),
    "orgs.organisations.groups.set_profile": ("group.*",),
    "robots.access.act_for.delegate": ("delegation.given",),
    "robots.access.act_for.revoke_delegation": ("delegation.revoked",),
    "robots.conversations.conversations.open_conversation": WROTE,
    "robots.people.directory.add_member": ("member.created",),
    "robots.people.directory.change_group": ("group.*",),
    "robots.people.directory.change_members": ("group.members",),
    "robots.people.directory.open_group": ("group.created",),
    "robots.people.directory.register": ("robot.registered",),
    "robots.conversations.post_messages.post_messages": WROTE,
    "robots.identities.links.confirm": (
        "identity.confirmed",
        "identity.linked",
        "identity.proven",
        "identity.unlinked",
    ),
    "robots.identities.links.identities_of": (
        "identity.confirmed",
        "identity.linked",
        "identity.proven",
        "identity.unlinked",
    ),
    "robots.identities.links.link": (
        "identity.confirmed",
        "identity.linked",
        "identity.proven",
        "identity.unlinked",
    ),
    "robots.identities.links.unlink": ("identity.unlinked",),
    "robots.registry.member_removed.close_what_served": PART,
    "robots.registry.robots.update_robot": ROBOT,
    "robots.people.groups_and_seats.new_group": ("group.created",),
    "robots.people.groups_and_seats.seat": ("group.members",),
    "robots.access.administer.add_robot": (
        "robot.registered",
        "robot.seated",
    ),
    "robots.access.administer.close_key": ("key.revoked",),
    "robots.access.administer.make_key": ("key.created",),
    "robots.access.administer.renew_key": ("key.renewed",),
    "robots.access.administer.seat_robot": ("robot.seated",),
    "robots.conversations.withdraw_messages.say_all_again": PART,
    "robots.conversations.withdraw_messages.unsay": PART,
    "robots.conversations.withdraw_messages.unsay_all": PART,
}


def test_every_writing_service_has_an_entry() -> None:
    assert set(acts()) - set(ENTRIES) == set(), "say what they record, or why nothing"
    assert set(ENTRIES) - set(acts()) == set(), "these write nothing any more"


def test_every_service_records_what_its_entry_says() -> None:
    said = {name: set(e) if isinstance(e, tuple) else set() for name, e in ENTRIES.items()}
    wrong = {
        name: (sorted(actions), sorted(said[name]))
        for name, actions in acts().items()
        if name in said and set(actions) != said[name]
    }
    assert wrong == {}
