package numbers

import (
	"context"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/sms/internal/company"
	"github.com/dispatchd/dispatchd/modules/sms/internal/store"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/principal"
)

// Whose default a number is.
const (
	ofUser    = "user"
	ofCompany = "company"
)

// Defaults are the numbers that are sent from where none is given.
type Defaults struct {
	store *store.Repository
	trail *company.Trail
	clock clock.Clock
}

// NewDefaults returns Defaults.
func NewDefaults(r *store.Repository, t *company.Trail, c clock.Clock) *Defaults {
	return &Defaults{store: r, trail: t, clock: c}
}

// OfCaller returns the number to send from where none is given: the caller's own default, else the company's. A default
// is an active number: see clearNumber and Assignments. Error: store.ErrNoDefault.
func (s *Defaults) OfCaller(ctx context.Context, p store.Preferences) (row store.Number, whose string, err error) {
	if user := principal.UserOf(ctx); user != nil {
		id, err := s.store.UserDefault(ctx, *user)
		if err != nil {
			return row, "", err
		}
		if id != nil {
			row, err = s.store.Number(ctx, *id)

			return row, ofUser, err
		}
	}
	row, err = s.companyDefault(ctx, p)

	return row, ofCompany, err
}

// companyDefault returns the company's default, or store.ErrNoDefault.
func (s *Defaults) companyDefault(ctx context.Context, p store.Preferences) (store.Number, error) {
	if p.NumberID == nil {
		return store.Number{}, store.ErrNoDefault
	}

	return s.store.Number(ctx, *p.NumberID)
}

// setUser makes a number the default of the user who calls.
func (s *Defaults) setUser(ctx context.Context, id uuid.UUID) (store.Number, error) {
	user := principal.UserOf(ctx)
	if user == nil {
		return store.Number{}, store.ErrNoUser
	}
	var row store.Number
	err := s.store.DB.InTx(ctx, func(ctx context.Context) (err error) {
		if row, err = s.store.LockNumber(ctx, id); err != nil {
			return err
		}
		if err := row.Usable(user); err != nil {
			return err
		}
		before, err := s.store.UserDefault(ctx, *user)
		if err != nil {
			return err
		}
		if err := s.store.SetUserDefault(ctx, &store.UserDefault{UserID: *user, NumberID: id, UpdatedAt: s.clock.Now()}); err != nil {
			return err
		}

		return s.trail.DefaultChanged(ctx, company.UserDefaultItem, *user, before, &id)
	})

	return row, err
}

// clearUser takes the default of the user who calls. There may have been none.
func (s *Defaults) clearUser(ctx context.Context) error {
	user := principal.UserOf(ctx)
	if user == nil {
		return store.ErrNoUser
	}

	return s.store.DB.InTx(ctx, func(ctx context.Context) error {
		before, err := s.store.UserDefault(ctx, *user)
		if err != nil {
			return err
		}
		if err := s.store.DeleteUserDefault(ctx, *user); err != nil {
			return err
		}

		return s.trail.DefaultChanged(ctx, company.UserDefaultItem, *user, before, nil)
	})
}

// setCompany makes a number the company's default; nil for none. A number that is assigned to a user is not
// everybody's.
func (s *Defaults) setCompany(ctx context.Context, id *uuid.UUID) (row store.Number, err error) {
	err = s.store.DB.InTx(ctx, func(ctx context.Context) error {
		if id != nil {
			if row, err = s.store.LockNumber(ctx, *id); err != nil {
				return err
			}
			if err := row.Usable(nil); err != nil {
				return err
			}
			if row.UserID != nil {
				return store.ErrNotYours
			}
		}
		p, err := s.store.LockPreferences(ctx, s.clock.Now())
		if err != nil {
			return err
		}

		return s.saveCompanyDefault(ctx, p, id)
	})

	return row, err
}

// clearCompanyDefault makes a number the company's default no more, if it is.
func (s *Defaults) clearCompanyDefault(ctx context.Context, id uuid.UUID) error {
	p, err := s.store.LockPreferences(ctx, s.clock.Now())
	if err != nil || p.NumberID == nil || *p.NumberID != id {
		return err
	}

	return s.saveCompanyDefault(ctx, p, nil)
}

func (s *Defaults) saveCompanyDefault(ctx context.Context, p store.Preferences, id *uuid.UUID) error {
	before := p.NumberID
	p.NumberID, p.Version, p.UpdatedAt = id, p.Version+1, s.clock.Now()
	if err := s.store.SavePreferences(ctx, &p); err != nil {
		return err
	}

	return s.trail.DefaultChanged(ctx, company.SettingsItem, p.CompanyID, before, id)
}

// clearNumber makes a number nobody's default.
func (s *Defaults) clearNumber(ctx context.Context, id uuid.UUID) error {
	if err := s.store.DeleteDefaults(ctx, id, nil); err != nil {
		return err
	}

	return s.clearCompanyDefault(ctx, id)
}
