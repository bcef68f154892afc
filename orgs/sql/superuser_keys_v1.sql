-- Keys by which a superuser makes and removes organisations. Commands on the server make and revoke
-- them as the owner; the application looks one up by its id and changes none.

ALTER TABLE orgs_superuserkey
    ADD CONSTRAINT orgs_superuserkey_user_id_fk
        FOREIGN KEY (user_id) REFERENCES orgs_user(id) ON DELETE CASCADE;
REVOKE INSERT, UPDATE, DELETE ON orgs_superuserkey FROM commonmind_app;
