// Package reports applies what providers report of envelopes, pushed or polled, in whatever order it comes.
package reports

import (
	"context"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/esign/internal/provider"
	"github.com/dispatchd/dispatchd/modules/esign/internal/store"
	"github.com/dispatchd/dispatchd/platform/clock"
)

// verbReport is the verb of moves that a provider has told of.
const verbReport = "report"

// Service applies what providers tell of envelopes.
type Service struct {
	store    *store.Repository
	accounts *store.Store
	matcher  *Matcher
	progress *Progress
	clock    clock.Clock
}

// New returns a Service.
func New(r *store.Repository, accounts *store.Store, m *Matcher, p *Progress, c clock.Clock) *Service {
	return &Service{store: r, accounts: accounts, matcher: m, progress: p, clock: c}
}

// Apply is the one way in for what a provider tells of an envelope of an account, by itself or asked. It may be told
// twice, late, out of order, and at the same time: what is stored in the end is the same. An envelope that is not here
// is adopted if it belongs to an item; known is false if it does not, and nothing was done.
func (s *Service) Apply(ctx context.Context, account uuid.UUID, t Report) (known bool, err error) {
	if t.Update.ID == "" {
		return false, nil
	}
	err = s.store.DB.InTx(ctx, func(ctx context.Context) error {
		row, found, err := s.matcher.match(ctx, account, t)
		if known = err == nil && row != nil; err != nil || row == nil {
			return err
		}
		if err := s.progress.applyTo(ctx, row, t); err != nil || found {
			return err
		}

		return s.ApplyUnmatched(ctx, account, t.Update.ID) // it has only now got its name
	})

	return known, err
}

// ApplyPolled applies what a provider says of envelopes of an account when it is asked.
func (s *Service) ApplyPolled(ctx context.Context, account uuid.UUID, all []provider.Update) error {
	at := s.clock.Now()
	for _, u := range all {
		if _, err := s.Apply(ctx, account, PolledReport(u, at)); err != nil {
			return err
		}
	}

	return nil
}
