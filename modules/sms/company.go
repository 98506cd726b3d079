package sms

import (
	"context"

	"github.com/dispatchd/dispatchd/modules/sms/internal/phone"
	"github.com/dispatchd/dispatchd/modules/sms/internal/store"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/web"
)

// companySettings are how a company wants its messages.
type companySettings struct {
	store *store.Repository
	trail *trail
	clock clock.Clock
}

func newCompanySettings(r *store.Repository, t *trail, c clock.Clock) *companySettings {
	return &companySettings{store: r, trail: t, clock: c}
}

// parseNumber reads a number as the company writes it.
func (s *companySettings) parseNumber(ctx context.Context, text, field string) (string, error) {
	p, err := s.store.Preferences(ctx)
	if err != nil {
		return "", err
	}
	number, err := phone.Parse(text, p.Region)

	return number, store.OnField(err, field)
}

// update changes the company's settings.
func (s *companySettings) update(ctx context.Context, match web.IfMatch, change func(*store.Preferences) error) (p store.Preferences, err error) {
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

		return s.trail.updated(ctx, settingsItem, p.CompanyID, newSettingsBody(before), newSettingsBody(p))
	})

	return p, err
}
