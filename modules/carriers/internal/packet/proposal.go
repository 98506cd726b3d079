package packet

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/dispatchd/dispatchd/modules/carriers/carriersapi"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/money"
	"github.com/dispatchd/dispatchd/platform/principal"
)

// The steps of packets. The profile is always required and the equipment always optional; a packet requests the others.
const (
	StepProfile   = "profile"
	StepEquipment = "equipment"
	StepInsurance = "insurance"
	StepW9        = "w9"
	StepRemitTo   = "remit_to"
	StepAgreement = "agreement"
	StepIdentity  = "identity"
	StepReview    = "review"
)

// documents are the steps that a packet may request, in their order.
var documents = []string{StepInsurance, StepW9, StepRemitTo, StepAgreement, StepIdentity}

// Titles are the headings of the steps.
var Titles = map[string]string{
	StepProfile: "Company", StepEquipment: "Equipment and lanes", StepInsurance: "Insurance", StepW9: "W-9", StepRemitTo: "How you are paid",
	StepAgreement: "Agreement", StepIdentity: "Identity", StepReview: "Review and submit",
}

// Proposal has the entries of a carrier by step. Entries are stored as typed, within the limits of their fields, even if they are invalid;
// a packet with invalid entries cannot be submitted.
type Proposal struct {
	Profile   *Profile   `json:"profile,omitempty"`
	Equipment *Equipment `json:"equipment,omitempty"`
	Insurance *Insurance `json:"insurance,omitempty"`
	RemitTo   *RemitTo   `json:"remit_to,omitempty"`
	Agreement *Accepted  `json:"agreement,omitempty"`
	// VerifiedAt is when an identity code that was sent to the regulator's record was entered.
	VerifiedAt *time.Time `json:"identity_verified_at,omitempty"`
	// UploadLinks are the ids of the packet's upload links.
	UploadLinks []string `json:"upload_links,omitempty"`
}

// Seen has the revision of a step that the caller has read. A step that someone else saved since is not overwritten.
type Seen struct {
	Revision *int64 `json:"revision,omitempty" doc:"Revision of the step that you have read. Without it, the step is overwritten even if someone else saved it since."`
}

// Profile has the names of the carrier and its contacts.
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

// Equipment has the trailers and the preferred lanes of a carrier.
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

// Lane is a preferred lane.
type Lane struct {
	From []string `json:"from" minItems:"1" maxItems:"60"`
	To   []string `json:"to" minItems:"1" maxItems:"60"`
}

// Insurance has the policies of a carrier.
type Insurance struct {
	Seen

	Cargo     Policy `json:"cargo"`
	Liability Policy `json:"auto_liability"`
}

// SchemaName implements web.SchemaNamer.
func (Insurance) SchemaName() string { return "PacketInsurance" }

// Policy is a policy as typed.
type Policy struct {
	Insurer    string `json:"insurer" maxLength:"200"`
	Number     string `json:"policy" maxLength:"100"`
	Cover      string `json:"each_occurrence" maxLength:"30" doc:"US dollars." example:"250000.00"`
	Deductible string `json:"deductible,omitempty" maxLength:"30"`
	Effective  string `json:"effective,omitempty" maxLength:"30" example:"2026-01-31"`
	Expires    string `json:"expires" maxLength:"30" example:"2027-01-31"`
	Exclusions string `json:"exclusions,omitempty" maxLength:"2000"`
}

// RemitTo is how a carrier is paid. The account number is write-only.
type RemitTo struct {
	Seen

	Kind        string        `json:"kind" enum:"carrier,factor" doc:"Who is paid: the carrier, or the factoring company that its invoices are assigned to."`
	Payee       string        `json:"payee" maxLength:"200"`
	Method      string        `json:"method" enum:"ach,wire,check"`
	Address     field.Address `json:"address,omitzero" doc:"Mailing address for checks."`
	Bank        string        `json:"bank_name,omitempty" field:"scope=carriers:remit" maxLength:"200"`
	AccountType string        `json:"account_type,omitempty" field:"scope=carriers:remit" enum:"checking,savings"`
	Routing     string        `json:"routing_number,omitempty" field:"scope=carriers:remit" maxLength:"20"`
	Account     string        `json:"account_number,omitempty" maxLength:"40" writeOnly:"true" doc:"Stored encrypted and never returned; see account_last4. Leave it out to keep the saved number."`
	Last4       string        `json:"account_last4,omitempty" field:"scope=carriers:remit" maxLength:"4" readOnly:"true"`
}

// SchemaName implements web.SchemaNamer.
func (RemitTo) SchemaName() string { return "PacketRemitTo" }

// SeenBy is a proposal without the bank details, for a caller without their scope.
func (p Proposal) SeenBy(ctx context.Context) *Proposal {
	if who, _ := principal.From(ctx); p.RemitTo != nil && !who.Allows(remitScope) {
		masked := *p.RemitTo
		masked.Bank, masked.AccountType, masked.Routing, masked.Account, masked.Last4 = "", "", "", "", ""
		p.RemitTo = &masked
	}

	return &p
}

// remitScope is what the bank details of a carrier require, as the tags of RemitTo say.
const remitScope = carriersapi.Area + ":remit"

// Acceptance accepts the agreement.
type Acceptance struct {
	Name     string `json:"name" maxLength:"200" doc:"Typed name of the person who accepts."`
	Title    string `json:"title,omitempty" maxLength:"200"`
	Accepted bool   `json:"accepted"`
	Version  string `json:"version" maxLength:"64" doc:"Version of the agreement that was read."`
}

// SchemaName implements web.SchemaNamer.
func (Acceptance) SchemaName() string { return "PacketAcceptance" }

// Accepted is an acceptance with its evidence.
type Accepted struct {
	Acceptance

	Text      string    `json:"text" doc:"Accepted text of the agreement."`
	At        time.Time `json:"at"`
	Address   string    `json:"ip_address"`
	UserAgent string    `json:"user_agent"`
}

// Problems are the problems of a step by field; the key "" is the step itself.
type Problems map[string][]string

func (p Problems) add(name, text string) { p[name] = append(p[name], text) }

// check returns the problems of the profile.
func (p *Profile) check() Problems {
	all := Problems{}
	if p == nil {
		all.add("", "Enter your company.")

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

// check returns the problems of the equipment, which is optional.
func (e *Equipment) check() Problems {
	all := Problems{}
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

// placeRule matches a state or province, or a prefix of a ZIP code.
var placeRule = regexp.MustCompile(`^([A-Z]{2}|[0-9]{1,5})$`)

// check returns the problems of the insurance on a day.
func (i *Insurance) check(today field.Date, files bool) Problems {
	all := Problems{}
	if i == nil {
		i = &Insurance{}
	}
	for prefix, p := range map[string]*Policy{"cargo": &i.Cargo, "auto_liability": &i.Liability} {
		p.check(prefix+".", today, all)
	}
	if !files {
		all.add("certificate", "Upload the certificate of insurance, or ask your agent to upload it.")
	}

	return all
}

func (p *Policy) check(prefix string, today field.Date, all Problems) {
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
		all.add(prefix+"expires", "The policy has expired. Enter the current one.")
	case effective != "" && expires < effective:
		all.add(prefix+"expires", "The expiry must not be before the effective date.")
	}
}

// check returns the problems of the payment.
func (r *RemitTo) check(notice bool) Problems {
	all := Problems{}
	if r == nil {
		all.add("payee", "Enter how you are paid.")

		return all
	}
	if strings.TrimSpace(r.Payee) == "" {
		all.add("payee", "Enter the name of the payee.")
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
		all.add("notice", "Upload the notice of assignment of the factoring company.")
	}

	return all
}

var accountRule = regexp.MustCompile(`^[0-9]{5,17}$`)

// TakeAccount moves the account number out of the entries, which keep its last four digits or, without a new number, those of the entries before,
// nil for none. It returns the number to store, "" for none, and whether it replaces the stored one. An invalid number replaces it by none; checks
// need none.
func (r *RemitTo) TakeAccount(before *RemitTo) (number string, replaces bool) {
	digits := strings.NewReplacer(" ", "", "-", "")
	number = digits.Replace(r.Account)
	r.Account, r.Routing, r.Last4 = "", digits.Replace(r.Routing), ""
	switch {
	case r.Method == "check":
		r.Routing, r.Bank, r.AccountType = "", "", ""

		return "", true
	case number == "":
		if before != nil {
			r.Last4 = before.Last4
		}

		return "", false
	case !accountRule.MatchString(number):
		return "", true
	default:
		r.Last4 = number[len(number)-4:]

		return number, true
	}
}

// validRouting reports whether a text is nine digits with the checksum of ABA routing numbers, whose weights are 3, 7 and 1.
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

// parsed reads a text as the JSON value of a field.
func parsed(text string, into json.Unmarshaler) bool {
	raw, err := json.Marshal(text)

	return err == nil && into.UnmarshalJSON(raw) == nil
}

// ParsePhone reads a phone number in any common form. An empty text is valid.
func ParsePhone(text string) (phone field.Phone, ok bool) {
	if strings.TrimSpace(text) == "" {
		return "", true
	}
	ok = parsed(text, &phone)

	return phone, ok
}

// ParseEmail reads an e-mail address. An empty text is valid.
func ParseEmail(text string) (email field.Email, ok bool) {
	if strings.TrimSpace(text) == "" {
		return "", true
	}
	ok = parsed(strings.TrimSpace(text), &email)

	return email, ok
}

// ParseMoney reads an amount, which may have a dollar sign and commas. An empty text is valid.
func ParseMoney(text string) (amount money.Amount, ok bool) {
	text = strings.NewReplacer("$", "", ",", "", " ", "").Replace(text)
	if text == "" {
		return "", true
	}
	ok = parsed(text, &amount) && !strings.HasPrefix(text, "-")

	return amount, ok
}

// parseDay reads a day. An empty text is valid.
func parseDay(text string) (field.Date, bool) {
	if text == "" {
		return "", true
	}
	t, err := time.Parse(time.DateOnly, text)

	return field.Date(text), err == nil && t.Year() > 1900 && t.Year() < 2200
}

// Emails returns the e-mail addresses of the profile.
func (p *Proposal) Emails() (all []string) {
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

func (p *Profile) Read() *Seen {
	if p == nil {
		return nil
	}

	return &p.Seen
}

func (e *Equipment) Read() *Seen {
	if e == nil {
		return nil
	}

	return &e.Seen
}

func (i *Insurance) Read() *Seen {
	if i == nil {
		return nil
	}

	return &i.Seen
}

func (r *RemitTo) Read() *Seen {
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

// SameText reports whether texts are the same apart from case and surrounding spaces.
func SameText(a, b string) bool {
	return strings.EqualFold(strings.TrimSpace(a), strings.TrimSpace(b))
}
