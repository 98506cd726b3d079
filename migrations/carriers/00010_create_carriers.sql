-- +goose Up
-- Carriers of a company, the rules by which it judges them, and the carriers that it allows in spite of a rule.
CREATE TABLE carriers_carriers (
    company_id uuid NOT NULL REFERENCES identity_companies (id),
    id         uuid NOT NULL,
    version    bigint NOT NULL,
    created_at timestamptz NOT NULL,
    created_by uuid,
    updated_at timestamptz NOT NULL,
    updated_by uuid,
    deleted_at timestamptz,
    legal_name text COLLATE "C" NOT NULL,
    dba        text NOT NULL,
    usdot      text COLLATE "C",
    docket     text COLLATE "C",
    scac       text COLLATE "C",
    phone      text COLLATE "C",
    email      text COLLATE "C",
    people     jsonb NOT NULL,
    equipment  jsonb NOT NULL,
    lanes      jsonb NOT NULL,
    preferred  boolean NOT NULL,
    rating     bigint,
    insurance  jsonb NOT NULL,
    cargo_expires         date,
    agreement_signed      date,
    agreement_expires     date,
    w9_received           date,
    payment_terms_days    bigint,
    identity_confirmations jsonb NOT NULL,
    status                text COLLATE "C" NOT NULL,
    compliance            text COLLATE "C" NOT NULL,
    compliance_codes      text COLLATE "C" NOT NULL,
    compliance_checked_at timestamptz,
    notes                 text NOT NULL,
    PRIMARY KEY (company_id, id)
);
CREATE UNIQUE INDEX carriers_carriers_usdot ON carriers_carriers (company_id, usdot) WHERE deleted_at IS NULL AND usdot IS NOT NULL;
CREATE UNIQUE INDEX carriers_carriers_docket ON carriers_carriers (company_id, docket) WHERE deleted_at IS NULL AND docket IS NOT NULL;
CREATE INDEX carriers_carriers_compliance ON carriers_carriers (company_id, compliance, id) WHERE deleted_at IS NULL;
CREATE INDEX carriers_carriers_name ON carriers_carriers (company_id, legal_name, id) WHERE deleted_at IS NULL;
-- Papers that expire soon are looked for in all companies together.
CREATE INDEX carriers_carriers_cargo_expires ON carriers_carriers (cargo_expires, company_id, id) WHERE deleted_at IS NULL;
CREATE INDEX carriers_carriers_agreement_expires ON carriers_carriers (agreement_expires, company_id, id) WHERE deleted_at IS NULL;
CREATE INDEX carriers_carriers_deleted ON carriers_carriers (deleted_at) WHERE deleted_at IS NOT NULL;

CREATE TABLE carriers_rules (
    company_id uuid NOT NULL REFERENCES identity_companies (id),
    id         uuid NOT NULL,
    version    bigint NOT NULL,
    created_at timestamptz NOT NULL,
    created_by uuid,
    updated_at timestamptz NOT NULL,
    updated_by uuid,
    deleted_at timestamptz,
    code     text COLLATE "C" NOT NULL,
    title    text COLLATE "C" NOT NULL,
    fix      text NOT NULL,
    evidence text COLLATE "C" NOT NULL,
    needed   text COLLATE "C" NOT NULL,
    requires jsonb NOT NULL,
    levels   jsonb NOT NULL,
    unknown  text COLLATE "C" NOT NULL,
    PRIMARY KEY (company_id, id)
);
CREATE UNIQUE INDEX carriers_rules_code ON carriers_rules (company_id, code) WHERE deleted_at IS NULL;
CREATE INDEX carriers_rules_deleted ON carriers_rules (deleted_at) WHERE deleted_at IS NOT NULL;

CREATE TABLE carriers_overrides (
    company_id uuid NOT NULL REFERENCES identity_companies (id),
    id         uuid NOT NULL,
    version    bigint NOT NULL,
    created_at timestamptz NOT NULL,
    created_by uuid,
    updated_at timestamptz NOT NULL,
    updated_by uuid,
    deleted_at timestamptz,
    carrier_id uuid NOT NULL,
    code       text COLLATE "C" NOT NULL,
    reason     text NOT NULL,
    until      date NOT NULL,
    PRIMARY KEY (company_id, id)
);
CREATE INDEX carriers_overrides_carrier ON carriers_overrides (company_id, carrier_id, id);
CREATE INDEX carriers_overrides_deleted ON carriers_overrides (deleted_at) WHERE deleted_at IS NOT NULL;

-- +goose Down
DROP TABLE carriers_overrides;
DROP TABLE carriers_rules;
DROP TABLE carriers_carriers;
