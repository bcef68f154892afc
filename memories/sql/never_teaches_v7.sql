-- Acts that can never concern what is taught: with what a group decides by itself. What is not on the
-- list may. Since version 4: questions that curators see.
CREATE OR REPLACE FUNCTION public.never_teaches(act text)
 RETURNS boolean
 LANGUAGE sql IMMUTABLE
 SET search_path TO 'pg_catalog', 'pg_temp'
RETURN act IN (
        'account.added', 'account.changed', 'account.refreshed', 'account.removed', 'association.confirmed',
        'association.made', 'association.removed', 'association.repeated', 'delegation.given',
        'delegation.revoked', 'demo.removed', 'embedding.dropped', 'embedding.retried', 'encryption.rotated',
        'folder.added', 'folder.changed', 'folder.removed',
        'gate.policy_changed', 'gate.term_added', 'gate.term_removed', 'group.confidential',
        'group.contradiction_policy', 'group.created', 'group.members', 'group.profile',
        'group.renamed', 'identity.confirmed',
        'identity.linked', 'identity.proven', 'identity.unlinked', 'job.accounts', 'job.age', 'job.cancelled',
        'job.change', 'job.consolidate', 'job.dropped', 'job.erase', 'job.export', 'job.import', 'job.learn',
        'job.project', 'job.re-embed', 'job.resumed', 'job.retain', 'job.retried', 'job.summarise', 'key.created', 'key.limited', 'key.renewed',
        'key.revoked', 'learning.paused', 'learning.resumed', 'member.created', 'member.invited',
        'member.joined', 'member.removed', 'member.role', 'member.spoken_for', 'member.time_zone', 'member.uninvited',
        'organisation.resumed', 'organisation.suspended', 'persona.described', 'persona.made', 'persona.removed', 'playground.asked',
        'policy.archived', 'policy.changed', 'question.answered', 'question.left', 'questions.shown', 'questions.withheld',
        'restating.dropped', 'restating.retried', 'robot.changed', 'robot.personal',
        'robot.registered', 'robot.seated', 'sharing.allowed', 'sharing.stopped',
        'snapshot.exported', 'support.account_changed', 'support.account_found',
        'support.answers_retried', 'support.chose', 'support.embeddings_retried', 'support.ended',
        'support.job_retried', 'support.listed', 'support.opened', 'support.read',
        'support.second_step_reset', 'support.signed_out', 'support.viewed', 'team.changed',
        'team.created', 'team.demoted', 'team.promoted', 'team.removed', 'team.robot_added',
        'team.robot_removed', 'team.transferred', 'trace.read',
        'webhook.changed', 'webhook.created', 'webhook.deleted', 'webhook.disabled'
);
