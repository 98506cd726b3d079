package migrate_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/migrate"
)

func TestCheckTableNames_LetsAnAreaNameItsOwn(t *testing.T) {
	t.Parallel()
	for _, sql := range []string{
		`CREATE TABLE sms_a (company_id uuid REFERENCES identity_companies (id), b uuid REFERENCES sms_b)`,
		`CREATE TABLE sms_a (a uuid, FOREIGN KEY (company_id, a) REFERENCES identity_users (company_id, id) ON DELETE CASCADE ON UPDATE CASCADE)`,
		`CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS sms_a_b ON ONLY sms_a USING btree (b) WHERE c IS DISTINCT FROM 'x'`,
		`DROP TABLE IF EXISTS sms_a, "sms_b" CASCADE; DROP INDEX sms_a_b`,
		`ALTER TABLE sms_a RENAME TO sms_b; ALTER TABLE sms_a RENAME COLUMN a TO b`,
		`INSERT INTO sms_a (a) SELECT a FROM sms_b b JOIN sms_c USING (id) WHERE a IN (SELECT x FROM sms_d) ON CONFLICT DO UPDATE SET a = 1`,
		`WITH old AS (DELETE FROM sms_a RETURNING *) INSERT INTO sms_b SELECT * FROM old, sms_c c, jsonb_each(c.data) e`,
		`UPDATE sms_a SET a = b FROM sms_b`,
		`SELECT 1 FROM sms_a FOR UPDATE`,
		`SELECT a, b FROM sms_a GROUP BY a, b ORDER BY a, b`,
		`CREATE TRIGGER sms_a_t AFTER INSERT OR UPDATE OF b ON sms_a FOR EACH ROW EXECUTE FUNCTION sms_f()`,
		`CREATE FUNCTION sms_f() RETURNS trigger AS $$ BEGIN UPDATE sms_a SET b = 1; RETURN NEW; END $$ LANGUAGE plpgsql`,
		`CREATE VIRTUAL TABLE sms_fts USING fts5(body, content='')`,
		`COMMENT ON TABLE sms_a IS 'FROM loads_stops'; -- FROM loads_stops`,
		`CREATE EXTENSION IF NOT EXISTS pg_trgm`,
	} {
		require.NoErrorf(t, migrate.CheckTableNames("sms", sql), sql)
	}
	require.NoError(t, migrate.CheckTableNames("platform", `CREATE TABLE identity_x (a uuid REFERENCES identity_users)`))
}

func TestCheckTableNames_NamesWhatBelongsToOthers(t *testing.T) {
	t.Parallel()
	for sql, name := range map[string]string{
		`CREATE TABLE loads_a (id uuid)`:                                      "loads_a",
		`CREATE TABLE smsa (id uuid)`:                                         "smsa",
		`CREATE TABLE IF NOT EXISTS "Sms_a" (id uuid)`:                        "Sms_a",
		`CREATE TABLE public.sms_a (id uuid)`:                                 "public",
		`CREATE TABLE sms_a (id uuid REFERENCES loads_b)`:                     "loads_b",
		`CREATE TABLE sms_a (id uuid REFERENCES identity_tokens)`:             "identity_tokens",
		`ALTER TABLE identity_users ADD COLUMN a text`:                        "identity_users",
		`ALTER TABLE sms_a RENAME TO loads_a`:                                 "loads_a",
		`DROP TABLE sms_a, loads_b`:                                           "loads_b",
		`CREATE INDEX loads_i ON sms_a (b)`:                                   "loads_i",
		`CREATE INDEX ON loads_a (b)`:                                         "loads_a",
		`DROP INDEX loads_i`:                                                  "loads_i",
		`INSERT INTO loads_a (a) VALUES (1)`:                                  "loads_a",
		`INSERT INTO sms_a SELECT * FROM sms_b AS b, loads_c`:                 "loads_c",
		`INSERT INTO sms_a SELECT * FROM (SELECT 1) x, loads_c`:               "loads_c",
		`SELECT * FROM sms_a JOIN loads_b ON true`:                            "loads_b",
		`DELETE FROM loads_a`:                                                 "loads_a",
		`DELETE FROM sms_a USING loads_b WHERE true`:                          "loads_b",
		`UPDATE loads_a SET a = 1`:                                            "loads_a",
		`CREATE VIEW sms_v AS SELECT * FROM loads_a`:                          "loads_a",
		`CREATE OR REPLACE FUNCTION f() RETURNS int AS $$ SELECT 1 $$`:        "f",
		`CREATE FUNCTION sms_f() RETURNS int AS $b$ DELETE FROM loads_a $b$`:  "loads_a",
		`CREATE TRIGGER sms_t BEFORE UPDATE ON loads_a EXECUTE FUNCTION f()`:  "loads_a",
		`TRUNCATE TABLE loads_a`:                                              "loads_a",
		`CREATE TABLE sms_a (id uuid); /* c */ DROP VIEW IF EXISTS loads_v ;`: "loads_v",
	} {
		err := migrate.CheckTableNames("sms", sql)
		require.ErrorContainsf(t, err, name, sql)
		require.ErrorContains(t, err, ": ")
	}
	require.ErrorContains(t, migrate.CheckTableNames("platform", `CREATE TABLE sms_x (a text)`), "sms_x")
}
