package carrierlink

import (
	"cmp"
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"github.com/dispatchd/dispatchd/modules/dispatches/internal/loadview"
	"github.com/dispatchd/dispatchd/modules/dispatches/internal/store"
	"github.com/dispatchd/dispatchd/platform/face"
	"github.com/dispatchd/dispatchd/platform/money"
	"github.com/dispatchd/dispatchd/platform/page"
)

// newFace makes the page on which a carrier answers an offer, and sees the load that it has.
func newFace() *face.Face[carrierPage] {
	return face.New(face.Parts[carrierPage]{View: func(c carrierPage, link string) face.View { return c.view(link) }, Verbs: verbs, Told: problems})
}

// view is what the page shows.
func (c carrierPage) view(link string) face.View {
	var l loadview.Load
	_ = json.Unmarshal(c.Load, &l) //nolint:errcheck // {} once the carrier may no longer see it
	text := l.Describe()
	v := face.View{Brand: c.Brand, Viewed: map[string]any{}, Pictures: true, Foot: c.Broker.lines()}
	if n := len(l.Stops); n > 1 {
		v.Heading = loadview.Stop(l.Stops[0]).Place() + " → " + loadview.Stop(l.Stops[n-1]).Place()
	}
	if text := problems[c.Problem]; text != "" {
		v.Problems = []string{text}
	}
	for _, w := range c.Warnings {
		v.Problems = append(v.Problems, w.Message)
	}
	if c.Dispatch != nil {
		c.showDispatch(&v, l, &text, link)
	} else {
		c.showOffer(&v, l, &text)
	}
	v.Heading = cmp.Or(v.Heading, v.Over)
	c.showLoad(&v, text, link)

	return v
}

// lines name a broker: its number at the regulator, and its phone.
func (b brokerShown) lines() (all []page.Line) {
	if b.USDOT != "" {
		all = append(all, page.Lines("USDOT "+b.USDOT)...)
	}
	all = append(all, page.Lines(b.Docket)...)
	if b.Phone != "" {
		all = append(all, page.Called("Phone", b.Phone))
	}

	return all
}

// showLoad adds the cards of a load, as far as the carrier sees it.
func (c carrierPage) showLoad(v *face.View, text loadview.Text, link string) {
	way := face.Card{Facts: text.Facts}
	for _, s := range text.Stops {
		way.Stops = append(way.Stops, face.Stop{Title: s.Title, Lines: s.Lines})
	}
	cars := face.Card{Title: "Vehicles"}
	for _, one := range text.Cars {
		item := face.Item{Title: one.Name, Lines: one.Lines}
		for _, photo := range one.Photos {
			item.Photos = append(item.Photos, face.Photo{Source: link + "/photos/" + photo, Text: "Photo of the vehicle"})
		}
		cars.Items = append(cars.Items, item)
	}
	for _, card := range []face.Card{
		way, cars, {Title: "Goods", List: text.Goods}, {Title: "Payment", List: text.Pays}, {Title: "Notes", Lines: page.Lines(append(text.Notes, c.Notes...)...)},
	} {
		if len(card.Facts)+len(card.Stops)+len(card.Items)+len(card.List)+len(card.Lines) > 0 {
			v.Cards = append(v.Cards, card)
		}
	}
	if c.Terms != "" {
		v.Cards = append(v.Cards, face.Card{Title: "Terms", Text: c.Terms, Folded: true})
	}
}

// ended is what a carrier reads of an offer that it cannot answer.
var ended = map[store.OfferState]string{
	store.Declined: "You have declined this offer. If you change your mind, please call us.", store.Expired: "This offer has expired. Please call us if you want the load.",
	store.Withdrawn: "We have taken this offer back.", store.Superseded: "This load is taken. Thank you for looking at it.", store.Queued: "This load is taken. Thank you for looking at it.",
	store.Countered: "We have your counter, and will answer.",
}

// showOffer shows an offer, and how it can be answered.
func (c carrierPage) showOffer(v *face.View, l loadview.Load, text *loadview.Text) {
	o := c.Offer
	if o.Amount != money.Amount(l.CarrierPay) { // the payments follow what is agreed
		text.Pays = nil
		for _, p := range l.Plan {
			text.Pays = append(text.Pays, loadview.Payment(p).Text(""))
		}
	}
	v.Over = "Offer for load " + cmp.Or(l.Number, o.Number)
	if said := ended[o.State]; said != "" {
		v.Next = []string{said}
	}
	if o.State != store.Offered && o.State != store.Countered {
		return
	}
	v.Cards = append(v.Cards, face.Card{Text: o.Message, Facts: append([]face.Fact{{Label: "Pay", Value: page.Amount(o.Amount, o.Currency), Large: true}}, face.Facts(
		"Pickup", page.Day(string(o.Pickup)), "Delivery", page.Day(string(o.Delivery)), "Vehicles available from", page.Day(l.AvailableFrom),
	)...)})
	if len(o.Changes) > 0 {
		changed := face.Card{Title: "What has changed"}
		for _, one := range o.Changes {
			label := loadview.LabelOf(one.Field)
			changed.Changes = append(changed.Changes, face.Change{Label: strings.ToUpper(label[:1]) + label[1:], Before: one.Before, After: one.After})
		}
		v.Cards = append(v.Cards, changed)
	}
	if o.State == store.Offered {
		if o.ExpiresAt != nil {
			first, _ := loadview.Zones(c.Load)
			v.Next = []string{"You can answer until " + page.Moment(*o.ExpiresAt, first) + "."}
		}
		c.ask(v)
	}
	v.Aside = append(v.Aside, face.Act{Verb: "decline", Hidden: map[string]string{"shown": strconv.Itoa(o.Shown)}})
}

// ask adds how an offer is accepted, or how the carrier first proves who it is, and how another one is asked for.
func (c carrierPage) ask(v *face.View) {
	o := c.Offer
	hidden := map[string]string{"shown": strconv.Itoa(o.Shown), "shown_key": o.Key}
	days := map[string]string{"pickup_date": string(o.Pickup), "delivery_date": string(o.Delivery), "amount": string(o.Amount)}
	if c.Proof == nil {
		v.Acts = []face.Act{{Verb: "accept", Hidden: hidden, Values: days}}
	} else {
		c.prove(v)
	}
	v.Aside = append(v.Aside, face.Act{Verb: "counter", Hidden: hidden, Values: days})
}

// prove adds the forms by which a carrier proves who it is.
func (c carrierPage) prove(v *face.View) {
	p := *c.Proof
	switch known := p.USDOT != ""; {
	case p.Number || known && len(p.Channels) == 0:
		v.Acts = []face.Act{{Verb: "company", Title: "Before you accept: your company", Values: map[string]string{"usdot": p.USDOT}}}
	case len(p.Channels) > 0:
		var to []page.Option
		for _, channel := range p.Channels {
			to = append(to, page.Option{Value: channel.Name, Text: channel.To})
		}
		v.Acts = []face.Act{{Verb: "code", Options: map[string][]page.Option{"channel": to}}, {Verb: "identify"}}
		if known {
			v.Aside = append(v.Aside, face.Act{Verb: "company", Title: "USDOT " + p.USDOT + " is not your number?", Second: true})
		}
	}
	if len(p.Channels) == 0 && !p.Number {
		v.Next = append(v.Next, "Please load this page again in a minute, or call us to accept this load.")
	}
}

// carried is what a carrier reads of a load that it has or had.
var carried = map[store.DispatchState]string{
	store.CancelledByCarrier: "You have given this load back.", store.CancelledByBroker: "This load was canceled.",
	store.Assigned: "The load is yours. Please be there on the agreed day.", store.PickedUp: "The vehicles are with you.",
	store.Delivered: "The vehicles were delivered. Thank you.", store.Settled: "The vehicles were delivered. Thank you.",
}

// showDispatch shows the load that a carrier has, and what it can report of it.
func (c carrierPage) showDispatch(v *face.View, l loadview.Load, text *loadview.Text, link string) {
	row := c.Dispatch
	v.Over, v.Next = "Load "+cmp.Or(l.Number, row.Number), []string{carried[row.State]}
	over := row.State == store.Delivered || row.State == store.Settled
	if row.State == store.CancelledByCarrier || row.State == store.CancelledByBroker {
		v.Heading = v.Over

		return
	}
	v.Steps = []face.Step{
		{Text: "Accepted", Done: true}, {Text: "Picked up", Done: over || row.State == store.PickedUp}, {Text: "Delivered", Done: over}, {Text: "Paid", Done: row.State == store.Settled},
	}
	pay := face.Card{
		Facts: append([]face.Fact{{Label: "Pay", Value: page.Amount(row.CarrierPay, row.Currency), Large: true}},
			face.Facts("Pickup", page.Day(string(row.Pickup)), "Delivery", page.Day(string(row.Delivery)))...),
		Links: []page.Link{{Text: "Rate confirmation (PDF)", Path: link + "/rate_confirmation"}, {Text: "All documents, and where to send yours", Path: link + "/documents"}},
	}
	if left, err := l.Money(l.CarrierGets); err == nil && left.Sign() > 0 && len(l.Payments) > 0 {
		pay.Facts = append(pay.Facts, face.Fact{Label: "Left to be paid to you", Value: l.AmountText(l.CarrierGets)})
	}
	v.Cards = append(v.Cards, pay)
	if row.State != store.Settled && row.Revision > row.AcceptedRevision {
		v.Acts = append(v.Acts, face.Act{Verb: "confirm", Hidden: map[string]string{"revision": strconv.FormatInt(row.Revision, 10)}})
	}
	if c.Inspect && !over {
		v.Acts = append(v.Acts, face.Act{Verb: "driver_links", Text: "The driver inspects the vehicles, takes photos, and has the bill of lading signed."})
	}
	if !over {
		first, last := loadview.Zones(c.Load)
		v.Acts = append(v.Acts, face.Act{Verb: "update", Values: map[string]string{
			"crew.driver_name": row.Crew.DriverName, "crew.driver_phone": string(row.Crew.DriverPhone), "crew.truck": row.Crew.Truck,
			"eta_pickup": clockAt(row.ETAPickup, first), "eta_delivery": clockAt(row.ETADelivery, last),
		}})
	}
	switch {
	case row.State == store.Assigned:
		v.Aside = append(v.Aside, c.giveBack())
	case text.Collect != "":
		v.Aside = append(v.Aside, face.Act{Verb: "collected", Values: map[string]string{"amount": text.Collect}})
	}
}

// giveBack is the form by which a carrier gives its load back.
func (c carrierPage) giveBack() face.Act {
	var reasons []page.Option
	for _, r := range c.Reasons {
		reasons = append(reasons, page.Option{Value: r.ID, Text: r.Label})
	}

	return face.Act{Verb: "cancel", Options: map[string][]page.Option{"reason": reasons}}
}

// clockAt is what a clock in a zone shows, "" for no time.
func clockAt(at *time.Time, in *time.Location) string {
	if at == nil {
		return ""
	}

	return at.In(in).Format(localTime)
}
