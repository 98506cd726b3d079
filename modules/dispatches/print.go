package dispatches

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/carriers/carriersapi"
	"github.com/dispatchd/dispatchd/modules/companies/companiesapi"
	"github.com/dispatchd/dispatchd/modules/dispatches/internal/loadview"
	"github.com/dispatchd/dispatchd/modules/dispatches/internal/store"
	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
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
		if err == nil {
			err = web.RequireScope(ctx, loadsapi.Margins, "The rate confirmation")
		}
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
		if err == nil && (h.dispatch == nil || !h.dispatch.IsLive()) {
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

func (s sheets) print(ctx context.Context, row store.Dispatch) (*stream.Stream, error) {
	c := confirmation{Dispatch: row}
	brand, err := s.desk.brands.Brand(ctx)
	if err != nil {
		return nil, err
	}
	company, err := s.desk.brands.Identity(ctx)
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
	of, err := s.desk.standings.Standing(ctx, row.Load.String())
	if err := store.IgnoreRefusal(err); err != nil {
		return nil, err
	}
	c.carrier, c.load, c.phone = known[row.Carrier.String()], of.Number, terms.Now.Phone
	c.broker = companiesapi.Identity{
		LegalName: cmp.Or(company.LegalName, brand.Name), DBA: company.DBA, Address: company.Address,
		USDOT: cmp.Or(terms.Now.USDOT, company.USDOT), Docket: cmp.Or(terms.Now.Docket, company.Docket),
	}
	file, err := c.paper()
	if err != nil {
		return nil, err
	}

	return stream.NewDownload(mediaPDF, bytes.NewReader(file)).Attachment("rate-confirmation-" + row.Number + "-" + strconv.FormatInt(row.Revision, 10) + ".pdf").Sized(int64(len(file))), nil
}

// confirmation is a rate confirmation: the contract of a broker and a carrier on one load.
type confirmation struct {
	store.Dispatch

	load, phone string
	broker      companiesapi.Identity
	carrier     carriersapi.Carrier
}

// noRebrokering is part of each contract: 49 CFR 371.2 and 49 U.S.C. 14916 have no load be brokered again without the broker's knowledge.
const noRebrokering = "The carrier carries this load itself, under its own authority. It must not re-broker, assign or interline the load, or have it carried by anyone else, " +
	"without the broker's written consent."

// paper is what is printed of a dispatch. The same revision is printed to the same bytes, as long as nobody accepts it, the crew is the same, and the company and the
// carrier keep their names.
func (c confirmation) paper() ([]byte, error) {
	var l loadview.Load
	if err := json.Unmarshal(c.Snapshot, &l); err != nil {
		return nil, err
	}
	shown := l.Describe()
	pays := []string{page.Amount(c.CarrierPay, c.Currency) + " in all"}
	for _, p := range l.Plan {
		pays = append(pays, loadview.Payment(p).Clause(l.AmountText(p.Amount)))
	}
	revision := strconv.FormatInt(c.Revision, 10)
	facts := []paper.Fact{
		{Name: "Numbers", Text: lines("Load "+c.load, "Dispatch "+c.Number, "Revision "+revision)},
		{Name: "Carrier pay", Text: lines(pays...)},
		{Name: "Accepted", Text: c.accepted()},
		{Name: "Agreed days", Text: lines(labeled("Pickup on ", page.Day(string(c.PickupDate))), labeled("Delivery on ", page.Day(string(c.DeliveryDate))))},
		{Name: "Driver and truck", Text: lines(
			labeled("Driver: ", strings.TrimSpace(c.DriverName+" "+string(c.DriverPhone))), labeled("Truck: ", c.Truck), labeled("Plate: ", c.TruckPlate), c.crewless())},
		{Name: "Vehicles", Text: shown.VehicleLines()},
		{Name: "Goods", Text: lines(shown.Goods...)},
	}
	for _, stop := range shown.Stops {
		facts = append(facts, paper.Fact{Name: stop.Title, Text: page.Plain(stop.Lines)})
	}
	facts = append(facts,
		paper.Fact{Name: "Transport", Text: lines(append(shown.Facts, "Inspection: "+cmp.Or(l.Inspection, "standard"))...)},
		paper.Fact{Name: "Instructions", Text: lines(shown.Notes...)},
		paper.Fact{Name: "Terms", Text: lines(noRebrokering, c.Terms) + "\n\n" + c.acceptance()},
	)

	return paper.Print(paper.Document{
		Title: "Rate confirmation", Number: c.Number + ", revision " + revision, Date: c.CreatedAt.In(c.zone()).Format("January 2, 2006"), Created: c.CreatedAt,
		From: paper.Party{Name: "Broker: " + c.broker.LegalName, Address: c.brokerLines()}, To: paper.Party{Name: "Carrier: " + cmp.Or(c.carrier.Name, c.carrier.DBA), Address: c.carrierLines()},
		Facts: slices.DeleteFunc(facts, func(f paper.Fact) bool { return f.Text == "" }),
	})
}

// zone is that of the first stop.
func (c confirmation) zone() *time.Location {
	first, _ := loadview.Zones(c.Snapshot)

	return first
}

func (c confirmation) brokerLines() string {
	dba := ""
	if c.broker.DBA != c.broker.LegalName {
		dba = labeled("doing business as ", c.broker.DBA)
	}

	return lines(append(append([]string{dba}, c.broker.Address...), labeled("USDOT ", c.broker.USDOT), c.broker.Docket, labeled("Phone ", c.phone))...)
}

func (c confirmation) carrierLines() string {
	return lines(labeled("USDOT ", c.carrier.USDOT), c.carrier.Docket, c.ContactName, labeled("Phone ", cmp.Or(string(c.ContactPhone), c.carrier.Phone)), labeled("E-mail ", cmp.Or(string(c.ContactEmail), c.carrier.Email)))
}

// crewless says that the crew is not known yet, "" if it is.
func (c confirmation) crewless() string {
	if c.DriverName+string(c.DriverPhone)+c.Truck+c.TruckPlate != "" {
		return ""
	}

	return "The carrier has yet to name them."
}

// lines are texts below each other, without empty ones.
func lines(texts ...string) string {
	return strings.Join(slices.DeleteFunc(slices.Clone(texts), func(text string) bool { return text == "" }), "\n")
}

// labeled is a text after its label, "" for none.
func labeled(label, text string) string {
	if text == "" {
		return ""
	}

	return label + text
}

// accepted says who has accepted which revision, when and how.
func (c confirmation) accepted() string {
	missing := "Revision " + strconv.FormatInt(c.Revision, 10) + ": not accepted yet"
	if c.AcceptedAt == nil {
		return missing
	}
	text := "Revision " + strconv.FormatInt(c.AcceptedRevision, 10) + ": " + cmp.Or(c.AcceptedBy, "by the carrier") + ", " + page.Moment(*c.AcceptedAt, c.zone())
	if c.AcceptedFrom != "" {
		text += ", by a link, from " + c.AcceptedFrom
	} else {
		text += ", recorded by the broker"
	}
	if c.AcceptedRevision != c.Revision {
		text += "\n" + missing
	}

	return text
}

// acceptance ends the terms: what the carrier has accepted.
func (c confirmation) acceptance() string {
	return "The carrier accepts this load at " + page.Amount(c.CarrierPay, c.Currency) + ", on these days and terms.\n" + c.accepted()
}
