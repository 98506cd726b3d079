package carriersapi

import (
	"context"
	"time"

	"github.com/dispatchd/dispatchd/platform/errs"
)

// Carrier is what other areas see of a carrier of the company.
type Carrier struct {
	UUID string
	// MergedFrom is the uuid that was asked for, where that carrier was merged into this one; "" else.
	MergedFrom string
	Name, DBA  string
	// USDOT is digits, Docket has its prefix: MC-123456. "" for none.
	USDOT, Docket, SCAC string
	Phone, Email        string
	// Contact is the uuid of its contact, "" for none.
	Contact string
	// Status is active, inactive or do_not_use; Compliance is the status of its last verdict.
	Status, Compliance string
	// Prospect says that nobody has confirmed who it is.
	Prospect bool
}

// NewProspect is a carrier that the company knows by its name and an address alone.
type NewProspect struct{ Name, Email, Phone string }

// ErrUSDOT is for what is no USDOT number.
var ErrUSDOT = errs.New(errs.Invalid, "carriers.invalid_number", "The given data was invalid.")

// Prospects are carriers that are to be told of a load before anybody has confirmed who they are. They get none until their identity is confirmed, by
// Identities or by hand.
type Prospects interface {
	// Prospect returns the uuid of the company's carrier with the e-mail address, or else the phone, and makes a prospect where there is none. It joins the
	// caller's transaction.
	Prospect(ctx context.Context, p NewProspect) (uuid string, err error)
}

// Claim is a USDOT number that a stranger claims to have, and the item that it is claimed for, such as an offer. It is kept there, and no carrier has
// the number by it, until a code proves it.
type Claim struct{ ItemType, ItemUUID, USDOT string }

// Claims proves claims: by codes that go to the regulator's record of the number, and nowhere else.
type Claims interface {
	// Normal returns a USDOT number without what people write around it. Error: ErrUSDOT.
	Normal(usdot string) (string, error)
	// Channels are those by which a code can be sent for a number, none if the regulator has no address for it.
	Channels(ctx context.Context, usdot string) ([]Channel, error)
	// Issue sends a code. Errors: carriers.no_record, notify.no_channel, onetimecode.too_many.
	Issue(ctx context.Context, of Claim, channel string) error
	// Redeem keeps that the carrier of the number was reached, if the code is right, and returns its uuid: a carrier of the company that has the number
	// already, or else the prospect, which has it from then on and is none any more. It is not called in a transaction. Errors: onetimecode.wrong,
	// onetimecode.none.
	Redeem(ctx context.Context, of Claim, prospect, code string) (carrier string, err error)
}

// Purpose is what a carrier is written to for.
type Purpose string

// The purposes.
const (
	Dispatch Purpose = "dispatch"
	Billing  Purpose = "billing"
	Safety   Purpose = "safety"
)

// Reach has the address and the numbers that may be used to reach a carrier, each "" if none is known or its contact refused the channel.
type Reach struct {
	// Name is the person's, "" for the carrier's own address and number.
	Name             string
	Email, SMS, Call string
}

// SandboxDomain is the domain of the e-mail addresses of carriers for which robots answer, where a company has switched that on. Nobody has it (RFC 2606).
const SandboxDomain = "sandbox.test"

// Carriers finds carriers of the caller's company.
type Carriers interface {
	// Find returns the existing carriers among at most 200, by the requested UUIDs. For a merged carrier it returns the one that it
	// was merged into.
	Find(ctx context.Context, uuids ...string) (map[string]Carrier, error)
	// Reach returns the best e-mail address and phone numbers for a purpose, within the consents of the carrier's contact.
	// Error: carriers.carrier_not_found.
	Reach(ctx context.Context, uuid string, p Purpose) (Reach, error)
}

// Load is what a carrier is to carry.
type Load struct {
	// Declared is the sum of the declared values of the vehicles in US dollars, "" if none is declared.
	Declared string
	// Delivery is the day of the delivery in the company's time zone, as YYYY-MM-DD; "" if it is not planned.
	Delivery string
}

// Finding is a rule that holds against a carrier.
type Finding struct {
	Code  string `json:"code"`
	Title string `json:"title"`
	Fix   string `json:"fix"`
	// Overridden says that somebody with the scope carriers:override has allowed the carrier all the same.
	Overridden bool `json:"overridden"`
}

// Verdict says whether a carrier may take a load, and why not.
type Verdict struct {
	// Carrier is the uuid of the carrier that was judged: the one that it was merged into.
	Carrier  string
	Eligible bool
	// Status is unknown, eligible, warned, blocked or expired.
	Status             string
	Blockers, Warnings []Finding
	CheckedAt          time.Time
}

// Verdicts judges carriers of the caller's company by its rules. It never waits for the regulator.
type Verdicts interface {
	// Verdict judges a carrier for a load. Error: carriers.carrier_not_found.
	Verdict(ctx context.Context, carrier string, l Load) (Verdict, error)
	// Judge judges at most 200 carriers for a load, by the uuids that were asked for. Carriers that there are not are absent.
	Judge(ctx context.Context, l Load, carriers ...string) (map[string]Verdict, error)
}

// Report is something that went wrong with a carrier, such as a load that it gave back.
type Report struct {
	// Area is the id of the area that reports, and Key what it is reported for, such as the uuid of a dispatch and what was
	// done: a report of the same area and key is kept once.
	Area, Key string
	Carrier   string
	// Kind is bounce, no_show, late, held_hostage, damage, double_brokered, fraud or other.
	Kind, Title, Description string
	// HappenedOn is a day, as YYYY-MM-DD; "" for today.
	HappenedOn string
	// ItemType and ItemUUID name the load or the dispatch, "" for none.
	ItemType, ItemUUID string
}

// Channel is a way to reach a carrier by the regulator's record: sms or email, and the phone or address, masked so that its owner recognizes it.
type Channel struct {
	Name string `json:"channel" enum:"sms,email"`
	To   string `json:"to" example:"+1214 *** **43"`
}

// SchemaName is the name of the body in the OpenAPI document.
func (Channel) SchemaName() string { return "IdentityChannel" }

// Identities proves that somebody is a carrier: by a code that goes to the regulator's record, and nowhere else.
type Identities interface {
	// Confirmed reports whether a carrier was ever reached so. Error: carriers.carrier_not_found.
	Confirmed(ctx context.Context, carrier string) (bool, error)
	// Channels are those by which a code can be sent, none if the record has none, or the company no area that sends by them.
	Channels(ctx context.Context, carrier string) ([]Channel, error)
	// Issue sends a code. Errors: carriers.no_record, notify.no_channel, onetimecode.too_many.
	Issue(ctx context.Context, carrier, channel string) error
	// Redeem keeps that the carrier was reached, if the code is right. It is not called in a transaction, which would take a wrong try back. Errors:
	// onetimecode.wrong, onetimecode.none.
	Redeem(ctx context.Context, carrier, code string) error
}

// Incidents keeps what went wrong with carriers of the caller's company.
type Incidents interface {
	// Report keeps an incident, open, and returns its uuid. It joins the caller's transaction. Errors:
	// carriers.carrier_not_found, carriers.invalid_incident.
	Report(ctx context.Context, r Report) (uuid string, err error)
}

// ErrUsed is what areas refuse the hook Removing with: their rows name the carrier.
var ErrUsed = errs.New(errs.Conflict, "carriers.used", "The carrier is in use. Deactivate it instead.")

// Removing is the hook carriers.carrier.removing: a carrier is about to be deleted. An area refuses with ErrUsed where its rows
// name the carrier by what is no reference of a resource.
type Removing struct{ Carrier string }

// IncidentReported says that there is a new incident with a carrier, or that it was confirmed or dismissed.
type IncidentReported struct {
	Carrier  string `json:"carrier_uuid"`
	Incident string `json:"incident_uuid"`
	Kind     string `json:"kind"`
	// State is open, confirmed or dismissed.
	State string `json:"state"`
}

// EventName implements events.Event.
func (IncidentReported) EventName() string { return "carriers.carrier.incident" }

// EventItem implements events.Named.
func (e IncidentReported) EventItem() (itemType, id string) { return Item, e.Carrier }
