package printing

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dispatchd/dispatchd/modules/billsoflading/internal/report"
	"github.com/dispatchd/dispatchd/modules/billsoflading/internal/store"
	"github.com/dispatchd/dispatchd/platform/document"
	"github.com/dispatchd/dispatchd/platform/page"
	"github.com/dispatchd/dispatchd/platform/paper"
)

// stages are what people call the stages.
var stages = map[store.Stage]string{store.AtPickup: "At the pickup", store.AtDelivery: "At the delivery"}

// billModel is a bill of lading: the fields of 49 CFR 373.101, the vehicles as they were found at both stages, the signatures with their times, what was
// amended, the photos with their checksums, and the terms.
func (of printed) billModel() document.Model {
	origin := page.Zone(of.bill.Zone(store.AtPickup))
	m := of.model(of.bill.CreatedAt.In(origin), of.bill.CreatedAt)
	m.FileName = of.bill.Number + ".pdf"
	m.Parts = []document.Part{
		{Name: "parties", Required: true, Blocks: []paper.Block{of.parties()}},
		{Name: "facts", Required: true, Blocks: []paper.Block{of.facts()}},
		{Name: "vehicles", Required: true, Blocks: []paper.Block{of.vehicles()}},
		{Name: "condition", Required: true, Blocks: of.conditions()},
		{Name: "signatures", Required: true, Blocks: of.signatures(store.AtPickup, store.AtDelivery)},
		{Name: "amendments", Required: true, Blocks: of.amendments(origin)},
		{Name: "photos", Blocks: of.grid(of.photos)},
		{Name: "photo_index", Required: true, Blocks: []paper.Block{of.index(of.photos)}},
		{Name: "terms", Required: true, Blocks: of.terms()},
	}

	return m
}

// model is what all papers of a bill of lading have.
func (of printed) model(date, created time.Time) document.Model {
	return document.Model{
		Number: of.bill.Number, Date: date.Format("January 2, 2006"), Created: created, Details: of.details(),
		Values: map[string]any{
			"bol":       map[string]any{"number": of.bill.Number, "vehicles": len(of.report.Vehicles), "inspection": of.bill.Inspection},
			"load":      map[string]any{"number": of.load},
			"broker":    map[string]any{"name": of.broker, "usdot": of.company.USDOT, "docket": of.company.Docket},
			"carrier":   map[string]any{"name": of.report.Carrier.Name, "usdot": of.report.Carrier.USDOT, "docket": of.report.Carrier.Docket},
			"consignor": map[string]any{"name": of.report.Consignor.Name, "place": of.report.Consignor.Place()},
			"consignee": map[string]any{"name": of.report.Consignee.Name, "place": of.report.Consignee.Place()},
		},
	}
}

func (of printed) details() []paper.Fact {
	if of.load == "" {
		return nil
	}

	return []paper.Fact{{Name: "Load", Text: of.load}}
}

func (of printed) parties() paper.Parties {
	return paper.Parties{partyOf("Consignor (origin)", of.report.Consignor), partyOf("Consignee (destination)", of.report.Consignee), of.carrier()}
}

func partyOf(label string, p store.Party) paper.Party {
	name, rest, _ := strings.Cut(p.Text(), "\n")

	return paper.Party{Label: label, Name: name, Lines: filled(strings.Split(rest, "\n")...)}
}

func (of printed) carrier() paper.Party {
	c := of.report.Carrier

	return paper.Party{Label: "Carrier", Name: c.Name, Lines: filled(labeled("USDOT ", c.USDOT), c.Docket)}
}

// facts are who arranges the transport, and how many vehicles there are; with the code that leads to the current bill.
func (of printed) facts() paper.Block {
	cells := [][]paper.Block{
		{paper.Parties{{Label: "Broker", Name: of.broker, Lines: filled(append(slices.Clone(of.company.Address), labeled("USDOT ", of.company.USDOT), of.company.Docket)...)}}},
		{paper.Facts{Columns: 1, Items: []paper.Fact{
			{Name: "Number of vehicles", Text: strconv.Itoa(len(of.report.Vehicles))}, {Name: "Inspection", Text: cmp.Or(of.bill.Inspection, "standard")},
		}}},
		nil,
	}
	if of.scan != "" {
		cells[2] = []paper.Block{paper.Code{Address: of.scan, Text: "Read the current bill of lading, with its photos where the company shows them."}}
	}

	return paper.Columns{Cells: cells}
}

func (of printed) vehicles() paper.Block {
	table := paper.Table{Title: "Vehicles", Columns: []paper.Column{
		{Title: "#", Weight: 0.4, Align: paper.Right},
		{Title: "Vehicle", Weight: 3},
		{Title: "VIN", Weight: 2.4},
		{Title: "Color", Weight: 1.2},
		{Title: "Plate, lot", Weight: 1.8},
		{Title: "Condition", Weight: 1.5},
	}}
	for i, v := range of.report.Vehicles {
		runs := "does not run"
		if v.Vehicle.Operable {
			runs = "runs"
		}
		table.Rows = append(table.Rows, paper.Row{Cells: []string{
			strconv.Itoa(i + 1), v.Vehicle.Name(), v.Vehicle.VIN, v.Vehicle.Color, strings.Join(filled(v.Vehicle.Plate, labeled("lot ", v.Vehicle.Lot)), ", "), runs,
		}})
	}

	return table
}

// conditions are how each vehicle was found at both stages.
func (of printed) conditions() (all []paper.Block) {
	for i, v := range of.report.Vehicles {
		title := paper.Heading{Text: "Vehicle " + strconv.Itoa(i+1) + ": " + v.Vehicle.Text()}
		all = append(all, paper.KeepTogether{Blocks: []paper.Block{title, of.found(v)}})
		if marks := append(marksOf(v.Pickup, false), marksOf(v.Delivery, true)...); len(marks) > 0 {
			all = append(all, paper.Outline{Marks: marks})
		}
	}

	return all
}

// found is what the inspections say, side by side.
func (of printed) found(v report.Vehicle) paper.Block {
	table := paper.Table{Columns: []paper.Column{{Weight: 1}, {Title: stages[store.AtPickup], Weight: 3}, {Title: stages[store.AtDelivery], Weight: 3}}}
	pickup, delivery := of.said(v.Pickup, store.AtPickup), of.said(v.Delivery, store.AtDelivery)
	for i, fact := range pickup {
		if fact.Text+delivery[i].Text != "" {
			table.Rows = append(table.Rows, paper.Row{Cells: []string{fact.Name, fact.Text, delivery[i].Text}})
		}
	}

	return table
}

// said is what an inspection says: the same facts in the same order for each.
func (of printed) said(i *report.Inspection, at store.Stage) []paper.Fact {
	if i == nil {
		return []paper.Fact{{Name: "Inspected", Text: "Not inspected yet"}, {Name: "Reading"}, {Name: "Notes"}, {Name: "Damage"}}
	}
	inspected := filled(labeled("Not inspected: ", i.Skipped))
	if i.InspectedAt != nil {
		inspected = append(inspected, page.Moment(*i.InspectedAt, page.Zone(of.bill.Zone(at))))
	}
	found := "No damage noted"
	if n := len(i.Damages); n > 0 {
		found = strconv.Itoa(n) + " noted"
	}

	return []paper.Fact{
		{Name: "Inspected", Text: strings.Join(append(inspected, filled(labeled("by ", i.Inspector))...), ", ")},
		{Name: "Reading", Text: strings.Join(filled(
			labeledNumber("Odometer ", i.Odometer, " "+i.Unit), labeledNumber("keys ", i.Keys, ""), labeledNumber("fuel ", i.Fuel, "/8"), drivable[i.Drivable],
			labeled("VIN found ", i.VIN)), ", ")},
		{Name: "Notes", Text: strings.Join(filled(i.Notes, labeled("Left in it: ", i.Loose), weathers[i.Weather], later(i)), "\n")},
		{Name: "Damage", Text: found},
	}
}

var (
	drivable = map[string]string{"yes": "can be driven", "no": "cannot be driven"}
	weathers = map[string]string{"wet": "Seen when it was wet", "snow": "Seen when it was in snow", "dark": "Seen when it was dark"}
)

func later(i *report.Inspection) string {
	if !i.Subject {
		return ""
	}

	return "Subject to inspection"
}

// marksOf are the damages of an inspection on the outline. Of a delivery, those that were found at the pickup already are left out.
func marksOf(i *report.Inspection, delivery bool) (marks []paper.Mark) {
	if i == nil {
		return nil
	}
	for _, d := range i.Damages {
		if delivery && d.Existing {
			continue
		}
		mark := paper.Mark{Label: d.Text(), New: delivery}
		if delivery {
			mark.Label = "New at the delivery: " + mark.Label
		}
		if d.X != nil && d.Y != nil {
			mark.Side, mark.X, mark.Y = d.Side, *d.X, *d.Y
		}
		marks = append(marks, mark)
	}

	return marks
}

var roles = map[string]string{store.Driver: "Driver", store.Releasing: "Released by", store.Receiving: "Received by"}

// signatures are who has signed at stages, or lines to sign on: a row for each stage.
func (of printed) signatures(at ...store.Stage) []paper.Block {
	var rows []paper.Block
	for _, stage := range at {
		rows = append(rows, paper.Text{Text: stages[stage], Bold: true}, paper.Columns{Cells: [][]paper.Block{
			{of.signature(stage, store.Driver)}, {of.signature(stage, stage.Counterpart())},
		}})
	}

	return []paper.Block{paper.KeepTogether{Blocks: []paper.Block{paper.Box{Title: "Signatures", Blocks: rows}}}}
}

func (of printed) signature(at store.Stage, role string) paper.Block {
	i := slices.IndexFunc(of.report.Signatures, func(s report.Signature) bool { return s.Stage == at && s.Role == role })
	if i < 0 {
		return paper.Signature{Label: roles[role]}
	}
	s := of.report.Signatures[i]
	if s.Method == store.NotAvailable {
		return paper.Text{Text: roles[role] + ": not available. " + s.Reason}
	}
	signed := paper.Signature{Label: roles[role], Name: strings.Join(filled(s.Name, s.Title), ", "), Text: s.Statement, Strokes: s.Strokes}
	if s.SignedAt != nil {
		signed.Time = page.Moment(*s.SignedAt, page.Zone(s.Zone))
	}

	return signed
}

func (of printed) amendments(in *time.Location) (all []paper.Block) {
	for _, a := range of.report.Amendments {
		all = append(all, paper.Box{Title: "Amended on " + page.Moment(a.At, in), Blocks: []paper.Block{paper.Text{Text: a.Text}, paper.Text{Text: "Why: " + a.Reason, Small: true}}})
	}

	return all
}

func (of printed) terms() []paper.Block {
	if of.report.Terms == "" {
		return nil
	}

	return []paper.Block{paper.Heading{Text: "Terms"}, paper.Text{Text: of.report.Terms, Small: true}}
}

// filled are texts without empty ones.
func filled(texts ...string) []string {
	return slices.DeleteFunc(slices.Clone(texts), func(text string) bool { return text == "" })
}

func labeled(label, text string) string {
	if text == "" {
		return ""
	}

	return label + text
}

func labeledNumber(label string, n *int64, unit string) string {
	if n == nil {
		return ""
	}

	return label + page.Sprintf("%d", *n) + unit
}
