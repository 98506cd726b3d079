package store

import (
	"context"

	"github.com/dispatchd/dispatchd/platform/database"
)

// Writers returns the transactions that write records, as pg_locks names them: among some, or with nil
// of all. A statement has its lock before it looks at any row.
func (r *Repository) Writers(ctx context.Context, among []string) ([]string, error) {
	condition, args := "", []any{}
	if among != nil {
		condition, args = " AND virtualtransaction IN ?", append(args, among)
	}
	var all []string
	err := r.DB.Raw(ctx, "locks of the table belong to no company").Raw(`SELECT DISTINCT virtualtransaction FROM pg_locks
		WHERE locktype = 'relation' AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
		AND relation = 'custom_modules_records'::regclass AND mode = 'RowExclusiveLock' AND granted AND pid <> pg_backend_pid()`+
		condition, args...).Scan(&all).Error

	return all, database.Translate(err)
}
