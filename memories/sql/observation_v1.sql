-- The graph as askers may read it: who has shown to know what, and which memory names what.

CREATE VIEW memories_observation WITH (security_invoker = true) AS
SELECT id, organisation_id, memory_id, audience_id, relation, source, target, weight, inferred,
       observed_at
FROM memories_edge
UNION ALL
SELECT id, organisation_id, memory_id, audience_id, 'mentions'::varchar(11), memory_id, node,
       1.0::double precision, false, extracted_at
FROM memories_entity;
GRANT SELECT, INSERT, UPDATE, DELETE ON memories_observation TO commonmind_app;
GRANT SELECT ON memories_observation TO commonmind_worker;
