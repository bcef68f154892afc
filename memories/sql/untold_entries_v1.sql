-- Which entries of the audit trail may say who taught a profession something. The trail asks this
-- when it shows them (memories/insights/audit_trail.py), and a trigger when they are written.

-- Acts that can never concern what is taught. What is not on the list may.
CREATE FUNCTION public.never_teaches(act text)
 RETURNS boolean
 LANGUAGE sql IMMUTABLE
 SET search_path TO 'pg_catalog', 'pg_temp'
RETURN act IN (
        'account.added', 'account.refreshed', 'account.removed', 'association.confirmed',
        'association.made', 'association.removed', 'association.repeated', 'delegation.given',
        'delegation.revoked', 'demo.removed', 'embedding.retried', 'encryption.rotated',
        'gate.policy_changed', 'gate.term_added', 'gate.term_removed', 'group.confidential',
        'group.created', 'group.members', 'group.profile', 'group.renamed', 'identity.confirmed',
        'identity.linked', 'identity.proven', 'identity.unlinked', 'job.age', 'job.cancelled',
        'job.change', 'job.consolidate', 'job.erase', 'job.export', 'job.import', 'job.learn',
        'job.resumed', 'job.retain', 'job.retried', 'job.summarise', 'key.created', 'key.renewed',
        'key.revoked', 'learning.paused', 'learning.resumed', 'member.created', 'member.invited',
        'member.joined', 'member.removed', 'member.role', 'member.spoken_for', 'member.time_zone', 'member.uninvited',
        'persona.described', 'persona.made', 'persona.removed', 'playground.asked',
        'policy.archived', 'policy.changed', 'restating.retried', 'robot.changed', 'robot.personal',
        'robot.registered', 'robot.seated', 'sharing.allowed', 'sharing.stopped',
        'snapshot.exported', 'support.account_changed', 'support.account_found',
        'support.answers_retried', 'support.chose', 'support.embeddings_retried', 'support.ended',
        'support.job_retried', 'support.listed', 'support.opened', 'support.read',
        'support.second_step_reset', 'support.signed_out', 'support.viewed', 'team.changed',
        'team.created', 'team.demoted', 'team.promoted', 'team.removed', 'team.robot_added',
        'team.robot_removed', 'team.transferred', 'trace.read'
);

-- True where it is not known that the entry says nothing of the kind: of a block, of what a
-- profession reads or shall read, and of what is gone or hidden from who asks. tests/isolation/test_untold_entries.py
-- plays each act that is not on the list.
CREATE FUNCTION public.may_tell_teacher(
    organisation uuid, act text, target_type text, target uuid, detail jsonb)
 RETURNS boolean
 LANGUAGE sql STABLE
 SET search_path TO 'pg_catalog', 'pg_temp'
RETURN CASE
    WHEN public.never_teaches(act) THEN false
    WHEN detail ->> 'audience' IN ('persona', 'industry', 'role', 'review') THEN true
    WHEN target_type = 'memory' AND EXISTS (
        SELECT 1 FROM public.memories_memory m JOIN public.orgs_audience a
            ON a.organisation_id = m.organisation_id AND a.id IN (m.audience_id, m.proposed_audience_id)
        WHERE m.organisation_id = organisation AND m.id = target
            AND a.kind IN ('persona', 'industry', 'role', 'review')) THEN true
    WHEN detail ? 'audience' THEN false
    WHEN target_type = 'memory' THEN NOT EXISTS (
        SELECT 1 FROM public.memories_memory m
        WHERE m.organisation_id = organisation AND m.id = target)
    ELSE true
END;

-- Such an entry of a robot that serves a member keeps the day and no finer time, in its id neither:
-- another entry of the same moment names who it was.
CREATE FUNCTION public.orgs_auditentry_days()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
BEGIN
    IF public.may_tell_teacher(NEW.organisation_id, NEW.action, NEW.target_type, NEW.target, NEW.detail)
        AND (NEW.member IS NOT NULL OR EXISTS (
            SELECT 1 FROM public.robots_robot r WHERE r.organisation_id = NEW.organisation_id
                AND r.id = NEW.robot AND r.owner_id IS NOT NULL))
    THEN
        NEW.id := public.day_uuid(NEW.at);
        NEW.at := public.day_of(NEW.at);
    END IF;
    RETURN NEW;
END $function$;

CREATE TRIGGER orgs_auditentry_days BEFORE INSERT ON orgs_auditentry
    FOR EACH ROW WHEN (NEW.robot IS NOT NULL) EXECUTE FUNCTION orgs_auditentry_days();
