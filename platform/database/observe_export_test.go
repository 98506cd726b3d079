package database

import (
	"context"

	"gorm.io/gorm"
)

// Traced is traced.
func (db *DB) Traced(
	ctx context.Context, fn func(context.Context) error,
) (context.Context, func(context.Context) error, func(error) error) {
	return db.traced(ctx, fn)
}

// CallbacksOfTraces are the functions that traces added to GORM, by what they surround.
func (db *DB) CallbacksOfTraces() []string {
	var all []string
	on := db.open.orm.Callback()
	for name, fn := range map[string]any{
		"create": on.Create().Get("dispatchd:ended"), "query": on.Query().Get("dispatchd:ended"), "raw": on.Raw().Get("dispatchd:ended"),
	} {
		if f, ok := fn.(func(*gorm.DB)); ok && f != nil {
			all = append(all, name)
		}
	}

	return all
}
