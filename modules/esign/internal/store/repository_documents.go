package store

import (
	"context"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/esign/internal/provider"
	"github.com/dispatchd/dispatchd/platform/database"
)

// Document returns a document of an envelope.
func (r *Repository) Document(ctx context.Context, envelope uuid.UUID, kind provider.Document) (Document, error) {
	return database.One[Document](r.DB.Conn(ctx), ErrNoDocument, "envelope_id = ? AND kind = ?", envelope, kind)
}

// Documents returns the documents of envelopes that are stored.
func (r *Repository) Documents(ctx context.Context, envelopes ...uuid.UUID) ([]Document, error) {
	return database.All[Document](r.DB.Conn(ctx).Where("envelope_id IN ? AND sha256 <> ''", envelopes).Order("envelope_id, kind"))
}

// SaveDocument stores what a document is.
func (r *Repository) SaveDocument(ctx context.Context, row *Document) error {
	return database.Translate(r.DB.Conn(ctx).Model(&Document{}).Where("id = ?", row.ID).Select("sha256", "size").Updates(row).Error)
}

// SaveDocuments stores where the documents of an envelope are.
func (r *Repository) SaveDocuments(ctx context.Context, row *Envelope) error {
	return database.Translate(r.DB.Conn(ctx).Model(&Envelope{}).Where("id = ?", row.ID).Select("documents", "documents_problem").Updates(row).Error)
}
