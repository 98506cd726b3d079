-- +goose Up
-- The census keeps what nobody looks for in one column, and counts the contacts that carriers share when it is imported. It has to be
-- imported again.
DROP TABLE carriers_regulator_new_names;
DROP TABLE carriers_regulator_carriers;
DELETE FROM carriers_regulator_names;
DELETE FROM carriers_regulator_sets WHERE set_name = 'census';

CREATE TABLE carriers_regulator_carriers (
    usdot  bigint NOT NULL PRIMARY KEY,
    -- Of the body: what has the same need not be written again.
    digest bigint NOT NULL,
    state  text COLLATE "C" NOT NULL,
    -- The values of the row that are used, as a JSON object.
    body   text NOT NULL
);

-- How many carriers have a phone, an e-mail or an address, if there are several.
CREATE TABLE carriers_regulator_shared (
    -- A hash of the kind and the value.
    contact  bigint NOT NULL PRIMARY KEY,
    carriers bigint NOT NULL
);

-- When the last fetch of a set failed, and why.
ALTER TABLE carriers_regulator_sets ADD COLUMN failed_at timestamptz;
ALTER TABLE carriers_regulator_sets ADD COLUMN why text NOT NULL DEFAULT '';

-- +goose Down
ALTER TABLE carriers_regulator_sets DROP COLUMN why;
ALTER TABLE carriers_regulator_sets DROP COLUMN failed_at;
DROP TABLE carriers_regulator_shared;
DROP TABLE carriers_regulator_carriers;
DELETE FROM carriers_regulator_names;
DELETE FROM carriers_regulator_sets WHERE set_name = 'census';
CREATE TABLE carriers_regulator_new_names (
    part   text COLLATE "C" NOT NULL,
    folded text COLLATE "C" NOT NULL,
    state  text COLLATE "C" NOT NULL,
    usdot  bigint NOT NULL
);
CREATE INDEX carriers_regulator_new_names_part ON carriers_regulator_new_names (part);
CREATE TABLE carriers_regulator_carriers (
    usdot              bigint NOT NULL PRIMARY KEY,
    digest             bigint NOT NULL,
    legal_name         text NOT NULL,
    dba                text NOT NULL,
    physical_street    text NOT NULL,
    physical_city      text NOT NULL,
    physical_state     text COLLATE "C" NOT NULL,
    physical_zip       text COLLATE "C" NOT NULL,
    physical_country   text COLLATE "C" NOT NULL,
    mailing_street     text NOT NULL,
    mailing_city       text NOT NULL,
    mailing_state      text COLLATE "C" NOT NULL,
    mailing_zip        text COLLATE "C" NOT NULL,
    mailing_country    text COLLATE "C" NOT NULL,
    undeliverable      text COLLATE "C" NOT NULL,
    phone              text COLLATE "C" NOT NULL,
    cell_phone         text COLLATE "C" NOT NULL,
    email              text COLLATE "C" NOT NULL,
    officers           text NOT NULL,
    status             text COLLATE "C" NOT NULL,
    operation          text COLLATE "C" NOT NULL,
    classes            text COLLATE "C" NOT NULL,
    cargo              text COLLATE "C" NOT NULL,
    dockets            text COLLATE "C" NOT NULL,
    power_units        bigint,
    drivers            bigint,
    added_on           text COLLATE "C" NOT NULL,
    mcs150_on          text COLLATE "C" NOT NULL,
    safety_rating      text COLLATE "C" NOT NULL,
    safety_rated_on    text COLLATE "C" NOT NULL,
    safety_reviewed_on text COLLATE "C" NOT NULL
);
