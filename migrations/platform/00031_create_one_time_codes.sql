-- +goose Up
-- Codes that prove that somebody is reached by a phone or an e-mail. The code itself is not stored.
CREATE TABLE onetimecode_codes (
    company_id   uuid NOT NULL REFERENCES identity_companies (id),
    id           uuid NOT NULL,
    purpose      text COLLATE "C" NOT NULL,
    subject_type text COLLATE "C" NOT NULL,
    subject_id   uuid NOT NULL,
    channel      text COLLATE "C" NOT NULL,
    recipient    text NOT NULL,
    hash         bytea NOT NULL,
    tries        bigint NOT NULL,
    created_at   timestamptz NOT NULL,
    expires_at   timestamptz NOT NULL,
    -- When the code was used, or a newer one took its place.
    ended_at     timestamptz,
    PRIMARY KEY (company_id, id)
);
CREATE INDEX onetimecode_codes_subject ON onetimecode_codes (company_id, purpose, subject_type, subject_id, created_at);
CREATE INDEX onetimecode_codes_created ON onetimecode_codes (company_id, purpose, created_at);
-- Old codes of all companies are deleted together.
CREATE INDEX onetimecode_codes_expires ON onetimecode_codes (expires_at);

-- +goose Down
DROP TABLE onetimecode_codes;
