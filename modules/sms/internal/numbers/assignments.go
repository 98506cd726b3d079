package numbers

import (
	"context"
	"errors"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/sms/internal/store"
	"github.com/dispatchd/dispatchd/platform/identity"
	"github.com/dispatchd/dispatchd/platform/principal"
)

// Assignments says whose numbers are.
type Assignments struct {
	store    *store.Repository
	identity *identity.Service
	defaults *Defaults
}

// NewAssignments returns Assignments.
func NewAssignments(r *store.Repository, who *identity.Service, d *Defaults) *Assignments {
	return &Assignments{store: r, identity: who, defaults: d}
}

// assign gives a number to a user, or to everybody. One that is given to a user ceases to be
// the default of all others, and the company's.
func (s *Assignments) assign(ctx context.Context, row *store.Number, user *uuid.UUID) error {
	if user != nil {
		who, _ := principal.From(ctx)
		if _, err := s.identity.User(ctx, who.Company, *user); errors.Is(err, identity.ErrUserNotFound) {
			return store.ErrInvalid.WithField("user_uuid", "There is no such user.")
		} else if err != nil {
			return err
		}
		if err := s.store.DeleteDefaults(ctx, row.ID, user); err != nil {
			return err
		}
		if err := s.defaults.clearCompanyDefault(ctx, row.ID); err != nil {
			return err
		}
	}
	row.UserID = user

	return nil
}
