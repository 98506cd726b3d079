package record

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/dispatchd/dispatchd/modules/companies/companiesapi"
	"github.com/dispatchd/dispatchd/modules/loads/internal/margins"
	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/platform/document"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/money"
	"github.com/dispatchd/dispatchd/platform/page"
	"github.com/dispatchd/dispatchd/platform/paper"
	"github.com/dispatchd/dispatchd/platform/web/stream"
)

// Kind is the kind of papers that records are printed as.
const Kind = "transaction_record"

// Scopes are those that a record on paper requires.
func Scopes() []string { return []string{readContacts, margins.Scope} }

// Papers are the record of a load, once a carrier has it.
func (s *Recorder) Papers(ctx context.Context, of item.Ref) ([]document.Paper, error) {
	l, err := s.loads.ToRecord(ctx, of.UUID)
	if errors.Is(err, loadsapi.ErrNotFound) || err == nil && l.Carrier == nil {
		return nil, nil
	}

	return []document.Paper{{
		Kind: Kind, Title: "Record of transaction", CreatedAt: l.CreatedAt, Visibility: document.Internal,
		Path: "/" + loadsapi.Area + "/api/v1/loads/" + l.ID.String() + "/transaction_record/pdf",
	}}, err
}

// Model is the record of a load.
func (s *Recorder) Model(ctx context.Context, of item.Ref, _ document.Options) (document.Model, error) {
	l, err := s.loads.ToRecord(ctx, of.UUID)
	if err != nil {
		return document.Model{}, err
	}
	t, err := s.transaction(ctx, l)
	if err != nil {
		return document.Model{}, err
	}
	company, err := s.parties.broker(ctx)

	return t.model(l, company), err
}

func (s *Recorder) download(ctx context.Context, in *readInput) (*stream.Stream, error) {
	return s.printer.Download(ctx, Kind, item.Ref{Type: loadsapi.Load, UUID: in.UUID}, document.Options{})
}

const unknown = "not known yet"

// model is what is printed of a record, in the order of 49 CFR 371.3(a).
func (t transaction) model(l Load, broker companiesapi.Identity) document.Model {
	return document.Model{
		Number: t.Number, Date: dayOf(&l.CreatedAt), Created: l.CreatedAt, FileName: "transaction-record-" + t.Number + ".pdf",
		Values: map[string]any{"load": map[string]any{"number": t.Number}, "broker": map[string]any{"name": broker.LegalName}},
		Parts: []document.Part{
			{Name: "rule", Blocks: []paper.Block{paper.Text{Text: "Kept by the broker under 49 CFR 371.3 for three years. Each party to the transaction may review it.", Small: true}}},
			{Name: "parties", Required: true, Blocks: []paper.Block{t.partiesShown()}},
			{Name: "facts", Required: true, Blocks: []paper.Block{paper.Facts{Columns: 2, Items: []paper.Fact{
				{Name: "(3) Bill of lading", Text: cmp.Or(strings.Join(t.Bills, ", "), unknown)},
				{Name: "(6) Payment to the carrier", Text: cmp.Or(dayOf(t.PaidAt), unknown)},
			}}}},
			{Name: "amounts", Required: true, Blocks: []paper.Block{t.amounts()}},
			{Name: "earlier", Blocks: []paper.Block{t.earlier()}},
			{Name: "missing", Blocks: t.missing()},
		},
	}
}

// partiesShown are the consignor and the carriers, in their order.
func (t transaction) partiesShown() paper.Parties {
	all := paper.Parties{{Label: "(1) Consignor", Name: cmp.Or(t.Consignor.Name, unknown), Lines: lines(t.Consignor.Address)}}
	if t.Carrier == nil {
		all = append(all, paper.Party{Label: "(2) Originating carrier", Name: "no carrier yet"})
	} else {
		all = append(all, t.Carrier.party("(2) Originating carrier"))
	}
	for _, c := range t.Further {
		all = append(all, c.party("(2) Further carrier"))
	}

	return all
}

// amounts are what was paid, and by whom.
func (t transaction) amounts() paper.Block {
	table := paper.Table{Title: "Amounts", Columns: []paper.Column{
		{Title: "For", Weight: 3}, {Title: "Paid by", Weight: 3}, {Title: "Amount", Weight: 1.5, Align: paper.Right},
	}}
	row := func(name, payers, sum string) {
		table.Rows = append(table.Rows, paper.Row{Cells: []string{name, payers, sum}})
	}
	row("(4) Broker's compensation", t.Broker.payers(), t.Broker.text())
	for _, s := range t.Services {
		row("(5) "+s.Description+", a service beside brokerage", payer(s.Payer, s.Name), sum(s.Amount, t.Broker.Currency))
	}
	row("(6) Freight charges", t.Freight.payers(), t.Freight.text())
	row("(6) Collected by the broker", "", sum(t.Collected, t.Broker.Currency))

	return table
}

// earlier is what carriers get that no longer have the load.
func (t transaction) earlier() paper.Block {
	table := paper.Table{Title: "Pay of carriers before", Columns: []paper.Column{
		{Title: "Carrier", Weight: 3}, {Title: "Paid", Weight: 3}, {Title: "Amount", Weight: 1.5, Align: paper.Right},
	}}
	all := slices.Clone(t.Further)
	if t.Carrier != nil {
		all = append([]carrier{*t.Carrier}, all...)
	}
	for _, c := range all {
		if c.EndPay == "" {
			continue
		}
		paid := "not paid yet"
		if c.EndPaidAt != nil {
			paid = "paid on " + dayOf(c.EndPaidAt)
		}
		table.Rows = append(table.Rows, paper.Row{Cells: []string{c.Name, paid, string(c.EndPay) + " " + string(t.Broker.Currency)}})
	}

	return table
}

func (t transaction) missing() []paper.Block {
	if len(t.Missing) == 0 {
		return nil
	}

	return []paper.Block{paper.Box{Title: "Not known yet", Blocks: []paper.Block{paper.Text{Text: strings.ReplaceAll(strings.Join(t.Missing, ", "), "_", " ")}}}}
}

func dayOf(at *time.Time) string {
	if at == nil {
		return ""
	}

	return page.Day(at.Format(time.DateOnly))
}

func sum(a money.Amount, in money.Currency) string {
	if a == "" {
		return unknown
	}

	return a.In(in) + " " + string(in)
}

func (a amount) text() string { return sum(a.Amount, a.Currency) }

// payers are who pays an amount, with their names.
func (a amount) payers() string {
	if a.Amount == "" {
		return ""
	}
	all := make([]string, len(a.Payers))
	for i, p := range a.Payers {
		all[i] = payer(p, a.Names[i])
	}

	return strings.Join(all, " and ")
}

func payer(role, name string) string {
	return "the " + role + " (" + cmp.Or(name, "name not known yet") + ")"
}

// party is a carrier as people read it.
func (c carrier) party(label string) paper.Party {
	return paper.Party{Label: label, Name: cmp.Or(c.Name, "name not known yet"), Lines: append(
		lines(cmp.Or(c.Address, "address not known yet")), strings.TrimSpace("USDOT "+cmp.Or(c.USDOT, "unknown")+" "+c.Docket))}
}

func lines(text string) []string {
	return slices.DeleteFunc(strings.Split(text, "\n"), func(line string) bool { return strings.TrimSpace(line) == "" })
}

// Example is a record of an invented transaction, with all that one may have.
func Example() document.Model {
	made := time.Date(2026, time.December, 1, 15, 0, 0, 0, time.UTC)
	paid := made.AddDate(0, 0, 9)
	haul := carrier{Name: "Haul Example Inc.", Address: "4 Depot St\nTampa, FL 33601", USDOT: "1000001", Docket: "MC-100001"}
	first := haul
	first.Name, first.EndPay, first.EndPaidAt = "First Example Inc.", "300.00", &paid

	return transaction{
		Number: "L-2026-00034", Consignor: party{"Lone Star Auto", "1 Main St\nDallas, TX 75201"}, Carrier: &first, Further: []carrier{haul}, Bills: []string{"BOL-2026-000001"},
		Broker:    amount{"200.00", "USD", []string{"customer"}, []string{"Ann Lee"}},
		Services:  []Service{{Description: "Storage", Amount: "50.00", Payer: "customer", Name: "Ann Lee"}},
		Freight:   amount{"900.00", "USD", []string{"customer", "broker"}, []string{"Ann Lee", "Example Auto Transport LLC"}},
		Collected: "500.00", PaidAt: &paid, Missing: []string{"carrier_address"},
	}.model(Load{CreatedAt: made}, companiesapi.Identity{LegalName: "Example Auto Transport LLC"})
}
