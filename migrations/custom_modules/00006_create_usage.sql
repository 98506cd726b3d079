-- +goose Up
-- How many records, that are not deleted, each module has: the sum of its shards, which lets writers
-- who commit at the same time count without waiting for each other. A shard may be negative.
CREATE TABLE custom_modules_usage (
    company_id uuid    NOT NULL,
    module_id  uuid    NOT NULL,
    shard      integer NOT NULL,
    records    bigint  NOT NULL,
    PRIMARY KEY (company_id, module_id, shard)
);

-- +goose Down
DROP TABLE custom_modules_usage;
