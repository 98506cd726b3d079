package carrierlink

import (
	"cmp"
	"embed"
	"encoding/json"
	"net/http"
	"path"
	"strings"
	"time"

	"github.com/dispatchd/dispatchd/modules/dispatches/internal/carrying"
	"github.com/dispatchd/dispatchd/modules/dispatches/internal/loadview"
	"github.com/dispatchd/dispatchd/modules/dispatches/internal/proof"
	"github.com/dispatchd/dispatchd/modules/dispatches/internal/store"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/link"
	"github.com/dispatchd/dispatchd/platform/money"
	"github.com/dispatchd/dispatchd/platform/onetimecode"
	"github.com/dispatchd/dispatchd/platform/page"
	"github.com/dispatchd/dispatchd/platform/web"
)

//go:embed page
var pageFiles embed.FS

// pages renders the page on which a carrier answers an offer, and sees the load that it has. Its script only says that it was shown.
type pages struct{ layout *page.Layout }

func newPages() *pages {
	return &pages{page.New(page.Parts{
		Content: page.File(pageFiles, "page/carrier.html"), Style: page.File(pageFiles, "page/carrier.css"), Script: page.File(pageFiles, "page/carrier.js"),
	})}
}

// content is what the markup shows.
type content struct {
	Load   loadview.Text
	Pay    string
	Agreed []string
	// Changed is what has changed of an offer since its carrier last answered it.
	Changed []changeText
	Broker  []page.Line
	Message string
	Terms   string
	Forms   []section
	Aside   []section
	// Inspect makes a link for the driver, nil where there is none.
	Inspect *page.Form
	// Print is where the rate confirmation is, Papers where all documents are, Photos where the photos of vehicles are; "" for nowhere.
	Print, Papers, Photos string
	// Viewed is where the script says that the page was shown, "" for nowhere.
	Viewed string
}

// changeText is something that has changed, as people read it.
type changeText struct{ Title, Before, After string }

// section is a form under a heading.
type section struct {
	Title string
	Form  *page.Form
}

// sheet renders the page.
func (p *pages) sheet(a web.Answer) web.Page {
	var c carrierPage
	var l loadview.Load
	if a.Status != http.StatusOK || json.Unmarshal(a.JSON, &c) != nil || json.Unmarshal(c.Load, &l) != nil {
		return p.layout.Refused(a, FieldLabel)
	}
	link := path.Base(a.Path)
	shown := page.Page{Brand: c.Brand, Scripted: true, Pictures: true}
	s := content{Load: l.Describe(), Broker: c.Broker.lines(), Terms: c.Terms, Viewed: link + "/viewed"}
	s.Load.Notes = append(s.Load.Notes, c.Notes...)
	if text := problems[c.Problem]; text != "" {
		shown.Problems = []string{text}
	}
	for _, w := range c.Warnings {
		shown.Problems = append(shown.Problems, w.Message)
	}
	if c.Dispatch != nil {
		if left, err := l.Money(l.CarrierGets); err == nil && left.Sign() > 0 && len(l.Payments) > 0 {
			s.Load.Pays = append(s.Load.Pays, "Left to be paid to you: "+l.AmountText(l.CarrierGets))
		}
		s.carried(c, l, link, &shown)
	} else {
		if c.Offer.Amount != money.Amount(l.CarrierPay) { // the payments follow what is agreed
			s.Load.Pays = nil
			for _, p := range l.Plan {
				s.Load.Pays = append(s.Load.Pays, loadview.Payment(p).Text(""))
			}
		}
		s.offered(c, l, link, &shown)
	}
	shown.Content = s

	return p.layout.Show(shown)
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

// offered has the page show an offer.
func (s *content) offered(c carrierPage, l loadview.Load, link string, shown *page.Page) {
	o := c.Offer
	shown.Heading, s.Message, s.Pay = "Offer for load "+cmp.Or(l.Number, o.Number), o.Message, page.Amount(o.Amount, o.Currency)
	if o.State == store.Offered || o.State == store.Countered {
		s.Agreed = append(s.Agreed, o.when(l)...)
		for _, one := range o.Changes {
			label := loadview.LabelOf(one.Field)
			s.Changed = append(s.Changed, changeText{strings.ToUpper(label[:1]) + label[1:], one.Before, one.After})
		}
	}
	switch o.State {
	case store.Accepted: // its dispatch is shown
	case store.Declined:
		shown.Texts = []string{"You have declined this offer. If you change your mind, please call us."}
	case store.Expired:
		shown.Texts = []string{"This offer has expired. Please call us if you want the load."}
	case store.Withdrawn:
		shown.Texts = []string{"We have taken this offer back."}
	case store.Superseded, store.Queued:
		shown.Texts = []string{"This load is taken. Thank you for looking at it."}
	case store.Countered:
		shown.Texts = []string{"We have your counter, and will answer."}
	case store.Offered:
		if o.ExpiresAt != nil {
			first, _ := loadview.Zones(c.Load)
			s.Agreed = append(s.Agreed, "You can answer until "+o.ExpiresAt.In(first).Format("January 2, 2006, 15:04 MST"))
		}
		s.Forms = []section{{"Accept", acceptFields(*o, link).Apart("accept")}}
		if c.Proof != nil {
			s.Forms = proofForms(*c.Proof, link)
			if c.Proof.USDOT != "" && len(c.Proof.Channels) > 0 {
				s.Aside = append(s.Aside, section{"USDOT " + c.Proof.USDOT + " is not your number?", &page.Form{Action: link + "/company", Submit: "Look me up", Second: true, Fields: []page.Field{
					{Name: "usdot", Label: "USDOT number", InputMode: "numeric", MaxLength: 20, Required: true},
				}}})
			}
			if len(c.Proof.Channels) == 0 && !c.Proof.Number {
				s.Agreed = append(s.Agreed, "Please load this page again in a minute, or call us to accept this load.")
			}
		}
		s.Aside = append(s.Aside, section{"Ask for something else", counterFields(*o, link).Apart("counter")})
	}
	if o.State == store.Offered || o.State == store.Countered {
		s.Aside = append(s.Aside, section{"No, thank you", declineFields(*o, link)})

		return
	}
	s.Pay = ""
}

// when are the days of an offer, and the first one on which the vehicles can be picked up.
func (o offerShown) when(l loadview.Load) (lines []string) {
	for _, one := range []struct {
		label string
		day   string
	}{{"Pickup on ", string(o.Pickup)}, {"Delivery on ", string(o.Delivery)}, {"The vehicles are available from ", l.AvailableFrom}} {
		if one.day != "" {
			lines = append(lines, one.label+page.Day(one.day))
		}
	}

	return lines
}

// carried has the page show the load that a carrier has.
func (s *content) carried(c carrierPage, l loadview.Load, link string, shown *page.Page) {
	row := c.Dispatch
	shown.Heading = "Load " + cmp.Or(l.Number, row.Number)
	switch row.State {
	case store.CancelledByCarrier:
		shown.Texts = []string{"You have given this load back."}

		return
	case store.CancelledByBroker:
		shown.Texts = []string{"This load was canceled."}

		return
	case store.Assigned:
		shown.Texts = []string{"The load is yours. Please be there on the agreed day."}
	case store.PickedUp:
		shown.Texts = []string{"The vehicles are with you."}
	case store.Delivered, store.Settled:
		shown.Texts = []string{"The vehicles were delivered. Thank you."}
	}
	s.Pay, s.Papers, s.Photos = page.Amount(row.CarrierPay, row.Currency), link+"/documents", link+"/photos/"
	for _, one := range []struct {
		label string
		day   field.Date
	}{{"Pickup on ", row.Pickup}, {"Delivery on ", row.Delivery}} {
		if one.day != "" {
			s.Agreed = append(s.Agreed, one.label+page.Day(string(one.day)))
		}
	}
	if left := s.Load.Collect; left != "" && row.State != store.Assigned {
		s.Aside = []section{{"The customer has paid me", collectFields(left, link)}}
	}
	s.Print = link + "/rate_confirmation"
	if c.Inspect && row.State != store.Delivered && row.State != store.Settled {
		s.Inspect = &page.Form{Action: link + "/driver_links", Submit: "Inspect and sign"}
	}
	first, last := loadview.Zones(c.Load)
	if row.State != store.Settled && row.Revision > row.AcceptedRevision {
		s.Forms = []section{{"The terms have changed", confirmFields(row.Revision, link)}}
	}
	if row.State == store.Delivered || row.State == store.Settled {
		return
	}
	s.Forms = append(s.Forms, section{"Who comes, and when", updateFields(row.Crew, clockAt(row.ETAPickup, first), clockAt(row.ETADelivery, last), link)})
	if row.State != store.Assigned {
		return
	}
	s.Aside = []section{{"Give the load back", cancelFields(c.Reasons, link)}}
}

// clockAt is what a clock in a zone shows, "" for no time.
func clockAt(at *time.Time, in *time.Location) string {
	if at == nil {
		return ""
	}

	return at.In(in).Format(localTime)
}

// problems explain refusals of answers, by their codes.
var problems = map[string]string{
	store.ErrVehicleTaken.Code:   "The load is taken.",
	store.ErrOfferExpired.Code:   "The offer expired in the meantime.",
	store.ErrNotYourTurn.Code:    "We have your counter already.",
	store.ErrTermsChanged.Code:   "The offer has changed in the meantime. Please look at it again.",
	store.ErrNotOpen.Code:        "The offer is no longer open.",
	errNotNow.Code:               errNotNow.Message,
	errCallUs.Code:               errCallUs.Message,
	store.ErrNothingChanged.Code: store.ErrNothingChanged.Message,
	store.ErrNoRoundsLeft.Code:   store.ErrNoRoundsLeft.Message,
	proof.ErrIdentityNeeded.Code: "Please prove with a code that you are the carrier.",
	onetimecode.ErrWrong.Code:    "The code is wrong.",
	onetimecode.ErrNone.Code:     "This code is no longer valid. Request a new one.",
	onetimecode.ErrTooMany.Code:  "Too many codes were sent. Please wait a little, or call us.",
	errNoRecord.Code:             errNoRecord.Message,
	proof.ErrUSDOTNeeded.Code:    proof.ErrUSDOTNeeded.Message,
	errOnBoard.Code:              errOnBoard.Message,
	store.ErrNoLoad.Code:         store.ErrNoLoad.Message,
	carrying.ErrNotPickedUp.Code: carrying.ErrNotPickedUp.Message,
	errNoInspection.Code:         errNoInspection.Message,
	link.ErrPortalOff.Code:       "Links for drivers are switched off at the moment. Please call us.",
}

// answered leads from a form back to the page, or shows the form again with what is wrong.
func (p *pages) answered(form *page.Form) func(a web.Answer) web.Page {
	return func(a web.Answer) web.Page { return p.layout.AnsweredForm(a, problems, FieldLabel, form) }
}
