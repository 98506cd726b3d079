package billing

import (
	"context"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/identity"
	"github.com/dispatchd/dispatchd/platform/principal"
)

// seller is the row of billing_seller: who sells subscriptions. The numbers of invoices, the ledger and the card account are those of its
// company, the house.
type seller struct {
	database.Global `json:"-"`

	ID        string    `json:"-"`
	House     uuid.UUID `json:"company_uuid" gorm:"column:house_id" doc:"The operator's own company. Its ledger, its numbers and its card account are used."`
	Name      string    `json:"name"`
	Address   string    `json:"address" doc:"Lines as invoices show them."`
	TaxID     string    `json:"tax_id"`
	Email     string    `json:"email"`
	UpdatedAt time.Time `json:"updated_at"`
}

// TableName implements GORM's naming.
func (seller) TableName() string { return "billing_seller" }

// SchemaName implements web.SchemaNamer.
func (seller) SchemaName() string { return "Seller" }

// theSeller is the id of the one row.
const theSeller = "seller"

func (s seller) party() party {
	return party{Name: s.Name, Address: s.Address, TaxID: s.TaxID, Email: s.Email}
}

// party is the seller or the customer of an invoice, as it was when the invoice was issued.
type party struct {
	Name    string `json:"name"`
	Address string `json:"address"`
	TaxID   string `json:"tax_id"`
	Email   string `json:"email"`
}

// SchemaName implements web.SchemaNamer.
func (party) SchemaName() string { return "BillingParty" }

// customerOf is a company as a party.
func customerOf(c identity.Company) party {
	name := c.LegalName
	if name == "" {
		name = c.Name
	}
	a := c.Address
	var lines []string
	for _, line := range []string{a.Street, strings.TrimSpace(strings.Join([]string{a.City, a.State, a.PostalCode}, " ")), a.Country} {
		if line != "" {
			lines = append(lines, line)
		}
	}

	return party{Name: name, Address: strings.Join(lines, "\n")}
}

// sellers stores the seller.
type sellers struct {
	db        *database.DB
	clock     clock.Clock
	companies *identity.Service
}

func newSellers(db *database.DB, clk clock.Clock, companies *identity.Service) *sellers {
	return &sellers{db, clk, companies}
}

// required returns the seller, or billing.no_seller.
func (s *sellers) required(ctx context.Context) (seller, error) {
	return database.One[seller](s.db.Conn(ctx), errNoSeller, "id = ?", theSeller)
}

// save stores the seller. Its company cannot change once there are invoices: their money is in its ledger.
func (s *sellers) save(ctx context.Context, now seller) (seller, error) {
	now.ID, now.UpdatedAt = theSeller, s.clock.Now()
	if _, err := s.companies.Company(ctx, now.House); errs.KindOf(err) == errs.NotFound {
		return now, errSeller.WithField("company_uuid", "There is no such company.")
	} else if err != nil {
		return now, err
	}
	err := s.db.InTx(ctx, func(ctx context.Context) error {
		was, err := database.IfAny[seller](s.db.Conn(ctx), "id = ?", theSeller)
		if err != nil {
			return err
		}
		if was != nil && was.House != now.House {
			issued, err := s.issued(ctx)
			if err != nil {
				return err
			}
			if issued {
				return errSeller.WithField("company_uuid", "The company cannot change once invoices were issued.")
			}
		}

		return s.store(ctx, now)
	})

	return now, err
}

// issued reports whether any company has an invoice.
func (s *sellers) issued(ctx context.Context) (bool, error) {
	ctx = database.AcrossCompanies(ctx, "the seller's invoices are those of all companies")
	first, err := database.IfAny[invoice](s.db.Conn(ctx), "number <> ?", "")

	return first != nil, err
}

// house returns a context in which the service acts for the seller's company.
func (s seller) house(ctx context.Context) context.Context { return principal.AsCompany(ctx, s.House) }
