package signing

import (
	"cmp"
	"context"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/companies/companiesapi"
	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/platform/document"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/page"
	"github.com/dispatchd/dispatchd/platform/paper"
	"github.com/dispatchd/dispatchd/platform/web/stream"
)

// Kind is the kind of papers that customers have signed, which are about Item.
const (
	Kind = "signature"
	Item = loadsapi.Area + ".signature"
)

var errNoSignature = errs.New(errs.NotFound, "loads.signature_not_found", "The load has no such signature.")

// Orders has signed orders as papers.
type Orders struct {
	loads  Loads
	rows   *Repository
	brands companiesapi.Brands
}

// NewOrders returns Orders.
func NewOrders(loads Loads, rows *Repository, brands companiesapi.Brands) *Orders {
	return &Orders{loads, rows, brands}
}

// Papers are the newest signatures of a load.
func (o *Orders) Papers(ctx context.Context, of item.Ref) ([]document.Paper, error) {
	rows, err := o.rows.Of(ctx, of.UUID)
	all := make([]document.Paper, len(rows))
	for i, r := range rows {
		all[i] = document.Paper{
			Kind: Kind, Title: "Signed order", CreatedAt: r.At, Visibility: document.Customer, Of: item.Ref{Type: Item, UUID: r.ID},
			Path: "/" + loadsapi.Area + "/api/v1/loads/" + r.LoadID.String() + "/signatures/" + r.ID.String() + "/pdf",
		}
	}

	return all, err
}

// Model is a signature; of a load, it is the newest.
func (o *Orders) Model(ctx context.Context, of item.Ref, _ document.Options) (document.Model, error) {
	row, err := o.find(ctx, of)
	if err != nil {
		return document.Model{}, err
	}
	s := order{row: row}
	if s.number, s.zone, err = o.known(ctx, row.LoadID); err != nil {
		return document.Model{}, err
	}
	brand, err := o.brands.Brand(ctx)
	if err != nil {
		return document.Model{}, err
	}
	if s.broker, err = o.brands.Identity(ctx); err != nil {
		return document.Model{}, err
	}
	s.broker.LegalName = cmp.Or(s.broker.LegalName, brand.Name)

	return s.model(), nil
}

func (o *Orders) find(ctx context.Context, of item.Ref) (Row, error) {
	if of.Type == Item {
		return o.rows.find(ctx, of.UUID)
	}
	rows, err := o.rows.Of(ctx, of.UUID)
	if err == nil && len(rows) == 0 {
		err = errNoSignature
	}
	if err != nil {
		return Row{}, err
	}

	return rows[0], nil
}

func (o *Orders) known(ctx context.Context, load uuid.UUID) (string, *time.Location, error) {
	number, zone, err := o.loads.Known(ctx, load)

	return number, page.Zone(zone), err
}

type printInput struct {
	UUID      uuid.UUID `path:"uuid" format:"uuid"`
	Signature uuid.UUID `path:"signature" format:"uuid"`
}

// print is what was signed, as PDF.
func (d *Desk) print(ctx context.Context, in *printInput) (*stream.Stream, error) {
	if _, _, err := d.loads.Known(ctx, in.UUID); err != nil {
		return nil, err
	}
	if row, err := d.rows.find(ctx, in.Signature); err != nil || row.LoadID != in.UUID {
		return nil, cmp.Or(err, error(errNoSignature))
	}

	return d.printer.Download(ctx, Kind, item.Ref{Type: Item, UUID: in.Signature}, document.Options{})
}

// order is an order as its customer has signed it.
type order struct {
	row    Row
	number string
	// zone is that of the first stop.
	zone   *time.Location
	broker companiesapi.Identity
}

// model is what is printed of a signature: who the parties are, what was agreed to, what had changed, and who has signed how.
func (o order) model() document.Model {
	m := document.Model{
		Number: o.number, Date: o.row.At.In(o.zone).Format("January 2, 2006"), Created: o.row.At, FileName: "signature-" + o.number + ".pdf",
		Values: map[string]any{
			"load": map[string]any{"number": o.number}, "customer": map[string]any{"name": o.row.Name},
			"broker": map[string]any{"name": o.broker.LegalName, "usdot": o.broker.USDOT, "docket": o.broker.Docket},
		},
		Parts: []document.Part{
			{Name: "parties", Required: true, Blocks: []paper.Block{paper.Parties{
				{Label: "Broker", Name: o.broker.LegalName, Lines: o.brokerLines()}, {Label: "Customer", Name: o.row.Name},
			}}},
			{Name: "broker", Required: true, Blocks: []paper.Block{paper.Text{Text: o.notice()}}},
			{Name: "transport", Required: true, Blocks: []paper.Block{o.transport()}},
			{Name: "vehicles", Required: true, Blocks: []paper.Block{o.vehicles()}},
			{Name: "price", Required: true, Blocks: []paper.Block{o.amounts()}},
			{Name: "changes", Blocks: []paper.Block{o.changes()}},
			{Name: "signature", Required: true, Blocks: []paper.Block{o.signature()}},
		},
	}

	return m
}

func (o order) brokerLines() (lines []string) {
	all := append([]string{}, o.broker.Address...)
	if o.broker.USDOT != "" {
		all = append(all, "USDOT "+o.broker.USDOT)
	}
	for _, line := range append(all, o.broker.Docket) {
		if line != "" {
			lines = append(lines, line)
		}
	}

	return lines
}

// notice says who carries the vehicles: 49 CFR 371.7 has a broker make known that it is one.
func (o order) notice() string {
	return o.broker.LegalName + " arranges this transport as a property broker. It is not a motor carrier and does not take the vehicles into its own hands: " +
		"a motor carrier with its own authority and insurance carries them. Days of pickup and delivery are estimates."
}

// of are the terms of some kinds.
func (o order) of(kinds ...string) (all []paper.Fact) {
	for _, kind := range kinds {
		for _, t := range o.row.Terms.V {
			if t.Kind == kind && t.Text != "" {
				all = append(all, paper.Fact{Name: t.Label, Text: t.Text})
			}
		}
	}

	return all
}

func (o order) transport() paper.Block {
	return paper.Facts{Title: "Transport", Items: o.of(places, transport, day), Columns: 2}
}

// vehicles are the terms of vehicles, one row for each.
func (o order) vehicles() paper.Block {
	table := paper.Table{Title: "Vehicles", Columns: []paper.Column{{Title: "Vehicle", Weight: 3}, {Title: "Type", Weight: 2}, {Title: "Condition", Weight: 2}}}
	at := map[string]int{}
	for _, t := range o.row.Terms.V {
		column := map[string]int{vehicleModel: 0, vehicleType: 1, vehicleRuns: 2}
		i, known := column[t.Kind]
		if !known {
			continue
		}
		vehicle := t.Key[:strings.LastIndexByte(t.Key, '.')]
		row, there := at[vehicle]
		if !there {
			row = len(table.Rows)
			at[vehicle] = row
			table.Rows = append(table.Rows, paper.Row{Cells: make([]string, len(table.Columns))})
		}
		table.Rows[row].Cells[i] = t.Text
	}

	return table
}

// amounts are what the customer pays, and to whom.
func (o order) amounts() (all paper.Amounts) {
	for i, f := range o.of(price, payments) {
		all = append(all, paper.Amount{Label: f.Name, Value: f.Text, Strong: i == 0})
	}

	return all
}

// changes are what had changed since the signature before.
func (o order) changes() paper.Block {
	table := paper.Table{Title: "Changed since the order was signed before", Columns: []paper.Column{{Title: "What"}, {Title: "Before"}, {Title: "Now"}}}
	for _, c := range o.row.Changes.V {
		table.Rows = append(table.Rows, paper.Row{Cells: []string{c.Label, cmp.Or(c.Before, "nothing"), cmp.Or(c.After, "nothing")}})
	}

	return table
}

// methods are how signatures are made.
var methods = map[string]string{Link: "electronically, by link", "paper": "on paper", "email": "by e-mail", "phone": "by phone", "esign": "electronically"}

// signature is who has signed, when and how.
func (o order) signature() paper.Block {
	how := "Signed " + cmp.Or(methods[o.row.Method], "by "+o.row.Method)
	if o.row.Method == Link {
		how += ", from " + o.row.Address + ". An electronic signature has the effect of one on paper (15 U.S.C. 7001)."
	}

	return paper.KeepTogether{Blocks: []paper.Block{paper.Box{Title: "Agreement", Blocks: []paper.Block{
		paper.Text{Text: "The customer orders this transport on the terms above."},
		paper.Signature{Label: "Customer", Name: o.row.Name, Text: how, Time: page.Moment(o.row.At, o.zone)},
	}}}}
}

// Example is a signed order of invented facts, with all that one may have.
func Example() document.Model {
	row := Row{At: time.Date(2026, time.December, 1, 16, 30, 0, 0, time.UTC), Name: "Ann Lee", Method: Link, Address: "192.0.2.7"}
	row.Terms.V = []Term{
		{Key: transport, Kind: transport, Label: "Transport", Text: "open trailer"},
		{Key: day, Kind: day, Label: "First day for the pickup", Text: "December 3, 2026"},
		{Key: price, Kind: price, Label: "Price", Text: "$1,100.00"},
		{Key: payments + ".broker", Kind: payments, Label: "You pay to us", Text: "$200.00"},
		{Key: payments + ".carrier", Kind: payments, Label: "You pay to the carrier", Text: "$900.00"},
		{Key: places + ".From", Kind: places, Label: "From", Text: "Dallas, TX 75201"},
		{Key: places + ".To", Kind: places, Label: "To", Text: "Miami, FL 33101"},
		{Key: "vehicles.1.model", Kind: vehicleModel, Text: "2003 Honda Accord"},
		{Key: "vehicles.1.type", Kind: vehicleType, Text: "sedan"},
		{Key: "vehicles.1.operable", Kind: vehicleRuns, Text: "does not run"},
	}
	row.Changes.V = []Line{{Field: "vehicles.0.operable", Label: "2003 Honda Accord: condition", Before: "runs", After: "does not run"}}

	return order{row: row, number: "L-2026-00034", zone: page.Zone("America/Chicago"), broker: companiesapi.Identity{
		LegalName: "Example Auto Transport LLC", USDOT: "2233445", Docket: "MC-778899", Address: []string{"12 Broker Way", "Austin, TX 78701"},
	}}.model()
}
