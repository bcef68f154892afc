-- An open invitation ends when who sent it is an admin no more.
ALTER TABLE orgs_member
    ADD CONSTRAINT orgs_member_invited_by_id_fk
        FOREIGN KEY (organisation_id, invited_by_id)
        REFERENCES orgs_member (organisation_id, id) ON DELETE SET NULL (invited_by_id) NOT VALID;
ALTER TABLE orgs_member VALIDATE CONSTRAINT orgs_member_invited_by_id_fk;
