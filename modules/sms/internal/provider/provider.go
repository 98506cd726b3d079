// Package provider is the port behind which a vendor of text messages stands: what the area asks of one,
// in words that are no vendor's own.
//
// An adapter is a Provider. It has no state: Open gives it the credentials of one account, and what comes
// back talks to the vendor for that account. Every call takes a context with a deadline, which the adapter
// keeps. What a vendor tells by itself (statuses, messages from outside) is parsed by the adapter into
// Update and Inbound, and handed to the area.
package provider

import (
	"context"
	"time"

	"github.com/dispatchd/dispatchd/platform/secret"
)

// Provider is a vendor.
type Provider interface {
	// Name is how accounts name it: "sandbox".
	Name() string
	Capabilities() Capabilities
	// Open returns an account, or an Error with the reason Auth that says what of the credentials is missing.
	// It does no I/O.
	Open(o Opening) (Account, error)
	// Explain returns what a code of the vendor's means to people, and what they can do; "" where its reason says as much.
	Explain(code string) string
}

// Credentials are what a vendor asks for, by name.
type Credentials = secret.Hidden[map[string]string]

// Opening is what an account is opened with.
type Opening struct {
	Credentials Credentials
	// Key is the account's id here: an account that fails is left alone for a while, the others are not.
	Key string
	// StatusURL and MessageURL are our addresses for what the vendor tells of messages, and for messages from
	// outside; "" if we have no public address.
	StatusURL, MessageURL string
}

// Capabilities is what a vendor can do, and what it sees to by itself.
type Capabilities struct {
	// MaxBody is the longest body in characters, MaxMedia how many links a message may have; 0 is none.
	MaxBody, MaxMedia int
	// DedupesFor is how long the vendor takes a repeat of a Reference for the same message, and sends
	// nothing; 0 says that it sends again.
	DedupesFor time.Duration
	// Finds says that Find can be asked.
	Finds bool
	// HandlesStop says that the vendor keeps opt-outs and answers STOP, START and HELP by itself.
	HandlesStop bool
	// Simulated says that nothing leaves the service: the area plays the vendor's notifications.
	Simulated bool
}

// Account is an account at a vendor. Its errors are Errors; any other, a deadline among them, says that
// nobody knows what the vendor did.
type Account interface {
	Messages
	Numbers

	// Health makes a call that costs nothing and needs the credentials.
	Health(ctx context.Context) error
}

// Messages is what an account does with messages.
type Messages interface {
	// Send hands over a message. An Error whose Taken is No is a promise that it will not be delivered.
	Send(ctx context.Context, m Outgoing) (Accepted, error)
	// Fetch returns what the vendor knows of a message by its own id; the reason is NotFound if nothing.
	Fetch(ctx context.Context, id string) (Update, error)
	// Find looks for a message that may have been taken. Complete says that a message which is not among
	// the found was not taken, and will not be.
	Find(ctx context.Context, s Search) (found []Update, complete bool, err error)
	// FetchInbound lists messages from outside that may not have been brought, in any order. Those that are known are left out.
	FetchInbound(ctx context.Context, m Missed) ([]Inbound, error)
	// Media reads a file of a message from outside, with the account's credentials where the vendor asks for them.
	// The reason is NotFound if it is gone, InvalidMessage if it is too large.
	Media(ctx context.Context, link string) (File, error)
}

// Missed describes messages from outside: to one of our numbers, from a time on.
type Missed struct {
	To    string
	Since time.Time
	// Known reports whether a message is here already, by the vendor's id.
	Known func(ctx context.Context, id string) (bool, error)
}

// File is a file of a message. MediaType is what the vendor says, which may be wrong.
type File struct {
	MediaType string
	Content   []byte
}

// Numbers is what an account does with numbers. Buying a number that the account has returns it, and
// releasing one that it does not have is no error: both may be repeated.
type Numbers interface {
	Search(ctx context.Context, q NumberQuery) ([]Available, error)
	Buy(ctx context.Context, number string) (Owned, error)
	Release(ctx context.Context, o Owned) error
	List(ctx context.Context) ([]Owned, error)
	// SetCallbacks has the vendor bring us what comes to a number: it sets MessageURL, wherever the vendor keeps that.
	SetCallbacks(ctx context.Context, o Owned) error
}

// Outgoing is a message to hand over. Numbers are E.164.
type Outgoing struct {
	// Reference is our name of this hand-over: the vendor's idempotency key, where it has one, and what
	// notifications bring back, where it lets us say so. The same for every repeat of a hand-over.
	Reference string
	From, To  string
	Body      string
	Media     []string
}

// Accepted is what a vendor says of a message that it has taken.
type Accepted struct {
	// ID is the vendor's.
	ID string
	// Status is how far the message is; "" counts as Sending. Raw is the vendor's own word.
	Status   Status
	Raw      string
	Segments int
	Cost     Cost
}

// Cost is a price: a decimal, "" if it is not known, and an ISO 4217 currency.
type Cost struct{ Amount, Currency string }

// Search describes a message that may have been taken.
type Search struct {
	Reference      string
	From, To, Body string
	// Since is before the hand-over began.
	Since time.Time
}

// Status is how far a message is.
type Status string

// The statuses. Received is that of messages from outside.
const (
	Sending     Status = "sending"
	Sent        Status = "sent"
	Delivered   Status = "delivered"
	Undelivered Status = "undelivered"
	Failed      Status = "failed"
	Received    Status = "received"
)

// Update is what a vendor tells of a message, asked or by itself. It may come twice, late, and in any order.
type Update struct {
	// ID is the vendor's, Reference that of Outgoing where the vendor brings it back; one of them is set.
	ID, Reference string
	Status        Status
	// Raw is the vendor's own word for Status, Code its code for what went wrong.
	Raw, Code string
	// Reason is why the message failed, "" if it did not.
	Reason   Reason
	Segments int
	Cost     Cost
	// At is when it happened, the zero time if the vendor does not say.
	At time.Time
}

// Inbound is a message from outside.
type Inbound struct {
	// ID is the vendor's, and what tells repeats.
	ID       string
	From, To string
	Body     string
	Media    []string
	Segments int
	At       time.Time
	// OptOut says that the vendor has taken the message for a keyword ("STOP", "START", "HELP"); "" if
	// it has not, or does not look.
	OptOut string
}

// NumberQuery is what numbers are looked for by; what is empty does not matter.
type NumberQuery struct {
	// Country is ISO 3166-1 alpha-2, and always set.
	Country, AreaCode string
	// Contains are digits.
	Contains string
	Kind     Kind
	SMS, MMS bool
	Limit    int
}

// Kind is what sort of number it is.
type Kind string

// The kinds.
const (
	Local    Kind = "local"
	TollFree Kind = "toll_free"
	Mobile   Kind = "mobile"
)

// Features is what a number can do.
type Features struct{ SMS, MMS, Voice bool }

// Available is a number that can be bought.
type Available struct {
	Number   string
	Kind     Kind
	Locality string
	Region   string
	Features Features
}

// Registration is whether networks let a number send to the United States.
type Registration string

// The registrations.
const (
	RegistrationUnknown Registration = "unknown"
	NotRequired         Registration = "not_required"
	Unregistered        Registration = "unregistered"
	Pending             Registration = "pending"
	Registered          Registration = "registered"
	Rejected            Registration = "rejected"
)

// Owned is a number of the account.
type Owned struct {
	// ID is the vendor's.
	ID           string
	Number       string
	Kind         Kind
	Features     Features
	Registration Registration
}
