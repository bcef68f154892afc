-- The use of a memory as its reader may know it; docs/adr/0027-uses-of-each-reader.md. Their own
-- uses are exact. Of others' they know what the worker has published for all readers, less their
-- own part, rounded down to a power of two.

CREATE FUNCTION floor_to_power_of_two(n integer) RETURNS integer
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN CASE WHEN n < 1 THEN 0 ELSE (2 ^ floor(ln(n::float8) / ln(2::float8) + 1e-12))::integer END;
-- Of a share in 0-1; below 1/16 it is 0.
CREATE FUNCTION floor_to_power_of_two(share double precision) RETURNS double precision
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN CASE WHEN share < 0.0625 THEN 0 ELSE 2 ^ floor(ln(share) / ln(2::float8) + 1e-12) END;

CREATE VIEW memories_known_use WITH (security_invoker = true) AS
SELECT u.organisation_id, u.memory_id, u.tier, u.tier_since,
    coalesce(o.access_count, 0) + floor_to_power_of_two(
        u.access_count - CASE WHEN o.counted_for = u.audience_id THEN o.published ELSE 0 END
    ) AS access_count,
    greatest(o.last_accessed_at, u.last_accessed_at) AS last_accessed_at,
    coalesce(o.updates, 0) + floor_to_power_of_two(greatest(u.updates - coalesce(o.updates, 0), 0))
        AS updates,
    coalesce(o.successes, 0)
        + floor_to_power_of_two(greatest(u.successes - coalesce(o.successes, 0), 0)) AS successes,
    coalesce(o.failures, 0)
        + floor_to_power_of_two(greatest(u.failures - coalesce(o.failures, 0), 0)) AS failures,
    CASE WHEN o.updates > 0 THEN o.surprise ELSE floor_to_power_of_two(u.surprise) END AS surprise
FROM memories_use u
LEFT JOIN memories_readeruse o ON o.organisation_id = u.organisation_id
    AND o.memory_id = u.memory_id
    AND o.reader = (SELECT NULLIF(current_setting('app.reader', true), '')::uuid);
GRANT SELECT ON memories_known_use TO commonmind_app, commonmind_worker;
REVOKE INSERT, UPDATE, DELETE ON memories_known_use FROM commonmind_app;
