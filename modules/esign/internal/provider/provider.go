// Package provider is the port behind which a vendor of electronic signatures stands: what the area asks of one.
//
// An adapter is a Provider. It has no state: Open gives it the credentials of one account, and what comes back talks
// to the vendor for that account. Every call takes a context with a deadline, which the adapter keeps. What a vendor
// tells, asked or by itself, is an Update.
package provider

import (
	"context"
	"encoding/json"
	"io"
	"time"

	"github.com/dispatchd/dispatchd/platform/secret"
)

// Provider is a vendor.
type Provider interface {
	// Name is how accounts name it: "sandbox".
	Name() string
	// Environments are those that accounts choose from, the default first.
	Environments() []string
	// Open returns an account, or an Error with the reason Auth that says what of the credentials is missing.
	// It does no I/O.
	Open(o Opening) (Account, error)
}

// Credentials are what a vendor asks for, by name.
type Credentials = secret.Hidden[map[string]string]

// Opening is what an account is opened with.
type Opening struct {
	Credentials Credentials
	// Key is the account's id here: an account that fails is left alone for a while, the others are not.
	Key         string
	Environment string
	// ExternalID and BaseURL are what Check has found, "" before.
	ExternalID, BaseURL string
	// CallbackURL is our address for notifications, "" if we have no public address.
	CallbackURL string
}

// Account is an account at a vendor. Its errors are Errors; any other, a deadline among them, says that nobody knows
// what the vendor did.
type Account interface {
	// Check makes a call that costs nothing and needs the credentials, and says what was found.
	Check(ctx context.Context) (Found, error)
	// Templates returns a page of the vendor's templates, without roles, and where the next one begins, "" if nowhere.
	Templates(ctx context.Context, from string) (page []Template, next string, err error)
	// Template returns one with its roles and their tabs.
	Template(ctx context.Context, id string) (Template, error)

	Envelopes
}

// Envelopes is what an account does with envelopes.
type Envelopes interface {
	// Create makes an envelope, and sends it unless it is a draft. An Error whose Taken is No is a promise that there is
	// no such envelope.
	Create(ctx context.Context, e Envelope) (Update, error)
	// Find looks for an envelope that may have been made since a time, by the Reference. Called is when the last call began
	// that may have made it. Complete says that one which is not found was not made, and will not be.
	Find(ctx context.Context, reference string, since, called time.Time) (found []Update, complete bool, err error)
	// Fetch returns what the vendor knows of an envelope, with recipients and fields; the reason is NotFound if nothing.
	Fetch(ctx context.Context, id string) (Update, error)
	// Changes returns a page of the envelopes that have changed since, with recipients and fields.
	Changes(ctx context.Context, since time.Time, from string) (page []Update, next string, err error)
	// Send sends a draft.
	Send(ctx context.Context, id string) error
	Resend(ctx context.Context, id string) error
	Void(ctx context.Context, id, reason string) error
	// Correct changes recipients, by their ExternalID; who is new has one that the envelope has not. Those who have
	// not signed get the envelope anew.
	Correct(ctx context.Context, id string, changed []Recipient) error
	// SigningURL returns an address at which an embedded recipient signs, for once and some minutes.
	SigningURL(ctx context.Context, id string, r Recipient, returnURL string) (string, error)
	// SignedTabs returns the values of the tabs as they are now, by the ExternalID of the recipient.
	SignedTabs(ctx context.Context, id string) (map[string][]SignedTab, error)
	// Document returns a document, which the caller closes.
	Document(ctx context.Context, id string, which Document) (io.ReadCloser, error)
}

// Found is what a check shows.
type Found struct {
	// ExternalID is the account's at the vendor, BaseURL where its API is, Name what the vendor calls it.
	ExternalID, BaseURL, Name string
}

// Template is a document with places to fill in, by role.
type Template struct {
	ID, Name, Description string
	Subject, Message      string
	Roles                 []Role
	ChangedAt             time.Time
}

// Role is a part that a recipient plays.
type Role struct {
	Name         string        `json:"name"`
	Kind         RecipientKind `json:"kind"`
	RoutingOrder int           `json:"routing_order"`
	Tabs         []Tab         `json:"tabs"`
}

// Tab is a place in a document.
type Tab struct {
	// Label is what mappings name it by, within the role.
	Label string `json:"label"`
	// Type is the vendor's word in the singular: "text", "checkbox", "list", "sign_here", "date_signed" …
	Type     string   `json:"type"`
	Required bool     `json:"required"`
	Locked   bool     `json:"locked"`
	MaxSize  int      `json:"max_size"` // in characters, 0 if it is not known
	Options  []string `json:"options"`  // of lists and radio groups
	Value    string   `json:"value"`
	// Fillable says that it can be filled before sending: no signatures, and no dates of them.
	Fillable bool `json:"fillable"`
}

// RecipientKind is what is asked of a recipient.
type RecipientKind string

// The kinds. Others that a vendor has are kept by their own word.
const (
	Signer            RecipientKind = "signer"
	InPersonSigner    RecipientKind = "in_person_signer"
	CarbonCopy        RecipientKind = "carbon_copy"
	CertifiedDelivery RecipientKind = "certified_delivery"
)

// Envelope is an envelope to make.
type Envelope struct {
	// Reference is our name of it, a UUID: what Find looks for, and the vendor's idempotency key where it has one.
	Reference string
	// TemplateID is the vendor's; without it there are Files.
	TemplateID       string
	Subject, Message string
	Recipients       []Recipient
	Files            []File
	// Fields are custom fields by name, hidden from recipients.
	Fields map[string]string
	// Draft has it not sent.
	Draft bool
	// ReminderDelay and ReminderEvery are in days, 0 for none; ExpireAfter too, ExpireWarn days before it.
	ReminderDelay, ReminderEvery, ExpireAfter, ExpireWarn int
}

// Recipient is somebody who gets an envelope.
type Recipient struct {
	// ExternalID is how the vendor names the recipient within the envelope: "1".
	ExternalID   string
	Kind         RecipientKind
	Role         string
	Name, Email  string
	RoutingOrder int
	// ClientID makes the recipient one who signs with us, by SigningURL; "" gets an e-mail.
	ClientID string
	// Tabs are values of tabs; without a template a signer gets places to sign by Anchor.
	Tabs []Value
}

// Value is what a tab is filled with.
type Value struct{ Label, Type, Text string }

// SignedTab is the value of a tab after the recipient has filled it in, as the vendor writes it.
type SignedTab struct {
	Label string `json:"label"`
	Value string `json:"value"`
	// Prefilled is the value that it was sent with.
	Prefilled string `json:"prefilled"`
}

// File is a document to sign.
type File struct {
	Name, MediaType string
	// Open is called once or more, the caller closes what it returns.
	Open func(ctx context.Context) (io.ReadCloser, error)
	Size int64
}

// Document says which document of an envelope.
type Document string

// The documents: all of them in one PDF, and the certificate of completion.
const (
	Combined    Document = "combined"
	Certificate Document = "certificate"
)

// Update is what a vendor tells of an envelope. It may come twice, late, and in any order.
type Update struct {
	// ID is the vendor's, Reference that of Envelope where the vendor brings it back.
	ID        string `json:"id"`
	Reference string `json:"reference,omitempty"`
	// Status is the vendor's word in lower case: "sent". At is since when, the zero time if it is not said.
	Status string    `json:"status"`
	At     time.Time `json:"at,omitzero"`
	// Bound says that At is only by when it was so at the latest: the vendor did not say since when.
	Bound bool `json:"bound,omitempty"`
	// Reason is why it was declined or voided; Expired says that nobody voided it.
	Reason  string `json:"reason,omitempty"`
	Expired bool   `json:"expired,omitempty"`

	Subject string `json:"subject,omitempty"`
	Message string `json:"message,omitempty"`
	// Fields are the custom fields by name.
	Fields map[string]string `json:"fields,omitempty"`

	CreatedAt   time.Time `json:"created_at,omitzero"`
	SentAt      time.Time `json:"sent_at,omitzero"`
	DeliveredAt time.Time `json:"delivered_at,omitzero"`
	CompletedAt time.Time `json:"completed_at,omitzero"`
	ExpiresAt   time.Time `json:"expires_at,omitzero"`

	// Recipients are those that are told of; others may be there.
	Recipients []RecipientUpdate `json:"recipients,omitempty"`
	// Whole is all that the vendor said of the envelope, without the documents' bytes; nil if that is nothing.
	Whole json.RawMessage `json:"whole,omitempty"`
}

// RecipientUpdate is what a vendor tells of a recipient. What is "" or zero was not told.
type RecipientUpdate struct {
	ID           string        `json:"id"`
	Kind         RecipientKind `json:"kind,omitempty"`
	Role         string        `json:"role,omitempty"`
	Name         string        `json:"name,omitempty"`
	Email        string        `json:"email,omitempty"`
	RoutingOrder int           `json:"routing_order,omitempty"`
	Embedded     bool          `json:"embedded,omitempty"`
	Status       string        `json:"status,omitempty"`
	Reason       string        `json:"reason,omitempty"`
	SentAt       time.Time     `json:"sent_at,omitzero"`
	DeliveredAt  time.Time     `json:"delivered_at,omitzero"`
	SignedAt     time.Time     `json:"signed_at,omitzero"`
	DeclinedAt   time.Time     `json:"declined_at,omitzero"`
	// Bound says that the time of the Status is only by when it was so at the latest.
	Bound bool `json:"bound,omitempty"`
}

// Consenter is implemented by a vendor that wants the user in whose name the service works to agree to that, once.
type Consenter interface {
	// ConsentURL is where he does; the opening is one that Open takes.
	ConsentURL(o Opening) string
}
