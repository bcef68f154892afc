-- A member has one personal robot. Of several the first stays theirs; the others keep what they
-- wrote, and no longer read what is private to the member.
ALTER TABLE robots_robot NO FORCE ROW LEVEL SECURITY;
UPDATE robots_robot r SET owner_id = NULL
WHERE r.owner_id IS NOT NULL AND r.retired_at IS NULL AND EXISTS (
    SELECT 1 FROM robots_robot before
    WHERE before.organisation_id = r.organisation_id AND before.owner_id = r.owner_id
        AND before.retired_at IS NULL AND before.id < r.id);
ALTER TABLE robots_robot FORCE ROW LEVEL SECURITY;
