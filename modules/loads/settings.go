package loads

import (
	"context"

	"github.com/dispatchd/dispatchd/modules/loads/internal/terms"
)

// terms returns the settings of the company, read once for a batch.
func (s *service) terms(ctx context.Context, b *batch) (terms.Terms, error) {
	if b.terms != nil {
		return *b.terms, nil
	}
	now, err := s.settings(ctx)
	b.terms = &now

	return now, err
}

func (s *service) settings(ctx context.Context) (terms.Terms, error) {
	v, err := s.kept.Read(ctx)

	return v.Now, err
}
