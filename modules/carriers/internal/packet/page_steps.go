package packet

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/dispatchd/dispatchd/platform/notify"
	"github.com/dispatchd/dispatchd/platform/page"
)

// formRows is how many trailers and how many lanes the form has room for.
const formRows = 4

// fill adds the forms of a step to its page.
func (v *View) fill(name, here string, c *stepPage, shown *page.Page) {
	var form page.Form
	switch name {
	case stepProfile:
		c.Intro = []string{"Check the prefilled fields and complete the rest. You can continue later: what you save is kept until " + v.dayText(v.ExpiresAt) + "."}
		form = v.profileFields()
	case stepEquipment:
		c.Intro = []string{"Enter your trailers and the lanes you prefer. This step is optional."}
		form = v.equipmentFields()
	case stepInsurance:
		form = v.insuranceFields()
		c.Files = v.filesOf(certificate, agentCertificate)
		c.Forms = append(c.Forms, uploadForm(here, certificate, "Upload the certificate of insurance"))
		if agent := v.agentForm(here); agent != nil {
			c.Forms = append(c.Forms, *agent)
		}
	case stepW9:
		c.Intro = []string{"Upload a photo or a PDF of your signed W-9."}
		c.Files = v.filesOf(stepW9)
		c.Forms = append(c.Forms, uploadForm(here, stepW9, "Upload the W-9"))
		c.Next, c.NextText = v.after(name), "Continue"
	case stepRemitTo:
		form = v.remitFields()
		c.Files = v.filesOf(notice)
		c.Forms = append(c.Forms, uploadForm(here, notice, "Upload a notice of assignment"))
	case stepAgreement:
		v.fillAgreement(c, &form)
	case stepIdentity:
		v.fillIdentity(here, c)
	case stepReview:
		v.fillReview(here, c)
	}
	if len(form.Fields) == 0 {
		return
	}
	if form.Submit == "" {
		form.Submit = "Save and continue"
	}
	form.Action = here + name
	if s := v.stepOf(name); s != nil && s.Saved {
		shown.Problems = append(shown.Problems, page.Explain(form.Fields, s.Problems)...)
	}
	c.Forms = append([]page.Form{form}, c.Forms...)
}

func revisionText(s page.Form, of Seen) page.Form {
	var n int64
	if of.Revision != nil {
		n = *of.Revision
	}
	s.Hidden = map[string]string{"revision": strconv.FormatInt(n, 10)}

	return s
}

// was returns the value of the regulator's record if the carrier entered another one.
func was(record, typed string) string {
	if record == "" || equalFold(record, typed) {
		return ""
	}

	return "In the regulator's record: " + record
}

func (v *View) profileFields() page.Form {
	p := v.Profile
	phone, _ := ParsePhone(p.Phone)
	email, _ := ParseEmail(p.Email)
	person := func(prefix, label string, name, phone, email string) page.Field {
		return page.Field{Type: "group", Label: label, Fields: []page.Field{
			{Name: prefix + "_name", Label: "Name", Value: name, MaxLength: 200},
			{Name: prefix + "_phone", Label: "Phone", Type: "tel", Value: phone, MaxLength: 50},
			{Name: prefix + "_email", Label: "E-mail", Type: "email", Value: email, MaxLength: 320},
		}}
	}

	return revisionText(page.Form{Fields: []page.Field{
		{Name: "legal_name", Label: "Legal name", Value: p.LegalName, MaxLength: 200, Required: true, Autocomplete: "organization", Was: was(v.Record.LegalName, p.LegalName)},
		{Name: "dba", Label: "Doing business as", Value: p.DBA, MaxLength: 200, Was: was(v.Record.DBA, p.DBA)},
		{Name: "phone", Label: "Phone", Type: "tel", Value: p.Phone, MaxLength: 50, Required: true, Autocomplete: "tel", Was: was(v.Record.Phone, string(phone))},
		{Name: "email", Label: "E-mail", Type: "email", Value: p.Email, MaxLength: 320, Autocomplete: "email", Was: was(v.Record.Email, string(email))},
		person("dispatch", "Dispatch", p.DispatchName, p.DispatchPhone, p.DispatchEmail),
		person("billing", "Billing", p.BillingName, p.BillingPhone, p.BillingEmail),
	}}, p.Seen)
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

func (v *View) equipmentFields() page.Form {
	form := revisionText(page.Form{}, v.Equipment.Seen)
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
		var u Unit
		if i < len(v.Equipment.Units) {
			u = v.Equipment.Units[i]
		}
		prefix := fmt.Sprintf("unit%d_", i)
		form.Fields = append(form.Fields, page.Field{Type: "group", Label: fmt.Sprintf("Trailer %d", i+1), Fields: []page.Field{
			{Name: prefix + "kind", Label: "Kind", Type: "select", Value: u.Kind, Options: trailerKinds},
			{Name: prefix + "slots", Label: "Vehicles it carries (1 to 12)", Type: "text", InputMode: "numeric", Value: count(u.Slots), MaxLength: 2},
			{Name: prefix + "count", Label: "Number of trailers", Type: "text", InputMode: "numeric", Value: count(u.Count), MaxLength: 4},
			{Name: prefix + "winch", Label: "Winch", Type: "checkbox", Value: truth(u.Winch)},
			{Name: prefix + "liftgate", Label: "Liftgate", Type: "checkbox", Value: truth(u.Liftgate)},
		}})
	}
	for i := range formRows {
		var l Lane
		if i < len(v.Equipment.Lanes) {
			l = v.Equipment.Lanes[i]
		}
		prefix := fmt.Sprintf("lane%d_", i)
		form.Fields = append(form.Fields, page.Field{
			Type: "group", Label: fmt.Sprintf("Lane %d", i+1), Hint: "States such as TX, or the first digits of ZIP codes, separated by commas.",
			Fields: []page.Field{
				{Name: prefix + "from", Label: "From", Value: strings.Join(l.From, ", "), MaxLength: 300},
				{Name: prefix + "to", Label: "To", Value: strings.Join(l.To, ", "), MaxLength: 300},
			},
		})
	}

	return form
}

func (v *View) insuranceFields() page.Form {
	policy := func(prefix, label string, p Policy) page.Field {
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

	return revisionText(page.Form{Fields: []page.Field{
		policy("cargo", "Cargo insurance", v.Insurance.Cargo), policy("auto_liability", "Auto liability insurance", v.Insurance.Liability),
	}, Submit: "Save"}, v.Insurance.Seen)
}

// agentForm returns nil if no channel can send a message.
func (v *View) agentForm(here string) *page.Form {
	var options []page.Option
	for _, name := range v.Channels {
		switch name {
		case notify.SMS:
			options = append(options, page.Option{Value: name, Text: "Text message"})
		case notify.Email:
			options = append(options, page.Option{Value: name, Text: "E-mail"})
		}
	}
	if len(options) == 0 {
		return nil
	}

	return &page.Form{Action: here + "agent", Submit: "Send the link", Second: true, Fields: []page.Field{
		{Type: "heading", Label: "Or ask your insurance agent", Hint: "Your agent gets a link and uploads the certificate directly."},
		{Name: "channel", Label: "Send the link by", Type: "select", Value: options[0].Value, Options: options, Required: true},
		{Name: "to", Label: "Phone or e-mail of the agent", MaxLength: 320, Required: true},
	}}
}

func uploadForm(here, document, text string) page.Form {
	return page.Form{Action: here + "uploads", Hidden: map[string]string{"document": document}, Submit: text, Second: true}
}

func (v *View) remitFields() page.Form {
	var r RemitTo
	if v.RemitTo != nil {
		r = *v.RemitTo
	}
	account := page.Field{Name: "account_number", Label: "Account number", InputMode: "numeric", MaxLength: 40, Autocomplete: "off"}
	if r.Last4 != "" {
		account.Hint = "A number ending in " + r.Last4 + " is saved. Leave this empty to keep it."
	}

	return revisionText(page.Form{Fields: []page.Field{
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
			{Name: "line1", Label: "Street", Value: r.Address.Line1, MaxLength: 200, Autocomplete: "address-line1"},
			{Name: "line2", Label: "Suite, unit or PO box", Value: r.Address.Line2, MaxLength: 200, Autocomplete: "address-line2"},
			{Name: "city", Label: "City", Value: r.Address.City, MaxLength: 100, Autocomplete: "address-level2"},
			{Name: "state", Label: "State", Value: r.Address.State, MaxLength: 50, Autocomplete: "address-level1"},
			{Name: "postal_code", Label: "ZIP code", Value: r.Address.PostalCode, MaxLength: 20, Autocomplete: "postal-code"},
		}},
	}}, r.Seen)
}

func (v *View) fillAgreement(c *stepPage, form *page.Form) {
	if v.Agreement == nil {
		return
	}
	c.Contract = v.Agreement.Text
	if v.Agreement.AcceptedAt != nil {
		c.Intro = []string{"Accepted by " + v.Agreement.AcceptedBy + " on " + v.dayText(*v.Agreement.AcceptedAt) + "."}
		c.Next, c.NextText = v.after(stepAgreement), "Continue"

		return
	}
	form.Submit, form.Hidden = "Accept", map[string]string{"version": v.Agreement.Version}
	form.Fields = []page.Field{
		{Name: "name", Label: "Your full name", Hint: "Your typed name is your signature.", MaxLength: 200, Required: true, Autocomplete: "name"},
		{Name: "title", Label: "Your title", MaxLength: 200, Autocomplete: "organization-title"},
		{Name: "accepted", Label: "I accept the agreement for " + v.Carrier.Name + ".", Type: "checkbox", Required: true},
	}
}

func (v *View) fillIdentity(here string, c *stepPage) {
	if v.Identity.VerifiedAt != nil {
		c.Intro = []string{"Confirmed on " + v.dayText(*v.Identity.VerifiedAt) + "."}
		c.Next, c.NextText = v.after(stepIdentity), "Continue"

		return
	}
	c.Intro = []string{"To protect you from identity theft, a six-digit code is sent to the phone or e-mail of the regulator's record, and nowhere else."}
	if v.Identity.Pending != nil {
		c.Forms = append(c.Forms, page.Form{Action: here + "code", Submit: "Confirm", Fields: []page.Field{{
			Name: "code", Label: "Code", Hint: "Sent to " + v.Identity.Pending.To + ". It expires after ten minutes.", InputMode: "numeric",
			Autocomplete: "one-time-code", MaxLength: 20, Required: true,
		}}})
	}
	for _, channel := range v.Identity.Channels {
		text := "Text a code to " + channel.To
		if channel.Name == notify.Email {
			text = "E-mail a code to " + channel.To
		}
		c.Forms = append(c.Forms, page.Form{
			Action: here + stepIdentity, Hidden: map[string]string{"channel": channel.Name}, Submit: text, Second: v.Identity.Pending != nil,
		})
	}
	c.Intro = append(c.Intro, "If the record is out of date, update your registration, or ask "+v.Brand.Name+" for help.")
}

func (v *View) fillReview(here string, c *stepPage) {
	c.Summary = v.Steps
	if v.Complete {
		c.Intro = []string{"All steps are complete. Submit the packet for review by " + v.Brand.Name + "."}
		c.Forms = append(c.Forms, page.Form{Action: here + "submit", Submit: "Submit the packet"})
	} else {
		c.Intro = []string{"Complete these steps before you submit the packet:"}
	}
}

func (v *View) filesOf(documents ...string) (all []FileView) {
	for _, f := range v.Files {
		for _, d := range documents {
			if f.Document == d {
				all = append(all, f)
			}
		}
	}

	return all
}
