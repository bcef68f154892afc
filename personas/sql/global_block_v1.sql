-- What was learned for everybody, in organisations that are there before: the audience of all
-- industries and its block. The owner is held to the policies, too, so they are lifted meanwhile.
ALTER TABLE orgs_organisation NO FORCE ROW LEVEL SECURITY;
ALTER TABLE orgs_audience NO FORCE ROW LEVEL SECURITY;
ALTER TABLE personas_block NO FORCE ROW LEVEL SECURITY;
INSERT INTO orgs_audience (id, organisation_id, kind, key, created_at)
SELECT day_uuid(now()), o.id, 'industry', '*', now() FROM orgs_organisation o WHERE o.removed_at IS NULL
ON CONFLICT (organisation_id, kind, key) DO NOTHING;
INSERT INTO personas_block (id, organisation_id, layer, own_text, created_at)
SELECT day_uuid(now()), o.id, 'global_experience', '', now() FROM orgs_organisation o WHERE o.removed_at IS NULL
ON CONFLICT (organisation_id, layer, member_id, persona_id, robot_id) DO NOTHING;
ALTER TABLE orgs_organisation FORCE ROW LEVEL SECURITY;
ALTER TABLE orgs_audience FORCE ROW LEVEL SECURITY;
ALTER TABLE personas_block FORCE ROW LEVEL SECURITY;
