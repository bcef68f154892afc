-- Jobs of robots. A key that is deleted leaves the job, which then stops.
ALTER TABLE memories_job
    ADD CONSTRAINT memories_job_robot_id_fk
        FOREIGN KEY (organisation_id, robot_id)
        REFERENCES robots_robot (organisation_id, id) ON DELETE CASCADE NOT VALID,
    ADD CONSTRAINT memories_job_key_id_fk
        FOREIGN KEY (organisation_id, key_id)
        REFERENCES robots_key (organisation_id, id) ON DELETE SET NULL (key_id) NOT VALID;
ALTER TABLE memories_job VALIDATE CONSTRAINT memories_job_robot_id_fk;
ALTER TABLE memories_job VALIDATE CONSTRAINT memories_job_key_id_fk;
CREATE INDEX memories_job_robot_id_back ON memories_job (organisation_id, robot_id) WHERE robot_id IS NOT NULL;
CREATE INDEX memories_job_key_id_back ON memories_job (organisation_id, key_id) WHERE key_id IS NOT NULL;
GRANT SELECT (robot_id) ON memories_job TO commonmind_support;
