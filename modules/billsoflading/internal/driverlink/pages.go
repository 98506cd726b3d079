package driverlink

import (
	"encoding/json"
	"net/http"
	"path"
	"strings"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/billsoflading/internal/billpage"
	"github.com/dispatchd/dispatchd/modules/billsoflading/internal/report"
	"github.com/dispatchd/dispatchd/modules/billsoflading/internal/store"
	"github.com/dispatchd/dispatchd/platform/face"
	"github.com/dispatchd/dispatchd/platform/page"
	"github.com/dispatchd/dispatchd/platform/share"
	"github.com/dispatchd/dispatchd/platform/web"
)

// pages renders the pages of drivers.
type pages struct {
	face   *face.Face[driverPage]
	layout *page.Layout
}

func newPages() pages {
	return pages{face.New(billpage.Parts(func(d driverPage, _ string) face.View { return d.view() }, verbs()...)), page.New(page.Parts{})}
}

// view is what the page of a driver shows.
func (d driverPage) view() face.View {
	v := face.View{Brand: d.Brand, Over: "Load " + d.Number, Scripted: true, Status: "queue"}
	if len(d.Loads) > 0 && d.Number != d.Loads[0].Number {
		v.Over = "Trip " + d.Number
	}
	released := map[uuid.UUID][]string{}
	for _, l := range d.Loads {
		card := l.card()
		if len(d.Loads) > 1 {
			card.Title = "Load " + l.Number
		}
		v.Cards = append(v.Cards, card)
		for _, one := range l.Vehicles {
			released[one.UUID] = one.releases()
		}
	}
	if v.Heading, v.Next = d.next(); strings.HasPrefix(v.Heading, "Inspect") {
		v.Call = "Inspect the vehicles"
	}
	if len(d.BOLs) == 1 {
		v.Steps = billpage.Steps(d.BOLs[0].Due)
	}
	for _, b := range d.BOLs {
		var cars []face.Card
		for _, one := range b.Vehicles {
			car := billpage.Vehicle(one)
			car.Lines = page.Lines(released[one.Vehicle.UUID]...)
			if toInspect(b, one) {
				record(&car, b, one)
			}
			cars = append(cars, car)
		}
		bill := billpage.Bill(b)
		if inspected(b) {
			sign(&bill, b)
		}
		v.Cards = append(append(v.Cards, cars...), bill)
	}

	return v
}

// next says what the driver does next, and how.
func (d driverPage) next() (heading string, texts []string) {
	for _, b := range d.BOLs {
		switch {
		case b.Due == "":
		case inspected(b):
			return "Sign at the " + string(b.Due), []string{"You sign, and so does the customer."}
		default:
			return "Inspect at the " + string(b.Due), []string{"Inspect all vehicles, then sign at the " + string(b.Due) + "."}
		}
	}

	return "All is signed", []string{"All is signed. Thank you."}
}

// at is how a vehicle was found at the stage that is next, nil before it is inspected.
func at(b report.Report, v report.Vehicle) *report.Inspection {
	if b.Due == store.AtDelivery {
		return v.Delivery
	}

	return v.Pickup
}

// toInspect reports whether a vehicle is to be inspected now.
func toInspect(b report.Report, v report.Vehicle) bool {
	found := at(b, v)

	return b.Due != "" && (found == nil || found.State != store.Submitted)
}

// inspected reports whether all vehicles are, so that the bill of lading is to be signed.
func inspected(b report.Report) bool {
	for _, v := range b.Vehicles {
		if toInspect(b, v) {
			return false
		}
	}

	return b.Due != ""
}

// signLink shows the link by which someone signs on another phone.
func (p pages) signLink(a web.Answer) web.Page {
	var s share.Share
	if a.Status != http.StatusOK || json.Unmarshal(a.JSON, &s) != nil {
		return p.face.After(a)
	}
	texts := []string{"The link is good for one signature, within 48 hours:", s.URL}
	for _, d := range s.Deliveries {
		if d.Result == share.Sent {
			texts = append(texts, "It was sent to "+d.Address+".")
		} else {
			texts = append(texts, "It was not sent to "+d.Address+": "+d.Reason)
		}
	}

	scan := ""
	if strings.HasPrefix(s.URL, "http") { // else the service does not know where it is
		scan, texts[0] = s.URL, "Scan the code with the other phone. The link is good for one signature, within 48 hours:"
	}

	return p.layout.Show(page.Page{Heading: "Sign on another phone", Texts: texts, Scan: scan, Onward: "../" + path.Base(path.Dir(a.Path))})
}
