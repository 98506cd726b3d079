package store

import (
	"context"

	"github.com/dispatchd/dispatchd/modules/custommodules/internal/definition"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/rawjson"
)

// SetDocument leaves the document of a version of a record to be stored.
func (r *Repository) SetDocument(ctx context.Context, row definition.RecordRow, document []byte) error {
	return r.DB.Pipeline(ctx, "what is computed of a version; the company is bound",
		"UPDATE custom_modules_records SET data = ? WHERE company_id = ? AND id = ? AND version = ? AND rolled = ?",
		[]any{rawjson.Object(document), principal.CompanyOf(ctx), row.ID, row.Version, row.Rolled}, nil)
}
