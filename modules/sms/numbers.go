package sms

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/sms/internal/provider"
	"github.com/dispatchd/dispatchd/modules/sms/internal/settings"
	"github.com/dispatchd/dispatchd/modules/sms/internal/store"
	"github.com/dispatchd/dispatchd/modules/sms/internal/vendors"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/identity"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/web"
)

// numbers changes phone numbers.
type numbers struct {
	store *store.Repository
	trail *trail
	clock clock.Clock
}

func newNumbers(r *store.Repository, t *trail, c clock.Clock) *numbers {
	return &numbers{store: r, trail: t, clock: c}
}

// change holds a number, lets do change it, and stores it.
func (s *numbers) change(ctx context.Context, id uuid.UUID, match web.IfMatch, do func(context.Context, *store.Number) error) (row store.Number, err error) {
	err = s.store.DB.InTx(ctx, func(ctx context.Context) error {
		if row, err = s.store.LockNumber(ctx, id); err != nil {
			return err
		}
		if err := match.Check(row.Version); err != nil {
			return err
		}
		before := row
		if err := do(ctx, &row); err != nil {
			return err
		}
		row.Version, row.UpdatedAt = row.Version+1, s.clock.Now()
		if err := s.store.SaveNumber(ctx, &row); err != nil {
			return err
		}

		return s.trail.updated(ctx, numberItem, row.ID, newNumberBody(before), newNumberBody(row))
	})

	return row, err
}

// purchases finds numbers that can be bought, and buys them.
type purchases struct {
	store       *store.Repository
	vendors     *vendors.Service
	company     *companySettings
	provisioner *provisioner
	timeout     time.Duration
}

func newPurchases(r *store.Repository, v *vendors.Service, c *companySettings, p *provisioner, s *settings.Settings) *purchases {
	return &purchases{store: r, vendors: v, company: c, provisioner: p, timeout: s.SendTimeout}
}

// search asks the provider for numbers that can be bought.
func (s *purchases) search(ctx context.Context, account uuid.UUID, q provider.NumberQuery) ([]provider.Available, error) {
	if q.Country == "" {
		p, err := s.store.Preferences(ctx)
		if err != nil {
			return nil, err
		}
		q.Country = p.Region
	}
	row, err := s.vendors.Accounts.Ready(ctx, account)
	if err != nil {
		return nil, err
	}
	open, err := s.vendors.Open(ctx, row)
	if err != nil {
		return nil, err
	}
	calling, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	found, err := open.Search(calling, q)
	if err != nil {
		return nil, vendors.CallerError(err)
	}
	found = slices.DeleteFunc(found, func(a provider.Available) bool {
		return q.SMS && !a.Features.SMS || q.MMS && !a.Features.MMS
	})

	return found[:min(len(found), q.Limit)], nil
}

// buy stores a number that is being bought. A job buys it, unless nothing outside has to be asked.
func (s *purchases) buy(ctx context.Context, account uuid.UUID, text, label string) (store.Number, error) {
	e164, err := s.company.parseNumber(ctx, text, "number")
	if err != nil {
		return store.Number{}, err
	}
	row := s.provisioner.pending(e164, label)
	err = s.store.DB.InTx(ctx, func(ctx context.Context) error {
		from, err := s.vendors.Accounts.Ready(ctx, account)
		if err != nil {
			return err
		}
		row.AccountID = from.ID
		if err := database.DuplicateAs(s.store.Insert(ctx, &row), store.ErrNumberTaken); err != nil {
			return err
		}

		if at, err := s.provisioner.buy(ctx, from, row.ID); err != nil || at != atOnce {
			return err
		}
		row, err = s.store.Number(ctx, row.ID)

		return err
	})

	return row, err
}

// releases gives numbers back.
type releases struct {
	store       *store.Repository
	vendors     *vendors.Service
	numbers     *numbers
	defaults    *defaultNumbers
	provisioner *provisioner
}

func newReleases(r *store.Repository, v *vendors.Service, n *numbers, d *defaultNumbers, p *provisioner) *releases {
	return &releases{store: r, vendors: v, numbers: n, defaults: d, provisioner: p}
}

// release begins to give a number back. From now on it is nobody's default and sends nothing.
func (s *releases) release(ctx context.Context, id uuid.UUID, match web.IfMatch) (store.Number, error) {
	var simulated bool
	row, err := s.numbers.change(ctx, id, match, func(ctx context.Context, row *store.Number) error {
		if row.State != store.NumberActive {
			return store.ErrNotSending.WithMessage("The number is %s: only an active one can be released.", row.State)
		}
		row.State, row.UserID = store.NumberReleasing, nil
		if err := s.defaults.clearNumber(ctx, row.ID); err != nil {
			return err
		}

		from, err := s.vendors.Accounts.One(ctx, row.AccountID)
		if simulated = s.vendors.Simulates(from.Provider); err != nil || simulated {
			return err
		}

		return s.provisioner.enqueueRelease(ctx, row.ID)
	})
	if err != nil || !simulated {
		return row, err
	}
	if err := s.provisioner.releaseOne(ctx, releaseNumberJob{Number: id}); err != nil {
		return row, err
	}

	return s.store.Number(ctx, id)
}

// assignments says whose numbers are.
type assignments struct {
	store    *store.Repository
	identity *identity.Service
	defaults *defaultNumbers
}

func newAssignments(r *store.Repository, who *identity.Service, d *defaultNumbers) *assignments {
	return &assignments{store: r, identity: who, defaults: d}
}

// assign gives a number to a user, or to everybody. One that is given to a user ceases to be
// the default of all others, and the company's.
func (s *assignments) assign(ctx context.Context, row *store.Number, user *uuid.UUID) error {
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
