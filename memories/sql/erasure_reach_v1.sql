-- A debate has the words of its decision as its topic, so it goes with it.
ALTER TABLE memories_debate DROP CONSTRAINT memories_debate_decision_id_fk;
ALTER TABLE memories_debate ADD CONSTRAINT memories_debate_decision_id_fk
    FOREIGN KEY (organisation_id, decision_id) REFERENCES memories_memory (organisation_id, id)
    ON DELETE CASCADE;

-- What a robot said about whose account is whose goes with all that came from it.
CREATE POLICY robots_identitylink_worker_delete ON robots_identitylink FOR DELETE TO commonmind_worker
    USING ((organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid));
GRANT SELECT (robot_id), DELETE ON robots_identitylink TO commonmind_worker;
