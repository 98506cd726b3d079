// Package company has how a company wants its messages: its settings, and what the audit trail records of them and of numbers.
package company

import (
	"context"

	"github.com/dispatchd/dispatchd/modules/sms/internal/phone"
	"github.com/dispatchd/dispatchd/modules/sms/internal/store"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/web"
)

// Profile is how a company wants its messages.
type Profile struct {
	store *store.Repository
	trail *Trail
	clock clock.Clock
}

// NewProfile returns a Profile.
func NewProfile(r *store.Repository, t *Trail, c clock.Clock) *Profile {
	return &Profile{store: r, trail: t, clock: c}
}

// ParseNumber reads a number as the company writes it.
func (s *Profile) ParseNumber(ctx context.Context, text, field string) (string, error) {
	p, err := s.store.Preferences(ctx)
	if err != nil {
		return "", err
	}
	number, err := phone.Parse(text, p.Region)

	return number, store.OnField(err, field)
}

// update changes the company's settings.
func (s *Profile) update(ctx context.Context, match web.IfMatch, change func(*store.Preferences) error) (p store.Preferences, err error) {
	err = s.store.DB.InTx(ctx, func(ctx context.Context) error {
		if p, err = s.store.LockPreferences(ctx, s.clock.Now()); err != nil {
			return err
		}
		if err := match.Check(p.Version); err != nil {
			return err
		}
		before := p
		if err := change(&p); err != nil {
			return err
		}
		p.Version, p.UpdatedAt = p.Version+1, s.clock.Now()
		if err := s.store.SavePreferences(ctx, &p); err != nil {
			return err
		}

		return s.trail.Updated(ctx, SettingsItem, p.CompanyID, newSettingsBody(before), newSettingsBody(p))
	})

	return p, err
}
