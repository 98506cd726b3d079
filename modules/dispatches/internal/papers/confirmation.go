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
	"github.com/dispatchd/dispatchd/platform/page"
	paper "github.com/dispatchd/dispatchd/platform/paper/legacy"
)

// confirmation is a rate confirmation: the contract of a broker and a carrier on one load.
type confirmation struct {
	row         store.Dispatch
	load, phone string
	broker      companiesapi.Identity
	carrier     carriersapi.Carrier
}

// paper is the PDF of a dispatch. A revision is printed to the same bytes until it is accepted, its crew changes, or the company or the carrier is
// renamed.
func (c confirmation) paper() ([]byte, error) {
	var l loadview.Load
	if err := json.Unmarshal(c.row.Snapshot, &l); err != nil {
		return nil, err
	}
	shown := l.Describe()
	pays := []string{page.Amount(c.row.CarrierPay, c.row.Currency) + " in all"}
	for _, p := range l.Plan {
		pays = append(pays, loadview.Payment(p).Clause(l.AmountText(p.Amount)))
	}
	revision := strconv.FormatInt(c.row.Revision, 10)
	facts := []paper.Fact{
		{Name: "Numbers", Text: lines("Load "+c.load, "Dispatch "+c.row.Number, "Revision "+revision)},
		{Name: "Carrier pay", Text: lines(pays...)},
		{Name: "Accepted", Text: c.accepted()},
		{Name: "Agreed days", Text: lines(labeled("Pickup on ", page.Day(string(c.row.PickupDate))), labeled("Delivery on ", page.Day(string(c.row.DeliveryDate))))},
		{Name: "Driver and truck", Text: lines(
			labeled("Driver: ", strings.TrimSpace(c.row.DriverName+" "+string(c.row.DriverPhone))), labeled("Truck: ", c.row.Truck), labeled("Plate: ", c.row.TruckPlate), c.crewless())},
		{Name: "Vehicles", Text: shown.VehicleLines()},
		{Name: "Goods", Text: lines(shown.Goods...)},
	}
	for _, stop := range shown.Stops {
		facts = append(facts, paper.Fact{Name: stop.Title, Text: page.Plain(stop.Lines)})
	}
	facts = append(facts,
		paper.Fact{Name: "Transport", Text: lines(append(shown.FactLines(), "Inspection: "+cmp.Or(l.Inspection, "standard"))...)},
		paper.Fact{Name: "Instructions", Text: lines(shown.Notes...)},
		paper.Fact{Name: "Terms", Text: lines(noRebrokering, c.row.Terms) + "\n\n" + c.acceptance()},
	)

	return paper.Print(paper.Document{
		Title: "Rate confirmation", Number: c.row.Number + ", revision " + revision, Created: c.row.CreatedAt,
		Date:  c.row.CreatedAt.In(c.zone()).Format("January 2, 2006"),
		From:  paper.Party{Name: "Broker: " + c.broker.LegalName, Address: c.brokerLines()},
		To:    paper.Party{Name: "Carrier: " + cmp.Or(c.carrier.Name, c.carrier.DBA), Address: c.carrierLines()},
		Facts: slices.DeleteFunc(facts, func(f paper.Fact) bool { return f.Text == "" }),
	})
}

// zone is that of the first stop.
func (c confirmation) zone() *time.Location {
	first, _ := loadview.Zones(c.row.Snapshot)

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
	return lines(
		labeled("USDOT ", c.carrier.USDOT), c.carrier.Docket, c.row.ContactName, labeled("Phone ", cmp.Or(string(c.row.ContactPhone), c.carrier.Phone)),
		labeled("E-mail ", cmp.Or(string(c.row.ContactEmail), c.carrier.Email)),
	)
}

// crewless says that the crew is not known yet, "" if it is.
func (c confirmation) crewless() string {
	if c.row.DriverName+string(c.row.DriverPhone)+c.row.Truck+c.row.TruckPlate != "" {
		return ""
	}

	return "The carrier has yet to name them."
}

// acceptance ends the terms: what the carrier has accepted.
func (c confirmation) acceptance() string {
	return "The carrier accepts this load at " + page.Amount(c.row.CarrierPay, c.row.Currency) + ", on these days and terms.\n" + c.accepted()
}

// noRebrokering is part of each contract: 49 CFR 371.2 and 49 U.S.C. 14916 have no load be brokered again without the broker's knowledge.
const noRebrokering = "The carrier carries this load itself, under its own authority. It must not re-broker, assign or interline the load, " +
	"or have it carried by anyone else, without the broker's written consent."

// accepted says who has accepted which revision, when and how.
func (c confirmation) accepted() string {
	missing := "Revision " + strconv.FormatInt(c.row.Revision, 10) + ": not accepted yet"
	if c.row.AcceptedAt == nil {
		return missing
	}
	text := "Revision " + strconv.FormatInt(c.row.AcceptedRevision, 10) + ": " + cmp.Or(c.row.AcceptedBy, "by the carrier") + ", " +
		page.Moment(*c.row.AcceptedAt, c.zone())
	if c.row.AcceptedFrom != "" {
		text += ", by a link, from " + c.row.AcceptedFrom
	} else {
		text += ", recorded by the broker"
	}
	if c.row.AcceptedRevision != c.row.Revision {
		text += "\n" + missing
	}

	return text
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
