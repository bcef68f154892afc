-- Vectors of the parts of long texts, and where each part is in its text, in characters.

ALTER TABLE memories_vector
    ADD COLUMN first_character integer NOT NULL DEFAULT 0,
    ADD COLUMN end_character integer NOT NULL DEFAULT 0,
    ADD CONSTRAINT vector_part_somewhere CHECK ((part = 0) = (end_character = 0)
        AND first_character >= 0 AND end_character < 1048576);

-- What is long already waits for its parts.
ALTER TABLE memories_text NO FORCE ROW LEVEL SECURITY;
ALTER TABLE memories_memory NO FORCE ROW LEVEL SECURITY;
ALTER TABLE memories_pending NO FORCE ROW LEVEL SECURITY;
ALTER TABLE orgs_organisation NO FORCE ROW LEVEL SECURITY;
INSERT INTO memories_pending (id, organisation_id, memory_id, audience_id, kind, state, attempts,
                              reason, created_at, reading)
SELECT gen_random_uuid(), t.organisation_id, t.memory_id, t.audience_id, t.kind, 'waiting', 0, '',
    now(), ''
FROM memories_text t
JOIN memories_memory m ON m.organisation_id = t.organisation_id AND m.id = t.memory_id
WHERE octet_length(m.content) > 1260
ON CONFLICT (organisation_id, memory_id) DO NOTHING;
UPDATE orgs_organisation o SET has_parts = true WHERE EXISTS (
    SELECT FROM memories_memory m WHERE m.organisation_id = o.id AND octet_length(m.content) > 1260);
ALTER TABLE orgs_organisation FORCE ROW LEVEL SECURITY;
ALTER TABLE memories_pending FORCE ROW LEVEL SECURITY;
ALTER TABLE memories_memory FORCE ROW LEVEL SECURITY;
ALTER TABLE memories_text FORCE ROW LEVEL SECURITY;
