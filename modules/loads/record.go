package loads

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/contacts/contactsapi"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/money"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/web"
)

// recorder makes the records of transactions that 49 CFR 371.3 asks brokers for.
type recorder struct {
	loads    *resource.Resource[load]
	contacts contactsapi.Contacts
	items    *item.Registry
}

func newRecorder(loads *resource.Resource[load], contacts contactsapi.Contacts, items *item.Registry) *recorder {
	return &recorder{loads, contacts, items}
}

func recordRoutes(r *web.Router, s *recorder) {
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/loads/{uuid}/transaction_record", ID: "read_transaction_record", Access: web.Read,
		Summary:     "Read the record of a brokered transaction",
		Description: "What 49 CFR 371.3 asks a property broker to keep for three years; each party may review it. `missing` has what is not known yet.",
		Errors:      []*errs.Error{s.loads.NotFound()},
	}, s.read)
}

// transaction is a record by 49 CFR 371.3(a).
type transaction struct {
	Number    string          `json:"number"`
	Consignor recordParty     `json:"consignor" doc:"Who has the vehicles picked up, by the first stop (1)."`
	Carrier   *recordCarrier  `json:"originating_carrier" doc:"Null if no carrier has the load (2)."`
	BOL       *string         `json:"bill_of_lading_number" doc:"Null while there is no bill of lading (3)."`
	Broker    recordAmount    `json:"broker_compensation" doc:"For the brokerage service (4)."`
	Services  []recordService `json:"non_brokerage_services" nullable:"false" doc:"What the broker does beside, such as storage (5)."`
	Freight   recordAmount    `json:"freight_charges" doc:"What the carrier gets (6)."`
	Missing   []string        `json:"missing" nullable:"false" enum:"consignor_name,consignor_address,originating_carrier,bill_of_lading_number,broker_compensation,freight_charges,payment_to_carrier"`
}

// SchemaName is the name of the body in the OpenAPI document.
func (transaction) SchemaName() string { return "TransactionRecord" }

type recordParty struct {
	Name    string `json:"name"`
	Address string `json:"address"`
}

// SchemaName is the name of the body in the OpenAPI document.
func (recordParty) SchemaName() string { return "TransactionParty" }

type recordCarrier struct {
	UUID   uuid.UUID `json:"uuid"`
	Name   string    `json:"name" doc:"Empty if the caller may not read carriers."`
	USDOT  string    `json:"usdot"`
	Docket string    `json:"docket"`
}

// SchemaName is the name of the body in the OpenAPI document.
func (recordCarrier) SchemaName() string { return "TransactionCarrier" }

type recordAmount struct {
	Amount   money.Amount   `json:"amount"`
	Currency money.Currency `json:"currency"`
	Payers   []string       `json:"payers" nullable:"false" doc:"By the payment plan."`
}

// SchemaName is the name of the body in the OpenAPI document.
func (recordAmount) SchemaName() string { return "TransactionAmount" }

type recordService struct {
	Description string       `json:"description"`
	Amount      money.Amount `json:"amount"`
	Payer       string       `json:"payer"`
}

// SchemaName is the name of the body in the OpenAPI document.
func (recordService) SchemaName() string { return "TransactionService" }

type recordOutput struct{ Body transaction }

func (s *recorder) read(ctx context.Context, in *readInput) (*recordOutput, error) {
	l, err := s.loads.Find(ctx, in.UUID)
	if err != nil {
		return nil, err
	}
	t := transaction{Number: l.Number, Services: []recordService{}, Missing: []string{"bill_of_lading_number", "payment_to_carrier"}}
	t.money(&l)
	if t.Consignor, err = s.consignor(ctx, &l); err != nil {
		return nil, err
	}
	if t.Carrier, err = s.carrier(ctx, &l); err != nil {
		return nil, err
	}
	for name, there := range map[string]bool{
		"consignor_name": t.Consignor.Name != "", "consignor_address": t.Consignor.Address != "", "originating_carrier": t.Carrier != nil && t.Carrier.Name != "",
		"broker_compensation": t.Broker.Amount != "", "freight_charges": t.Freight.Amount != "",
	} {
		if !there {
			t.Missing = append(t.Missing, name)
		}
	}
	slices.Sort(t.Missing)

	return &recordOutput{t}, nil
}

// money is who pays what. What the broker is paid for other services is no compensation for brokerage.
func (t *transaction) money(l *load) {
	fee, _ := l.signedUnits(l.BrokerFee) // checked before
	for _, c := range l.Charges.V {
		if amount, _ := l.units(c.Amount); c.Payer == customer && c.Payee == broker && c.Kind != discount && c.Kind != "tax" {
			t.Services = append(t.Services, recordService{strings.TrimSpace(c.Kind + " " + c.Description), c.Amount, customer})
			fee -= amount
		}
	}
	t.Broker, t.Freight = recordAmount{Currency: l.Currency, Payers: []string{}}, recordAmount{Amount: l.CarrierPay, Currency: l.Currency, Payers: []string{}}
	if l.BrokerFee != "" {
		t.Broker.Amount = l.amountOf(fee)
	}
	for _, p := range l.Plan.V {
		of := &t.Freight
		if p.To == broker {
			of = &t.Broker
		}
		if !slices.Contains(of.Payers, p.From) {
			of.Payers = append(of.Payers, p.From)
		}
	}
}

// consignor is the contact that releases the vehicles, or else the customer, at the first stop.
func (s *recorder) consignor(ctx context.Context, l *load) (p recordParty, err error) {
	who := l.Shipper
	if who == nil {
		who = l.Customer
	}
	if who != nil {
		found, err := s.contacts.Find(ctx, who.String())
		if err != nil {
			return p, err
		}
		p.Name = found[who.String()].Name
	}
	if len(l.Stops.V) > 0 {
		v := l.Stops.V[0].Venue
		p.Address = strings.Join(slices.DeleteFunc([]string{v.Line1, v.Line2, v.City, strings.TrimSpace(v.State + " " + v.PostalCode)}, func(t string) bool { return t == "" }), ", ")
	}

	return p, nil
}

// carrier is who has the load, nil for nobody.
func (s *recorder) carrier(ctx context.Context, l *load) (*recordCarrier, error) {
	if l.Carrier == nil {
		return nil, nil //nolint:nilnil // none is no failure
	}
	c := &recordCarrier{UUID: *l.Carrier}
	found, err := s.items.Values(ctx, []item.Ref{{Type: carrierItem, UUID: *l.Carrier}}, "legal_name", "usdot", "docket")
	if errs.KindOf(err) == errs.Forbidden || errors.Is(err, item.ErrUnknownType) {
		return c, nil
	}
	if err != nil {
		return nil, err
	}
	for key, into := range map[string]*string{"legal_name": &c.Name, "usdot": &c.USDOT, "docket": &c.Docket} {
		if raw := found[0][key]; len(raw) > 0 && json.Unmarshal(raw, into) != nil {
			*into = ""
		}
	}

	return c, nil
}
