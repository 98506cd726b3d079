package partypapers

import (
	"cmp"
	"context"
	"strings"
	"time"

	"github.com/dispatchd/dispatchd/modules/companies/companiesapi"
	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/platform/document"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/money"
	"github.com/dispatchd/dispatchd/platform/page"
	"github.com/dispatchd/dispatchd/platform/paper"
)

// sheet is what the carrier of a load reads of it. Before a carrier has the load, streets, contacts and VINs are left out.
type sheet struct {
	load   loadsapi.CarrierView
	broker companiesapi.Identity
	masked bool
}

// Sheet is what the carrier of a load reads of it; of a load that no carrier has yet, it is what carriers read who are asked.
func (p *Papers) Sheet(ctx context.Context, of item.Ref, _ document.Options) (document.Model, error) {
	row, err := p.loads.Find(ctx, of.UUID)
	if err != nil {
		return document.Model{}, err
	}
	s := sheet{masked: row.Carrier == nil}
	if s.broker, err = p.parties.broker(ctx); err != nil {
		return document.Model{}, err
	}
	if !s.masked {
		shown, err := p.views.Carrier(ctx, of.UUID.String())
		s.load = shown.Load

		return s.model(row.CreatedAt), err
	}
	shown, err := p.views.Bidder(ctx, of.UUID.String())
	s.load = asCarrier(shown.Load)

	return s.model(row.CreatedAt), err
}

// asCarrier is what a bidder sees in the form of what a carrier sees.
func asCarrier(b loadsapi.BidderView) loadsapi.CarrierView {
	c := loadsapi.CarrierView{
		Number: b.Number, Transport: b.Transport, Inspection: b.Inspection, Trailer: b.Trailer, AvailableFrom: b.AvailableFrom, Commodities: b.Commodities, Plan: b.Plan,
		Currency: b.Currency, ForBoard: b.ForBoard, Miles: b.Miles, Measured: b.Measured, CarrierPay: b.CarrierPay,
	}
	for _, s := range b.Stops {
		c.Stops = append(c.Stops, loadsapi.CarrierStop{Kind: s.Kind, Window: s.Window, Venue: loadsapi.CarrierVenue{
			City: s.Venue.City, State: s.Venue.State, PostalCode: s.Venue.PostalCode, TimeZone: s.Venue.TimeZone, Appointment: s.Venue.Appointment, TWIC: s.Venue.TWIC,
		}})
	}
	for _, v := range b.Vehicles {
		c.Vehicles = append(c.Vehicles, loadsapi.CarrierVehicle{Year: v.Year, Make: v.Make, Model: v.Model, Type: v.Type, Operable: v.Operable})
	}

	return c
}

func (s sheet) model(created time.Time) document.Model {
	m := document.Model{
		Number: s.load.Number, Date: created.In(page.Zone(s.broker.TimeZone)).Format("January 2, 2006"), Created: created, FileName: "dispatch-sheet-" + s.load.Number + ".pdf",
		Values: s.values(),
		Parts: []document.Part{
			{Name: "broker", Required: true, Blocks: []paper.Block{paper.Parties{{Label: "Broker", Name: s.broker.LegalName, Lines: brokerLines(s.broker)}}}},
			{Name: "transport", Required: true, Blocks: []paper.Block{s.transport()}},
			{Name: "stops", Required: true, Blocks: []paper.Block{s.stops()}},
			{Name: "vehicles", Required: true, Blocks: []paper.Block{s.vehicles()}},
			{Name: "pay", Required: true, Blocks: []paper.Block{paper.KeepTogether{Blocks: []paper.Block{paper.Heading{Text: "Pay"}, s.pay()}}}},
		},
	}
	if s.masked {
		m.Parts = append(m.Parts, document.Part{Name: "masked", Required: true, Blocks: []paper.Block{
			paper.Text{Text: "Streets, contacts and VINs are on the rate confirmation, once the load is accepted.", Small: true},
		}})
	}
	if notes := strings.Join(lines(s.load.ForCarrier, s.load.ForBoard), "\n"); notes != "" {
		m.Parts = append(m.Parts, document.Part{Name: "instructions", Blocks: []paper.Block{paper.Heading{Text: "Instructions"}, paper.Text{Text: notes}}})
	}

	return m
}

func (s sheet) transport() paper.Block {
	facts := paper.Facts{Title: "Transport", Columns: 2} //nolint:mnd // side by side
	miles := ""
	if s.load.Miles != nil {
		miles = page.Sprintf("%d miles", *s.load.Miles)
		if !s.load.Measured {
			miles = "About " + miles
		}
	}
	for _, f := range []paper.Fact{
		{Name: "First day for the pickup", Text: page.Day(s.load.AvailableFrom)},
		{Name: "Transport", Text: transports[s.load.Transport]},
		{Name: "Inspection", Text: s.load.Inspection},
		{Name: "Distance", Text: miles},
	} {
		if f.Text != "" {
			facts.Items = append(facts.Items, f)
		}
	}

	return facts
}

func (s sheet) stops() paper.Block {
	table := paper.Table{Title: "Stops", Columns: []paper.Column{{Title: "Stop"}, {Title: "Place", Weight: 3}, {Title: "Contact", Weight: 2}, {Title: "When", Weight: 2}}} //nolint:mnd // shares
	for _, one := range s.load.Stops {
		v := one.Venue
		when := ""
		if one.Window != nil {
			when = page.Window(one.Window.From, one.Window.To, v.TimeZone)
		}
		var contacts []string
		for _, c := range one.Contacts {
			contacts = append(contacts, strings.Join(lines(append([]string{c.Name}, c.Phones...)...), ", "))
		}
		table.Rows = append(table.Rows, paper.Row{Cells: []string{
			map[string]string{"pickup": "Pickup", "delivery": "Delivery"}[one.Kind], strings.Join(lines(v.Name, v.Line1, v.Line2, cityOf(v.City, v.State, v.PostalCode)), "\n"),
			strings.Join(contacts, "\n"), when,
		}, Note: one.Notes})
	}

	return table
}

func (s sheet) vehicles() paper.Block {
	table := paper.Table{Title: "Vehicles", Columns: []paper.Column{{Title: "Vehicle", Weight: 3}, {Title: "VIN", Weight: 2}, {Title: "Condition", Weight: 2}}} //nolint:mnd // shares
	for _, v := range s.load.Vehicles {
		condition := "Runs"
		if v.Operable != nil && !*v.Operable {
			condition = "Does not run"
		}
		vin := v.VIN
		if !s.masked {
			vin = cmp.Or(vin, "not known yet")
		}
		table.Rows = append(table.Rows, paper.Row{Cells: []string{v.Name(), vin, condition}})
	}
	for _, g := range s.load.Commodities {
		table.Rows = append(table.Rows, paper.Row{Cells: []string{g.Description, "", strings.ReplaceAll(g.Kind, "_", " ")}})
	}

	return table
}

// pay is what the carrier gets, and who pays what when.
func (s sheet) pay() paper.Amounts {
	all := paper.Amounts{{Label: "Carrier pay", Value: cmp.Or(s.amount(s.load.CarrierPay), "open"), Strong: true}}
	for _, l := range s.load.Plan {
		label := map[string]string{"customer": "The customer pays you ", "broker": "We pay you "}[l.From]
		if l.From == "carrier" {
			label = "You pay us "
		}
		if l.To != "carrier" && l.From != "carrier" {
			continue
		}
		label += loadsapi.DueText(l.Event, l.Days, l.BusinessDays)
		if method := loadsapi.MethodText(l.Method); method != "" {
			label += ", " + method
		}
		all = append(all, paper.Amount{Label: label, Value: s.amount(l.Amount)})
	}

	return all
}

func (s sheet) amount(amount string) string {
	if amount == "" {
		return ""
	}

	return page.Amount(money.Amount(amount), money.Currency(s.load.Currency))
}

func (s sheet) values() map[string]any {
	from, to := "", ""
	for _, one := range s.load.Stops {
		place := cityOf(one.Venue.City, one.Venue.State, one.Venue.PostalCode)
		if from == "" {
			from = place
		}
		to = place
	}

	return map[string]any{
		"load": map[string]any{
			"number": s.load.Number, "carrier_pay": s.amount(s.load.CarrierPay), "currency": s.load.Currency, "from": from, "to": to,
			"first_day": page.Day(s.load.AvailableFrom), "transport": transports[s.load.Transport], "inspection": s.load.Inspection, "vehicles": len(s.load.Vehicles),
		},
		"broker": map[string]any{"name": s.broker.LegalName, "usdot": s.broker.USDOT, "docket": s.broker.Docket},
		"masked": s.masked,
	}
}

// ExampleSheet is a dispatch sheet of invented facts, with all that one may have.
func ExampleSheet() document.Model {
	miles, runs := int64(1310), true
	s := sheet{
		load: loadsapi.CarrierView{
			Number: "L-2026-00034", Transport: "open", Inspection: "standard", AvailableFrom: "2026-12-03", CarrierPay: "900.00", Currency: "USD", Miles: &miles, ForCarrier: "Call before you come.",
			Stops: []loadsapi.CarrierStop{
				{Kind: "pickup", Venue: loadsapi.CarrierVenue{City: "Dallas", State: "TX", PostalCode: "75201"}},
				{Kind: "delivery", Venue: loadsapi.CarrierVenue{City: "Miami", State: "FL", PostalCode: "33101"}},
			},
			Vehicles: []loadsapi.CarrierVehicle{{Make: "Honda", Model: "Accord", Operable: &runs}},
			Plan:     []loadsapi.ViewLine{{From: "customer", To: "carrier", Kind: "cod", Amount: "900.00", Event: "delivery", Method: "cash"}},
		},
		broker: companiesapi.Identity{LegalName: "Example Auto Transport LLC", USDOT: "2233445", Docket: "MC-778899", Address: []string{"12 Broker Way", "Austin, TX 78701"}},
		masked: true,
	}

	return s.model(time.Date(2026, time.December, 1, 16, 30, 0, 0, time.UTC))
}
