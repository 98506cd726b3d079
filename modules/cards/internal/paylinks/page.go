package paylinks

import (
	"embed"
	"net/http"
	"path"

	"github.com/dispatchd/dispatchd/modules/cards/internal/sandbox"
	"github.com/dispatchd/dispatchd/platform/face"
	"github.com/dispatchd/dispatchd/platform/money"
	"github.com/dispatchd/dispatchd/platform/page"
	"github.com/dispatchd/dispatchd/platform/web"
)

//go:embed page
var pageFiles embed.FS

// pages render the page on which people pay. It works without a script while the sandbox's fields are shown; those of vendors are scripts.
type pages struct{ face *face.Face[View] }

func newPages() pages {
	return pages{face.New(face.Parts[View]{
		View: func(v View, _ string) face.View { return v.shown() },
		Verbs: []face.Verb{
			{Fields: []page.Field{{Name: "token", Label: "Test card", Type: "select", Required: true, Options: []page.Option{
				{Value: "tok_ok", Text: "Succeeds"},
				{Value: "tok_3ds", Text: "Asks to confirm (3-D Secure)"},
				{Value: "tok_declined", Text: "Declined"},
				{Value: "tok_insufficient", Text: "Insufficient funds"},
				{Value: "tok_expired", Text: "Expired"},
				{Value: "tok_timeout_taken", Text: "Succeeds, and the answer is lost"},
			}}}},
			{Name: "confirm", Submit: "Confirm"},
		},
		Labels: map[string]string{"token": "Card"},
		Markup: page.File(pageFiles, "page/pay.html"), Style: page.File(pageFiles, "page/pay.css"), Script: page.File(pageFiles, "page/pay.js"),
	})}
}

// fields are the vendor's, with the text of their button.
type fields struct {
	View

	Submit string
}

const (
	// soon is after how many seconds the page of a payment in progress looks again.
	soon = 2
	// unavailable is said where the page has no fields of the vendor.
	testing     = "This is a test: no money moves."
	unavailable = "Cards cannot be entered here at the moment. Please ask the person who sent you the link for another way to pay."
)

// shown is what the page of a link shows.
func (v View) shown() face.View {
	amount := money.Money{Amount: v.Amount, Currency: v.Currency}.String()
	shown := face.View{Brand: v.Brand, Heading: v.Title, Cards: []face.Card{{Facts: []face.Fact{{Label: "Amount", Value: amount, Large: true}}, Text: v.Message}}}
	switch v.Stage {
	case Open, Declined:
		if v.Stage == Declined {
			shown.Problems = []string{"The payment did not succeed. " + v.Why}
		}
		switch {
		case v.Vendor == sandbox.Name:
			shown.Next, shown.Acts = []string{testing}, []face.Act{{Submit: "Pay " + amount}}
		case v.Mounting.Mount != "":
			if !v.Fields.Live {
				shown.Next = []string{testing}
			}
			shown.Own, shown.Scripted = fields{v, "Pay " + amount}, true
			shown.Foreign = &page.Foreign{Src: v.Fields.Script, Code: v.Mounting.Mount, Frames: v.Mounting.Frames, Connects: v.Mounting.Connects}
		default:
			shown.Problems = append(shown.Problems, unavailable)
		}
	case Charging:
		shown.Next = []string{"Your card is being charged. Please wait: this page continues automatically."}
		shown.Onward, shown.Wait = "?", soon
	case Confirm:
		shown.Next = []string{"Your bank asks you to confirm the payment."}
		if shown.Onward = v.ActionURL; v.ActionURL == "" {
			shown.Acts = []face.Act{
				{Verb: "confirm", Hidden: map[string]string{"accept": "true"}},
				{Verb: "confirm", Hidden: map[string]string{"accept": "false"}, Submit: "Refuse", Second: true},
			}
		}
	case Paid:
		shown.Next = []string{"Thank you, this is paid. You can close this page."}
	case Closed:
		shown.Problems = []string{"Too many cards were declined. Please ask " + v.Brand.Name + " for another way to pay."}
	}

	return shown
}

// done leads from the form back to the page.
func (p pages) done(a web.Answer) web.Page { return p.back(a, a.Path) }

func (p pages) confirmed(a web.Answer) web.Page { return p.back(a, path.Dir(a.Path)+"?answered=true") }

func (p pages) back(a web.Answer, to string) web.Page {
	if a.Status != http.StatusOK {
		return p.face.Refused(a)
	}

	return web.Page{Location: to}
}
