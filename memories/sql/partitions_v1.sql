-- An index projection partitioned by kind: group, user and interaction (docs/adr/0007-strategies.md).
-- Direct, organisation's and internal rows are not in it; the narrow tables have them.

CREATE TABLE memories_partition (
    organisation_id uuid NOT NULL,
    memory_id uuid NOT NULL,
    audience_id uuid NOT NULL,
    kind varchar(12) NOT NULL,
    group_id uuid,
    owner uuid,
    parties uuid[] NOT NULL,
    lexemes tsvector NOT NULL,
    length integer NOT NULL,
    model smallint,
    embedding halfvec(384),
    CONSTRAINT partition_once UNIQUE (organisation_id, memory_id, kind),
    CONSTRAINT memories_partition_memory_fk
        FOREIGN KEY (organisation_id, memory_id, audience_id, kind)
        REFERENCES memories_memory (organisation_id, id, audience_id, kind)
        ON UPDATE CASCADE ON DELETE CASCADE,
    CONSTRAINT memories_partition_group_fk
        FOREIGN KEY (organisation_id, group_id) REFERENCES orgs_group (organisation_id, id)
) PARTITION BY LIST (kind);
CREATE TABLE memories_partition_group PARTITION OF memories_partition FOR VALUES IN ('group');
CREATE TABLE memories_partition_user PARTITION OF memories_partition FOR VALUES IN ('user');
CREATE TABLE memories_partition_interaction PARTITION OF memories_partition FOR VALUES IN ('interaction');

-- What one asker reads of a group or of an interaction is chosen by audience, as in the narrow
-- tables; what is known of one member by whom it is about. Each is an index-only scan.
CREATE INDEX partition_group_scan ON memories_partition_group (organisation_id, audience_id, model)
    INCLUDE (memory_id, kind, group_id, embedding);
CREATE INDEX partition_user_scan ON memories_partition_user (organisation_id, owner, model)
    INCLUDE (audience_id, memory_id, kind, group_id, embedding);
CREATE INDEX partition_user_audience ON memories_partition_user (organisation_id, audience_id);
CREATE INDEX partition_interaction_scan ON memories_partition_interaction
    (organisation_id, audience_id, model)
    INCLUDE (memory_id, kind, group_id, parties, embedding);
