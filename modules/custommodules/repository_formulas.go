package custommodules

import (
	"context"

	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/rawjson"
)

// setDocument leaves the document of a version of a record to be stored.
func (r *repository) setDocument(ctx context.Context, row recordRow, document []byte) error {
	return r.db.Pipeline(ctx, "what is computed of a version; the company is bound",
		"UPDATE custom_modules_records SET data = ? WHERE company_id = ? AND id = ? AND version = ? AND rolled = ?",
		[]any{rawjson.Object(document), principal.CompanyOf(ctx), row.ID, row.Version, row.Rolled}, nil)
}
