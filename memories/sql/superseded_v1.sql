-- What a newer memory holds in the place of. When that one is deleted, the older keeps its day.
ALTER TABLE memories_memory
    ADD CONSTRAINT memories_memory_superseded_by_id_fk
        FOREIGN KEY (organisation_id, superseded_by_id)
        REFERENCES memories_memory (organisation_id, id) ON DELETE SET NULL (superseded_by_id);
CREATE INDEX memories_memory_superseded_by_id_back ON memories_memory (organisation_id, superseded_by_id)
    WHERE superseded_by_id IS NOT NULL;
