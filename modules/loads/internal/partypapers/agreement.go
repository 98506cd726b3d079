// Package partypapers has the papers by which the parties to a load read what is agreed with each: the agreement with the customer, and the dispatch sheet of the
// carrier.
package partypapers

import (
	"cmp"
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/companies/companiesapi"
	"github.com/dispatchd/dispatchd/modules/contacts/contactsapi"
	"github.com/dispatchd/dispatchd/modules/loads/internal/signing"
	"github.com/dispatchd/dispatchd/modules/loads/internal/store"
	"github.com/dispatchd/dispatchd/modules/loads/internal/terms"
	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/platform/document"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/money"
	"github.com/dispatchd/dispatchd/platform/page"
	"github.com/dispatchd/dispatchd/platform/paper"
	"github.com/dispatchd/dispatchd/platform/resource"
)

// The kinds of papers.
const (
	AgreementKind = "agreement"
	SheetKind     = "dispatch_sheet"
)

// Parties knows who the parties to a load are.
type Parties struct {
	contacts contactsapi.Contacts
	brands   companiesapi.Brands
	signed   *signing.Repository
	terms    *terms.Reader
}

// NewParties returns Parties.
func NewParties(c contactsapi.Contacts, b companiesapi.Brands, s *signing.Repository, t *terms.Reader) *Parties {
	return &Parties{c, b, s, t}
}

// Papers are the models of the papers.
type Papers struct {
	loads   *resource.Resource[store.Load]
	views   loadsapi.Views
	parties *Parties
}

// NewPapers returns Papers.
func NewPapers(loads *resource.Resource[store.Load], v loadsapi.Views, p *Parties) *Papers {
	return &Papers{loads, v, p}
}

// agreed is what is agreed with a customer.
type agreed struct {
	load     loadsapi.CustomerView
	broker   companiesapi.Identity
	customer contactsapi.Contact
	signed   *signing.Row
	terms    string
	edition  int64
}

// Agreement is what the customer of a load agrees to, or has signed. Error: document.ErrNotThere for a load without a customer or a price.
func (p *Papers) Agreement(ctx context.Context, of item.Ref, _ document.Options) (document.Model, error) {
	row, err := p.loads.Find(ctx, of.UUID)
	if err != nil {
		return document.Model{}, err
	}
	shown, err := p.views.Customer(ctx, of.UUID.String())
	if err != nil {
		return document.Model{}, err
	}
	switch {
	case row.Customer == nil:
		return document.Model{}, document.ErrNotThere.WithMessage("The load has no customer yet, with whom something could be agreed.")
	case shown.Load.Tariff == "":
		return document.Model{}, document.ErrNotThere.WithMessage("The load has no price yet.")
	}
	a, err := p.parties.agreed(ctx, of.UUID, row.Customer.String())
	a.load = shown.Load

	return a.model(row.CreatedAt), err
}

func (p *Parties) agreed(ctx context.Context, load uuid.UUID, customer string) (a agreed, err error) {
	if a.broker, err = p.broker(ctx); err != nil {
		return a, err
	}
	found, err := p.contacts.Find(ctx, customer)
	if err != nil {
		return a, err
	}
	a.customer = found[customer]
	now, err := p.terms.Now(ctx)
	if err != nil {
		return a, err
	}
	a.terms, a.edition = now.Agreement, now.Version
	rows, err := p.signed.Of(ctx, load)
	if len(rows) > 0 {
		a.signed = &rows[0]
	}

	return a, err
}

// broker is the company by its legal name.
func (p *Parties) broker(ctx context.Context) (companiesapi.Identity, error) {
	brand, err := p.brands.Brand(ctx)
	if err != nil {
		return companiesapi.Identity{}, err
	}
	broker, err := p.brands.Identity(ctx)
	broker.LegalName = cmp.Or(broker.LegalName, brand.Name)

	return broker, err
}

// model is the paper: what 49 CFR 371.7 and the trade have such an agreement say.
func (a agreed) model(created time.Time) document.Model {
	zone := page.Zone(a.broker.TimeZone)
	m := document.Model{
		Number: a.load.Number, Date: created.In(zone).Format("January 2, 2006"), Created: created, FileName: "agreement-" + a.load.Number + ".pdf", Values: a.values(),
		Parts: []document.Part{
			{Name: "parties", Required: true, Blocks: []paper.Block{paper.Parties{
				{Label: "Broker", Name: a.broker.LegalName, Lines: brokerLines(a.broker)}, {Label: "Customer", Name: a.customer.Name, Lines: lines(a.customer.Phone, a.customer.Email)},
			}}},
			{Name: "broker", Required: true, Blocks: []paper.Block{paper.Text{Text: a.notice()}}},
			{Name: "transport", Required: true, Blocks: []paper.Block{a.transport()}},
			{Name: "vehicles", Required: true, Blocks: []paper.Block{a.vehicles()}},
			{Name: "price", Required: true, Blocks: []paper.Block{paper.KeepTogether{Blocks: []paper.Block{paper.Heading{Text: "Price and payment"}, a.amounts()}}}},
			{Name: "terms", Required: true, Blocks: []paper.Block{paper.Heading{Text: "Terms"}, paper.Text{Text: a.termsText(), Small: true}}},
			{Name: "signature", Required: true, Blocks: []paper.Block{a.signature(zone)}},
		},
	}
	if a.signed != nil {
		m.Date, m.Created = a.signed.At.In(zone).Format("January 2, 2006"), a.signed.At
	}

	return m
}

// notice says who carries the vehicles (49 CFR 371.7).
func (a agreed) notice() string {
	authority := strings.Join(lines(labeled("USDOT ", a.broker.USDOT), a.broker.Docket), ", ")
	if authority != "" {
		authority = " (" + authority + ")"
	}

	return a.broker.LegalName + authority + " arranges this transport as a property broker. It is a broker and not the carrier: a motor carrier with its own " +
		"authority and insurance carries the vehicles. Days of pickup and delivery are estimates, and no guarantee."
}

func (a agreed) transport() paper.Block {
	facts := paper.Facts{Title: "Transport", Columns: 2} //nolint:mnd // side by side
	add := func(name, text string) {
		if text != "" {
			facts.Items = append(facts.Items, paper.Fact{Name: name, Text: text})
		}
	}
	for _, s := range a.load.Stops {
		name := map[string]string{"pickup": "Pickup", "delivery": "Delivery"}[s.Kind]
		text := placeText(s.Venue)
		if s.Window != nil {
			text += "\nEstimated: " + page.Window(s.Window.From, s.Window.To, s.Venue.TimeZone)
		}
		add(cmp.Or(name, "Stop"), text)
	}
	add("First day for the pickup (estimate)", page.Day(a.load.AvailableFrom))
	add("Transport", transports[a.load.Transport])
	if a.load.Miles != nil {
		add("Distance", page.Sprintf("About %d miles", *a.load.Miles))
	}
	if a.load.FromDays != nil && a.load.ToDays != nil {
		add("On the way (estimate)", page.Sprintf("%d to %d days", *a.load.FromDays, *a.load.ToDays))
	}

	return facts
}

func (a agreed) vehicles() paper.Block {
	table := paper.Table{Title: "Vehicles", Columns: []paper.Column{{Title: "Vehicle", Weight: 3}, {Title: "VIN", Weight: 2}, {Title: "Condition", Weight: 2}}} //nolint:mnd // shares
	for _, v := range a.load.Vehicles {
		condition := "Runs"
		if v.Operable != nil && !*v.Operable {
			condition = "Does not run"
		}
		table.Rows = append(table.Rows, paper.Row{Cells: []string{v.Name(), cmp.Or(v.VIN, "not known yet"), condition}})
	}
	for _, g := range a.load.Commodities {
		table.Rows = append(table.Rows, paper.Row{Cells: []string{g.Description, "", strings.ReplaceAll(g.Kind, "_", " ")}})
	}

	return table
}

// amounts are the price, what is beside it, and what is paid to whom when.
func (a agreed) amounts() paper.Amounts {
	all := paper.Amounts{{Label: "Price of the transport", Value: a.amount(a.load.Tariff), Strong: true}}
	for _, c := range a.load.Charges {
		all = append(all, paper.Amount{Label: cmp.Or(c.Description, strings.ReplaceAll(c.Kind, "_", " ")), Value: a.amount(c.Amount)})
	}
	for _, l := range a.load.Plan {
		if l.From != "customer" {
			continue
		}
		label := "You pay to us "
		if l.To == "carrier" {
			label = "You pay to the carrier "
		}
		if l.Kind == "deposit" {
			label = "Deposit, to us "
		}
		label += loadsapi.DueText(l.Event, l.Days, l.BusinessDays)
		if method := loadsapi.MethodText(l.Method); method != "" {
			label += ", " + method
		}
		all = append(all, paper.Amount{Label: label, Value: a.amount(l.Amount)})
	}

	return all
}

func (a agreed) amount(amount string) string {
	return page.Amount(money.Amount(amount), money.Currency(a.load.Currency))
}

// deposit is what the customer pays to the broker before the pickup, "" for nothing.
func (a agreed) deposit() string {
	for _, l := range a.load.Plan {
		if l.From == "customer" && l.To == "broker" && (l.Event == "booking" || l.Event == "dispatch") {
			return a.amount(l.Amount)
		}
	}

	return ""
}

// termsText are the terms, with their version where the company has set some.
func (a agreed) termsText() string {
	if a.edition == 0 {
		return a.terms
	}

	return strings.TrimSpace(a.terms + "\n\nTerms version " + strconv.FormatInt(a.edition, 10) + ".")
}

var methods = map[string]string{signing.Link: "electronically, by link", "paper": "on paper", "email": "by e-mail", "phone": "by phone", "esign": "electronically"}

// signature is who has signed, or the line to sign on.
func (a agreed) signature(zone *time.Location) paper.Block {
	const consent = "By signing electronically, the customer agrees to do so; an electronic signature has the effect of one on paper (15 U.S.C. 7001)."
	sign := paper.Signature{Label: "Customer", Text: "Name and date"}
	if a.signed != nil {
		how := "Signed " + cmp.Or(methods[a.signed.Method], "by "+a.signed.Method)
		if a.signed.Address != "" {
			how += ", from " + a.signed.Address
		}
		sign = paper.Signature{Label: "Customer", Name: a.signed.Name, Text: how, Time: page.Moment(a.signed.At, zone)}
	}

	return paper.KeepTogether{Blocks: []paper.Block{paper.Box{Title: "Agreement", Blocks: []paper.Block{
		paper.Text{Text: "The customer orders the transport of the load " + a.load.Number + " on the terms above. " + consent}, sign,
	}}}}
}

// values are for the texts of templates.
func (a agreed) values() map[string]any {
	miles := int64(0)
	if a.load.Miles != nil {
		miles = *a.load.Miles
	}
	from, to := ends(a.load.Stops)

	return map[string]any{
		"load": map[string]any{
			"number": a.load.Number, "tariff": a.amount(a.load.Tariff), "deposit": a.deposit(), "currency": a.load.Currency, "from": from, "to": to, "miles": miles,
			"first_day": page.Day(a.load.AvailableFrom), "transport": transports[a.load.Transport], "vehicles": len(a.load.Vehicles),
		},
		"customer": map[string]any{"name": a.customer.Name, "phone": a.customer.Phone, "email": a.customer.Email},
		"broker":   map[string]any{"name": a.broker.LegalName, "usdot": a.broker.USDOT, "docket": a.broker.Docket},
		"terms":    map[string]any{"text": a.terms, "version": a.edition},
		"signed":   a.signed != nil,
	}
}

// ends are the places of the first pickup and of the last delivery.
func ends(stops []loadsapi.CustomerStop) (from, to string) {
	for _, s := range stops {
		place := cityOf(s.Venue.City, s.Venue.State, s.Venue.PostalCode)
		if from == "" {
			from = place
		}
		to = place
	}

	return from, to
}

func placeText(v loadsapi.CustomerVenue) string {
	return strings.Join(lines(v.Name, v.Line1, v.Line2, cityOf(v.City, v.State, v.PostalCode)), "\n")
}

// cityOf is a place in a line: Dallas, TX 75201.
func cityOf(city, state, code string) string {
	return strings.TrimSpace(strings.Join(lines(city, strings.TrimSpace(state+" "+code)), ", "))
}

func brokerLines(b companiesapi.Identity) []string {
	return lines(append(append([]string{}, b.Address...), labeled("USDOT ", b.USDOT), b.Docket)...)
}

func labeled(label, text string) string {
	if text == "" {
		return ""
	}

	return label + text
}

// lines are texts without empty ones.
func lines(texts ...string) (all []string) {
	for _, text := range texts {
		if text != "" {
			all = append(all, text)
		}
	}

	return all
}

var transports = map[string]string{"open": "Open trailer", "enclosed": "Enclosed trailer", "driveaway": "Driven by a driver"}

// ExampleAgreement is a signed agreement of invented facts, with all that one may have.
func ExampleAgreement() document.Model {
	miles, from, to, runs := int64(1310), int64(3), int64(5), false
	at := time.Date(2026, time.December, 1, 16, 30, 0, 0, time.UTC)
	a := agreed{
		load: loadsapi.CustomerView{
			Number: "L-2026-00034", Transport: "open", AvailableFrom: "2026-12-03", Tariff: "1100.00", Currency: "USD", Miles: &miles, FromDays: &from, ToDays: &to,
			Stops: []loadsapi.CustomerStop{
				{Kind: "pickup", Venue: loadsapi.CustomerVenue{Name: "Dallas Motors", Line1: "1 Main St", City: "Dallas", State: "TX", PostalCode: "75201"}},
				{Kind: "delivery", Venue: loadsapi.CustomerVenue{Line1: "2 Ocean Dr", City: "Miami", State: "FL", PostalCode: "33101"}},
			},
			Vehicles: []loadsapi.CustomerVehicle{{Make: "Honda", Model: "Accord", VIN: "1HGCM82633A004352", Operable: &runs}},
			Charges:  []loadsapi.ViewCharge{{Kind: "storage", Description: "Storage, two days", Amount: "50.00"}},
			Plan: []loadsapi.ViewLine{
				{From: "customer", To: "broker", Kind: "deposit", Amount: "200.00", Event: "booking", Method: "credit_card"},
				{From: "customer", To: "carrier", Kind: "cod", Amount: "900.00", Event: "delivery", Method: "cash"},
			},
		},
		broker: companiesapi.Identity{
			LegalName: "Example Auto Transport LLC", USDOT: "2233445", Docket: "MC-778899", Address: []string{"12 Broker Way", "Austin, TX 78701"}, TimeZone: "America/Chicago",
		},
		customer: contactsapi.Contact{Name: "Ann Lee", Phone: "+12145550143", Email: "ann@example.com"},
		signed:   &signing.Row{At: at, Name: "Ann Lee", Method: signing.Link, Address: "192.0.2.7"}, terms: terms.Defaults().Agreement, edition: 1,
	}

	return a.model(at)
}
