package record

import (
	"context"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/contacts/contactsapi"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/field"
)

// retention is for how many years records are retained (49 CFR 371.3(c)).
const retention = 3

var errRetained = errs.New(errs.Conflict, "loads.contact_retained", "A load requires the data of the contact.")

// Retention keeps the contacts that records name.
type Retention struct {
	db    *database.DB
	clock clock.Clock
}

// NewRetention returns a Retention.
func NewRetention(db *database.DB, c clock.Clock) *Retention { return &Retention{db, c} }

// Erasing vetoes the erasure of a contact while a load of it is not over, and as long as the record of one names it.
func (s *Retention) Erasing(ctx context.Context, e *contactsapi.Erasing) error {
	contact, err := uuid.Parse(e.Contact)
	if err != nil {
		return err
	}
	rows, err := s.live(ctx, contact)
	if err != nil {
		return err
	}
	if len(rows) > 0 {
		return errRetained.WithMessage("The load %s of the contact is not completed, or something is left to pay of it.", rows[0].Number).WithDetail("load_uuid", rows[0].ID)
	}
	rows, err = s.kept(ctx, contact, s.clock.Now().AddDate(-retention, 0, 0))
	if err != nil || len(rows) == 0 {
		return err
	}
	until := field.Date(rows[0].DeliveredAt.AddDate(retention, 0, 1).UTC().Format("2006-01-02"))

	return errRetained.WithMessage("The record of the load %s names the contact, and is retained for three years (49 CFR 371.3): erase it from %s on.", rows[0].Number, until).
		WithDetail("load_uuid", rows[0].ID).WithDetail("retained_until", until)
}
