package billlink

import (
	"encoding/json"
	"net/http"
	"strings"

	"github.com/dispatchd/dispatchd/modules/billsoflading/internal/billpage"
	"github.com/dispatchd/dispatchd/modules/billsoflading/internal/report"
	"github.com/dispatchd/dispatchd/platform/face"
	"github.com/dispatchd/dispatchd/platform/page"
	"github.com/dispatchd/dispatchd/platform/web"
)

// newReadPage is the page of a bill of lading that someone reads.
func newReadPage() *face.Face[sharedPage] {
	return face.New(billpage.Parts(func(s sharedPage, link string) face.View {
		v := s.view()
		v.Pictures, v.Steps = true, billpage.Steps(s.BOL.Due)
		for i, one := range s.BOL.Vehicles {
			v.Cards[i].Photos = photosOf(one, link)
		}
		v.Cards[len(v.Cards)-1].Links = []page.Link{{Text: "Bill of lading (PDF)", Path: link + "/pdf"}}

		return v
	}))
}

// newSignPage is the page on which the other side signs.
func newSignPage() *face.Face[sharedPage] {
	return face.New(billpage.Parts(func(s sharedPage, _ string) face.View {
		v := s.view()
		if s.Role == "" { // it was just signed
			return face.View{Brand: s.Brand, Heading: "Thank you", Next: []string{"You have signed the bill of lading " + s.BOL.Number + "."}}
		}
		v.Scripted, v.Acts = true, []face.Act{{Title: "Your signature", Text: s.Statement, Hidden: map[string]string{"strokes": ""}}}

		return v
	}, face.Verb{Submit: "Sign", Fields: []page.Field{billpage.Signer}}))
}

// view is what both pages show: the vehicles, and the bill of lading at the end.
func (s sharedPage) view() face.View {
	v := face.View{Brand: s.Brand, Heading: "Bill of lading " + s.BOL.Number}
	for _, one := range s.BOL.Vehicles {
		v.Cards = append(v.Cards, billpage.Vehicle(one))
	}
	bill := billpage.Bill(s.BOL)
	bill.Title = ""
	v.Cards = append(v.Cards, bill)

	return v
}

// photosOf are the photos of a vehicle.
func photosOf(v report.Vehicle, link string) (all []face.Photo) {
	for _, at := range []struct {
		title string
		found *report.Inspection
	}{{"at the pickup", v.Pickup}, {"at the delivery", v.Delivery}} {
		if at.found == nil {
			continue
		}
		for _, one := range at.found.Pictures {
			subject := strings.ReplaceAll(one.Subject, "_", " ")
			all = append(all, face.Photo{
				Source: link + "/photos/" + one.UUID.String(), Text: strings.ToUpper(subject[:1]) + subject[1:] + ", " + at.title, Linked: true,
			})
		}
	}

	return all
}

// signed thanks for a signature, or shows what was wrong with it.
func signed(show *face.Face[sharedPage]) func(a web.Answer) web.Page {
	return func(a web.Answer) web.Page {
		var s sharedPage
		if a.Status == http.StatusOK && json.Unmarshal(a.JSON, &s) == nil {
			return show.Page(a)
		}

		return show.Again(a)
	}
}
