package store

import (
	"context"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/identity"
	"github.com/dispatchd/dispatchd/platform/principal"
)

// CustomerItem is the item type of companies as customers of the seller: the owners of the seller's cards and payments, and the subjects of its
// ledger.
const CustomerItem = "billing.customer"

// Seller is the row of billing_seller: who sells subscriptions. The numbers of invoices, the ledger and the card account are those of its
// company, the house.
type Seller struct {
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
func (Seller) TableName() string { return "billing_seller" }

// SchemaName implements web.SchemaNamer.
func (Seller) SchemaName() string { return "Seller" }

// AsHouse returns a context in which the service acts for the seller's company.
func (s Seller) AsHouse(ctx context.Context) context.Context {
	return principal.AsCompany(ctx, s.House)
}

// Party is the seller as invoices show it.
func (s Seller) Party() Party {
	return Party{Name: s.Name, Address: s.Address, TaxID: s.TaxID, Email: s.Email}
}

// Party is the seller or the customer of an invoice, as it was when the invoice was issued.
type Party struct {
	Name    string `json:"name"`
	Address string `json:"address"`
	TaxID   string `json:"tax_id"`
	Email   string `json:"email"`
}

// SchemaName implements web.SchemaNamer.
func (Party) SchemaName() string { return "BillingParty" }

// CustomerOf is a company as a party.
func CustomerOf(c identity.Company) Party {
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

	return Party{Name: name, Address: strings.Join(lines, "\n")}
}
