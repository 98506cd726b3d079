package dispatches

import (
	"cmp"
	"embed"
	"encoding/json"
	"net/http"
	"path"
	"strconv"
	"strings"
	"time"

	"github.com/dispatchd/dispatchd/platform/field"
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

// loadShown is what the page shows of a load.
type loadShown struct {
	Number     string         `json:"number"`
	Stops      []stopShown    `json:"stops"`
	Vehicles   []vehicleShown `json:"vehicles"`
	Goods      []goodsShown   `json:"commodities"`
	Plan       []payShown     `json:"payment_plan"`
	Payments   []payShown     `json:"payments"`
	CarrierPay money.Amount   `json:"carrier_pay"`
	Balance    money.Amount   `json:"carrier_balance"`
	Currency   money.Currency `json:"currency"`
	Miles      *int64         `json:"miles"`
	// AvailableFrom is the first day on which the vehicles can be picked up, "" for any.
	AvailableFrom string `json:"available_from"`
	Transport     string `json:"transport_type"`
	Inspection    string `json:"inspection_type"`
	Instructions  string `json:"instructions_carrier"`
	ForBoard      string `json:"instructions_board"`
	References    []struct {
		Kind  string `json:"kind"`
		Value string `json:"value"`
	} `json:"references"`
}

type stopShown struct {
	Kind  string `json:"kind"`
	Notes string `json:"notes"`
	Venue struct {
		Name       string `json:"name"`
		Line1      string `json:"line1"`
		Line2      string `json:"line2"`
		City       string `json:"city"`
		State      string `json:"state"`
		PostalCode string `json:"postal_code"`
		Country    string `json:"country"`
		TimeZone   string `json:"time_zone"`
		Hours      string `json:"hours"`
		ByArrange  bool   `json:"appointment_required"`
		TWIC       bool   `json:"twic_required"`
	} `json:"venue"`
	BuyerNumber string `json:"buyer_number"`
	Contacts    []struct {
		Name   string   `json:"name"`
		Phones []string `json:"phones"`
	} `json:"contacts"`
	Window *struct {
		From string `json:"from"`
		To   string `json:"to"`
	} `json:"window"`
}

type vehicleShown struct {
	Year     *int64   `json:"year"`
	Make     string   `json:"make"`
	Model    string   `json:"model"`
	VIN      string   `json:"vin"`
	Color    string   `json:"color"`
	Plate    string   `json:"plate"`
	Lot      string   `json:"lot_number"`
	Buyer    string   `json:"buyer_number"`
	GatePass string   `json:"gate_pass"`
	Notes    string   `json:"notes"`
	Operable *bool    `json:"operable"`
	Photos   []string `json:"photo_uuids"`
}

// goodsShown are goods that are no vehicle.
type goodsShown struct {
	Description string `json:"description"`
	Pieces      int64  `json:"pieces"`
	WeightLb    int64  `json:"weight_lb"`
	LengthIn    int64  `json:"length_in"`
	WidthIn     int64  `json:"width_in"`
	HeightIn    int64  `json:"height_in"`
	Stackable   bool   `json:"stackable"`
	Hazmat      *struct {
		Number string `json:"un_number"`
		Class  string `json:"class"`
	} `json:"hazmat"`
}

// text are goods as people read them.
func (g goodsShown) text() string {
	parts := []string{g.Description}
	for _, one := range []struct {
		n    int64
		text string
	}{{g.Pieces, "%d pieces"}, {g.WeightLb, "%d lb"}} {
		if one.n > 0 {
			parts = append(parts, page.Sprintf(one.text, one.n))
		}
	}
	if g.LengthIn > 0 && g.WidthIn > 0 && g.HeightIn > 0 {
		parts = append(parts, page.Sprintf("%d × %d × %d in each", g.LengthIn, g.WidthIn, g.HeightIn))
	}
	if g.Stackable {
		parts = append(parts, "stackable")
	}
	if g.Hazmat != nil {
		parts = append(parts, "hazardous material "+g.Hazmat.Number+", class "+g.Hazmat.Class)
	}

	return strings.Join(parts, ", ")
}

type payShown struct {
	From   string       `json:"from"`
	To     string       `json:"to"`
	Kind   string       `json:"kind"`
	Amount money.Amount `json:"amount"`
	Event  string       `json:"due_event"`
	Days   int64        `json:"due_days"`
	// Business says that Days are those on which banks are open.
	Business bool      `json:"business_days"`
	Method   string    `json:"method"`
	At       time.Time `json:"at"`
}

// content is what the markup shows.
type content struct {
	Pay    string
	Agreed []string
	// Changed is what has changed of an offer since its carrier last answered it.
	Changed []changeText
	Facts   []string
	Broker  []page.Line
	Message string
	Stops   []stopText
	Cars    []carText
	Goods   []string
	Pays    []string
	// Collect is what the carrier has yet to collect of the customer, "" for nothing.
	Collect string
	Notes   []string
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

type stopText struct {
	Title string
	Lines []page.Line
}

// carText is a vehicle, and where the photos of it are.
type carText struct {
	Text   string
	Photos []string
}

// cars are the vehicles, one on each line.
func (s content) cars() string {
	all := make([]string, len(s.Cars))
	for i, c := range s.Cars {
		all[i] = c.Text
	}

	return strings.Join(all, "\n")
}

// section is a form under a heading.
type section struct {
	Title string
	Form  *page.Form
}

// sheet renders the page.
func (p *pages) sheet(a web.Answer) web.Page {
	var c carrierPage
	var l loadShown
	if a.Status != http.StatusOK || json.Unmarshal(a.JSON, &c) != nil || json.Unmarshal(c.Load, &l) != nil {
		return p.layout.Refused(a, fieldLabel)
	}
	link := path.Base(a.Path)
	shown := page.Page{Brand: c.Brand, Scripted: true, Pictures: true}
	s := content{Broker: c.Broker.lines(), Terms: c.Terms, Viewed: link + "/viewed"}
	s.of(l)
	s.Notes = append(s.Notes, c.Notes...)
	if text := problems[c.Problem]; text != "" {
		shown.Problems = []string{text}
	}
	for _, w := range c.Warnings {
		shown.Problems = append(shown.Problems, w.Message)
	}
	if c.Dispatch != nil {
		if left, err := money.Of(l.Balance, l.Currency); err == nil && left.Sign() > 0 && len(l.Payments) > 0 {
			s.Pays = append(s.Pays, "Left to be paid to you: "+page.Amount(l.Balance, l.Currency))
		}
		s.carried(c, l, link, &shown)
	} else {
		if c.Offer.Amount != l.CarrierPay { // the payments follow what is agreed
			s.Pays = nil
			for _, p := range l.Plan {
				s.Pays = append(s.Pays, p.text(""))
			}
		}
		s.offered(c, l, link, &shown)
	}
	shown.Content = s

	return p.layout.Show(shown)
}

// lines name a broker: its number at the regulator, and its phone.
func (b brokerShown) lines() (all []page.Line) {
	for _, one := range []struct{ label, text string }{{"USDOT ", b.USDOT}, {"", b.Docket}} {
		all = append(all, page.Lines(labeled(one.label, one.text))...)
	}
	if b.Phone != "" {
		all = append(all, page.Called("Phone", b.Phone))
	}

	return all
}

// of has the page show a load as far as the carrier sees it.
func (s *content) of(l loadShown) {
	if l.Miles != nil {
		s.Facts = append(s.Facts, page.Sprintf("About %d miles", *l.Miles))
	}
	if text := transports[l.Transport]; text != "" {
		s.Facts = append(s.Facts, text)
	}
	if l.Inspection != "" && l.Inspection != "standard" {
		s.Facts = append(s.Facts, "Inspection: "+l.Inspection)
	}
	for _, one := range l.Stops {
		s.Stops = append(s.Stops, one.text())
	}
	for _, v := range l.Vehicles {
		s.Cars = append(s.Cars, carText{v.text(), v.Photos})
	}
	for _, g := range l.Goods {
		s.Goods = append(s.Goods, g.text())
	}
	for _, p := range l.Plan {
		s.Pays = append(s.Pays, p.text(page.Amount(p.Amount, l.Currency)+" "))
	}
	s.Collect = l.toCollect()
	for _, r := range l.References {
		s.Facts = append(s.Facts, referenceNames[r.Kind]+" "+r.Value)
	}
	for _, text := range []string{l.Instructions, l.ForBoard} {
		if text != "" {
			s.Notes = append(s.Notes, text)
		}
	}
}

var referenceNames = map[string]string{
	"po": "Purchase order", "buyer": "Buyer number", "gate_pass": "Gate pass", "release": "Release number", "lot": "Lot", "customer": "Customer's reference", "other": "Reference",
}

// toCollect is what the customer has yet to pay to the carrier, "" for nothing.
func (l loadShown) toCollect() string {
	var left int64
	for _, sign := range []struct {
		all []payShown
		of  int64
	}{{l.Plan, 1}, {l.Payments, -1}} {
		for _, p := range sign.all {
			if made, err := money.Of(p.Amount, l.Currency); err == nil && p.From == "customer" && p.To == carrier {
				n, _ := made.Units()
				left += sign.of * n
			}
		}
	}
	if left <= 0 {
		return ""
	}

	return string(money.OfUnits(left, l.Currency).Amount)
}

// text is a stop as people read it.
func (s stopShown) text() stopText {
	v := s.Venue
	place := strings.TrimSpace(strings.Trim(v.City+", "+v.State, ", ") + " " + v.PostalCode)
	t := stopText{Title: stopTitles[s.Kind] + ": " + place}
	if v.Line1+v.Line2 != "" {
		t.Lines = page.Address(v.Name, v.Line1, v.Line2, place)
	} else {
		t.Lines = page.Lines(v.Name)
	}
	if w := s.Window; w != nil {
		t.Lines = append(t.Lines, page.Lines(page.Window(w.From, w.To, v.TimeZone))...)
	}
	if v.Hours != "" {
		t.Lines = append(t.Lines, page.Lines("Hours: "+v.Hours)...)
	}
	if v.ByArrange {
		t.Lines = append(t.Lines, page.Lines("An appointment is required. Call before you come.")...)
	}
	if v.TWIC {
		t.Lines = append(t.Lines, page.Lines("The driver needs a TWIC card.")...)
	}
	if s.BuyerNumber != "" {
		t.Lines = append(t.Lines, page.Lines("Buyer number "+s.BuyerNumber)...)
	}
	for _, who := range s.Contacts {
		t.Lines = append(t.Lines, page.Called(who.Name, who.Phones...))
	}
	t.Lines = append(t.Lines, page.Lines(s.Notes)...)

	return t
}

var stopTitles = map[string]string{"pickup": "Pickup", "delivery": "Delivery", "transfer": "Transfer"}

// text is a vehicle as people read it.
func (v vehicleShown) text() string {
	name := v.Make + " " + v.Model
	if v.Year != nil {
		name = strconv.FormatInt(*v.Year, 10) + " " + name
	}
	parts := []string{strings.TrimSpace(name)}
	for _, one := range []struct{ label, value string }{{"", v.Color}, {"VIN ", v.VIN}, {"plate ", v.Plate}, {"lot ", v.Lot}, {"buyer number ", v.Buyer}, {"gate pass ", v.GatePass}} {
		if one.value != "" {
			parts = append(parts, one.label+one.value)
		}
	}
	if v.Operable != nil && !*v.Operable {
		parts = append(parts, "does not run")
	}
	if v.Notes != "" {
		parts = append(parts, v.Notes)
	}

	return strings.Join(parts, ", ")
}

// text is a payment of an amount as the carrier reads it; "" is for one that is not known yet.
func (p payShown) text(amount string) string {
	who := map[string]string{"customer": "The customer pays", "broker": "We pay", "carrier": "You pay"}[p.From]
	to := map[string]string{"carrier": " you ", "broker": " us "}[p.To]

	return who + to + amount + p.terms()
}

// clause is a payment of an amount as the contract has it.
func (p payShown) clause(amount string) string {
	who := map[string]string{"customer": "The customer pays", "broker": "The broker pays", "carrier": "The carrier pays"}[p.From]
	to := map[string]string{"carrier": " the carrier ", "broker": " the broker "}[p.To]

	return who + to + amount + " " + p.terms() + "."
}

// terms are how and when a payment is made.
func (p payShown) terms() string {
	how, onDelivery := methods[p.Method], map[string]string{"cod": " (COD, cash on delivery)", "cop": " (COP, cash on pickup)"}[p.Kind]
	if how == "" && onDelivery != "" {
		how = "in cash or certified funds"
	}

	return strings.TrimSpace(how+" "+p.due()) + onDelivery
}

// due is until when a payment is made.
func (p payShown) due() string {
	at, after := dueTexts[p.Event], dueEvents[p.Event]
	if p.Days == 0 {
		return at
	}
	days := page.Sprintf("%d calendar days", p.Days)
	switch {
	case p.Business && p.Days == 1:
		days = "1 business day"
	case p.Business:
		days = page.Sprintf("%d business days", p.Days)
	case p.Days == 1:
		days = "1 calendar day"
	}

	return "within " + days + " after " + after
}

// methods are how payments are made, for those that have one.
var methods = map[string]string{
	"cash": "in cash", "certified_check": "by certified check", "check": "by check", "cashiers_check": "by cashier's check", "money_order": "by money order", "comchek": "by Comchek",
	"ach": "by ACH", "wire": "by wire transfer", "direct_deposit": "by direct deposit", "credit_card": "by credit card", "venmo": "by Venmo", "cashapp": "by Cash App", "zelle": "by Zelle",
	"uship": "by uShip",
}

// dueTexts are when payments are made that are due at once, dueEvents what the days of others are counted from.
var dueTexts = map[string]string{
	"booking": "at booking", "dispatch": "at dispatch", "pickup": "at pickup", "delivery": "at delivery", "signed_bol": "after the signed bill of lading", "invoice": "after the invoice",
}

var dueEvents = map[string]string{
	"booking": "the booking", "dispatch": "the dispatch", "pickup": "the pickup", "delivery": "the delivery", "signed_bol": "the signed bill of lading", "invoice": "the invoice",
}

var transports = map[string]string{"open": "On an open trailer", "enclosed": "In an enclosed trailer", "driveaway": "Driven by a driver"}

// offered has the page show an offer.
func (s *content) offered(c carrierPage, l loadShown, link string, shown *page.Page) {
	o := c.Offer
	shown.Heading, s.Message, s.Pay = "Offer for load "+cmp.Or(l.Number, o.Number), o.Message, page.Amount(o.Amount, o.Currency)
	if o.State == offered || o.State == countered {
		s.Agreed = append(s.Agreed, o.when(l)...)
		for _, one := range o.Changes {
			label := labelOf(one.Field)
			s.Changed = append(s.Changed, changeText{strings.ToUpper(label[:1]) + label[1:], one.Before, one.After})
		}
	}
	switch o.State {
	case accepted: // its dispatch is shown
	case declined:
		shown.Texts = []string{"You have declined this offer. If you change your mind, please call us."}
	case expired:
		shown.Texts = []string{"This offer has expired. Please call us if you want the load."}
	case withdrawn:
		shown.Texts = []string{"We have taken this offer back."}
	case superseded, queued:
		shown.Texts = []string{"This load is taken. Thank you for looking at it."}
	case countered:
		shown.Texts = []string{"We have your counter, and will answer."}
	case offered:
		if o.ExpiresAt != nil {
			first, _ := ends(c.Load)
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
	if o.State == offered || o.State == countered {
		s.Aside = append(s.Aside, section{"No, thank you", declineFields(*o, link)})

		return
	}
	s.Pay = ""
}

// when are the days of an offer, and the first one on which the vehicles can be picked up.
func (o offerShown) when(l loadShown) (lines []string) {
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

// proofForms are the forms by which a carrier proves who it is.
func proofForms(p proof, link string) []section {
	company := section{"Before you accept: your company", companyFields(p.USDOT, link)}
	switch {
	case p.Number, p.USDOT != "" && len(p.Channels) == 0:
		return []section{company}
	case len(p.Channels) == 0:
		return nil
	}
	to := page.Field{Name: "channel", Label: "Send it to", Hint: "The phone or e-mail that the regulator has on record for you.", Type: "select", Required: true}
	for _, c := range p.Channels {
		to.Options = append(to.Options, page.Option{Value: c.Name, Text: c.To})
	}

	return []section{
		{"Before you accept: a code", &page.Form{Action: link + "/code", Submit: "Send a code", Fields: []page.Field{to}}},
		{"Your code", codeFields(link)},
	}
}

func companyFields(usdot, link string) *page.Form {
	return &page.Form{Action: link + "/company", Submit: "Look me up", Fields: []page.Field{
		{
			Name: "usdot", Label: "USDOT number", Hint: "We then send a code to the phone or e-mail that the regulator has on record for you.", Value: usdot, InputMode: "numeric",
			MaxLength: 20, Required: true,
		},
	}}
}

func codeFields(link string) *page.Form {
	return &page.Form{Action: link + "/identify", Submit: "Confirm", Fields: []page.Field{
		{Name: "code", Label: "Code", InputMode: "numeric", Autocomplete: "one-time-code", MaxLength: 20, Required: true},
	}}
}

func declineFields(o offerShown, link string) *page.Form {
	return &page.Form{
		Action: link + "/decline", Hidden: map[string]string{"shown": strconv.Itoa(o.Shown)}, Submit: "Decline", Second: true,
		Fields: []page.Field{{Name: "note", Label: "What made you decline?", Type: "textarea", MaxLength: 500}},
	}
}

func hidden(o offerShown) map[string]string {
	return map[string]string{"shown": strconv.Itoa(o.Shown), "shown_key": o.Key}
}

func acceptFields(o offerShown, link string) *page.Form {
	form := &page.Form{Action: link + "/accept", Hidden: hidden(o), Submit: "Accept this load"}
	form.Fields = []page.Field{
		{Name: "pickup_date", Label: "Day of the pickup", Type: "date", Value: string(o.Pickup), Required: true},
		{Name: "delivery_date", Label: "Day of the delivery", Type: "date", Value: string(o.Delivery), Required: true},
		{Name: "driver_name", Label: "Driver", MaxLength: 200},
		{Name: "driver_phone", Label: "Phone of the driver", Type: "tel", MaxLength: 40},
		{Name: "name", Label: "Your name", Autocomplete: "name", MaxLength: 200, Required: true},
		{Name: "accepted", Label: "I accept this load at this pay, on these days and terms", Type: "checkbox", Required: true},
	}

	return form
}

func counterFields(o offerShown, link string) *page.Form {
	return &page.Form{Action: link + "/counter", Hidden: hidden(o), Submit: "Send the counter", Second: true, Fields: []page.Field{
		{Name: "amount", Label: "Pay", Value: string(o.Amount), InputMode: "decimal", MaxLength: 20},
		{Name: "pickup_date", Label: "Day of the pickup", Type: "date", Value: string(o.Pickup)},
		{Name: "delivery_date", Label: "Day of the delivery", Type: "date", Value: string(o.Delivery)},
		{Name: "note", Label: "Note", Type: "textarea", MaxLength: 500},
	}}
}

// carried has the page show the load that a carrier has.
func (s *content) carried(c carrierPage, l loadShown, link string, shown *page.Page) {
	row := c.Dispatch
	shown.Heading = "Load " + cmp.Or(l.Number, row.Number)
	switch row.State {
	case cancelledByCarrier:
		shown.Texts = []string{"You have given this load back."}

		return
	case cancelledByBroker:
		shown.Texts = []string{"This load was canceled."}

		return
	case assigned:
		shown.Texts = []string{"The load is yours. Please be there on the agreed day."}
	case pickedUp:
		shown.Texts = []string{"The vehicles are with you."}
	case delivered, settled:
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
	if left := s.Collect; left != "" && row.State != assigned {
		s.Aside = []section{{"The customer has paid me", collectFields(left, link)}}
	}
	s.Print = link + "/rate_confirmation"
	if c.Inspect && row.State != delivered && row.State != settled {
		s.Inspect = &page.Form{Action: link + "/driver_links", Submit: "Inspect and sign"}
	}
	first, last := ends(c.Load)
	if row.State != settled && row.Revision > row.AcceptedRevision {
		s.Forms = []section{{"The terms have changed", confirmFields(row.Revision, link)}}
	}
	if row.State == delivered || row.State == settled {
		return
	}
	s.Forms = append(s.Forms, section{"Who comes, and when", updateFields(row.Crew, clockAt(row.ETAPickup, first), clockAt(row.ETADelivery, last), link)})
	if row.State != assigned {
		return
	}
	s.Aside = []section{{"Give the load back", cancelFields(c.Reasons, link)}}
}

func collectFields(left, link string) *page.Form {
	return &page.Form{Action: link + "/collected", Submit: "Say that it was paid", Second: true, Fields: []page.Field{
		{Name: "amount", Label: "Amount", Value: left, InputMode: "decimal", MaxLength: 20, Required: true},
		{Name: "method", Label: "How?", Type: "select", Required: true, Options: []page.Option{
			{Value: "cash", Text: "Cash"},
			{Value: "certified_check", Text: "Certified check"},
			{Value: "money_order", Text: "Money order"},
			{Value: "check", Text: "Check"},
			{Value: "zelle", Text: "Zelle"},
			{Value: "venmo", Text: "Venmo"},
			{Value: "cashapp", Text: "Cash App"},
			{Value: "other", Text: "Otherwise"},
		}},
	}}
}

func confirmFields(revision int64, link string) *page.Form {
	return &page.Form{
		Action: link + "/confirm", Hidden: map[string]string{"revision": strconv.FormatInt(revision, 10)}, Submit: "Accept the new terms", Fields: []page.Field{
			{Name: "name", Label: "Your name", Autocomplete: "name", MaxLength: 200, Required: true},
			{Name: "accepted", Label: "I accept this load at this pay, on these days and terms", Type: "checkbox", Required: true},
		},
	}
}

// updateFields has when the carrier is expected as on a clock at the stop.
func updateFields(who crew, pickup, delivery, link string) *page.Form {
	return &page.Form{Action: link + "/update", Submit: "Save", Fields: []page.Field{
		{Name: "driver_name", Label: "Driver", Value: who.DriverName, MaxLength: 200},
		{Name: "driver_phone", Label: "Phone of the driver", Type: "tel", Value: string(who.DriverPhone), MaxLength: 40},
		{Name: "truck", Label: "Truck", Value: who.Truck, MaxLength: 100},
		{Name: "eta_pickup", Label: "At the pickup, local time", Type: "datetime-local", Value: pickup},
		{Name: "eta_delivery", Label: "At the delivery, local time", Type: "datetime-local", Value: delivery},
	}}
}

func cancelFields(reasons []reason, link string) *page.Form {
	why := page.Field{Name: "reason", Label: "Why?", Type: "select", Required: true}
	for _, r := range reasons {
		why.Options = append(why.Options, page.Option{Value: r.ID, Text: r.Label})
	}

	return &page.Form{Action: link + "/cancel", Submit: "Give the load back", Second: true, Fields: []page.Field{
		why, {Name: "note", Label: "Note", Type: "textarea", MaxLength: 500},
	}}
}

// clockAt is what a clock in a zone shows, "" for no time.
func clockAt(at *time.Time, in *time.Location) string {
	if at == nil {
		return ""
	}

	return at.In(in).Format(localTime)
}

// problems are what people are told who have answered what cannot be answered so any more.
var problems = map[string]string{
	errTaken.Code: "The load is taken.", errExpired.Code: "The offer expired in the meantime.", errTurn.Code: "We have your counter already.", errTerms.Code: "The offer has changed in the meantime. Please look at it again.",
	errOver.Code: "The offer is no longer open.", errNotNow.Code: errNotNow.Message, errCallUs.Code: errCallUs.Message, errNothing.Code: errNothing.Message, errRounds.Code: errRounds.Message,
	errIdentity.Code: "Please prove with a code that you are the carrier.", onetimecode.ErrWrong.Code: "The code is wrong.", onetimecode.ErrNone.Code: "This code is no longer valid. Request a new one.",
	onetimecode.ErrTooMany.Code: "Too many codes were sent. Please wait a little, or call us.", errNoRecord.Code: errNoRecord.Message,
	errNoNumber.Code: errNoNumber.Message, errOnBoard.Code: errOnBoard.Message, errNoLoad.Code: errNoLoad.Message, errNotYet.Code: errNotYet.Message,
	errNoInspection.Code: errNoInspection.Message,
}

// answered leads from a form back to the page, or shows the form again with what is wrong.
func (p *pages) answered(form *page.Form) func(a web.Answer) web.Page {
	return func(a web.Answer) web.Page { return p.layout.AnsweredForm(a, problems, fieldLabel, form) }
}

func fieldLabel(field string) string {
	return map[string]string{
		"name": "Your name", "usdot": "USDOT number", "accepted": "Terms", "pickup_date": "Day of the pickup", "delivery_date": "Day of the delivery", "amount": "Pay", "driver_phone": "Phone of the driver",
		"eta_pickup": "At the pickup", "eta_delivery": "At the delivery", "reason": "Why?",
	}[field]
}
