package migrate_test

import (
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/database/databasetest"
	"github.com/dispatchd/dispatchd/platform/migrate"
)

// The trigger runs when the migration is committed, and notes down whether that waits for the disk.
const noting = `-- +goose Up
SET LOCAL synchronous_commit TO on;
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

func TestUp_DoesNotWaitForTheDiskAfterEachFile(t *testing.T) {
	t.Parallel()
	databasetest.Each(t, func(t *testing.T, url string) {
		t.Helper()
		db := databasetest.Open(t, url)
		files := fstest.MapFS{"00001_step.postgres.sql": {Data: []byte(noting)}}
		require.NoError(t, migrate.Up(t.Context(), db, []migrate.Source{{Area: "sms", FS: files}}, quiet()))
		if db.Dialect() == database.SQLite { // which has no such setting of a transaction
			require.False(t, exists(t, db, "sms_a"))

			return
		}

		var waits string
		require.NoError(t, db.SQL().QueryRowContext(t.Context(), "SELECT waits FROM sms_a").Scan(&waits))
		require.Equal(t, "off", waits)
	})
}
