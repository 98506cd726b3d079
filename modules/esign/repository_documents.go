package esign

import (
	"context"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/esign/internal/provider"
	"github.com/dispatchd/dispatchd/platform/database"
)

func (r *repository) document(ctx context.Context, envelope uuid.UUID, kind provider.Document) (document, error) {
	return database.One[document](r.db.Conn(ctx), errNoDocument, "envelope_id = ? AND kind = ?", envelope, kind)
}

// documents returns the documents of envelopes that are stored.
func (r *repository) documents(ctx context.Context, envelopes ...uuid.UUID) ([]document, error) {
	return database.All[document](r.db.Conn(ctx).Where("envelope_id IN ? AND sha256 <> ''", envelopes).Order("envelope_id, kind"))
}

func (r *repository) saveDocument(ctx context.Context, row *document) error {
	return database.Translate(r.db.Conn(ctx).Model(&document{}).Where("id = ?", row.ID).Select("sha256", "size").Updates(row).Error)
}

// saveDocuments stores where the documents of an envelope are.
func (r *repository) saveDocuments(ctx context.Context, row *envelope) error {
	return database.Translate(r.db.Conn(ctx).Model(&envelope{}).Where("id = ?", row.ID).Select("documents", "documents_problem").Updates(row).Error)
}
