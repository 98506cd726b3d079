package papers

import (
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dispatchd/dispatchd/modules/carriers/carriersapi"
	"github.com/dispatchd/dispatchd/modules/companies/companiesapi"
	"github.com/dispatchd/dispatchd/modules/dispatches/internal/loadview"
	"github.com/dispatchd/dispatchd/modules/dispatches/internal/store"
	"github.com/dispatchd/dispatchd/platform/document"
	"github.com/dispatchd/dispatchd/platform/page"
	"github.com/dispatchd/dispatchd/platform/paper"
)

// confirmation is a rate confirmation: the contract of a broker and a carrier on one load.
type confirmation struct {
	row         store.Dispatch
	load, phone string
	broker      companiesapi.Identity
	carrier     carriersapi.Carrier
	// scan is the address of the dispatch, "" for none.
	scan string
}

// model is what the paper says. A revision is printed to the same bytes until it is accepted, its crew changes, or the company or the carrier is renamed.
func (c confirmation) model() (document.Model, error) {
	var l loadview.Load
	if err := json.Unmarshal(c.row.Snapshot, &l); err != nil {
		return document.Model{}, err
	}
	shown, revision := l.Describe(), strconv.FormatInt(c.row.Revision, 10)

	return document.Model{
		Number: c.row.Number + ", revision " + revision, Date: c.row.CreatedAt.In(c.zone()).Format("January 2, 2006"), Created: c.row.CreatedAt,
		Details:  []paper.Fact{{Name: "Load", Text: c.load}},
		FileName: "rate-confirmation-" + c.row.Number + "-" + revision + ".pdf", Values: c.values(shown, revision),
		Parts: []document.Part{
			{Name: "parties", Required: true, Blocks: []paper.Block{c.parties()}},
			{Name: "pay", Required: true, Blocks: []paper.Block{c.pay(l)}},
			{Name: "stops", Required: true, Blocks: []paper.Block{stopsOf(shown)}},
			{Name: "transport", Required: true, Blocks: c.transport(l, shown)},
			{Name: "vehicles", Required: true, Blocks: []paper.Block{vehicles(l, shown)}},
			{Name: "terms", Required: true, Blocks: []paper.Block{
				paper.Heading{Text: "Terms"}, paper.Text{Text: noRebrokering}, paper.Text{Text: c.row.Terms, Small: len(c.row.Terms) > longTerms},
			}},
			{Name: "acceptance", Required: true, Blocks: []paper.Block{c.acceptance()}},
		},
	}, nil
}

// longTerms is from how many characters on terms are printed small.
const longTerms = 600

// values are those that templates have.
func (c confirmation) values(shown loadview.Text, revision string) map[string]any {
	return map[string]any{
		"dispatch": map[string]any{
			"number": c.row.Number, "revision": revision, "pay": page.Amount(c.row.CarrierPay, c.row.Currency), "pickup_date": page.Day(string(c.row.PickupDate)),
			"delivery_date": page.Day(string(c.row.DeliveryDate)), "driver": c.row.DriverName, "truck": c.row.Truck, "accepted_by": c.row.AcceptedBy,
		},
		"load":    map[string]any{"number": c.load, "vehicles": len(shown.Cars)},
		"broker":  map[string]any{"name": c.broker.LegalName, "usdot": c.broker.USDOT, "docket": c.broker.Docket, "phone": c.phone},
		"carrier": map[string]any{"name": c.carrierName(), "usdot": c.carrier.USDOT, "docket": c.carrier.Docket, "contact": c.row.ContactName},
	}
}

// zone is that of the first stop.
func (c confirmation) zone() *time.Location {
	first, _ := loadview.Zones(c.row.Snapshot)

	return first
}

func (c confirmation) carrierName() string { return cmp.Or(c.carrier.Name, c.carrier.DBA) }

// parties are who makes the contract, and who drives.
func (c confirmation) parties() paper.Parties {
	dba := ""
	if c.broker.DBA != c.broker.LegalName {
		dba = labeled("doing business as ", c.broker.DBA)
	}
	broker := append(append([]string{dba}, c.broker.Address...), labeled("USDOT ", c.broker.USDOT), c.broker.Docket, labeled("Phone ", c.phone))
	driver := paper.Party{Label: "Driver and truck", Name: c.row.DriverName, Lines: filled(
		string(c.row.DriverPhone), c.row.Truck, labeled("Plate ", c.row.TruckPlate))}
	if driver.Name == "" && len(driver.Lines) == 0 {
		driver.Lines = []string{"The carrier has yet to name them."}
	}

	return paper.Parties{
		{Label: "Broker", Name: c.broker.LegalName, Lines: filled(broker...)},
		{Label: "Carrier", Name: c.carrierName(), Lines: filled(
			labeled("USDOT ", c.carrier.USDOT), c.carrier.Docket, c.row.ContactName, labeled("Phone ", cmp.Or(string(c.row.ContactPhone), c.carrier.Phone)),
			labeled("E-mail ", cmp.Or(string(c.row.ContactEmail), c.carrier.Email)))},
		driver,
	}
}

// pay is what the carrier gets, from whom and when.
func (c confirmation) pay(l loadview.Load) paper.Block {
	blocks := []paper.Block{paper.Amounts{{Label: "Carrier pay in all", Value: page.Amount(c.row.CarrierPay, c.row.Currency), Strong: true}}}
	for _, p := range l.Plan {
		blocks = append(blocks, paper.Text{Text: loadview.Payment(p).Clause(l.AmountText(p.Amount))})
	}

	return paper.Box{Strong: true, Blocks: blocks}
}

// stopsOf are the stops as the carrier sees them.
func stopsOf(shown loadview.Text) paper.Parties {
	var all paper.Parties
	for _, stop := range shown.Stops {
		kind, place, _ := strings.Cut(stop.Title, ": ")
		one := paper.Party{Label: kind, Name: place}
		for _, line := range stop.Lines {
			if text := line.Plain(); text != place {
				one.Lines = append(one.Lines, text)
			}
		}
		all = append(all, one)
	}

	return all
}

// transport is when and how the load is carried, and what else there is to it.
func (c confirmation) transport(l loadview.Load, shown loadview.Text) []paper.Block {
	facts := []paper.Fact{
		{Name: "Pickup on", Text: page.Day(string(c.row.PickupDate))},
		{Name: "Delivery on", Text: page.Day(string(c.row.DeliveryDate))},
		{Name: "Inspection", Text: cmp.Or(l.Inspection, "standard")},
	}
	for _, f := range shown.Facts {
		if f.Label != "Inspection" {
			facts = append(facts, paper.Fact{Name: f.Label, Text: f.Value})
		}
	}
	long := []paper.Fact{{Name: "Goods", Text: strings.Join(shown.Goods, "\n")}, {Name: "Instructions", Text: strings.Join(shown.Notes, "\n")}}

	return []paper.Block{paper.Facts{Columns: 2, Items: known(facts)}, paper.Facts{Columns: 1, Items: known(long)}}
}

// known are the facts that have a value.
func known(facts []paper.Fact) []paper.Fact {
	return slices.DeleteFunc(facts, func(f paper.Fact) bool { return f.Text == "" })
}

// vehicles are those of the load.
func vehicles(l loadview.Load, shown loadview.Text) paper.Block {
	table := paper.Table{Columns: []paper.Column{
		{Title: "#", Weight: 0.4, Align: paper.Right},
		{Title: "Vehicle", Weight: 3},
		{Title: "VIN", Weight: 2.4},
		{Title: "Color", Weight: 1.2},
		{Title: "Plate, lot", Weight: 1.8},
		{Title: "Condition", Weight: 1.5},
	}}
	for i, v := range l.Vehicles {
		condition := "runs"
		if v.Operable != nil && !*v.Operable {
			condition = "does not run"
		}
		table.Rows = append(table.Rows, paper.Row{
			Cells: []string{
				strconv.Itoa(i + 1), shown.Cars[i].Name, v.VIN, v.Color,
				strings.Join(filled(v.Plate, labeled("lot ", v.Lot), labeled("buyer ", v.Buyer), labeled("gate pass ", v.GatePass)), ", "), condition,
			},
			Note: v.Notes,
		})
	}

	return table
}

// noRebrokering is part of each contract: 49 CFR 371.2 and 49 U.S.C. 14916 have no load be brokered again without the broker's knowledge.
const noRebrokering = "The carrier carries this load itself, under its own authority. It must not re-broker, assign or interline the load, " +
	"or have it carried by anyone else, without the broker's written consent."

// acceptance is what the carrier has accepted, and who has signed for it.
func (c confirmation) acceptance() paper.Block {
	signed := paper.Signature{Label: "For the carrier, " + c.carrierName(), Text: c.accepted()}
	if c.row.AcceptedAt != nil {
		signed.Name, signed.Time = cmp.Or(c.row.AcceptedBy, "the carrier"), page.Moment(*c.row.AcceptedAt, c.zone())
	}
	blocks := []paper.Block{
		paper.Text{Text: "The carrier accepts this load at " + page.Amount(c.row.CarrierPay, c.row.Currency) + ", on these days and terms."}, signed,
	}
	if c.scan != "" {
		blocks = []paper.Block{paper.Columns{Cells: [][]paper.Block{blocks, {paper.Code{Address: c.scan, Text: "The current state of the load"}}}, Weights: []float64{2, 1}}}
	}

	return paper.KeepTogether{Blocks: []paper.Block{paper.Box{Title: "Acceptance", Blocks: blocks}}}
}

// accepted says which revision was accepted, and how.
func (c confirmation) accepted() string {
	missing := "Revision " + strconv.FormatInt(c.row.Revision, 10) + ": not accepted yet"
	if c.row.AcceptedAt == nil {
		return missing
	}
	text := "Revision " + strconv.FormatInt(c.row.AcceptedRevision, 10) + ", recorded by the broker"
	if c.row.AcceptedFrom != "" {
		text = "Revision " + strconv.FormatInt(c.row.AcceptedRevision, 10) + ", by a link, from " + c.row.AcceptedFrom
	}
	if c.row.AcceptedRevision != c.row.Revision {
		text += "\n" + missing
	}

	return text
}

// filled are texts without empty ones.
func filled(texts ...string) []string {
	return slices.DeleteFunc(slices.Clone(texts), func(text string) bool { return text == "" })
}

// labeled is a text after its label, "" for none.
func labeled(label, text string) string {
	if text == "" {
		return ""
	}

	return label + text
}
