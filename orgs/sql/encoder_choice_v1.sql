-- The worker embeds with the organisation's models.
GRANT SELECT (encoder, second_encoder, row_encoder, fill_paused) ON orgs_organisation TO commonmind_worker;
