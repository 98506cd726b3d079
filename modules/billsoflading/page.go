package billsoflading

import (
	"embed"
	"encoding/json"
	"net/http"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/damage"
	"github.com/dispatchd/dispatchd/platform/page"
	"github.com/dispatchd/dispatchd/platform/share"
	"github.com/dispatchd/dispatchd/platform/web"
)

//go:embed page
var pageFiles embed.FS

// pages renders the pages of drivers and of those who sign. Their script keeps what cannot be sent, draws signatures, and finds the place of a
// damage on the outline; without it, all can be entered as well.
type pages struct{ layout *page.Layout }

func newPages() *pages {
	return &pages{page.New(page.Parts{
		Content: page.File(pageFiles, "page/bol.html"), Style: page.File(pageFiles, "page/bol.css"), Script: page.File(pageFiles, "page/bol.js"),
	})}
}

// content is what the markup shows.
type content struct {
	Loads []loadText
	BOLs  []billText
	// Queued says that the script keeps what cannot be sent.
	Queued bool
	// Print is where the PDF is, "" for nowhere.
	Print string
}

// loadText is what a driver has to know of a load.
type loadText struct {
	Title   string
	Collect []string
	Stops   []stopText
	Notes   []string
}

type stopText struct {
	Title string
	Lines []page.Line
}

type billText struct {
	Title    string
	From, To []page.Line
	Cars     []carText
	Signed   []string
	Forms    []section
	Aside    []section
	Notes    []string
}

type carText struct {
	Title string
	// Lines are what the vehicle is released by.
	Lines   []string
	Columns []columnText
	// Marks are the damages on the outline.
	Marks   []mark
	Outline bool
	// Pictures are the photos, where whoever reads may see them.
	Pictures []picture
	Aside    []section
}

// picture is a photo under a heading.
type picture struct{ Source, Text string }

type columnText struct {
	Title string
	Lines []string
}

// mark is a damage on the outline, in its units.
type mark struct {
	X, Y int64
	New  bool
}

type section struct {
	Title string
	Form  *page.Form
	// Text is what is agreed to with the form.
	Text string
}

// side is a part of the outline of a vehicle, which is unfolded around its top.
type side struct{ Name, Label, X, Y, Width, Height string }

// sides are those of the outline, 300 by 220.
func sides() []side {
	return []side{
		{"left", "Left side", "70", "10", "160", "45"},
		{"top", "Top", "70", "65", "160", "80"},
		{"right", "Right side", "70", "155", "160", "45"},
		{"front", "Front", "10", "65", "50", "80"},
		{"rear", "Rear", "240", "65", "50", "80"},
	}
}

// Sides are those of the outline, for the markup.
func (carText) Sides() []side { return sides() }

// markOf is where a damage is on the outline.
func markOf(d damageShown, fresh bool) (m mark, there bool) {
	i := slices.IndexFunc(sides(), func(s side) bool { return s.Name == d.Side })
	if i < 0 || d.X == nil || d.Y == nil {
		return m, false
	}
	number := func(text string) int64 {
		n, _ := strconv.ParseInt(text, 10, 64) //nolint:errcheck // of our own list

		return n
	}
	s := sides()[i]
	const whole = 1000

	return mark{number(s.X) + *d.X*number(s.Width)/whole, number(s.Y) + *d.Y*number(s.Height)/whole, fresh}, true
}

// driver renders the page of a driver.
func (p *pages) driver(a web.Answer) web.Page {
	var d driverPage
	if a.Status != http.StatusOK || json.Unmarshal(a.JSON, &d) != nil {
		return p.layout.Refused(a, fieldLabel)
	}
	link := path.Base(a.Path)
	c := content{Queued: true}
	released := map[uuid.UUID][]string{}
	for _, l := range d.Loads {
		c.Loads = append(c.Loads, l.text())
		for _, v := range l.Vehicles {
			released[v.UUID] = v.releases()
		}
	}
	for _, b := range d.BOLs {
		t := textOf(b)
		for i, v := range b.Vehicles {
			t.Cars[i].Lines = released[v.Vehicle.UUID]
		}
		t.forDriver(b, link)
		c.BOLs = append(c.BOLs, t)
	}
	if len(c.Loads) == 1 {
		c.Loads[0].Title = "" // the heading has it
	}
	shown := page.Page{Brand: d.Brand, Heading: "Load " + d.Number, Content: c, Scripted: true}
	if len(d.Loads) > 0 && d.Number != d.Loads[0].Number {
		shown.Heading = "Trip " + d.Number
	}
	if text := problems[d.Problem]; text != "" {
		shown.Problems = []string{text}
	}

	return p.layout.Show(shown)
}

// sign renders the page on which the other side signs.
func (p *pages) sign(a web.Answer) web.Page {
	var s sharedPage
	if a.Status != http.StatusOK || json.Unmarshal(a.JSON, &s) != nil {
		return p.layout.Refused(a, fieldLabel)
	}
	t := textOf(s.BOL)
	t.Forms = []section{{
		"Your signature", &page.Form{Action: path.Base(a.Path), Submit: "Sign", Name: "signature", Hidden: map[string]string{"strokes": ""}, Fields: signerFields()}, s.Statement,
	}}

	return p.layout.Show(page.Page{
		Brand: s.Brand, Heading: "Bill of lading " + s.BOL.Number, Content: content{BOLs: []billText{t}}, Scripted: true,
	})
}

// signed thanks for a signature.
func (p *pages) signed(a web.Answer) web.Page {
	var s sharedPage
	if a.Status != http.StatusOK || json.Unmarshal(a.JSON, &s) != nil {
		refused := page.RefusedPage(a, fieldLabel)
		if refused.Again != "" {
			refused.Again, refused.Onward = "", path.Base(a.Path)
		}
		if a.Form != nil && a.Status == http.StatusUnprocessableEntity {
			refused.Form = (&page.Form{Action: path.Base(a.Path), Submit: "Sign", Hidden: map[string]string{"strokes": ""}, Fields: signerFields()}).Again(a.Form)
			refused.Problems = page.Explain(refused.Form.Fields, page.FailureOf(a).Errors)
		}

		return p.layout.Show(refused)
	}

	return p.layout.Show(page.Page{Brand: s.Brand, Heading: "Thank you", Texts: []string{"You have signed the bill of lading " + s.BOL.Number + "."}})
}

// view renders the page of a bill of lading that somebody reads.
func (p *pages) view(a web.Answer) web.Page {
	var s sharedPage
	if a.Status != http.StatusOK || json.Unmarshal(a.JSON, &s) != nil {
		return p.layout.Refused(a, fieldLabel)
	}

	link, bill := path.Base(a.Path), textOf(s.BOL)
	for i, v := range s.BOL.Vehicles {
		for _, at := range []struct {
			title string
			found *inspectedShown
		}{{"at the pickup", v.Pickup}, {"at the delivery", v.Delivery}} {
			if at.found == nil {
				continue
			}
			for _, one := range at.found.Pictures {
				subject := strings.ReplaceAll(one.Subject, "_", " ")
				bill.Cars[i].Pictures = append(bill.Cars[i].Pictures, picture{link + "/photos/" + one.UUID.String(), strings.ToUpper(subject[:1]) + subject[1:] + ", " + at.title})
			}
		}
	}

	return p.layout.Show(page.Page{
		Brand: s.Brand, Heading: "Bill of lading " + s.BOL.Number, Pictures: true, Content: content{BOLs: []billText{bill}, Print: link + "/pdf"},
	})
}

// entered leads from a form of the driver's page back to it, or shows the form again with what is wrong.
func (p *pages) entered(a web.Answer) web.Page {
	return p.layout.AnsweredForm(a, problems, fieldLabel, enteredForm(path.Base(a.Path), a.Form))
}

// enteredForm is the form that was sent to an operation, nil for one that has no fields.
func enteredForm(to string, entered formValues) *page.Form {
	var form *page.Form
	switch to {
	case "inspections":
		form = inspectionFields(&inspectedShown{}, nil, "")
	case "damages":
		form = damageFields(entered.Get("code_system") == "aiag", nil, "")
	case "signatures":
		if form = signatureFields("Sign", nil, ""); entered.Get("method") == notAvailable {
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

// signLink shows the link by which somebody signs on another phone.
func (p *pages) signLink(a web.Answer) web.Page {
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

// textOf is a bill of lading as people read it.
func textOf(b bolShown) billText {
	t := billText{Title: b.Number, From: linesOf(b.Consignor), To: linesOf(b.Consignee)}
	if b.State == draft {
		t.Notes = append(t.Notes, "It is not issued yet.")
	}
	for _, v := range b.Vehicles {
		car := carText{Title: v.Vehicle.text()}
		for _, one := range []struct {
			title string
			found *inspectedShown
		}{{"At the pickup", v.Pickup}, {"At the delivery", v.Delivery}} {
			if one.found == nil {
				continue
			}
			lines := one.found.lines()
			if one.found.State == submitted {
				lines = append(lines, "Inspection complete")
			}
			car.Columns = append(car.Columns, columnText{one.title, lines})
			for _, d := range one.found.Damages {
				if m, there := markOf(d, one.found == v.Delivery && !d.Existing); there {
					car.Marks = append(car.Marks, m)
				}
			}
		}
		car.Outline = len(car.Marks) > 0
		t.Cars = append(t.Cars, car)
	}
	for _, s := range b.Signatures {
		t.Signed = append(t.Signed, s.text())
	}
	for _, a := range b.Amendments {
		t.Notes = append(t.Notes, "Amended: "+a.Text)
	}

	return t
}

func linesOf(p party) []page.Line {
	lines := page.Address(p.Name, append(slices.Clone(p.Address), p.place())...)
	contact := p.Contact
	if contact == p.Name {
		contact = ""
	}
	if contact != "" || len(p.Phones) > 0 {
		lines = append(lines, page.Called(contact, p.Phones...))
	}

	return lines
}

// text is a load as its driver reads it.
func (l drivenLoad) text() loadText {
	t := loadText{Title: "Load " + l.Number}
	for _, c := range l.Collect {
		t.Collect = append(t.Collect, c.text())
	}
	for _, s := range l.Stops {
		t.Stops = append(t.Stops, stopText{map[string]string{"pickup": "Pickup", "delivery": "Delivery", "transfer": "Transfer"}[s.Kind] + ": " + strings.Trim(s.Venue.City+", "+s.Venue.State, ", "), s.lines()})
	}
	for _, r := range l.References {
		t.Notes = append(t.Notes, map[string]string{"gate_pass": "Gate pass", "buyer": "Buyer number", "release": "Release number", "lot": "Lot", "po": "Purchase order"}[r.Kind]+" "+r.Value)
	}
	for _, text := range append([]string{l.Instructions}, l.Notes...) {
		if text != "" {
			t.Notes = append(t.Notes, text)
		}
	}

	return t
}

// forDriver adds what the driver enters.
func (t *billText) forDriver(b bolShown, link string) {
	if b.Due == "" {
		t.Notes = append(t.Notes, "All is signed. Thank you.")

		return
	}
	done := true
	for i, v := range b.Vehicles {
		at := v.Pickup
		if b.Due == atDelivery {
			at = v.Delivery
		}
		if at != nil && at.State == submitted {
			continue
		}
		done = false
		t.Cars[i].Outline = true
		t.Cars[i].Aside = vehicleForms(v.Vehicle, b, at, link)
	}
	roles := map[string]bool{}
	for _, s := range b.Signatures {
		roles[s.Role] = roles[s.Role] || s.Stage == b.Due
	}
	if !done {
		t.Notes = append(t.Notes, "Inspect all vehicles, then sign at the "+string(b.Due)+".")

		return
	}
	hidden := func(role string) map[string]string {
		return map[string]string{"bol_uuid": b.UUID.String(), "stage": string(b.Due), "role": role, "strokes": ""}
	}
	scope := b.UUID.String()
	if !roles[driver] {
		t.Forms = append(t.Forms, section{"Driver", signatureFields("Sign as the driver", hidden(driver), link).Apart("d" + scope), b.Due.statement(driver)})
	}
	other := b.Due.counterpart()
	if roles[other] {
		return
	}
	signing := signatureFields("Sign as the customer", hidden(other), link)
	signing.Second = true
	t.Forms = append(t.Forms, section{"Customer", signing.Apart("c" + scope), b.Due.statement(other)})
	t.Aside = append(t.Aside, section{"Sign on the customer's phone", signLinkFields(b.UUID.String(), link).Apart("l" + scope), ""})
	if b.Inspection != standard {
		return
	}
	absent := hidden(other)
	absent["method"] = notAvailable
	t.Aside = append(t.Aside, section{"No one is there to sign", absentFields(absent, link).Apart("n" + scope), ""})
}

func signatureFields(submit string, hidden map[string]string, link string) *page.Form {
	return &page.Form{Action: link + "/signatures", Hidden: hidden, Submit: submit, Name: "signature", Fields: signerFields()}
}

func signLinkFields(bill, link string) *page.Form {
	return &page.Form{
		Action: link + "/sign_links", Hidden: map[string]string{"bol_uuid": bill}, Submit: "Make a link", Second: true,
		Fields: []page.Field{{Name: "to", Label: "Phone or e-mail to send it to", MaxLength: 320}},
	}
}

func absentFields(hidden map[string]string, link string) *page.Form {
	return &page.Form{
		Action: link + "/signatures", Hidden: hidden, Submit: "Go on without a signature", Second: true, Name: "entry",
		Fields: []page.Field{{Name: "reason", Label: "Why?", MaxLength: 500, Required: true}},
	}
}

func signerFields() []page.Field {
	return []page.Field{{Name: "name", Label: "Name", Autocomplete: "name", MaxLength: 200, Required: true}}
}

// vehicleForms are what the driver enters of a vehicle.
func vehicleForms(v cargo, b bolShown, at *inspectedShown, link string) []section {
	hidden := func() map[string]string {
		return map[string]string{"vehicle_uuid": v.UUID.String(), "stage": string(b.Due)}
	}
	if at == nil {
		at = &inspectedShown{Drivable: "unknown", Weather: "dry", Unit: "mi"}
	}
	scope := v.UUID.String()
	what := page.Field{Name: "subject", Label: "What it shows", Type: "select", Value: "front"}
	for _, s := range subjects {
		what.Options = append(what.Options, page.Option{Value: s, Text: words(s)})
	}
	note := hidden()
	note["x"], note["y"] = "", ""
	if b.Inspection == "aiag" {
		note["code_system"] = "aiag"
	}

	return []section{
		{"Add a photo", (&page.Form{Action: link + "/photos", Hidden: hidden(), Submit: "Send the photo", Second: true, Name: "entry", Fields: []page.Field{
			what, {Name: "file", Label: "Photo", Type: "file", Accept: "image/*", Required: true},
		}}).Apart("p" + scope), ""},
		{"Note a damage", damageFields(b.Inspection == "aiag", note, link).Apart("m" + scope), ""},
		{"Say how the vehicle is", inspectionFields(at, hidden(), link).Apart("i" + scope), ""},
		{"Inspection complete", (&page.Form{Action: link + "/submissions", Hidden: hidden(), Submit: "The inspection is complete", Name: "entry"}).Apart("s" + scope), ""},
	}
}

func damageFields(aiag bool, hidden map[string]string, link string) *page.Form {
	where := page.Field{Name: "side", Label: "Side", Type: "select", Value: "unknown"}
	for _, s := range []string{"unknown", "left", "right", "front", "rear", "top", "interior"} {
		where.Options = append(where.Options, page.Option{Value: s, Text: s})
	}
	code := page.Field{Name: "code", Label: "Damage", Type: "select"}
	for _, c := range letters() {
		code.Options = append(code.Options, page.Option{Value: c.ID, Text: c.Label})
	}
	if aiag {
		code = page.Field{Name: "code", Label: "AIAG code", Hint: "Five digits: area, type and severity.", InputMode: "numeric", MaxLength: 5, Required: true}
	}

	return &page.Form{Action: link + "/damages", Hidden: hidden, Submit: "Note the damage", Second: true, Name: "damage", Fields: []page.Field{
		code, where, {Name: "note", Label: "Note", MaxLength: 1000},
	}}
}

func inspectionFields(at *inspectedShown, hidden map[string]string, link string) *page.Form {
	return &page.Form{
		Action: link + "/inspections", Hidden: hidden, Submit: "Save", Second: true, Name: "entry", Fields: []page.Field{
			{Name: "inspector", Label: "Your name", Value: at.Inspector, MaxLength: 200, Autocomplete: "name"},
			{Name: "vin_scanned", Label: "VIN on the vehicle", Value: at.VIN, MaxLength: 20},
			{Name: "odometer", Label: "Odometer, in miles", Value: numberText(at.Odometer), InputMode: "numeric", MaxLength: 9},
			{Name: "keys_count", Label: "Keys", Value: numberText(at.Keys), InputMode: "numeric", MaxLength: 2},
			{Name: "fuel_eighths", Label: "Fuel, in eighths", Value: numberText(at.Fuel), InputMode: "numeric", MaxLength: 1},
			{Name: "drivable", Label: "Does it drive?", Type: "select", Value: at.Drivable, Options: []page.Option{{Value: "unknown", Text: "Not tried"}, {Value: "yes", Text: "Yes"}, {Value: "no", Text: "No"}}},
			{Name: "weather", Label: "Seen when it was", Type: "select", Value: at.Weather, Options: []page.Option{{Value: "dry", Text: "dry"}, {Value: "wet", Text: "wet"}, {Value: "snow", Text: "snow"}, {Value: "dark", Text: "dark"}}},
			{Name: "loose_items", Label: "Left in it", Value: at.Loose, MaxLength: 2000},
			{Name: "notes", Label: "Notes", Type: "textarea", Value: at.Notes, MaxLength: 5000},
		},
	}
}

func numberText(n *int64) string {
	if n == nil {
		return ""
	}

	return strconv.FormatInt(*n, 10)
}

func letters() []damage.Code {
	codes, err := damage.Load()
	if err != nil {
		return nil
	}

	return codes.Letters
}

// words is a word of the API as people read it.
func words(name string) string {
	text := []byte(name)
	for i := range text {
		if text[i] == '_' {
			text[i] = ' '
		}
	}

	return string(text)
}

// problems are what drivers are told who have entered what cannot be entered now.
var problems = map[string]string{
	errSigned.Code: errSigned.Message, errStage.Code: errStage.Message, errVIN.Code: errVIN.Message, errVoid.Code: errVoid.Message,
	errUnconfirmed.Code: "The pay for this load has changed, and your carrier has not confirmed that yet. Ask your carrier to confirm it by its link, or call the office, and sign again.",
}

func fieldLabel(field string) string {
	return map[string]string{
		"name": "Name", "reason": "Why?", "file": "Photo", "odometer": "Odometer", "keys_count": "Keys", "fuel_eighths": "Fuel", "code": "Damage", "note": "Note",
		"vin_scanned": "VIN on the vehicle", "strokes": "Signature",
	}[field]
}
