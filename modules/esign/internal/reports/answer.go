package reports

import (
	"context"
	"errors"

	"github.com/dispatchd/dispatchd/modules/esign/internal/provider"
	"github.com/dispatchd/dispatchd/modules/esign/internal/store"
)

// errNotOurs says that a provider answered with an envelope that is another one's.
var errNotOurs = errors.New("esign: the provider's answer is about another envelope")

// ApplyAnswer takes what a provider has answered about an envelope that is held.
func (s *Service) ApplyAnswer(ctx context.Context, row *store.Envelope, u provider.Update) error {
	if u.Reference == "" {
		u.Reference = row.ID.String()
	}
	known, err := s.Apply(ctx, row.AccountID, PolledReport(u, s.clock.Now()))
	if err != nil {
		return err
	}
	id := row.ID
	if *row, err = s.store.Envelope(ctx, id); err == nil && !known {
		err = errNotOurs
	}

	return err
}
