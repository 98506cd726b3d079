package sms

import (
	"context"
	"errors"
	"slices"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/sms/internal/phone"
	"github.com/dispatchd/dispatchd/modules/sms/internal/provider"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/identity"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/web"
)

// The states of numbers.
const (
	numberPending   = "pending"   // being bought
	numberActive    = "active"    // ours
	numberReleasing = "releasing" // being given back
	numberReleased  = "released"
	numberFailed    = "failed" // could not be bought
)

// numbers decides about phone numbers.
type numbers struct{ *core }

func newNumbers(c *core) *numbers { return &numbers{core: c} }

// search asks the provider for numbers that can be bought.
func (s *numbers) search(ctx context.Context, account uuid.UUID, q provider.NumberQuery) ([]provider.Available, error) {
	if q.Country == "" {
		p, err := s.preferences(ctx)
		if err != nil {
			return nil, err
		}
		q.Country = p.Region
	}
	row, err := s.accounts.Ready(ctx, account)
	if err != nil {
		return nil, err
	}
	open, err := s.vendors.dial(ctx, row)
	if err != nil {
		return nil, err
	}
	calling, cancel := context.WithTimeout(ctx, s.settings.SendTimeout)
	defer cancel()
	found, err := open.Search(calling, q)
	if err != nil {
		return nil, told(err)
	}
	found = slices.DeleteFunc(found, func(a provider.Available) bool {
		return q.SMS && !a.Features.SMS || q.MMS && !a.Features.MMS
	})

	return found[:min(len(found), q.Limit)], nil
}

// buy stores a number that is being bought. A job buys it, unless nothing outside has to be asked.
func (s *numbers) buy(ctx context.Context, account uuid.UUID, text, label string) (number, error) {
	e164, err := s.e164(ctx, text, "number")
	if err != nil {
		return number{}, err
	}
	now := s.clock.Now()
	row := number{
		ID: database.NewID(), Number: e164, Label: label, Kind: provider.Local, Registration: provider.RegistrationUnknown,
		PerMinute: int64(s.settings.PerMinute), State: numberPending, Version: 1, CreatedAt: now, UpdatedAt: now,
	}
	if phone.IsTollFree(e164) {
		row.Kind = provider.TollFree
	}
	err = s.db.InTx(ctx, func(ctx context.Context) error {
		from, err := s.accounts.Ready(ctx, account)
		if err != nil {
			return err
		}
		row.AccountID = from.ID
		if err := database.Taken(s.insert(ctx, &row), errNumberTaken); err != nil {
			return err
		}

		if !s.vendors.simulates(from.Provider) {
			return s.queue.Enqueue(ctx, buying{Number: row.ID})
		}
		if err := s.buyOne(ctx, buying{Number: row.ID}); err != nil {
			return err
		}
		row, err = s.number(ctx, row.ID)

		return err
	})

	return row, err
}

// release begins to give a number back. From now on it is nobody's default and sends nothing.
func (s *numbers) release(ctx context.Context, id uuid.UUID, match web.IfMatch) (number, error) {
	var simulated bool
	row, err := s.change(ctx, id, match, func(ctx context.Context, row *number) error {
		if row.State != numberActive {
			return errNotSending.WithMessage("The number is %s: only an active one can be released.", row.State)
		}
		row.State, row.UserID = numberReleasing, nil
		if err := s.forget(ctx, row.ID); err != nil {
			return err
		}

		from, err := s.accounts.One(ctx, row.AccountID)
		if simulated = s.vendors.simulates(from.Provider); err != nil || simulated {
			return err
		}

		return s.queue.Enqueue(ctx, releasing{Number: row.ID})
	})
	if err != nil || !simulated {
		return row, err
	}
	if err := s.releaseOne(ctx, releasing{Number: id}); err != nil {
		return row, err
	}

	return s.number(ctx, id)
}

// forget makes a number nobody's default.
func (s *numbers) forget(ctx context.Context, id uuid.UUID) error {
	if err := s.dropDefaults(ctx, id, nil); err != nil {
		return err
	}

	return s.clearCompanyDefault(ctx, id)
}

// change holds a number, lets do change it, and stores it.
func (s *numbers) change(ctx context.Context, id uuid.UUID, match web.IfMatch, do func(context.Context, *number) error) (row number, err error) {
	err = s.db.InTx(ctx, func(ctx context.Context) error {
		if row, err = s.heldNumber(ctx, id); err != nil {
			return err
		}
		if err := match.Check(row.Version); err != nil {
			return err
		}
		if err := do(ctx, &row); err != nil {
			return err
		}
		row.Version, row.UpdatedAt = row.Version+1, s.clock.Now()

		return s.saveNumber(ctx, &row)
	})

	return row, err
}

// assign gives a number to a user, or to everybody. One that is given to a user ceases to be
// the default of all others, and the company's.
func (s *numbers) assign(ctx context.Context, row *number, user *uuid.UUID) error {
	if user != nil {
		who, _ := principal.From(ctx)
		if _, err := s.identity.User(ctx, who.Company, *user); errors.Is(err, identity.ErrUserNotFound) {
			return errInvalid.WithField("user_uuid", "There is no such user.")
		} else if err != nil {
			return err
		}
		if err := s.dropDefaults(ctx, row.ID, user); err != nil {
			return err
		}
		if err := s.clearCompanyDefault(ctx, row.ID); err != nil {
			return err
		}
	}
	row.UserID = user

	return nil
}

// usable refuses a number that a user cannot send from.
func (row number) usable(user *uuid.UUID) error {
	switch {
	case row.State != numberActive || !row.SMS:
		return errNotSending
	case user != nil && row.UserID != nil && *row.UserID != *user:
		return errNotYours
	default:
		return nil
	}
}
