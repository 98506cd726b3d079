package packetlink

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/dispatchd/dispatchd/modules/carriers/internal/packet"
	"github.com/dispatchd/dispatchd/platform/face"
	"github.com/dispatchd/dispatchd/platform/notify"
	"github.com/dispatchd/dispatchd/platform/page"
)

// formRows is how many trailers and how many lanes the form has room for.
const formRows = 4

// show adds the forms of a step to its page.
func (v *View) show(name string, shown *face.View) {
	switch name {
	case packet.StepProfile:
		shown.Next = []string{"Check the prefilled fields and complete the rest. You can continue later: what you save is kept until " + v.dayText(v.ExpiresAt) + "."}
		v.act(name, shown, v.Profile.Seen, v.profileFields())
	case packet.StepEquipment:
		shown.Next = []string{"Enter your trailers and the lanes you prefer. This step is optional."}
		v.act(name, shown, v.Equipment.Seen, v.equipmentFields())
	case packet.StepInsurance:
		v.act(name, shown, v.Insurance.Seen, v.insuranceFields())
		v.received(shown, packet.Certificate, packet.AgentCertificate)
		shown.Acts = append(shown.Acts, uploading(packet.Certificate, "Upload the certificate of insurance"))
		v.askAgent(shown)
	case packet.StepW9:
		shown.Next = []string{"Upload a photo or a PDF of your signed W-9."}
		v.received(shown, packet.StepW9)
		shown.Acts = append(shown.Acts, uploading(packet.StepW9, "Upload the W-9"))
		shown.Onward = "?step=" + v.after(name)
	case packet.StepRemitTo:
		var seen packet.Seen
		if v.RemitTo != nil {
			seen = v.RemitTo.Seen
		}
		v.act(name, shown, seen, v.remitFields())
		v.received(shown, packet.Notice)
		shown.Acts = append(shown.Acts, uploading(packet.Notice, "Upload a notice of assignment"))
	case packet.StepAgreement:
		v.askAgreement(shown)
	case packet.StepIdentity:
		v.askIdentity(shown)
	case packet.StepReview:
		v.review(shown)
	}
}

// act adds the form of a step, with the problems of what was saved.
func (v *View) act(name string, shown *face.View, of packet.Seen, fields []page.Field) {
	var n int64
	if of.Revision != nil {
		n = *of.Revision
	}
	act := face.Act{Verb: name, Hidden: map[string]string{"revision": strconv.FormatInt(n, 10)}, Fields: fields}
	if s := v.stepOf(name); s != nil && s.Saved {
		act.Problems = s.Problems
	}
	shown.Acts = append(shown.Acts, act)
}

// was returns the value of the regulator's record if the carrier entered another one.
func was(record, typed string) string {
	if record == "" || packet.SameText(record, typed) {
		return ""
	}

	return "In the regulator's record: " + record
}

func (v *View) profileFields() []page.Field {
	p := v.Profile
	phone, _ := packet.ParsePhone(p.Phone)
	email, _ := packet.ParseEmail(p.Email)
	person := func(prefix, label string, name, phone, email string) page.Field {
		return page.Field{Type: "group", Label: label, Fields: []page.Field{
			{Name: prefix + "_name", Label: "Name", Value: name, MaxLength: 200},
			{Name: prefix + "_phone", Label: "Phone", Type: "tel", Value: phone, MaxLength: 50},
			{Name: prefix + "_email", Label: "E-mail", Type: "email", Value: email, MaxLength: 320},
		}}
	}

	return []page.Field{
		{Name: "legal_name", Label: "Legal name", Value: p.LegalName, MaxLength: 200, Required: true, Autocomplete: "organization", Was: was(v.Record.LegalName, p.LegalName)},
		{Name: "dba", Label: "Doing business as", Value: p.DBA, MaxLength: 200, Was: was(v.Record.DBA, p.DBA)},
		{Name: "phone", Label: "Phone", Type: "tel", Value: p.Phone, MaxLength: 50, Required: true, Autocomplete: "tel", Was: was(v.Record.Phone, string(phone))},
		{Name: "email", Label: "E-mail", Type: "email", Value: p.Email, MaxLength: 320, Autocomplete: "email", Was: was(v.Record.Email, string(email))},
		person("dispatch", "Dispatch", p.DispatchName, p.DispatchPhone, p.DispatchEmail),
		person("billing", "Billing", p.BillingName, p.BillingPhone, p.BillingEmail),
	}
}

// trailerKinds are the options for the kind of a trailer.
var trailerKinds = []page.Option{
	{Value: "", Text: "None"},
	{Value: "single", Text: "Single-car"},
	{Value: "wedge", Text: "Wedge"},
	{Value: "hotshot", Text: "Hotshot"},
	{Value: "open", Text: "Open car hauler"},
	{Value: "enclosed", Text: "Enclosed"},
	{Value: "flatbed", Text: "Flatbed"},
	{Value: "tow", Text: "Tow truck"},
	{Value: "drive_away", Text: "Drive-away"},
}

func (v *View) equipmentFields() (fields []page.Field) {
	truth := func(of bool) string {
		if of {
			return "true"
		}

		return ""
	}
	count := func(n int) string {
		if n == 0 {
			return ""
		}

		return strconv.Itoa(n)
	}
	for i := range formRows {
		var u packet.Unit
		if i < len(v.Equipment.Units) {
			u = v.Equipment.Units[i]
		}
		prefix := fmt.Sprintf("unit%d_", i)
		fields = append(fields, page.Field{Type: "group", Label: fmt.Sprintf("Trailer %d", i+1), Fields: []page.Field{
			{Name: prefix + "kind", Label: "Kind", Type: "select", Value: u.Kind, Options: trailerKinds},
			{Name: prefix + "slots", Label: "Vehicles it carries (1 to 12)", Type: "text", InputMode: "numeric", Value: count(u.Slots), MaxLength: 2},
			{Name: prefix + "count", Label: "Number of trailers", Type: "text", InputMode: "numeric", Value: count(u.Count), MaxLength: 4},
			{Name: prefix + "winch", Label: "Winch", Type: "checkbox", Value: truth(u.Winch)},
			{Name: prefix + "liftgate", Label: "Liftgate", Type: "checkbox", Value: truth(u.Liftgate)},
		}})
	}
	for i := range formRows {
		var l packet.Lane
		if i < len(v.Equipment.Lanes) {
			l = v.Equipment.Lanes[i]
		}
		prefix := fmt.Sprintf("lane%d_", i)
		fields = append(fields, page.Field{
			Type: "group", Label: fmt.Sprintf("Lane %d", i+1), Hint: "States such as TX, or the first digits of ZIP codes, separated by commas.",
			Fields: []page.Field{
				{Name: prefix + "from", Label: "From", Value: strings.Join(l.From, ", "), MaxLength: 300},
				{Name: prefix + "to", Label: "To", Value: strings.Join(l.To, ", "), MaxLength: 300},
			},
		})
	}

	return fields
}

func (v *View) insuranceFields() []page.Field {
	policy := func(prefix, label string, p packet.Policy) page.Field {
		return page.Field{Type: "group", Label: label, Fields: []page.Field{
			{Name: prefix + ".insurer", Label: "Insurance company", Value: p.Insurer, MaxLength: 200, Required: true},
			{Name: prefix + ".policy", Label: "Policy number", Value: p.Number, MaxLength: 100, Required: true},
			{Name: prefix + ".each_occurrence", Label: "Cover, in US dollars", InputMode: "decimal", Value: p.Cover, MaxLength: 30, Required: true},
			{Name: prefix + ".deductible", Label: "Deductible, in US dollars", InputMode: "decimal", Value: p.Deductible, MaxLength: 30},
			{Name: prefix + ".effective", Label: "Effective on", Type: "date", Value: p.Effective},
			{Name: prefix + ".expires", Label: "Expires on", Type: "date", Value: p.Expires, Required: true},
			{Name: prefix + ".exclusions", Label: "Exclusions", Type: "textarea", Value: p.Exclusions, MaxLength: 2000},
		}}
	}

	return []page.Field{policy("cargo", "Cargo insurance", v.Insurance.Cargo), policy("auto_liability", "Auto liability insurance", v.Insurance.Liability)}
}

// askAgent adds the form by which the insurance agent is sent a link, unless no channel can send a message.
func (v *View) askAgent(shown *face.View) {
	texts := map[string]string{notify.SMS: "Text message", notify.Email: "E-mail"}
	channel := page.Field{Name: "channel", Label: "Send the link by", Type: "select", Required: true}
	for _, name := range v.Channels {
		if texts[name] != "" {
			channel.Options = append(channel.Options, page.Option{Value: name, Text: texts[name]})
		}
	}
	if len(channel.Options) == 0 {
		return
	}
	channel.Value = channel.Options[0].Value
	shown.Acts = append(shown.Acts, face.Act{
		Verb: "agent", Text: "Your agent gets a link and uploads the certificate directly.",
		Fields: []page.Field{channel, {Name: "to", Label: "Phone or e-mail of the agent", MaxLength: 320, Required: true}},
	})
}

func uploading(document, text string) face.Act {
	return face.Act{Verb: "uploads", Hidden: map[string]string{"document": document}, Submit: text}
}

func (v *View) remitFields() []page.Field {
	var r packet.RemitTo
	if v.RemitTo != nil {
		r = *v.RemitTo
	}
	account := page.Field{Name: "account_number", Label: "Account number", InputMode: "numeric", MaxLength: 40, Autocomplete: "off"}
	if r.Last4 != "" {
		account.Hint = "A number ending in " + r.Last4 + " is saved. Leave this empty to keep it."
	}

	return []page.Field{
		{Name: "kind", Label: "Who is paid", Type: "select", Value: r.Kind, Required: true, Options: []page.Option{
			{Value: "carrier", Text: "The carrier"}, {Value: "factor", Text: "A factoring company"},
		}},
		{Name: "payee", Label: "Name of the payee", Value: r.Payee, MaxLength: 200, Required: true},
		{Name: "method", Label: "Payment method", Type: "select", Value: r.Method, Required: true, Options: []page.Option{
			{Value: "ach", Text: "ACH"}, {Value: "wire", Text: "Wire"}, {Value: "check", Text: "Check"},
		}},
		{Type: "group", Label: "Bank account, for ACH and wire", Fields: []page.Field{
			{Name: "bank_name", Label: "Bank", Value: r.Bank, MaxLength: 200},
			{Name: "account_type", Label: "Account type", Type: "select", Value: r.AccountType, Options: []page.Option{
				{Value: "", Text: "Not stated"}, {Value: "checking", Text: "Checking"}, {Value: "savings", Text: "Savings"},
			}},
			{Name: "routing_number", Label: "Routing number", InputMode: "numeric", Value: r.Routing, MaxLength: 20},
			account,
		}},
		{Type: "group", Label: "Address, for checks", Fields: []page.Field{
			{Name: "address.line1", Label: "Street", Value: r.Address.Line1, MaxLength: 200, Autocomplete: "address-line1"},
			{Name: "address.line2", Label: "Suite, unit or PO box", Value: r.Address.Line2, MaxLength: 200, Autocomplete: "address-line2"},
			{Name: "address.city", Label: "City", Value: r.Address.City, MaxLength: 100, Autocomplete: "address-level2"},
			{Name: "address.state", Label: "State", Value: r.Address.State, MaxLength: 50, Autocomplete: "address-level1"},
			{Name: "address.postal_code", Label: "ZIP code", Value: r.Address.PostalCode, MaxLength: 20, Autocomplete: "postal-code"},
		}},
	}
}

func (v *View) askAgreement(shown *face.View) {
	if v.Agreement == nil {
		return
	}
	shown.Cards = append(shown.Cards, face.Card{Title: "Agreement", Text: v.Agreement.Text, Long: true})
	if v.Agreement.AcceptedAt != nil {
		shown.Next = []string{"Accepted by " + v.Agreement.AcceptedBy + " on " + v.dayText(*v.Agreement.AcceptedAt) + "."}
		shown.Onward = "?step=" + v.after(packet.StepAgreement)

		return
	}
	shown.Acts = append(shown.Acts, face.Act{Verb: packet.StepAgreement, Hidden: map[string]string{"version": v.Agreement.Version}, Fields: []page.Field{
		{Name: "name", Label: "Your full name", Hint: "Your typed name is your signature.", MaxLength: 200, Required: true, Autocomplete: "name"},
		{Name: "title", Label: "Your title", MaxLength: 200, Autocomplete: "organization-title"},
		{Name: "accepted", Label: "I accept the agreement for " + v.Carrier.Name + ".", Type: "checkbox", Required: true},
	}})
}

func (v *View) askIdentity(shown *face.View) {
	if v.Identity.VerifiedAt != nil {
		shown.Next = []string{"Confirmed on " + v.dayText(*v.Identity.VerifiedAt) + "."}
		shown.Onward = "?step=" + v.after(packet.StepIdentity)

		return
	}
	shown.Next = []string{
		"To protect you from identity theft, a six-digit code is sent to the phone or e-mail of the regulator's record, and nowhere else.",
		"If the record is out of date, update your registration, or ask " + v.Brand.Name + " for help.",
	}
	if v.Identity.Pending != nil {
		shown.Acts = append(shown.Acts, face.Act{Verb: "code", Fields: []page.Field{{
			Name: "code", Label: "Code", Hint: "Sent to " + v.Identity.Pending.To + ". It expires after ten minutes.", InputMode: "numeric",
			Autocomplete: "one-time-code", MaxLength: 20, Required: true,
		}}})
	}
	for _, channel := range v.Identity.Channels {
		text := "Text a code to " + channel.To
		if channel.Name == notify.Email {
			text = "E-mail a code to " + channel.To
		}
		shown.Acts = append(shown.Acts, face.Act{
			Verb: packet.StepIdentity, Hidden: map[string]string{"channel": channel.Name}, Submit: text, Second: v.Identity.Pending != nil,
		})
	}
}

// review lists what is still missing, or submits the packet.
func (v *View) review(shown *face.View) {
	if v.Complete {
		shown.Next = []string{"All steps are complete. Submit the packet for review by " + v.Brand.Name + "."}
		shown.Acts = append(shown.Acts, face.Act{Verb: "submit"})
	} else {
		shown.Next = []string{"Complete these steps before you submit the packet."}
	}
	card := face.Card{Title: "Your packet"}
	for _, s := range v.Steps {
		note := "incomplete"
		switch {
		case s.Done && s.Saved:
			note = "complete"
		case s.Done:
			note = "skipped"
		case len(s.Problems[""]) > 0:
			note = strings.Join(s.Problems[""], " ")
		}
		card.Links = append(card.Links, page.Link{Text: s.Title, Path: "?step=" + s.Name, Note: note})
	}
	shown.Cards = append(shown.Cards, card)
}

// received lists the files of some documents that have arrived.
func (v *View) received(shown *face.View, documents ...string) {
	card := face.Card{Title: "Received"}
	for _, f := range v.Files {
		if !slices.Contains(documents, f.Document) {
			continue
		}
		text := f.Name
		if f.Document == packet.AgentCertificate {
			text += " (from your agent)"
		}
		card.List = append(card.List, text+map[string]string{"checking": " – being scanned", "refused": " – rejected as malware"}[f.Status])
	}
	if len(card.List) > 0 {
		shown.Cards = append(shown.Cards, card)
	}
}

// fieldLabels are those of fields whose forms are made for each packet.
var fieldLabels = map[string]string{
	"legal_name": "Legal name", "dba": "Doing business as", "phone": "Phone", "email": "E-mail", "name": "Your full name", "accepted": "Agreement", "code": "Code", "channel": "Send the link by",
	"to": "Phone or e-mail of the agent", "payee": "Name of the payee", "kind": "Who is paid", "method": "Payment method", "account_number": "Account number", "routing_number": "Routing number",
}
