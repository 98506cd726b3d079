package signing

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/resource"
)

// Row is a row of loads_signatures: what a customer has signed. Rows never change.
type Row struct {
	database.Tenant

	ID      uuid.UUID `gorm:"primaryKey"`
	LoadID  uuid.UUID
	At      time.Time
	Name    string
	Method  string
	Address string
	Note    string
	ByID    *uuid.UUID
	Terms   resource.JSON[[]Term]
	// Changes are what has changed since the signature before, none of the first one.
	Changes resource.JSON[[]Line]
}

// TableName implements GORM's naming.
func (Row) TableName() string { return "loads_signatures" }

// Repository keeps what was signed; the database package keeps companies apart.
type Repository struct{ db *database.DB }

// NewRepository returns a Repository.
func NewRepository(db *database.DB) *Repository { return &Repository{db} }

// Add keeps signatures.
func (r *Repository) Add(ctx context.Context, rows []Row) error {
	if len(rows) == 0 {
		return nil
	}

	return database.Translate(r.db.Conn(ctx).Create(&rows).Error)
}

// Of returns the newest signatures of a load.
func (r *Repository) Of(ctx context.Context, load uuid.UUID) ([]Row, error) {
	const most = 100

	return database.All[Row](r.db.Conn(ctx).Where("load_id = ?", load).Order("at DESC, id DESC").Limit(most))
}

// find returns a signature.
func (r *Repository) find(ctx context.Context, id uuid.UUID) (Row, error) {
	return database.One[Row](r.db.Conn(ctx), errNoSignature, "id = ?", id)
}

// RowOf is what a signature of a load leaves.
func RowOf(load uuid.UUID, s Signature, at time.Time, terms []Term, changes []Line) Row {
	row := Row{ID: database.NewID(), LoadID: load, At: at, Name: s.Name, Method: s.Method, Address: s.Address, Note: s.Note}
	row.Terms.V, row.Changes.V = terms, changes
	if s.By != uuid.Nil {
		row.ByID = &s.By
	}

	return row
}
