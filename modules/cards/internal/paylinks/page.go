package paylinks

import (
	"embed"
	"encoding/json"
	"net/http"
	"path"

	"github.com/dispatchd/dispatchd/modules/cards/internal/sandbox"
	"github.com/dispatchd/dispatchd/platform/money"
	"github.com/dispatchd/dispatchd/platform/page"
	"github.com/dispatchd/dispatchd/platform/web"
)

//go:embed page
var pageFiles embed.FS

// pages renders the page on which people pay. It works without a script while the sandbox's fields are shown; those of vendors are
// scripts.
type pages struct{ layout *page.Layout }

func newPages() *pages {
	return &pages{page.New(page.Parts{
		Content: page.File(pageFiles, "page/pay.html"), Style: page.File(pageFiles, "page/pay.css"), Script: page.File(pageFiles, "page/pay.js"),
	})}
}

// content is what the markup shows: the amount, and the forms of the stage, or the vendor's fields with the text of their button.
type content struct {
	View

	Forms  []page.Form
	Submit string
}

const (
	// soon is after how many seconds the page of a payment in progress looks again.
	soon = 2
	// unavailable is said where the page has no fields of the vendor.
	testing     = "This is a test: no money moves."
	unavailable = "Cards cannot be entered here at the moment. Please ask the person who sent you the link for another way to pay."
)

// pay renders the page of a link.
func (p *pages) pay(a web.Answer) web.Page {
	var v View
	if a.Status != http.StatusOK || json.Unmarshal(a.JSON, &v) != nil {
		return p.layout.Refused(a, fieldLabel)
	}
	shown, c := page.Page{Brand: v.Brand, Heading: v.Title}, content{View: v}
	switch v.Stage {
	case Open, Declined:
		if v.Stage == Declined {
			shown.Problems = []string{"The payment did not succeed. " + v.Why}
		}
		switch {
		case v.Vendor == sandbox.Name:
			shown.Texts, c.Forms = []string{testing}, []page.Form{sandboxForm(v)}
		case v.Mounting.Mount != "":
			if !v.Fields.Live {
				shown.Texts = []string{testing}
			}
			c.Submit, shown.Scripted = payText(v), true
			shown.Foreign = &page.Foreign{Src: v.Fields.Script, Code: v.Mounting.Mount, Frames: v.Mounting.Frames, Connects: v.Mounting.Connects}
		default:
			shown.Problems = append(shown.Problems, unavailable)
		}
	case Charging:
		shown.Texts = []string{"Your card is being charged. Please wait: this page continues automatically."}
		shown.Onward, shown.Redirect, shown.Wait = "?", true, soon
	case Confirm:
		shown.Texts = []string{"Your bank asks you to confirm the payment."}
		if shown.Onward = v.ActionURL; v.ActionURL == "" {
			c.Forms = confirmForms(path.Base(a.Path))
		}
	case Paid:
		shown.Texts = []string{"Thank you, this is paid. You can close this page."}
	case Closed:
		shown.Problems = []string{"Too many cards were declined. Please ask " + v.Brand.Name + " for another way to pay."}
	}
	shown.Content = c

	return p.layout.Show(shown)
}

// done leads from the form back to the page.
func (p *pages) done(a web.Answer) web.Page { return p.back(a, a.Path) }

func (p *pages) confirmed(a web.Answer) web.Page { return p.back(a, path.Dir(a.Path)+"?answered=true") }

func (p *pages) back(a web.Answer, to string) web.Page {
	if a.Status != http.StatusOK {
		return p.layout.Refused(a, fieldLabel)
	}

	return web.Page{Location: to}
}

func fieldLabel(field string) string {
	if field == "token" {
		return "Card"
	}

	return ""
}

// payText is the text of the button.
func payText(v View) string {
	return "Pay " + money.Money{Amount: v.Amount, Currency: v.Currency}.String()
}

// sandboxForm has the sandbox's card fields: test cards to choose from.
func sandboxForm(v View) page.Form {
	return page.Form{Submit: payText(v), Fields: []page.Field{{
		Name: "token", Label: "Test card", Type: "select", Required: true, Options: []page.Option{
			{Value: "tok_ok", Text: "Succeeds"},
			{Value: "tok_3ds", Text: "Asks to confirm (3-D Secure)"},
			{Value: "tok_declined", Text: "Declined"},
			{Value: "tok_insufficient", Text: "Insufficient funds"},
			{Value: "tok_expired", Text: "Expired"},
			{Value: "tok_timeout_taken", Text: "Succeeds, and the answer is lost"},
		},
	}}}
}

func confirmForms(link string) []page.Form {
	form := func(accept, text string, second bool) page.Form {
		return page.Form{Action: link + "/confirm", Hidden: map[string]string{"accept": accept}, Submit: text, Second: second}
	}

	return []page.Form{form("true", "Confirm", false), form("false", "Refuse", true)}
}
