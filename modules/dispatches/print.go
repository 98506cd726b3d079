package dispatches

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/carriers/carriersapi"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/link"
	"github.com/dispatchd/dispatchd/platform/page"
	"github.com/dispatchd/dispatchd/platform/paper"
	"github.com/dispatchd/dispatchd/platform/web"
	"github.com/dispatchd/dispatchd/platform/web/stream"
)

const mediaPDF = "application/pdf"

// printRoutes print the rate confirmation: for the company, and for the carrier by its link.
func printRoutes(r *web.Router, s sheets) {
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/dispatches/{uuid}/rate_confirmation", ID: "download_rate_confirmation", Access: web.Read, Summary: "Download the rate confirmation of a dispatch as PDF",
		Description: "Of the current revision: the load as the carrier saw it then, its pay, the agreed days and the terms, and who accepted when.",
		Errors:      []*errs.Error{s.desk.dispatches.NotFound()}, Produces: []string{mediaPDF},
	}, func(ctx context.Context, in *printInput) (*stream.Stream, error) {
		row, err := s.desk.dispatches.Find(ctx, in.UUID)
		if err != nil {
			return nil, err
		}

		return s.print(ctx, row)
	})
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/carrier/{link}/rate_confirmation", ID: "download_carrier_rate_confirmation", Access: web.Public, Summary: "Download the rate confirmation by a carrier's link as PDF",
		Description: "As long as the carrier has the load.", Errors: append([]*errs.Error{errNoSheet, errNoLoad}, link.Refusals...), Produces: []string{mediaPDF},
	}, func(ctx context.Context, in *viewInput) (*stream.Stream, error) {
		ctx, h, err := s.enter(ctx, in.Link)
		if err == nil && (h.dispatch == nil || !h.dispatch.live()) {
			err = errNoLoad
		}
		if err != nil {
			return nil, err
		}

		return s.print(ctx, *h.dispatch)
	})
}

type printInput struct {
	UUID uuid.UUID `path:"uuid" format:"uuid"`
}

func (s sheets) print(ctx context.Context, row dispatch) (*stream.Stream, error) {
	brand, err := s.desk.brands.Brand(ctx)
	if err != nil {
		return nil, err
	}
	terms, err := s.desk.settings.Read(ctx)
	if err != nil {
		return nil, err
	}
	known, err := s.desk.carriers.Find(ctx, row.Carrier.String())
	if err != nil {
		return nil, err
	}
	from := paper.Party{Name: brand.Name, Address: strings.Join(brokerShown{terms.Now.USDOT, terms.Now.Docket, terms.Now.Phone}.texts(), "\n")}
	file, err := row.paper(from, known[row.Carrier.String()])
	if err != nil {
		return nil, err
	}

	return stream.NewDownload(mediaPDF, bytes.NewReader(file)).Attachment("rate-confirmation-" + row.Number + "-" + strconv.FormatInt(row.Revision, 10) + ".pdf").Sized(int64(len(file))), nil
}

// paper is what is printed of a dispatch. The same revision is printed to the same bytes, as long as nobody accepts it, and the company and the carrier keep
// their names.
func (d dispatch) paper(from paper.Party, to carriersapi.Carrier) ([]byte, error) {
	var l loadShown
	if err := json.Unmarshal(d.Snapshot, &l); err != nil {
		return nil, err
	}
	var c content
	c.of(l)
	facts := []paper.Fact{{Name: "Carrier pay", Text: page.Amount(d.CarrierPay, d.Currency) + "\n" + strings.Join(c.Pays, "\n")}, {Name: "Vehicles", Text: c.cars()}}
	if len(c.Goods) > 0 {
		facts = append(facts, paper.Fact{Name: "Goods", Text: strings.Join(c.Goods, "\n")})
	}
	for _, stop := range c.Stops {
		facts = append(facts, paper.Fact{Name: stop.Title, Text: strings.Join(stop.Lines, "\n")})
	}
	for _, one := range []struct {
		name string
		text []string
	}{
		{"Agreed days", []string{labeled("Pickup on ", page.Day(string(d.PickupDate))), labeled("Delivery on ", page.Day(string(d.DeliveryDate)))}},
		{"Transport", c.Facts},
		{"Instructions", c.Notes},
		{"Terms", []string{d.Terms}},
		{"Accepted", []string{d.accepted()}},
	} {
		if text := strings.TrimSpace(strings.Join(one.text, "\n")); text != "" {
			facts = append(facts, paper.Fact{Name: one.name, Text: text})
		}
	}

	return paper.Print(paper.Document{
		Title: "Rate confirmation", Number: d.Number + ", revision " + strconv.FormatInt(d.Revision, 10), Date: d.CreatedAt.Format("2006-01-02"), Created: d.CreatedAt,
		From: from, To: paper.Party{Name: cmp.Or(to.Name, to.DBA), Address: strings.TrimSpace(labeled("USDOT ", to.USDOT) + "\n" + to.Docket), Email: string(d.ContactEmail)}, Facts: facts,
	})
}

// labeled is a text after its label, "" for none.
func labeled(label, text string) string {
	if text == "" {
		return ""
	}

	return label + text
}

// accepted says who has accepted which terms, and how.
func (d dispatch) accepted() string {
	if d.AcceptedAt == nil {
		return ""
	}
	who := cmp.Or(d.AcceptedBy, "The carrier")
	if d.AcceptedRevision != d.Revision {
		who = "Revision " + strconv.FormatInt(d.AcceptedRevision, 10) + ": " + who
	}
	text := who + ", " + d.AcceptedAt.UTC().Format("January 2, 2006, 15:04 UTC")
	if d.AcceptedFrom != "" {
		text += ", by a link, from " + d.AcceptedFrom
	}
	if d.AcceptedRevision != d.Revision {
		text += "\nRevision " + strconv.FormatInt(d.Revision, 10) + ": not accepted yet"
	}

	return text
}
