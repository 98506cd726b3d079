// Package operator has the operations by which the operator acts for companies.
package operator

import (
	"context"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/identity"
	"github.com/dispatchd/dispatchd/platform/principal"
)

// Acting has the operator act for companies.
type Acting struct{ companies *identity.Service }

// NewActing returns an Acting.
func NewActing(companies *identity.Service) *Acting { return &Acting{companies: companies} }

type companyInput struct {
	UUID uuid.UUID `path:"uuid" format:"uuid"`
}

// actFor returns a context in which the operator acts for a company that exists.
func (a *Acting) actFor(ctx context.Context, company uuid.UUID) (context.Context, error) {
	if _, err := a.companies.Company(ctx, company); err != nil {
		return ctx, err
	}
	who, _ := principal.From(ctx)
	who.Company = company

	return principal.With(ctx, who), nil
}
