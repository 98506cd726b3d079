package billing

import (
	"context"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/principal"
)

// customerItem is the item type of companies as customers of the seller: the owners of the seller's cards and payments, and the subjects of its
// ledger.
const customerItem = "billing.customer"

// describeCustomers describes companies to the seller. Other companies have no customers.
func (s *sellers) describeCustomers(ctx context.Context, ids []uuid.UUID) (map[uuid.UUID]item.Description, error) {
	seller, err := s.required(ctx)
	if errs.KindOf(err) == errs.Conflict || err == nil && seller.House != principal.CompanyOf(ctx) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	names, err := s.companies.CompanyNames(ctx, ids)
	found := make(map[uuid.UUID]item.Description, len(names))
	for id, name := range names {
		found[id] = item.Description{Title: name}
	}

	return found, err
}
