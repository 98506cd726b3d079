package database

import (
	"strings"

	"github.com/google/uuid"
	"gorm.io/gorm"
)

// WithID narrows a statement to rows with one of some ids, by one value however many they are: the statement is the same for
// one and a thousand. The column has uuids, and goes into the statement as it is.
func WithID(tx *gorm.DB, column string, ids []uuid.UUID) *gorm.DB {
	where, value := Dialect(tx.Name()).AmongIDs(column, ids)

	return tx.Where(where, value)
}

// AmongIDs is the condition of WithID, with its value, for SQL by hand.
func (d Dialect) AmongIDs(column string, ids []uuid.UUID) (where, value string) {
	texts := make([]string, len(ids))
	for i, id := range ids {
		texts[i] = id.String()
	}
	if d == Postgres {
		return column + " = ANY (CAST(? AS uuid[]))", "{" + strings.Join(texts, ",") + "}"
	}
	value = "[]"
	if len(texts) > 0 {
		value = `["` + strings.Join(texts, `","`) + `"]`
	}

	return column + " IN (SELECT value FROM json_each(?))", value
}
