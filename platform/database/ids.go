package database

import (
	"strings"

	"github.com/google/uuid"
	"gorm.io/gorm"
)

// WithID narrows a statement to rows with one of some ids, by one value however many they are: the statement is the same for
// one and a thousand. The column has uuids, and goes into the statement as it is.
func WithID(tx *gorm.DB, column string, ids []uuid.UUID) *gorm.DB {
	texts := make([]string, len(ids))
	for i, id := range ids {
		texts[i] = id.String()
	}
	if tx.Name() == "postgres" {
		return tx.Where(column+" = ANY (CAST(? AS uuid[]))", "{"+strings.Join(texts, ",")+"}")
	}
	found := "[]"
	if len(texts) > 0 {
		found = `["` + strings.Join(texts, `","`) + `"]`
	}

	return tx.Where(column+" IN (SELECT value FROM json_each(?))", found)
}
