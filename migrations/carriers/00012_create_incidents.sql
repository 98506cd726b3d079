-- +goose Up
-- What a carrier is linked with, the carriers that users save, incidents, and how verdicts changed.
ALTER TABLE carriers_carriers ADD COLUMN contact_id uuid;
ALTER TABLE carriers_carriers ADD COLUMN agreement_file_id uuid;
ALTER TABLE carriers_carriers ADD COLUMN agreement_envelope_id uuid;
ALTER TABLE carriers_carriers ADD COLUMN w9_file_id uuid;
ALTER TABLE carriers_carriers ADD COLUMN tin_last4 text COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE carriers_carriers ADD COLUMN merged_into_id uuid;
ALTER TABLE carriers_carriers ADD COLUMN merged_at timestamptz;
CREATE INDEX carriers_carriers_contact ON carriers_carriers (company_id, contact_id, id) WHERE contact_id IS NOT NULL;
CREATE INDEX carriers_carriers_merged ON carriers_carriers (company_id, merged_into_id, id) WHERE merged_into_id IS NOT NULL;
-- A carrier that was merged into another one gives its numbers up.
DROP INDEX carriers_carriers_usdot;
DROP INDEX carriers_carriers_docket;
CREATE UNIQUE INDEX carriers_carriers_usdot ON carriers_carriers (company_id, usdot)
    WHERE deleted_at IS NULL AND merged_into_id IS NULL AND usdot IS NOT NULL;
CREATE UNIQUE INDEX carriers_carriers_docket ON carriers_carriers (company_id, docket)
    WHERE deleted_at IS NULL AND merged_into_id IS NULL AND docket IS NOT NULL;

CREATE TABLE carriers_merges (
    company_id  uuid        NOT NULL REFERENCES identity_companies (id),
    id          uuid        NOT NULL,
    into_id     uuid        NOT NULL,
    from_id     uuid        NOT NULL,
    moved       jsonb       NOT NULL,
    before      jsonb       NOT NULL,
    after       jsonb       NOT NULL,
    created_at  timestamptz NOT NULL,
    created_by  uuid,
    unmerged_at timestamptz,
    PRIMARY KEY (company_id, id)
);
CREATE INDEX carriers_merges_from ON carriers_merges (company_id, from_id, created_at);

CREATE TABLE carriers_saved (
    company_id uuid NOT NULL REFERENCES identity_companies (id),
    id         uuid NOT NULL,
    version    bigint NOT NULL,
    created_at timestamptz NOT NULL,
    created_by uuid,
    updated_at timestamptz NOT NULL,
    updated_by uuid,
    deleted_at timestamptz,
    carrier_id uuid,
    usdot      text COLLATE "C",
    name       text COLLATE "C" NOT NULL,
    note       text NOT NULL,
    PRIMARY KEY (company_id, id)
);
CREATE UNIQUE INDEX carriers_saved_usdot ON carriers_saved (company_id, usdot) WHERE deleted_at IS NULL AND usdot IS NOT NULL;
CREATE INDEX carriers_saved_name ON carriers_saved (company_id, name, id) WHERE deleted_at IS NULL;
CREATE INDEX carriers_saved_carrier ON carriers_saved (company_id, carrier_id, id);
CREATE INDEX carriers_saved_deleted ON carriers_saved (deleted_at) WHERE deleted_at IS NOT NULL;

CREATE TABLE carriers_saved_uses (
    company_id uuid        NOT NULL REFERENCES identity_companies (id),
    user_id    uuid        NOT NULL,
    saved_id   uuid        NOT NULL,
    used_at    timestamptz NOT NULL,
    PRIMARY KEY (company_id, user_id, saved_id),
    FOREIGN KEY (company_id, saved_id) REFERENCES carriers_saved (company_id, id) ON DELETE CASCADE
);
CREATE INDEX carriers_saved_uses_recent ON carriers_saved_uses (company_id, user_id, used_at, saved_id);

CREATE TABLE carriers_incidents (
    company_id uuid NOT NULL REFERENCES identity_companies (id),
    id         uuid NOT NULL,
    version    bigint NOT NULL,
    created_at timestamptz NOT NULL,
    created_by uuid,
    updated_at timestamptz NOT NULL,
    updated_by uuid,
    deleted_at timestamptz,
    carrier_id  uuid NOT NULL,
    kind        text COLLATE "C" NOT NULL,
    title       text COLLATE "C" NOT NULL,
    description text NOT NULL,
    evidence    text NOT NULL,
    happened_on date NOT NULL,
    item_type   text COLLATE "C",
    item_id     uuid,
    item_part   text COLLATE "C",
    reporter    text COLLATE "C" NOT NULL,
    report_key  text COLLATE "C",
    confirmed_at timestamptz,
    dismissed_at timestamptz,
    state       text COLLATE "C" NOT NULL,
    PRIMARY KEY (company_id, id)
);
CREATE INDEX carriers_incidents_carrier ON carriers_incidents (company_id, carrier_id, happened_on, id) WHERE deleted_at IS NULL;
CREATE INDEX carriers_incidents_item ON carriers_incidents (company_id, item_type, item_id, id);
CREATE UNIQUE INDEX carriers_incidents_report ON carriers_incidents (company_id, report_key) WHERE report_key IS NOT NULL;
CREATE INDEX carriers_incidents_deleted ON carriers_incidents (deleted_at) WHERE deleted_at IS NOT NULL;

CREATE TABLE carriers_verdict_changes (
    company_id  uuid        NOT NULL REFERENCES identity_companies (id),
    id          uuid        NOT NULL,
    carrier_id  uuid        NOT NULL,
    at          timestamptz NOT NULL,
    from_status text COLLATE "C" NOT NULL,
    to_status   text COLLATE "C" NOT NULL,
    codes       text COLLATE "C" NOT NULL,
    PRIMARY KEY (company_id, id)
);
CREATE INDEX carriers_verdict_changes_carrier ON carriers_verdict_changes (company_id, carrier_id, at, id);

-- +goose Down
DROP TABLE carriers_verdict_changes;
DROP TABLE carriers_incidents;
DROP TABLE carriers_saved_uses;
DROP TABLE carriers_saved;
DROP TABLE carriers_merges;
DROP INDEX carriers_carriers_docket;
DROP INDEX carriers_carriers_usdot;
CREATE UNIQUE INDEX carriers_carriers_usdot ON carriers_carriers (company_id, usdot) WHERE deleted_at IS NULL AND usdot IS NOT NULL;
CREATE UNIQUE INDEX carriers_carriers_docket ON carriers_carriers (company_id, docket) WHERE deleted_at IS NULL AND docket IS NOT NULL;
DROP INDEX carriers_carriers_merged;
DROP INDEX carriers_carriers_contact;
ALTER TABLE carriers_carriers DROP COLUMN merged_at;
ALTER TABLE carriers_carriers DROP COLUMN merged_into_id;
ALTER TABLE carriers_carriers DROP COLUMN tin_last4;
ALTER TABLE carriers_carriers DROP COLUMN w9_file_id;
ALTER TABLE carriers_carriers DROP COLUMN agreement_envelope_id;
ALTER TABLE carriers_carriers DROP COLUMN agreement_file_id;
ALTER TABLE carriers_carriers DROP COLUMN contact_id;
