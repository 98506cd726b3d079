package quotes

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/quotes/quotesapi"
	"github.com/dispatchd/dispatchd/platform/document"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/money"
	"github.com/dispatchd/dispatchd/platform/page"
	"github.com/dispatchd/dispatchd/platform/paper"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/web"
	"github.com/dispatchd/dispatchd/platform/web/stream"
)

// sheetKind is the kind of papers that say what a quote is.
const sheetKind = "rate_sheet"

// sheets has quotes as papers. What a carrier is expected to get is on none.
type sheets struct {
	quotes  *resource.Resource[quote]
	rows    *repository
	showing *showing
	printer *document.Printer
}

func newSheets(quotes *resource.Resource[quote], rows *repository, w *showing, p *document.Printer) *sheets {
	return &sheets{quotes, rows, w, p}
}

func sheetRoutes(r *web.Router, s *sheets) {
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/quotes/{uuid}/pdf", ID: "print_quote", Access: web.Read, Summary: "Print a quote",
		Description: "The rate sheet, as the customer may have it: options, what is included, and until when it is valid. It needs the scope loads:margins.",
		Errors:      append([]*errs.Error{s.quotes.NotFound()}, document.Errors...), Produces: stream.FileTypes(),
	}, func(ctx context.Context, in *oneInput) (*stream.Stream, error) {
		return s.printer.Download(ctx, sheetKind, item.Ref{Type: quotesapi.Quote, UUID: in.UUID}, document.Options{})
	})
}

// papers are the rate sheets of a load: that of its latest quote which was sent.
func (s *sheets) papers(ctx context.Context, of item.Ref) ([]document.Paper, error) {
	q, err := s.rows.shown(ctx, of.UUID)
	if errors.Is(err, errNone) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}

	return []document.Paper{{
		Kind: sheetKind, Title: "Rate sheet " + q.Number, CreatedAt: *q.SentAt, Visibility: document.Customer,
		Of: item.Ref{Type: quotesapi.Quote, UUID: q.ID}, Path: base + "/quotes/" + q.ID.String() + "/pdf",
	}}, nil
}

// model is the paper of a quote.
func (s *sheets) model(ctx context.Context, of item.Ref, _ document.Options) (document.Model, error) {
	q, err := s.quotes.Find(ctx, of.UUID)
	if err != nil {
		return document.Model{}, err
	}
	shown, err := s.showing.showOffer(ctx, q, "")
	if err != nil {
		return document.Model{}, err
	}
	at := q.CreatedAt
	if q.SentAt != nil {
		at = *q.SentAt
	}

	return shown.Body.sheet(at), nil
}

// sheet is an offer on paper.
func (o offer) sheet(at time.Time) document.Model {
	zone := page.Zone(o.Zone)
	until := ""
	if o.ValidUntil != nil {
		until = page.Moment(*o.ValidUntil, zone)
	}
	facts := paper.Facts{Title: "Transport", Columns: 2} //nolint:mnd // side by side
	for _, f := range o.facts() {
		facts.Items = append(facts.Items, paper.Fact{Name: f.Label, Text: f.Value})
	}
	facts.Items = append([]paper.Fact{{Name: "From", Text: o.From}, {Name: "To", Text: o.To}}, facts.Items...)
	vehicles := paper.Table{Title: "Vehicles", Columns: []paper.Column{{Title: "Vehicle", Weight: 3}, {Title: "Type", Weight: 2}, {Title: "Condition", Weight: 2}}} //nolint:mnd // shares
	for _, v := range o.Vehicles {
		condition := "Does not run"
		if v.Operable {
			condition = "Runs"
		}
		vehicles.Rows = append(vehicles.Rows, paper.Row{Cells: []string{v.Name, strings.ReplaceAll(v.Type, "_", " "), condition}})
	}
	m := document.Model{
		Number: o.Number, Date: at.In(zone).Format("January 2, 2006"), Created: at, FileName: "rate-sheet-" + o.Number + ".pdf", Values: o.values(until),
		Parts: []document.Part{
			{Name: "validity", Required: true, Blocks: []paper.Block{paper.Text{Text: validity(until)}}},
			{Name: "transport", Required: true, Blocks: []paper.Block{facts}},
			{Name: "vehicles", Required: true, Blocks: []paper.Block{vehicles}},
			{Name: "prices", Required: true, Blocks: []paper.Block{o.priceTable(), o.optionTable()}},
		},
	}
	if until != "" {
		m.Details = []paper.Fact{{Name: "Valid until", Text: until}}
	}
	if o.Message != "" {
		m.Parts = append([]document.Part{{Name: "message", Blocks: []paper.Block{paper.Text{Text: o.Message}}}}, m.Parts...)
	}
	if o.Terms != "" {
		m.Parts = append(m.Parts, document.Part{Name: "terms", Blocks: []paper.Block{paper.Heading{Text: "Terms"}, paper.Text{Text: o.Terms, Small: true}}})
	}

	return m
}

// validity says until when the prices hold, and that they are estimates until then.
func validity(until string) string {
	const estimate = "Prices, distance and days are estimates until the transport is booked."
	if until == "" {
		return "This offer was not sent yet. " + estimate
	}

	return "This offer is valid until " + until + ". " + estimate
}

// priceTable is what the price is made of.
func (o offer) priceTable() paper.Block {
	table := paper.Table{Title: "Included", Columns: []paper.Column{{Title: "Service", Weight: 4}, {Title: "Amount", Align: paper.Right}}} //nolint:mnd // shares
	for _, l := range o.Lines {
		table.Rows = append(table.Rows, paper.Row{Cells: []string{l.Description, page.Amount(l.Amount, o.Currency)}})
	}

	return table
}

// optionTable are the options with their prices, or the one that was accepted.
func (o offer) optionTable() paper.Block {
	table := paper.Table{Title: "Options", Columns: []paper.Column{{Title: "Option", Weight: 4}, {Title: "Price", Align: paper.Right}}} //nolint:mnd // shares
	for _, of := range o.Options {
		if o.Option == "" || of.Key == o.Option {
			table.Rows = append(table.Rows, paper.Row{
				Cells: []string{cmp.Or(of.Label, of.Key), page.Amount(of.Tariff, o.Currency)}, Note: strings.Join(o.notes(of), "\n"), Strong: len(o.Options) == 1,
			})
		}
	}

	return table
}

// values are for the texts of templates.
func (o offer) values(until string) map[string]any {
	tariff := money.Amount("")
	if len(o.Options) > 0 {
		tariff = o.Options[0].Tariff
	}

	return map[string]any{
		"quote": map[string]any{
			"number": o.Number, "tariff": page.Amount(tariff, o.Currency), "deposit": page.Amount(o.Deposit, o.Currency), "valid_until": until, "from": o.From, "to": o.To,
			"miles": strconv.FormatInt(o.Miles, 10), "options": len(o.Options), "vehicles": len(o.Vehicles), "first_day": page.Day(string(o.AvailableFrom)),
		},
		"broker": map[string]any{"name": o.Brand.Name},
	}
}

// exampleSheet is a rate sheet of invented facts, with all that one may have.
func exampleSheet() document.Model {
	until := time.Date(2026, time.December, 14, 18, 0, 0, 0, time.UTC)
	o := offer{
		Brand: page.Brand{Name: "Example Auto Transport LLC"}, Quote: uuid.Nil, Number: "Q-2026-00012", State: sent, Message: "Thank you for your request.", From: "Dallas, TX 75201", To: "Miami, FL 33101",
		Vehicles: []offerVehicle{{"2003 Honda Accord", "sedan", false}}, TransportType: "open", Miles: 1310, FromDays: 3, ToDays: 5, AvailableFrom: "2026-12-03",
		Lines: []offerLine{{"Transport of the 2003 Honda Accord", "1100.00"}}, Currency: "USD", Deposit: "200.00", ValidUntil: &until, Zone: "America/Chicago", Terms: "Pay on time.",
		Options: []option{
			{Key: "standard", Label: "Standard", Tariff: "1100.00", Deposit: "200.00", ToCarrier: "900.00"},
			{Key: "priority", Label: "Priority pickup", Note: "Picked up within two days", Tariff: "1250.00", Deposit: "350.00", ToCarrier: "900.00"},
		},
	}

	return o.sheet(until.AddDate(0, 0, -14))
}
