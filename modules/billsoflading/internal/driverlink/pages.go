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
	"github.com/dispatchd/dispatchd/platform/page"
	"github.com/dispatchd/dispatchd/platform/share"
	"github.com/dispatchd/dispatchd/platform/web"
)

// pages renders the pages of drivers.
type pages struct{ layout *page.Layout }

func newPages() pages { return pages{billpage.NewLayout()} }

// driver renders the page of a driver.
func (p pages) driver(a web.Answer) web.Page {
	var d driverPage
	if a.Status != http.StatusOK || json.Unmarshal(a.JSON, &d) != nil {
		return p.layout.Refused(a, billpage.FieldLabel)
	}
	link := path.Base(a.Path)
	c := billpage.Content{Queued: true}
	released := map[uuid.UUID][]string{}
	for _, l := range d.Loads {
		c.Loads = append(c.Loads, l.text())
		for _, v := range l.Vehicles {
			released[v.UUID] = v.releases()
		}
	}
	for _, b := range d.BOLs {
		t := billpage.BillOf(b)
		for i, v := range b.Vehicles {
			t.Cars[i].Lines = released[v.Vehicle.UUID]
		}
		addForms(&t, b, link)
		c.BOLs = append(c.BOLs, t)
	}
	if len(c.Loads) == 1 {
		c.Loads[0].Title = "" // the heading has it
	}
	shown := page.Page{Brand: d.Brand, Heading: "Load " + d.Number, Content: c, Scripted: true}
	if len(d.Loads) > 0 && d.Number != d.Loads[0].Number {
		shown.Heading = "Trip " + d.Number
	}
	if text := billpage.Explained[d.Problem]; text != "" {
		shown.Problems = []string{text}
	}

	return p.layout.Show(shown)
}

// entered leads from a form of the driver's page back to it, or shows the form again with what is wrong.
func (p pages) entered(a web.Answer) web.Page {
	return p.layout.AnsweredForm(a, billpage.Explained, billpage.FieldLabel, enteredForm(path.Base(a.Path), a.Form))
}

// enteredForm is the form that was sent to an operation, nil for one that has no fields.
func enteredForm(to string, entered formValues) *page.Form {
	var form *page.Form
	switch to {
	case "inspections":
		form = inspectionFields(&report.Inspection{}, nil, "")
	case "damages":
		form = damageFields(entered.Get("code_system") == "aiag", nil, "")
	case "signatures":
		if form = signatureFields("Sign", nil, ""); entered.Get("method") == store.NotAvailable {
			form = absentFields(nil, "")
		}
	case "sign_links":
		form = signLinkFields("", "")
	default:
		return nil
	}
	form.Name, form.Hidden = "", map[string]string{}
	for _, name := range []string{"bol_uuid", "vehicle_uuid", "stage", "role", "method", "strokes", "code_system", "x", "y"} {
		if entered.Has(name) {
			form.Hidden[name] = ""
		}
	}

	return form
}

// signLink shows the link by which someone signs on another phone.
func (p pages) signLink(a web.Answer) web.Page {
	var s share.Share
	if a.Status != http.StatusOK || json.Unmarshal(a.JSON, &s) != nil {
		return p.entered(a)
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
