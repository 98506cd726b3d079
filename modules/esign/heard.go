package esign

import (
	"context"
	"errors"

	"github.com/dispatchd/dispatchd/modules/esign/internal/provider"
)

// errNotOurs says that a provider answered with an envelope that is another one's.
var errNotOurs = errors.New("esign: the provider's answer is about another envelope")

// heard takes what a provider has answered about an envelope that is held.
func (s *core) heard(ctx context.Context, row *envelope, u provider.Update) error {
	if u.Reference == "" {
		u.Reference = row.ID.String()
	}
	known, err := s.apply(ctx, row.AccountID, asked(u, s.clock.Now()))
	if err != nil {
		return err
	}
	id := row.ID
	if *row, err = s.envelope(ctx, id); err == nil && !known {
		err = errNotOurs
	}

	return err
}
