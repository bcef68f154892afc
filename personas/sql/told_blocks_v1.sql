-- A member's block may be that of one robot, made of what the member told it.
ALTER TABLE personas_block
    ADD CONSTRAINT personas_block_robot_id_fk
        FOREIGN KEY (organisation_id, robot_id)
        REFERENCES robots_robot (organisation_id, id) ON DELETE CASCADE;
CREATE INDEX personas_block_robot_id_back ON personas_block (organisation_id, robot_id) WHERE robot_id IS NOT NULL;
