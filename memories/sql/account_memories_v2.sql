-- An entry goes with the memory that was made of it. Until then whoever erased the memory left the
-- entry, with its words.
ALTER TABLE memories_accountentry
    DROP CONSTRAINT memories_accountentry_memory_id_fk,
    ADD CONSTRAINT memories_accountentry_memory_id_fk
        FOREIGN KEY (organisation_id, memory_id)
        REFERENCES memories_memory (organisation_id, id) ON DELETE CASCADE NOT VALID;
ALTER TABLE memories_accountentry VALIDATE CONSTRAINT memories_accountentry_memory_id_fk;
