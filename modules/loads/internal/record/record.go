// Package record makes the records of transactions that 49 CFR 371.3 asks brokers for.
package record

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/companies/companiesapi"
	"github.com/dispatchd/dispatchd/modules/contacts/contactsapi"
	"github.com/dispatchd/dispatchd/modules/loads/internal/margins"
	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/document"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/hook"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/money"
	"github.com/dispatchd/dispatchd/platform/web"
)

// CarrierItem is the type of carriers, of an area that a company may do without.
const CarrierItem = "carriers.carrier"

// Load is a load as its record has it.
type Load struct {
	ID       uuid.UUID
	Number   string
	Currency money.Currency
	// Compensation is what the broker gets for its brokerage service, Freight what the carrier gets; "" if it is not known.
	Compensation, Freight money.Amount
	Services              []Service
	// BrokerPayers and FreightPayers are who pays them by the payment plan.
	BrokerPayers, FreightPayers []string
	// Consignor is the contact that has the vehicles picked up, at the address.
	Consignor *uuid.UUID
	Address   string
	Carrier   *uuid.UUID
	// BillTo is who is invoiced. Undelivered are how many of the vehicles are not delivered, Priced that the customer pays something.
	BillTo            *uuid.UUID
	Delivered, Priced bool
	Undelivered       int64
	CreatedAt         time.Time
	// Collected is what the customer has paid the broker, PaidAt when the carrier got the last of what it gets; nil if it has not.
	Collected money.Amount
	PaidAt    *time.Time
}

// Loads is what the package needs of loads.
type Loads interface {
	// ToRecord returns a load. Error: loadsapi.ErrNotFound.
	ToRecord(ctx context.Context, id uuid.UUID) (Load, error)
}

// Recorder makes records.
type Recorder struct {
	loads   Loads
	parties *Parties
	hooks   *hook.Bus
	db      *database.DB
	printer *document.Printer
}

// New returns a Recorder.
func New(loads Loads, p *Parties, hooks *hook.Bus, db *database.DB, printer *document.Printer) *Recorder {
	return &Recorder{loads, p, hooks, db, printer}
}

// Parties names the parties of a transaction.
type Parties struct {
	contacts contactsapi.Contacts
	brands   companiesapi.Brands
	items    *item.Registry
}

// NewParties returns Parties.
func NewParties(contacts contactsapi.Contacts, brands companiesapi.Brands, items *item.Registry) *Parties {
	return &Parties{contacts, brands, items}
}

// broker returns the company.
func (s *Parties) broker(ctx context.Context) (companiesapi.Identity, error) {
	return s.brands.Identity(ctx)
}

// nameOf returns the name of a contact, "" for none.
func (s *Parties) nameOf(ctx context.Context, contact *uuid.UUID) (string, error) {
	if contact == nil {
		return "", nil
	}
	found, err := s.contacts.Find(ctx, contact.String())

	return found[contact.String()].Name, err
}

// Routes registers the operation that reads records.
func Routes(r *web.Router, s *Recorder) {
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/loads/{uuid}/transaction_record", ID: "read_transaction_record", Access: web.Read,
		Summary:     "Read the record of a brokered transaction",
		Description: "What 49 CFR 371.3 asks a property broker to keep for three years; each party may review it. `missing` has what is not known yet. Requires the scope contacts:read too; the amounts are null without loads:margins.",
		Errors:      []*errs.Error{loadsapi.ErrNotFound},
	}, s.read)
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/loads/{uuid}/transaction_record/pdf", ID: "download_transaction_record", Access: web.Read,
		Summary:     "Download the record of a brokered transaction as PDF",
		Description: "Requires the scopes contacts:read and loads:margins too.", Errors: []*errs.Error{loadsapi.ErrNotFound}, Produces: []string{document.MediaPDF},
	}, s.download)
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/loads/{uuid}/billing_readiness", ID: "read_billing_readiness", Access: web.Read, Summary: "Read what a load lacks to be invoiced",
		Errors: []*errs.Error{loadsapi.ErrNotFound},
	}, s.readiness)
}

// transaction is a record by 49 CFR 371.3(a).
type transaction struct {
	Number    string       `json:"number"`
	Consignor party        `json:"consignor" doc:"Who has the vehicles picked up, by the first stop (1)."`
	Carrier   *carrier     `json:"originating_carrier" doc:"The first that has carried the load, or is to; null if no carrier has it (2)."`
	Further   []carrier    `json:"further_carriers" nullable:"false" doc:"Those that have carried it on after a hand-over, in their order."`
	Bills     []string     `json:"bill_of_lading_numbers" nullable:"false" doc:"Of the bills of lading that are issued (3)."`
	Broker    amount       `json:"broker_compensation" doc:"For the brokerage service (4)."`
	Services  []Service    `json:"non_brokerage_services" nullable:"false" doc:"What the broker does beside, such as storage (5)."`
	Freight   amount       `json:"freight_charges" doc:"What the carrier gets (6)."`
	Collected money.Amount `json:"freight_collected" doc:"What the broker has collected of the customer (6)."`
	PaidAt    *time.Time   `json:"carrier_paid_at" doc:"When the carrier was paid, the last time; null if it is not yet, in whole (6)."`
	Missing   []string     `json:"missing" nullable:"false" enum:"consignor_name,consignor_address,originating_carrier,carrier_address,carrier_number,bill_of_lading_number,broker_compensation,payer_name,freight_charges,payment_to_carrier"`
}

// SchemaName is the name of the body in the OpenAPI document.
func (transaction) SchemaName() string { return "TransactionRecord" }

type party struct {
	Name    string `json:"name"`
	Address string `json:"address"`
}

// SchemaName is the name of the body in the OpenAPI document.
func (party) SchemaName() string { return "TransactionParty" }

type carrier struct {
	UUID    uuid.UUID `json:"uuid"`
	Name    string    `json:"name" doc:"Empty if the caller may not read carriers."`
	Address string    `json:"address" doc:"By the regulator's record, else that of the carrier's contact; empty if it is not known."`
	USDOT   string    `json:"usdot"`
	Docket  string    `json:"docket"`
	// A carrier that has the load gets the freight charges.
	EndPay    money.Amount `json:"end_pay,omitempty" doc:"What it gets for its part of the way, of one that no longer has the load (6)."`
	EndPaidAt *time.Time   `json:"end_paid_at,omitempty" doc:"When that was paid."`
}

// SchemaName is the name of the body in the OpenAPI document.
func (carrier) SchemaName() string { return "TransactionCarrier" }

type amount struct {
	Amount   money.Amount   `json:"amount"`
	Currency money.Currency `json:"currency"`
	Payers   []string       `json:"payers" nullable:"false" doc:"By the payment plan."`
	Names    []string       `json:"payer_names" nullable:"false" doc:"The names of the payers, in their order; empty for one that is not known."`
}

// SchemaName is the name of the body in the OpenAPI document.
func (amount) SchemaName() string { return "TransactionAmount" }

// Service is what a broker does beside brokerage.
type Service struct {
	Description string       `json:"description"`
	Amount      money.Amount `json:"amount"`
	Payer       string       `json:"payer"`
	Name        string       `json:"payer_name"`
}

// SchemaName is the name of the body in the OpenAPI document.
func (Service) SchemaName() string { return "TransactionService" }

type readInput struct {
	UUID uuid.UUID `path:"uuid" format:"uuid"`
}

type readOutput struct{ Body transaction }

func (s *Recorder) read(ctx context.Context, in *readInput) (*readOutput, error) {
	l, err := s.loads.ToRecord(ctx, in.UUID)
	if err != nil {
		return nil, err
	}
	if err := web.RequireScope(ctx, readContacts, "The transaction record"); err != nil {
		return nil, err
	}
	t, err := s.transaction(ctx, l)
	if !margins.Seen(ctx) {
		t = t.withoutAmounts()
	}

	return &readOutput{t}, err
}

// readContacts is the scope that the names of a record require.
const readContacts = contactsapi.Area + ":read"

// withoutAmounts is a record for a caller who may not see what the load cost and brought.
func (t transaction) withoutAmounts() transaction {
	t.Broker.Amount, t.Freight.Amount, t.Collected = "", "", ""
	t.Services = slices.Clone(t.Services)
	for i := range t.Services {
		t.Services[i].Amount = ""
	}
	if t.Carrier != nil {
		t.Carrier.EndPay = ""
	}
	for i := range t.Further {
		t.Further[i].EndPay = ""
	}

	return t
}

func (s *Recorder) transaction(ctx context.Context, l Load) (t transaction, err error) {
	t = transaction{
		Number: l.Number, Services: l.Services, Missing: []string{}, Collected: l.Collected, PaidAt: l.PaidAt, Consignor: party{Address: l.Address},
		Further: []carrier{},
	}
	if t.Consignor.Name, err = s.parties.nameOf(ctx, l.Consignor); err != nil {
		return t, err
	}
	known, err := s.recorded(ctx, l)
	if err != nil {
		return t, err
	}
	for i, h := range known.Carriers {
		c, err := s.parties.carrierOf(ctx, h)
		if err != nil {
			return t, err
		}
		if i == 0 {
			t.Carrier = &c
		} else {
			t.Further = append(t.Further, c)
		}
	}
	t.Bills = make([]string, len(known.Bills))
	for i, b := range known.Bills {
		t.Bills[i] = b.Number
	}
	names, err := s.parties.payers(ctx, l, t.Carrier)
	if err != nil {
		return t, err
	}
	t.Broker, t.Freight = amount{l.Compensation, l.Currency, l.BrokerPayers, names.of(l.BrokerPayers)}, amount{l.Freight, l.Currency, l.FreightPayers, names.of(l.FreightPayers)}
	t.Services = slices.Clone(l.Services)
	for i := range t.Services {
		t.Services[i].Name = names[t.Services[i].Payer]
	}
	carried := append([]carrier{}, t.Further...)
	if t.Carrier != nil {
		carried = append(carried, *t.Carrier)
	}
	for name, there := range map[string]bool{
		"carrier_address":       !slices.ContainsFunc(carried, func(c carrier) bool { return c.Address == "" }),
		"carrier_number":        !slices.ContainsFunc(carried, func(c carrier) bool { return c.USDOT+c.Docket == "" }),
		"payer_name":            !slices.Contains(append(append([]string{}, t.Broker.Names...), t.Freight.Names...), ""),
		"bill_of_lading_number": len(t.Bills) > 0,
		"payment_to_carrier":    t.PaidAt != nil && !slices.ContainsFunc(carried, func(c carrier) bool { return c.EndPay != "" && c.EndPaidAt == nil }),
		"consignor_name":        t.Consignor.Name != "", "consignor_address": t.Consignor.Address != "", "originating_carrier": t.Carrier != nil && t.Carrier.Name != "",
		"broker_compensation": t.Broker.Amount != "", "freight_charges": t.Freight.Amount != "",
	} {
		if !there {
			t.Missing = append(t.Missing, name)
		}
	}
	slices.Sort(t.Missing)

	return t, nil
}

// recorded asks other areas for what they know of a load.
func (s *Recorder) recorded(ctx context.Context, l Load) (about loadsapi.Recording, err error) {
	err = s.db.InTx(ctx, func(ctx context.Context) error {
		about = loadsapi.Recording{Load: l.ID.String()}
		if l.Carrier != nil {
			about.Carriers = []loadsapi.Hauler{{Carrier: l.Carrier.String()}}
		}

		return hook.Run(ctx, s.hooks, &about)
	})

	return about, err
}

// names are those of the parties of a payment plan.
type names map[string]string

func (n names) of(parties []string) []string {
	all := make([]string, len(parties))
	for i, p := range parties {
		all[i] = n[p]
	}

	return all
}

// payers are the names of who may pay for a load.
func (s *Parties) payers(ctx context.Context, l Load, first *carrier) (names, error) {
	company, err := s.brands.Identity(ctx)
	if err != nil {
		return nil, err
	}
	all := names{"broker": company.LegalName}
	if first != nil {
		all["carrier"] = first.Name
	}
	if l.BillTo != nil {
		all["customer"], err = s.nameOf(ctx, l.BillTo)
	}

	return all, err
}

// carrierOf is a carrier of the load; of one that the caller may not read, the uuid alone.
func (s *Parties) carrierOf(ctx context.Context, h loadsapi.Hauler) (carrier, error) {
	c := carrier{UUID: item.ID(h.Carrier), EndPay: money.Amount(h.EndPay)}
	if !h.EndPaidAt.IsZero() {
		c.EndPaidAt = &h.EndPaidAt
	}
	found, err := s.items.Values(ctx, []item.Ref{{Type: CarrierItem, UUID: c.UUID}}, "legal_name", "usdot", "docket", "contact_uuid")
	if errs.KindOf(err) == errs.Forbidden || errors.Is(err, item.ErrUnknownType) {
		return c, nil
	}
	if err != nil {
		return c, err
	}
	c.Address = h.Address
	contact := ""
	for key, into := range map[string]*string{"legal_name": &c.Name, "usdot": &c.USDOT, "docket": &c.Docket, "contact_uuid": &contact} {
		if raw := found[0][key]; len(raw) > 0 && json.Unmarshal(raw, into) != nil {
			*into = ""
		}
	}

	if c.Address == "" && contact != "" {
		c.Address, err = s.addressOf(ctx, item.ID(contact))
	}

	return c, err
}

// addressOf is the first address of a contact, "" for none, and for one that the caller may not read.
func (s *Parties) addressOf(ctx context.Context, contact uuid.UUID) (string, error) {
	found, err := s.items.Values(ctx, []item.Ref{{Type: contactsapi.Item, UUID: contact}}, "addresses")
	if errs.KindOf(err) == errs.Forbidden {
		return "", nil
	}
	var all []struct {
		Address field.Address `json:"address"`
	}
	if err != nil || len(found[0]["addresses"]) == 0 || json.Unmarshal(found[0]["addresses"], &all) != nil || len(all) == 0 {
		return "", err
	}
	a := all[0].Address

	return strings.Join(slices.DeleteFunc([]string{a.Line1, a.Line2, a.City, strings.TrimSpace(a.State + " " + a.PostalCode)}, func(text string) bool { return text == "" }), ", "), nil
}
