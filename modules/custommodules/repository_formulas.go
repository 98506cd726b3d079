package custommodules

import (
	"context"

	"gorm.io/gorm"

	"github.com/dispatchd/dispatchd/platform/database"
)

// setDocument leaves to the end of the transaction to store the document of a version of a record.
func (r *repository) setDocument(ctx context.Context, row recordRow, document []byte) error {
	return r.db.AtCommit(ctx, func(tx *gorm.DB) *gorm.DB {
		return database.Unchecked(tx, "what is computed of a version; the company is bound").
			Exec("UPDATE custom_modules_records SET data = ? WHERE company_id = ? AND id = ? AND version = ?",
				jsonText(document), companyOf(ctx), row.ID, row.Version)
	})
}
