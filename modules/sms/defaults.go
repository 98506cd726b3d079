package sms

import (
	"context"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/web"
)

// Whose default a number is.
const (
	ofUser    = "user"
	ofCompany = "company"
)

// standard returns the number that the caller sends from if he says none: his own default, else the company's.
// Only active numbers are, so a default never outlives its number: see forget and assign.
func (s *core) standard(ctx context.Context, p preferences) (row number, whose string, err error) {
	if user := principal.UserOf(ctx); user != nil {
		id, err := s.userDefault(ctx, *user)
		if err != nil {
			return row, "", err
		}
		if id != nil {
			row, err = s.number(ctx, *id)

			return row, ofUser, err
		}
	}
	row, err = s.companyDefault(ctx, p)

	return row, ofCompany, err
}

// companyDefault returns the company's default, or errNoDefault.
func (s *core) companyDefault(ctx context.Context, p preferences) (number, error) {
	if p.NumberID == nil {
		return number{}, errNoDefault
	}

	return s.number(ctx, *p.NumberID)
}

// setUser makes a number the default of the user who calls.
func (s *numbers) setUser(ctx context.Context, id uuid.UUID) (number, error) {
	user := principal.UserOf(ctx)
	if user == nil {
		return number{}, errNoUser
	}
	var row number
	err := s.db.InTx(ctx, func(ctx context.Context) (err error) {
		if row, err = s.heldNumber(ctx, id); err != nil {
			return err
		}
		if err := row.usable(user); err != nil {
			return err
		}

		return s.setUserDefault(ctx, &userDefault{UserID: *user, NumberID: id, UpdatedAt: s.clock.Now()})
	})

	return row, err
}

// clearUser takes the default of the user who calls. There may have been none.
func (s *numbers) clearUser(ctx context.Context) error {
	user := principal.UserOf(ctx)
	if user == nil {
		return errNoUser
	}

	return s.db.InTx(ctx, func(ctx context.Context) error { return s.dropUserDefault(ctx, *user) })
}

// setCompany makes a number the company's default; nil for none. A number that is assigned to a user is not
// everybody's.
func (s *numbers) setCompany(ctx context.Context, id *uuid.UUID) (row number, err error) {
	err = s.db.InTx(ctx, func(ctx context.Context) error {
		if id != nil {
			if row, err = s.heldNumber(ctx, *id); err != nil {
				return err
			}
			if err := row.usable(nil); err != nil {
				return err
			}
			if row.UserID != nil {
				return errNotYours
			}
		}
		p, err := s.heldPreferences(ctx, s.clock.Now())
		if err != nil {
			return err
		}
		p.NumberID, p.Version, p.UpdatedAt = id, p.Version+1, s.clock.Now()

		return s.savePreferences(ctx, &p)
	})

	return row, err
}

// clearCompanyDefault makes a number the company's default no more, if it is.
func (s *core) clearCompanyDefault(ctx context.Context, id uuid.UUID) error {
	p, err := s.heldPreferences(ctx, s.clock.Now())
	if err != nil || p.NumberID == nil || *p.NumberID != id {
		return err
	}
	p.NumberID, p.Version, p.UpdatedAt = nil, p.Version+1, s.clock.Now()

	return s.savePreferences(ctx, &p)
}

// setting changes the company's settings.
func (s *core) setting(ctx context.Context, match web.IfMatch, change func(*preferences) error) (p preferences, err error) {
	err = s.db.InTx(ctx, func(ctx context.Context) error {
		if p, err = s.heldPreferences(ctx, s.clock.Now()); err != nil {
			return err
		}
		if err := match.Check(p.Version); err != nil {
			return err
		}
		if err := change(&p); err != nil {
			return err
		}
		p.Version, p.UpdatedAt = p.Version+1, s.clock.Now()

		return s.savePreferences(ctx, &p)
	})

	return p, err
}
