-- What support may learn of an account, and the record of what it did with one.
-- docs/adr/0024-support-console.md says why.

-- orgs_supportact: written in the name of who acts, read by the person whose account it is.

ALTER TABLE orgs_supportact
    ADD CONSTRAINT orgs_supportact_account_id_fk
        FOREIGN KEY (account_id) REFERENCES orgs_user(id) ON DELETE CASCADE;
ALTER TABLE orgs_supportact ENABLE ROW LEVEL SECURITY;
ALTER TABLE orgs_supportact FORCE ROW LEVEL SECURITY;
CREATE POLICY orgs_supportact_app_select ON orgs_supportact FOR SELECT TO commonmind_app
    USING (account_id = NULLIF(current_setting('app.user', true), '')::uuid);
CREATE POLICY orgs_supportact_app_insert ON orgs_supportact FOR INSERT TO commonmind_app
    WITH CHECK (staff = NULLIF(current_setting('app.user', true), '')::uuid);
REVOKE UPDATE, DELETE ON orgs_supportact FROM commonmind_app;

-- No secret is among these columns: no password, no key of a session's data, no second factor's data.

GRANT SELECT (id, email, name, is_active, is_staff, is_superuser, created_at, last_login)
    ON orgs_user TO commonmind_searcher;
GRANT SELECT (id, user_id, session_key, browser, created_at, last_seen_at)
    ON orgs_signin TO commonmind_searcher;
GRANT SELECT (session_key, expire_date) ON django_session TO commonmind_searcher;
GRANT SELECT (user_id, type, created_at, last_used_at) ON mfa_authenticator TO commonmind_searcher;
GRANT SELECT (user_id) ON socialaccount_socialaccount TO commonmind_searcher;
GRANT SELECT (id, organisation_id, user_id, role, joined_at, removed_at, invite_expires_at)
    ON orgs_member TO commonmind_searcher;
GRANT SELECT (id, name, slug, removed_at) ON orgs_organisation TO commonmind_searcher;
GRANT SELECT (account_id, at, staff_name, kind, reason, detail)
    ON orgs_supportact TO commonmind_searcher;
GRANT USAGE ON SCHEMA search TO commonmind_support;

SET ROLE commonmind_searcher;

-- One account by its exact address, for the member of staff in app.user. Null for an address that nobody
-- has, for the asker's own account, for one who is no member of staff, and, unless a superuser asks, for
-- accounts of support: the caller cannot tell these apart.
CREATE FUNCTION search.support_account(address text)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
DECLARE
    asker uuid := NULLIF(current_setting('app.user', true), '')::uuid;
    above boolean;
BEGIN
    SELECT u.is_superuser INTO above FROM public.orgs_user u
    WHERE u.id = asker AND u.is_active AND u.is_staff;
    IF above IS NULL THEN RETURN NULL; END IF;
    RETURN (
        SELECT jsonb_build_object(
            'id', u.id, 'email', u.email, 'name', u.name, 'is_active', u.is_active,
            'is_staff', u.is_staff OR u.is_superuser, 'created_at', u.created_at,
            'last_login', u.last_login,
            'single_sign_on', EXISTS (
                SELECT 1 FROM public.socialaccount_socialaccount s WHERE s.user_id = u.id),
            'factors', (
                SELECT coalesce(jsonb_agg(jsonb_build_object(
                    'type', f.type, 'created_at', f.created_at, 'last_used_at', f.last_used_at)
                    ORDER BY f.created_at), '[]')
                FROM public.mfa_authenticator f WHERE f.user_id = u.id),
            'sign_ins', (
                SELECT coalesce(jsonb_agg(jsonb_build_object(
                    'id', i.id, 'browser', i.browser, 'created_at', i.created_at,
                    'last_seen_at', i.last_seen_at) ORDER BY i.last_seen_at DESC), '[]')
                FROM public.orgs_signin i
                JOIN public.django_session s ON s.session_key = i.session_key
                WHERE i.user_id = u.id AND s.expire_date > now()),
            'memberships', (
                SELECT coalesce(jsonb_agg(jsonb_build_object(
                    'organisation_id', o.id, 'organisation', o.name, 'slug', o.slug,
                    'member_id', m.id, 'role', m.role, 'joined_at', m.joined_at,
                    'removed_at', m.removed_at, 'invited_until', m.invite_expires_at)
                    ORDER BY lower(o.name), o.id), '[]')
                FROM public.orgs_member m
                JOIN public.orgs_organisation o ON o.id = m.organisation_id
                WHERE m.user_id = u.id AND o.removed_at IS NULL),
            'acts', (
                SELECT coalesce(jsonb_agg(jsonb_build_object(
                    'at', a.at, 'staff_name', a.staff_name, 'kind', a.kind, 'reason', a.reason,
                    'detail', a.detail) ORDER BY a.at DESC), '[]')
                FROM (
                    SELECT x.at, x.staff_name, x.kind, x.reason, x.detail
                    FROM public.orgs_supportact x
                    WHERE x.account_id = u.id ORDER BY x.at DESC LIMIT 20) AS a))
        FROM public.orgs_user u
        WHERE u.email = address AND u.id <> asker
          AND (above OR NOT (u.is_staff OR u.is_superuser)));
END $function$;
REVOKE ALL ON FUNCTION search.support_account(text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION search.support_account(text) TO commonmind_support;
RESET ROLE;
