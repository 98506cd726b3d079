-- +goose Up
-- What a company lets itself send; 0 and [] are the deployment's limits.
CREATE TABLE attachments_limits (
    company_id       uuid        NOT NULL PRIMARY KEY REFERENCES identity_companies (id),
    max_size         bigint      NOT NULL,
    max_company_size bigint      NOT NULL,
    types            jsonb       NOT NULL,
    version          bigint      NOT NULL,
    updated_by       uuid,
    updated_at       timestamptz NOT NULL
);

-- When a scanner was last asked for, or expected to be, and whether the file could be read before.
ALTER TABLE attachments_attachments ADD COLUMN scan_asked_at timestamptz;
ALTER TABLE attachments_attachments ADD COLUMN scan_again boolean NOT NULL DEFAULT false;
UPDATE attachments_attachments SET scan_asked_at = updated_at WHERE scan = 'pending';
CREATE INDEX attachments_attachments_scan ON attachments_attachments (scan_asked_at) WHERE scan_asked_at IS NOT NULL;
CREATE INDEX attachments_attachments_scan_failed ON attachments_attachments (company_id, id) WHERE scan = 'failed';
CREATE INDEX attachments_attachments_link ON attachments_attachments (company_id, upload_link_id, created_at, id) WHERE upload_link_id IS NOT NULL;

-- +goose Down
DROP INDEX attachments_attachments_link;
DROP INDEX attachments_attachments_scan_failed;
DROP INDEX attachments_attachments_scan;
ALTER TABLE attachments_attachments DROP COLUMN scan_again;
ALTER TABLE attachments_attachments DROP COLUMN scan_asked_at;
DROP TABLE attachments_limits;
