package catalogue

import (
	"context"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/billing/internal/store"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/identity"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/principal"
)

// theSeller is the id of the one row.
const theSeller = "seller"

// Sellers stores the seller.
type Sellers struct {
	db        *database.DB
	clock     clock.Clock
	companies *identity.Service
}

// NewSellers returns Sellers.
func NewSellers(db *database.DB, clk clock.Clock, companies *identity.Service) *Sellers {
	return &Sellers{db, clk, companies}
}

// Required returns the seller, or billing.no_seller.
func (s *Sellers) Required(ctx context.Context) (store.Seller, error) {
	return database.One[store.Seller](s.db.Conn(ctx), store.ErrNoSeller, "id = ?", theSeller)
}

// save stores the seller. Its company cannot change once there are invoices: their money is in its ledger.
func (s *Sellers) save(ctx context.Context, now store.Seller) (store.Seller, error) {
	now.ID, now.UpdatedAt = theSeller, s.clock.Now()
	if _, err := s.companies.Company(ctx, now.House); errs.KindOf(err) == errs.NotFound {
		return now, store.ErrInvalidSeller.WithField("company_uuid", "There is no such company.")
	} else if err != nil {
		return now, err
	}
	err := s.db.InTx(ctx, func(ctx context.Context) error {
		was, err := database.IfAny[store.Seller](s.db.Conn(ctx), "id = ?", theSeller)
		if err != nil {
			return err
		}
		if was != nil && was.House != now.House {
			issued, err := s.issued(ctx)
			if err != nil {
				return err
			}
			if issued {
				return store.ErrInvalidSeller.WithField("company_uuid", "The company cannot change once invoices were issued.")
			}
		}

		return s.store(ctx, now)
	})

	return now, err
}

// issued reports whether any company has an invoice.
func (s *Sellers) issued(ctx context.Context) (bool, error) {
	ctx = database.AcrossCompanies(ctx, "the seller's invoices are those of all companies")
	first, err := database.IfAny[store.Invoice](s.db.Conn(ctx), "number <> ?", "")

	return first != nil, err
}

// DescribeCustomers describes companies to the seller. Other companies have no customers.
func (s *Sellers) DescribeCustomers(ctx context.Context, ids []uuid.UUID) (map[uuid.UUID]item.Description, error) {
	seller, err := s.Required(ctx)
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
