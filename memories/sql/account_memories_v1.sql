-- Which memory was made of an event or a mail. Whoever erases the memory leaves the entry.
ALTER TABLE memories_accountentry
    ADD CONSTRAINT memories_accountentry_memory_id_fk
        FOREIGN KEY (organisation_id, memory_id)
        REFERENCES memories_memory (organisation_id, id) ON DELETE SET NULL (memory_id);
CREATE INDEX memories_accountentry_memory_id_back ON memories_accountentry (organisation_id, memory_id) WHERE memory_id IS NOT NULL;
