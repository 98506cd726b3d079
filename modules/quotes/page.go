package quotes

import (
	"embed"
	"encoding/json"
	"net/http"
	"path"
	"strings"

	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/platform/money"
	"github.com/dispatchd/dispatchd/platform/page"
	"github.com/dispatchd/dispatchd/platform/state"
	"github.com/dispatchd/dispatchd/platform/web"
)

//go:embed page
var pageFiles embed.FS

// pages renders the page on which customers answer an offer. Its script only says that it was shown.
type pages struct{ layout *page.Layout }

func newPages() *pages {
	return &pages{page.New(page.Parts{
		Content: page.File(pageFiles, "page/offer.html"), Style: page.File(pageFiles, "page/offer.css"), Script: page.File(pageFiles, "page/offer.js"),
	})}
}

// content is what the markup shows.
type content struct {
	offer

	Cars   []string
	Facts  []string
	Parts  []price
	Prices []price
	Accept *page.Form
	No     *page.Form
	// Viewed is where the script says that the page was shown, "" for nowhere.
	Viewed string
}

// words say what a vehicle is.
func (v offerVehicle) words() string {
	text := v.Name
	if v.Type != "" {
		text += " (" + strings.ReplaceAll(v.Type, "_", " ") + ")"
	}
	if !v.Operable {
		text += ", does not run"
	}

	return text
}

// price is an option, or a part of the price.
type price struct {
	Label  string
	Notes  []string
	Amount string
}

// notes say what an option is, and what of its price is paid to whom, and when.
func (o offer) notes(of option) (texts []string) {
	if of.Note != "" {
		texts = append(texts, of.Note)
	}
	for _, p := range of.Payments {
		texts = append(texts, p.words()+": "+page.Amount(money.Amount(p.Amount), o.Currency))
	}
	if len(of.Payments) > 0 {
		return texts
	}
	units := func(a money.Amount) int64 {
		n, _ := money.Money{Amount: a, Currency: o.Currency}.Units() // checked when the offer was made

		return n
	}
	say := func(text string, n int64) {
		if n > 0 {
			texts = append(texts, text+page.Amount(money.OfUnits(n, o.Currency).Amount, o.Currency))
		}
	}
	say("Due at booking: ", units(of.Deposit))
	say("To the carrier at delivery: ", units(of.ToCarrier))
	say("By invoice: ", units(of.Tariff)-units(of.Deposit)-units(of.ToCarrier))

	return texts
}

// words say to whom a payment goes, when, and how.
func (p payment) words() string {
	text := "To us"
	if p.To == toCarrier {
		text = "To the carrier"
	}
	switch due := dueTexts[p.Event]; {
	case p.Days == 0:
		text += " " + due.at
	case p.BusinessDays:
		text += page.Sprintf(" within %d business days of %s", p.Days, due.event)
	default:
		text += page.Sprintf(" within %d days of %s", p.Days, due.event)
	}
	if method := methods[p.Method]; method != "" {
		text += ", " + method
	}

	return text
}

// due is what a customer reads of when a payment is due: at once, and counted from an event.
type due struct{ at, event string }

var dueTexts = map[string]due{
	"booking": {"at booking", "the booking"}, "dispatch": {"when a carrier is found", "the dispatch"}, "pickup": {"at pickup", "the pickup"},
	"delivery": {"at delivery", "the delivery"}, "signed_bol": {"after the delivery", "the delivery"}, "invoice": {"by invoice", "the invoice"},
}

var methods = map[string]string{
	"cash": "in cash", "certified_check": "by certified check", "check": "by check", "cashiers_check": "by cashier's check", "money_order": "by money order", "comchek": "by Comchek",
	"ach": "by ACH", "wire": "by wire transfer", "direct_deposit": "by direct deposit", "credit_card": "by credit card", "venmo": "by Venmo", "cashapp": "by Cash App", "zelle": "by Zelle",
	"uship": "by uShip",
}

// offer renders the page of an offer.
func (p *pages) offer(a web.Answer) web.Page {
	var o offer
	if a.Status != http.StatusOK || json.Unmarshal(a.JSON, &o) != nil {
		return p.layout.Refused(a, fieldLabel)
	}
	shown, c := page.Page{Brand: o.Brand, Heading: "Your offer " + o.Number}, content{offer: o, Facts: factsOf(o)}
	for _, v := range o.Vehicles {
		c.Cars = append(c.Cars, v.words())
	}
	for _, l := range o.Lines {
		c.Parts = append(c.Parts, price{Label: l.Description, Amount: page.Amount(l.Amount, o.Currency)})
	}
	for _, option := range o.Options {
		if o.Option == "" || option.Key == o.Option {
			c.Prices = append(c.Prices, price{option.Label, o.notes(option), page.Amount(option.Tariff, o.Currency)})
		}
	}
	if text := problems[o.Problem]; text != "" && o.State != superseded { // which the page says anyway
		shown.Problems = []string{text}
	}
	switch o.State {
	case sent, viewed:
		link := path.Base(a.Path)
		c.Accept, c.No, c.Viewed, shown.Scripted = acceptFields(o, link), declineFields(o, link), link+"/viewed", true
	case accepted:
		shown.Heading, shown.Texts = "Thank you. Your transport is booked", []string{"We have your order " + o.Number + ". We will tell you when a carrier is found."}
	case declined:
		shown.Texts = []string{"You have declined this offer. If you change your mind, please tell us."}
	case expired:
		shown.Texts = []string{"This offer has expired. Please ask us for a new one."}
	case recalled:
		shown.Texts = []string{"We have taken this offer back. Please ask us for a new one."}
	case superseded:
		shown.Texts = []string{closedText}
	case draft:
	}
	shown.Content = c

	return p.layout.Show(shown)
}

// problems are what customers are told who have answered an offer that cannot be accepted, by the page and otherwise.
var problems = map[string]string{
	errSuperseded.Code:          "There is a newer offer. Please look at it before you answer.",
	errExpired.Code:             "The offer has expired. Please ask us for a new one.",
	errChanged.Code:             "Your request has changed since we made this offer. Please ask us for a new one.",
	errOver.Code:                "This offer was answered already, or taken back.",
	state.ErrNotAllowed.Code:    "This offer was answered already, or taken back.",
	loadsapi.ErrNotForSale.Code: "Your transport was booked already, or your request was closed. Please contact us.",
	errNotBookable.Code:         "Something is missing before we can book this transport. Please contact us.",
	errOnHold.Code:              "We cannot book this transport right now. Please contact us.",
	loadsapi.ErrPlanFixed.Code:  "How you pay for this transport has changed since we made this offer. Please ask us for a new one.",
	errLinePaid.Code:            "How you pay for this transport has changed since we made this offer. Please ask us for a new one.",
}

// closedText is what customers are told of an offer that is over, where there is no newer one.
const closedText = "This offer is no longer open. If we make you a new one, you will find it at the same link."

// answered leads from a form back to the page, or shows the form again with what is wrong.
func (p *pages) answered(form *page.Form) func(a web.Answer) web.Page {
	return func(a web.Answer) web.Page { return p.layout.AnsweredForm(a, problems, fieldLabel, form) }
}

// acceptedForm is answered for the form by which an offer is accepted, which has the fields that the page had.
func (p *pages) acceptedForm(a web.Answer) web.Page {
	o := offer{AvailableFrom: "known", Terms: a.Form.Get("terms")}
	if a.Form.Has("available_from") {
		o.AvailableFrom = ""
	}
	form := acceptFields(o, "")
	if a.Form.Has("option") {
		form.Hidden["option"] = ""
	}

	return p.answered(form)(a)
}

func fieldLabel(field string) string {
	return map[string]string{"name": "Your name", "accepted": "Terms", "available_from": "First day for the pickup", "option": "Option"}[field]
}

func factsOf(o offer) (facts []string) {
	if o.Miles > 0 {
		facts = append(facts, page.Sprintf("About %d miles, usually %d to %d days on the way", o.Miles, o.FromDays, o.ToDays))
	}
	facts = append(facts, transports[o.TransportType])
	if o.AvailableFrom != "" {
		facts = append(facts, "Can be picked up from "+page.Day(string(o.AvailableFrom)))
	}
	if o.ValidUntil != nil && (o.State == sent || o.State == viewed) {
		facts = append(facts, "Valid until "+page.Moment(*o.ValidUntil, page.Zone(o.Zone)))
	}

	return facts
}

var transports = map[string]string{"open": "On an open trailer", "enclosed": "In an enclosed trailer", "driveaway": "Driven by a driver"}

// acceptFields is the form by which an offer is accepted.
func acceptFields(o offer, link string) *page.Form {
	form := &page.Form{Action: link + "/accept", Hidden: map[string]string{"quote_uuid": o.Quote.String()}, Submit: "Accept and book"}
	if len(o.Options) > 1 {
		choice := page.Field{Name: "option", Label: "Option", Type: "select", Required: true}
		for _, option := range o.Options {
			choice.Options = append(choice.Options, page.Option{Value: option.Key, Text: option.Label + ", " + page.Amount(option.Tariff, o.Currency)})
		}
		form.Fields = append(form.Fields, choice)
	}
	if o.AvailableFrom == "" {
		form.Fields = append(form.Fields, page.Field{Name: "available_from", Label: "First day for the pickup", Type: "date", Required: true})
	}
	consent := "I accept this offer, and order the transport"
	if o.Terms != "" {
		form.Hidden["terms"] = "true"
		consent = "I accept this offer and the terms, and order the transport"
	}
	form.Fields = append(form.Fields,
		page.Field{Name: "name", Label: "Your name", Autocomplete: "name", MaxLength: 200, Required: true},
		page.Field{Name: "accepted", Label: consent, Type: "checkbox", Required: true},
	)

	return form
}

// declineFields is the form by which an offer is declined.
func declineFields(o offer, link string) *page.Form {
	return &page.Form{
		Action: link + "/decline", Hidden: map[string]string{"quote_uuid": o.Quote.String()}, Submit: "Decline", Second: true,
		Fields: []page.Field{{Name: "reason", Label: "What made you decline?", Type: "textarea", MaxLength: 500}},
	}
}
