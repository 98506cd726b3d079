package catalog

import (
	"context"
	"fmt"
	"strings"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/money"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/state"
)

// service is a row of catalog_services.
type service struct {
	resource.Row

	Code           string                    `json:"code" field:"required,max=50,unique,sort,search" pattern:"^[A-Za-z0-9_.-]+$" patternDescription:"letters, digits, dots, hyphens and underscores" doc:"Identifier for programs." example:"storage"`
	Name           string                    `json:"name" field:"required,max=100,sort,search,title" example:"Storage"`
	Kind           string                    `json:"kind" field:"default=other,sort" enum:"transport,storage,inspection,enclosed_upgrade,expedite,inop,dry_run,detention,fuel,title,other"`
	Unit           string                    `json:"unit" field:"default=each" enum:"each,vehicle,mile,day,hour,percent" doc:"What the price is for."`
	Price          money.Amount              `json:"price" field:"sort" doc:"Price per unit; a percentage of the charge it is added to if the unit is percent."`
	Cost           money.Amount              `json:"cost" field:"sort,scope=margins" required:"false" doc:"Cost per unit to the company."`
	Currency       money.Currency            `json:"currency" field:"filled=company" doc:"Currency of price and cost; by default the company's."`
	Taxable        bool                      `json:"taxable"`
	TaxRate        money.Amount              `json:"tax_rate" field:"sort" doc:"In percent."`
	AccountCode    string                    `json:"account_code" field:"max=50,search" doc:"Account in the company's books." example:"4100"`
	Description    string                    `json:"description" field:"max=2000,search,nofilter"`
	PriceOverrides resource.JSON[[]override] `json:"price_overrides" field:"max=200" doc:"Special prices for some customers."`
	Source         string                    `json:"source" field:"readonly" enum:"default,company" doc:"Whether it was imported from the defaults."`
	DefaultCode    *string                   `json:"default_code" field:"readonly,unique" doc:"The default that it was imported from."`
	DefaultVersion *int64                    `json:"default_version" field:"readonly" doc:"The version of that default."`
	State          status                    `json:"state" field:"sort"`
}

// TableName implements GORM's naming.
func (service) TableName() string { return "catalog_services" }

// MarshalJSON leaves out what the caller may not see.
func (s service) MarshalJSON() ([]byte, error) {
	type plain service

	return resource.MarshalRow(&s.Row, plain(s))
}

// SchemaName implements web.SchemaNamer.
func (service) SchemaName() string { return "Service" }

// override is what some customers pay: one, or all with a tag.
type override struct {
	Contact *uuid.UUID   `json:"contact_uuid,omitempty" doc:"The customer."`
	Tag     string       `json:"tag,omitempty" maxLength:"50" doc:"Or the tag of the customers."`
	Price   money.Amount `json:"price"`
	From    field.Date   `json:"from,omitempty" doc:"The first day; without one, the price has always applied."`
	To      field.Date   `json:"to,omitempty" doc:"The last day; without one, the price applies indefinitely."`
}

type status string

const (
	active   status = "active"
	archived status = "archived"
)

var lifecycle = state.Machine[status]{
	Item: "catalog.service", Initial: active,
	Steps: []state.Step[status]{
		{From: []status{active}, Verb: "archive", To: archived},
		{From: []status{archived}, Verb: "activate", To: active},
	},
}

// checkService brings a service into its normal form, and refuses prices of customers that contradict each other.
func checkService(_ context.Context, s *service) error {
	wrong := errInvalid
	if strings.HasPrefix(s.TaxRate.String(), "-") {
		wrong = wrong.WithField("tax_rate", "The tax rate must not be less than 0.")
	}
	for i := range s.PriceOverrides.V {
		o := &s.PriceOverrides.V[i]
		o.Tag = strings.TrimSpace(o.Tag)
		at := fmt.Sprintf("price_overrides.%d", i)
		switch {
		case (o.Contact != nil) == (o.Tag != ""):
			wrong = wrong.WithField(at, "A price override must have either a contact or a tag.")
		case o.Price == "":
			wrong = wrong.WithField(at+".price", "The price is required.")
		case o.From != "" && o.To != "" && o.To < o.From:
			wrong = wrong.WithField(at+".to", "`to` must not be before `from`.")
		}
		for j, other := range s.PriceOverrides.V[:i] {
			if o.sameCustomer(other) && o.overlaps(other) {
				wrong = wrong.WithField(at, fmt.Sprintf("The customer already has a price for this period: price_overrides.%d.", j))
			}
		}
	}
	if len(wrong.Fields) > 0 {
		return wrong
	}

	return nil
}

var errInvalid = errs.New(errs.Invalid, "catalog.invalid_service", "The given data was invalid.")

func (o override) sameCustomer(other override) bool {
	if o.Contact != nil && other.Contact != nil {
		return *o.Contact == *other.Contact
	}

	return o.Contact == nil && other.Contact == nil && o.Tag == other.Tag
}

func (o override) overlaps(other override) bool {
	return (o.To == "" || other.From == "" || other.From <= o.To) && (other.To == "" || o.From == "" || o.From <= other.To)
}
