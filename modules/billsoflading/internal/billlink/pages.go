package billlink

import (
	"encoding/json"
	"net/http"
	"path"
	"strings"

	"github.com/dispatchd/dispatchd/modules/billsoflading/internal/billpage"
	"github.com/dispatchd/dispatchd/modules/billsoflading/internal/report"
	"github.com/dispatchd/dispatchd/platform/page"
	"github.com/dispatchd/dispatchd/platform/web"
)

// pages renders the pages on which people without an account sign or read a bill of lading.
type pages struct{ layout *page.Layout }

func newPages() pages { return pages{billpage.NewLayout()} }

// sign renders the page on which the other side signs.
func (p pages) sign(a web.Answer) web.Page {
	var s sharedPage
	if a.Status != http.StatusOK || json.Unmarshal(a.JSON, &s) != nil {
		return p.layout.Refused(a, billpage.FieldLabel)
	}
	t := billpage.BillOf(s.BOL)
	form := &page.Form{Action: path.Base(a.Path), Submit: "Sign", Name: "signature", Hidden: map[string]string{"strokes": ""}, Fields: billpage.SignerFields()}
	t.Forms = []billpage.Section{{Title: "Your signature", Form: form, Text: s.Statement}}

	return p.layout.Show(page.Page{
		Brand: s.Brand, Heading: "Bill of lading " + s.BOL.Number, Content: billpage.Content{BOLs: []billpage.Bill{t}}, Scripted: true,
	})
}

// signed thanks for a signature.
func (p pages) signed(a web.Answer) web.Page {
	var s sharedPage
	if a.Status != http.StatusOK || json.Unmarshal(a.JSON, &s) != nil {
		refused := page.RefusedPage(a, billpage.FieldLabel)
		if refused.Again != "" {
			refused.Again, refused.Onward = "", path.Base(a.Path)
		}
		if a.Form != nil && a.Status == http.StatusUnprocessableEntity {
			refused.Form = (&page.Form{Action: path.Base(a.Path), Submit: "Sign", Hidden: map[string]string{"strokes": ""}, Fields: billpage.SignerFields()}).Again(a.Form)
			refused.Problems = page.Explain(refused.Form.Fields, page.FailureOf(a).Errors)
		}

		return p.layout.Show(refused)
	}

	return p.layout.Show(page.Page{Brand: s.Brand, Heading: "Thank you", Texts: []string{"You have signed the bill of lading " + s.BOL.Number + "."}})
}

// view renders the page of a bill of lading that someone reads.
func (p pages) view(a web.Answer) web.Page {
	var s sharedPage
	if a.Status != http.StatusOK || json.Unmarshal(a.JSON, &s) != nil {
		return p.layout.Refused(a, billpage.FieldLabel)
	}

	link, bill := path.Base(a.Path), billpage.BillOf(s.BOL)
	for i, v := range s.BOL.Vehicles {
		for _, at := range []struct {
			title string
			found *report.Inspection
		}{{"at the pickup", v.Pickup}, {"at the delivery", v.Delivery}} {
			if at.found == nil {
				continue
			}
			for _, one := range at.found.Pictures {
				subject := strings.ReplaceAll(one.Subject, "_", " ")
				bill.Cars[i].Pictures = append(bill.Cars[i].Pictures, billpage.Picture{
					Source: link + "/photos/" + one.UUID.String(), Text: strings.ToUpper(subject[:1]) + subject[1:] + ", " + at.title,
				})
			}
		}
	}

	return p.layout.Show(page.Page{
		Brand: s.Brand, Heading: "Bill of lading " + s.BOL.Number, Pictures: true, Content: billpage.Content{BOLs: []billpage.Bill{bill}, Print: link + "/pdf"},
	})
}
