package packet

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/money"
)

// The documents that a packet may ask for, which are its steps too; the profile always is, and the equipment is asked for and may be
// left out.
const (
	stepProfile   = "profile"
	stepEquipment = "equipment"
	stepInsurance = "insurance"
	stepW9        = "w9"
	stepRemitTo   = "remit_to"
	stepAgreement = "agreement"
	stepIdentity  = "identity"
	stepReview    = "review"
)

// documents are those that a packet may ask for, in the order of their steps.
var documents = []string{stepInsurance, stepW9, stepRemitTo, stepAgreement, stepIdentity}

// titles are what people call steps.
var titles = map[string]string{
	stepProfile: "Company", stepEquipment: "Equipment and lanes", stepInsurance: "Insurance", stepW9: "W-9", stepRemitTo: "How you are paid",
	stepAgreement: "Agreement", stepIdentity: "Identity", stepReview: "Review and send",
}

// Proposal is what a carrier typed, step by step. It is kept as it was typed, within the limits of its fields: what is wrong with it is
// shown with the step, and keeps the packet from being submitted.
type Proposal struct {
	Profile   *Profile   `json:"profile,omitempty"`
	Equipment *Equipment `json:"equipment,omitempty"`
	Insurance *Insurance `json:"insurance,omitempty"`
	RemitTo   *RemitTo   `json:"remit_to,omitempty"`
	Agreement *Accepted  `json:"agreement,omitempty"`
	// VerifiedAt is when somebody typed an identity code that went to the regulator's record.
	VerifiedAt *time.Time `json:"identity_verified_at,omitempty"`
	// UploadLinks are those that the packet made.
	UploadLinks []string `json:"upload_links,omitempty"`
}

// Seen is the revision of a step that a caller has seen: if somebody else saved it since, the step is not saved.
type Seen struct {
	Revision *int64 `json:"revision,omitempty" doc:"Revision of the step that you have seen; without it, what somebody else saved is replaced."`
}

// Profile is who the carrier is.
type Profile struct {
	Seen

	LegalName     string `json:"legal_name" maxLength:"200"`
	DBA           string `json:"dba,omitempty" maxLength:"200"`
	Phone         string `json:"phone,omitempty" maxLength:"50"`
	Email         string `json:"email,omitempty" maxLength:"320"`
	DispatchName  string `json:"dispatch_name,omitempty" maxLength:"200"`
	DispatchPhone string `json:"dispatch_phone,omitempty" maxLength:"50"`
	DispatchEmail string `json:"dispatch_email,omitempty" maxLength:"320"`
	BillingName   string `json:"billing_name,omitempty" maxLength:"200"`
	BillingPhone  string `json:"billing_phone,omitempty" maxLength:"50"`
	BillingEmail  string `json:"billing_email,omitempty" maxLength:"320"`
}

// SchemaName implements web.SchemaNamer.
func (Profile) SchemaName() string { return "PacketProfile" }

// Equipment is what a carrier drives, and where.
type Equipment struct {
	Seen

	Units []Unit `json:"units" maxItems:"10" nullable:"false"`
	Lanes []Lane `json:"lanes" maxItems:"10" nullable:"false"`
}

// SchemaName implements web.SchemaNamer.
func (Equipment) SchemaName() string { return "PacketEquipment" }

// Unit is a kind of trailer.
type Unit struct {
	Kind     string `json:"kind" enum:"single,wedge,hotshot,open,enclosed,flatbed,tow,drive_away"`
	Slots    int    `json:"slots" minimum:"1" maximum:"12"`
	Count    int    `json:"count,omitempty" minimum:"1" maximum:"10000"`
	Enclosed bool   `json:"enclosed,omitempty"`
	Winch    bool   `json:"winch,omitempty"`
	Liftgate bool   `json:"liftgate,omitempty"`
}

// Lane is where a carrier likes to run.
type Lane struct {
	From []string `json:"from" minItems:"1" maxItems:"60"`
	To   []string `json:"to" minItems:"1" maxItems:"60"`
}

// Insurance is what certificates of insurance say.
type Insurance struct {
	Seen

	Cargo     Policy `json:"cargo"`
	Liability Policy `json:"auto_liability"`
}

// SchemaName implements web.SchemaNamer.
func (Insurance) SchemaName() string { return "PacketInsurance" }

// Policy is a certificate of insurance as it was typed.
type Policy struct {
	Insurer    string `json:"insurer" maxLength:"200"`
	Number     string `json:"policy" maxLength:"100"`
	Cover      string `json:"each_occurrence" maxLength:"30" doc:"US dollars." example:"250000.00"`
	Deductible string `json:"deductible,omitempty" maxLength:"30"`
	Effective  string `json:"effective,omitempty" maxLength:"30" example:"2026-01-31"`
	Expires    string `json:"expires" maxLength:"30" example:"2027-01-31"`
	Exclusions string `json:"exclusions,omitempty" maxLength:"2000"`
}

// RemitTo is how a carrier wants to be paid. The account number is never shown.
type RemitTo struct {
	Seen

	Kind        string        `json:"kind" enum:"carrier,factor" doc:"Whether the carrier is paid, or the factoring company that its invoices are assigned to."`
	Payee       string        `json:"payee" maxLength:"200"`
	Method      string        `json:"method" enum:"ach,wire,check"`
	Address     field.Address `json:"address,omitzero" doc:"Where checks are sent."`
	Bank        string        `json:"bank_name,omitempty" maxLength:"200"`
	AccountType string        `json:"account_type,omitempty" enum:"checking,savings"`
	Routing     string        `json:"routing_number,omitempty" maxLength:"20"`
	Account     string        `json:"account_number,omitempty" maxLength:"40" writeOnly:"true" doc:"It is stored encrypted and never shown; account_last4 is. Left out, the one that was saved before stays."`
	Last4       string        `json:"account_last4,omitempty" maxLength:"4" readOnly:"true"`
}

// SchemaName implements web.SchemaNamer.
func (RemitTo) SchemaName() string { return "PacketRemitTo" }

// Acceptance is how somebody accepts the agreement.
type Acceptance struct {
	Name     string `json:"name" maxLength:"200" doc:"Whoever accepts, as typed."`
	Title    string `json:"title,omitempty" maxLength:"200"`
	Accepted bool   `json:"accepted"`
	Version  string `json:"version" maxLength:"64" doc:"Version of the agreement that was shown."`
}

// SchemaName implements web.SchemaNamer.
func (Acceptance) SchemaName() string { return "PacketAcceptance" }

// Accepted is the evidence of an acceptance.
type Accepted struct {
	Acceptance

	Text      string    `json:"text" doc:"The agreement as it was shown."`
	At        time.Time `json:"at"`
	Address   string    `json:"ip_address"`
	UserAgent string    `json:"user_agent"`
}

// problems are what is wrong with a step, by the name of its field; "" is for the step itself.
type problems map[string][]string

func (p problems) add(name, text string) { p[name] = append(p[name], text) }

// check reports what is wrong with the profile.
func (p *Profile) check() problems {
	all := problems{}
	if p == nil {
		all.add("", "Fill in your company.")

		return all
	}
	if strings.TrimSpace(p.LegalName) == "" {
		all.add("legal_name", "Enter the legal name.")
	}
	for name, text := range map[string]string{"phone": p.Phone, "dispatch_phone": p.DispatchPhone, "billing_phone": p.BillingPhone} {
		if _, ok := ParsePhone(text); !ok {
			all.add(name, "Enter a phone number such as (214) 555-0143.")
		}
	}
	for name, text := range map[string]string{"email": p.Email, "dispatch_email": p.DispatchEmail, "billing_email": p.BillingEmail} {
		if _, ok := ParseEmail(text); !ok {
			all.add(name, "Enter an e-mail address such as name@example.com.")
		}
	}
	if strings.TrimSpace(p.Phone) == "" {
		all.add("phone", "Enter the phone of the company.")
	}
	for _, of := range []struct{ prefix, name, phone, email string }{
		{"dispatch", p.DispatchName, p.DispatchPhone, p.DispatchEmail}, {"billing", p.BillingName, p.BillingPhone, p.BillingEmail},
	} {
		if strings.TrimSpace(of.name) == "" && of.phone+of.email != "" {
			all.add(of.prefix+"_name", "Enter the name of the person.")
		}
	}

	return all
}

// check reports what is wrong with the equipment, which may be left out.
func (e *Equipment) check() problems {
	all := problems{}
	if e == nil {
		return all
	}
	for i, lane := range e.Lanes {
		for key, places := range map[string][]string{"from": lane.From, "to": lane.To} {
			for _, place := range places {
				if !placeRule.MatchString(place) {
					all.add(fmt.Sprintf("lane%d_%s", i, key), "Enter states such as TX, or the first digits of ZIP codes.")

					break
				}
			}
		}
	}

	return all
}

// placeRule is a state or province, or the beginning of a ZIP code.
var placeRule = regexp.MustCompile(`^([A-Z]{2}|[0-9]{1,5})$`)

// check reports what is wrong with the insurance, today.
func (i *Insurance) check(today field.Date, files bool) problems {
	all := problems{}
	if i == nil {
		i = &Insurance{}
	}
	for prefix, p := range map[string]*Policy{"cargo": &i.Cargo, "auto_liability": &i.Liability} {
		p.check(prefix+".", today, all)
	}
	if !files {
		all.add("certificate", "Send the certificate of insurance, or have your agent send it.")
	}

	return all
}

func (p *Policy) check(prefix string, today field.Date, all problems) {
	if strings.TrimSpace(p.Insurer) == "" {
		all.add(prefix+"insurer", "Enter the insurance company.")
	}
	if strings.TrimSpace(p.Number) == "" {
		all.add(prefix+"policy", "Enter the policy number.")
	}
	if cover, ok := ParseMoney(p.Cover); !ok || cover == "" {
		all.add(prefix+"each_occurrence", "Enter the cover in dollars, such as 250000.")
	}
	if _, ok := ParseMoney(p.Deductible); !ok {
		all.add(prefix+"deductible", "Enter the deductible in dollars, such as 1000.")
	}
	effective, ok := parseDay(p.Effective)
	if !ok {
		all.add(prefix+"effective", "Enter a day such as 2026-01-31.")
	}
	expires, ok := parseDay(p.Expires)
	switch {
	case !ok || expires == "":
		all.add(prefix+"expires", "Enter the day on which the policy expires, such as 2027-01-31.")
	case expires < today:
		all.add(prefix+"expires", "The policy has expired. Send the certificate of the new one.")
	case effective != "" && expires < effective:
		all.add(prefix+"expires", "The policy must not expire before it begins.")
	}
}

// check reports what is wrong with how the carrier wants to be paid.
func (r *RemitTo) check(notice bool) problems {
	all := problems{}
	if r == nil {
		all.add("payee", "Say how you are paid.")

		return all
	}
	if strings.TrimSpace(r.Payee) == "" {
		all.add("payee", "Enter who is paid.")
	}
	if r.Method == "check" {
		if r.Address.Line1 == "" || r.Address.City == "" {
			all.add("line1", "Enter the street and the city that checks are sent to.")
		}
	} else {
		if !validRouting(r.Routing) {
			all.add("routing_number", "Enter the nine digits of the routing number.")
		}
		if r.Last4 == "" {
			all.add("account_number", "Enter the account number: 5 to 17 digits.")
		}
	}
	if r.Kind == "factor" && !notice {
		all.add("notice", "Send the notice of assignment of the factoring company.")
	}

	return all
}

var accountRule = regexp.MustCompile(`^[0-9]{5,17}$`)

// validRouting reports whether nine digits have the check digit of ABA routing numbers: 3, 7 and 1 are their weights.
func validRouting(text string) bool {
	if len(text) != 9 { //nolint:mnd // ABA's
		return false
	}
	sum := 0
	for i, r := range text {
		if r < '0' || r > '9' {
			return false
		}
		sum += int(r-'0') * []int{3, 7, 1}[i%3]
	}

	return sum > 0 && sum%10 == 0
}

// parsed reads a text as a value of a field reads it from JSON.
func parsed(text string, into json.Unmarshaler) bool {
	raw, err := json.Marshal(text)

	return err == nil && into.UnmarshalJSON(raw) == nil
}

// ParsePhone reads a phone as people write it; "" is none, and valid.
func ParsePhone(text string) (phone field.Phone, ok bool) {
	if strings.TrimSpace(text) == "" {
		return "", true
	}
	ok = parsed(text, &phone)

	return phone, ok
}

// ParseEmail reads an e-mail; "" is none, and valid.
func ParseEmail(text string) (email field.Email, ok bool) {
	if strings.TrimSpace(text) == "" {
		return "", true
	}
	ok = parsed(strings.TrimSpace(text), &email)

	return email, ok
}

// ParseMoney reads an amount as people write it, with a dollar sign and commas; "" is none, and valid.
func ParseMoney(text string) (amount money.Amount, ok bool) {
	text = strings.NewReplacer("$", "", ",", "", " ", "").Replace(text)
	if text == "" {
		return "", true
	}
	ok = parsed(text, &amount) && !strings.HasPrefix(text, "-")

	return amount, ok
}

// parseDay reads a day; "" is none, and valid.
func parseDay(text string) (field.Date, bool) {
	if text == "" {
		return "", true
	}
	t, err := time.Parse(time.DateOnly, text)

	return field.Date(text), err == nil && t.Year() > 1900 && t.Year() < 2200
}

// emails are the addresses that the carrier typed.
func (p *Proposal) emails() (all []string) {
	if p.Profile == nil {
		return nil
	}
	for _, text := range []string{p.Profile.Email, p.Profile.DispatchEmail, p.Profile.BillingEmail} {
		if email, ok := ParseEmail(text); ok && email != "" && !slices.Contains(all, string(email)) {
			all = append(all, string(email))
		}
	}

	return all
}

func (p *Profile) seen() *Seen {
	if p == nil {
		return nil
	}

	return &p.Seen
}

func (e *Equipment) seen() *Seen {
	if e == nil {
		return nil
	}

	return &e.Seen
}

func (i *Insurance) seen() *Seen {
	if i == nil {
		return nil
	}

	return &i.Seen
}

func (r *RemitTo) seen() *Seen {
	if r == nil {
		return nil
	}

	return &r.Seen
}

// SchemaName implements web.SchemaNamer.
func (Unit) SchemaName() string { return "PacketUnit" }

// SchemaName implements web.SchemaNamer.
func (Lane) SchemaName() string { return "PacketLane" }

// SchemaName implements web.SchemaNamer.
func (Policy) SchemaName() string { return "PacketPolicy" }

// SchemaName implements web.SchemaNamer.
func (Proposal) SchemaName() string { return "PacketProposal" }

// SchemaName implements web.SchemaNamer.
func (Accepted) SchemaName() string { return "PacketAccepted" }
