package quotes

import (
	"strings"

	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/platform/face"
	"github.com/dispatchd/dispatchd/platform/money"
	"github.com/dispatchd/dispatchd/platform/page"
	"github.com/dispatchd/dispatchd/platform/state"
)

// newFace makes the page on which customers answer an offer.
func newFace() *face.Face[offer] {
	return face.New(face.Parts[offer]{
		View: func(o offer, _ string) face.View { return o.view() },
		Verbs: []face.Verb{
			{Name: "accept", Title: "Book this transport", Submit: "Accept and book", Fields: []page.Field{
				{Name: "option", Label: "Option", Type: "select", Required: true},
				{Name: "available_from", Label: "First day for the pickup", Type: "date", Required: true},
				{Name: "name", Label: "Your name", Autocomplete: "name", MaxLength: 200, Required: true},
				{Name: "accepted", Label: "I accept this offer and its terms, and order the transport", Type: "checkbox", Required: true},
			}},
			{Name: "decline", Title: "No, thank you", Submit: "Decline", Second: true, Fields: []page.Field{
				{Name: "reason", Label: "What made you decline?", Type: "textarea", MaxLength: 500},
			}},
		},
		Told: problems,
	})
}

// problems are what customers read who have answered an offer that cannot be accepted, on the page and in the response.
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

// closedText is what customers read of an offer that is over, where there is no newer one.
const closedText = "This offer is no longer open. If we make you a new one, you will find it at the same link."

// closed are what is next after an offer that is no longer open.
var closed = map[status]string{
	accepted: "We have your order. You will hear from us when a carrier is found.",
	declined: "You have declined this offer. If you change your mind, please call us.",
	expired:  "This offer has expired. Please ask us for a new one.",
	recalled: "We have taken this offer back. Please ask us for a new one.",
}

var transports = map[string]string{"open": "Open trailer", "enclosed": "Enclosed trailer", "driveaway": "Driven by a driver"}

// view is what the page of an offer shows.
func (o offer) view() face.View {
	open := o.State == sent || o.State == viewed
	v := face.View{Brand: o.Brand, Over: "Offer " + o.Number, Heading: "Your transport", Steps: []face.Step{
		{Text: "Offer made", Done: true}, {Text: "You accept", Done: o.State == accepted}, {Text: "We find a carrier"}, {Text: "Delivered"},
	}}
	if o.From != "" {
		v.Heading = o.From + " → " + o.To
	}
	switch {
	case o.State == accepted:
		v.Heading, v.Next = "Thank you. Your transport is booked", []string{closed[accepted]}
	case o.State == superseded:
		v.Next, v.Steps = []string{closedText}, nil
	case !open:
		v.Next, v.Steps = []string{closed[o.State]}, nil
	default:
		v.Acts, v.Aside, v.Viewed = []face.Act{o.accepting()}, []face.Act{{Verb: "decline", Hidden: o.named()}}, map[string]any{"quote_uuid": o.Quote}
		if o.ValidUntil != nil {
			v.Next = []string{"Accept by " + page.Moment(*o.ValidUntil, page.Zone(o.Zone)) + ", and we find a carrier for you."}
		}
	}
	if text := problems[o.Problem]; text != "" && o.State != superseded { // which the page says anyway
		v.Problems = []string{text}
	}
	if o.Message != "" {
		v.Cards = append(v.Cards, face.Card{Text: o.Message})
	}
	v.Cards = append(v.Cards, o.prices(), face.Card{Title: "The transport", Facts: o.facts(), Stops: o.way()}, o.cars())
	if o.Terms != "" {
		v.Cards = append(v.Cards, face.Card{Title: "Terms", Text: o.Terms, Folded: true})
	}

	return v
}

// named names the offer that an answer is to.
func (o offer) named() map[string]string { return map[string]string{"quote_uuid": o.Quote.String()} }

// accepting is the form by which an offer is accepted, with what is to be chosen.
func (o offer) accepting() face.Act {
	act := face.Act{Verb: "accept", Hidden: o.named(), Options: map[string][]page.Option{}}
	if len(o.Options) > 1 {
		for _, of := range o.Options {
			act.Options["option"] = append(act.Options["option"], page.Option{Value: of.Key, Text: of.Label + ", " + page.Amount(of.Tariff, o.Currency)})
		}
	} else {
		act.Without = append(act.Without, "option")
	}
	if o.AvailableFrom != "" {
		act.Without = append(act.Without, "available_from")
	}

	return act
}

// prices are the options, or the one that was accepted, and the parts that the price has.
func (o offer) prices() face.Card {
	card := face.Card{Title: "Price"}
	for _, l := range o.Lines {
		card.Prices = append(card.Prices, face.Price{Label: l.Description, Amount: page.Amount(l.Amount, o.Currency)})
	}
	for _, of := range o.Options {
		if o.Option == "" || of.Key == o.Option {
			card.Prices = append(card.Prices, face.Price{Label: of.Label, Notes: o.notes(of), Amount: page.Amount(of.Tariff, o.Currency), Total: true})
		}
	}

	return card
}

func (o offer) facts() []face.Fact {
	miles, days, from := "", "", ""
	if o.Miles > 0 {
		miles, days = page.Sprintf("About %d miles", o.Miles), page.Sprintf("Usually %d to %d days", o.FromDays, o.ToDays)
	}
	if o.AvailableFrom != "" {
		from = "From " + page.Day(string(o.AvailableFrom))
	}

	return face.Facts("Distance", miles, "On the way", days, "Pickup", from, "Transport", transports[o.TransportType])
}

func (o offer) way() (stops []face.Stop) {
	for _, place := range o.Stops {
		stops = append(stops, face.Stop{Title: place})
	}

	return stops
}

func (o offer) cars() face.Card {
	card := face.Card{Title: "Vehicles"}
	for _, v := range o.Vehicles {
		item := face.Item{Title: v.Name, Side: strings.ReplaceAll(v.Type, "_", " ")}
		if !v.Operable {
			item.Lines = []string{"Does not run"}
		}
		card.Items = append(card.Items, item)
	}

	return card
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
	for _, part := range []struct {
		label string
		units int64
	}{
		{"Due at booking: ", units(of.Deposit)},
		{"To the carrier at delivery: ", units(of.ToCarrier)},
		{"By invoice: ", units(of.Tariff) - units(of.Deposit) - units(of.ToCarrier)},
	} {
		if part.units > 0 {
			texts = append(texts, part.label+page.Amount(money.OfUnits(part.units, o.Currency).Amount, o.Currency))
		}
	}

	return texts
}

// words say to whom a payment goes, when, and how.
func (p payment) words() string {
	text := "To us "
	if p.To == toCarrier {
		text = "To the carrier "
	}
	text += loadsapi.DueText(p.Event, p.Days, p.BusinessDays)
	if method := loadsapi.MethodText(p.Method); method != "" {
		text += ", " + method
	}

	return text
}
