-- +goose Up
-- Who holds a link: the contact, carrier or driver to whom it was given. Both are null where that is not known.
ALTER TABLE link_links ADD COLUMN holder_type text;
ALTER TABLE link_links ADD COLUMN holder_id uuid;

CREATE INDEX link_links_purpose_idx ON link_links (company_id, purpose, id);
CREATE INDEX link_links_holder_idx ON link_links (company_id, holder_id, id) WHERE holder_id IS NOT NULL;

-- The portals that a company has switched off: customers, carriers or drivers.
CREATE TABLE link_portals (
    company_id uuid NOT NULL REFERENCES identity_companies (id),
    portal text COLLATE "C" NOT NULL,
    off_since timestamptz NOT NULL,
    off_by uuid,
    PRIMARY KEY (company_id, portal)
);

-- +goose Down
DROP TABLE link_portals;
DROP INDEX link_links_holder_idx;
DROP INDEX link_links_purpose_idx;
ALTER TABLE link_links DROP COLUMN holder_id;
ALTER TABLE link_links DROP COLUMN holder_type;
