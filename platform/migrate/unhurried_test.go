package migrate_test

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/database/databasetest"
	"github.com/dispatchd/dispatchd/platform/migrate"
)

// The trigger runs when the migration is committed, and notes down whether that waits for the disk.
const noting = `-- +goose Up
CREATE TABLE sms_a (id uuid NOT NULL PRIMARY KEY, waits text);
-- +goose StatementBegin
CREATE FUNCTION sms_note() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE sms_a SET waits = current_setting('synchronous_commit');
    RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE CONSTRAINT TRIGGER sms_noting AFTER INSERT ON sms_a DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION sms_note();
INSERT INTO sms_a (id) VALUES ('0190d0c0-0000-7000-8000-000000000001');

-- +goose Down
DROP TABLE sms_a;
DROP FUNCTION sms_note;
`

func TestUp_WaitsForTheDiskNeitherBetweenFilesNorForGood(t *testing.T) {
	t.Parallel()
	databasetest.Each(t, func(t *testing.T, url string) {
		t.Helper()
		if strings.HasPrefix(url, "postgres:") {
			url += "&options=-csynchronous_commit%3Don"
		}
		db := databasetest.Open(t, url)
		require.NoError(t, migrate.Up(t.Context(), db, []migrate.Source{{Area: "sms", FS: fstest.MapFS{
			"00001_note.postgres.sql": {Data: []byte(noting)},
			"00002_step.sql":          {Data: []byte(creating("sms_b"))},
		}}}, quiet()))

		waits, waiting := "PRAGMA synchronous", "2"
		if db.Dialect() == database.Postgres {
			var waited string
			require.NoError(t, db.SQL().QueryRowContext(t.Context(), "SELECT waits FROM sms_a").Scan(&waited))
			require.Equal(t, "off", waited)
			waits, waiting = "SHOW synchronous_commit", "on"
		}
		for range 2 { // those of the lock and of the migrations
			conn, err := db.SQL().Conn(t.Context())
			require.NoError(t, err)
			defer func() { require.NoError(t, conn.Close()) }()
			var got string
			require.NoError(t, conn.QueryRowContext(t.Context(), waits).Scan(&got))
			require.Equal(t, waiting, got)
		}
	})
}
