package packet

import (
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/carriers/carriersapi"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/events"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/link"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/state"
)

// Item is the item type of packets.
const Item = "carriers.packet"

// Base is where the operations of the area are.
const Base = "/carriers/api/v1"

// Purpose is the purpose of links to packets.
const Purpose link.Purpose = "carriers.packet"

// Subject is a packet as the subject of its links.
func Subject(packet uuid.UUID) link.Subject { return link.Subject{Type: Item, ID: packet} }

// LinkRules returns the rules of links to packets. The settings set their expiry, and the state of the packet decides what they allow.
func LinkRules() link.Rules { return link.Rules{Portal: link.Carriers, Life: maxLinkLife} }

const (
	maxLinkLife = 90 * 24 * time.Hour
	// ReviewAfter is how long after its approval a packet is due for review.
	ReviewAfter = 90 * 24 * time.Hour
)

// Packet is a row of carriers_packets.
type Packet struct {
	resource.Row

	Carrier     uuid.UUID               `json:"carrier_uuid" gorm:"column:carrier_id" field:"readonly,item=carriers.carrier,on_delete=remove"`
	To          string                  `json:"to" gorm:"column:recipient" field:"readonly,max=320,search,title" doc:"Phone or e-mail that the link was sent to."`
	Channel     string                  `json:"channel" field:"readonly" enum:"sms,email,link" doc:"How the link was sent; with link, you pass it on."`
	Documents   resource.JSON[[]string] `json:"documents" field:"readonly,max=10" doc:"Requested steps besides the profile."`
	LinkExpires time.Time               `json:"link_expires_at" gorm:"column:link_expires_at" field:"readonly,sort"`
	StartedAt   *time.Time              `json:"started_at" field:"readonly" doc:"When the carrier first saved a step. Opening the page changes nothing."`
	SubmittedAt *time.Time              `json:"submitted_at" field:"readonly,sort"`
	DecidedAt   *time.Time              `json:"decided_at" field:"readonly" doc:"When it was approved or rejected."`
	Reason      string                  `json:"reason" field:"readonly,nofilter" doc:"Why it was rejected. The carrier sees it."`
	ReviewDue   field.Date              `json:"review_due" field:"expires,readonly,sort" doc:"When an approved packet should be reviewed."`
	Proposal    resource.JSON[Proposal] `json:"proposal" field:"readonly,personal" doc:"The entries of the carrier."`
	State       State                   `json:"state" field:"sort"`
}

// TableName implements GORM's naming.
func (Packet) TableName() string { return "carriers_packets" }

// SchemaName implements web.SchemaNamer.
func (Packet) SchemaName() string { return "CarrierPacket" }

// State is a state of a packet's life.
type State string

// None is the state of a carrier without a packet.
const None State = "none"

// States of a packet.
const (
	Sent      State = "sent"
	Started   State = "started"
	Submitted State = "submitted"
	Approved  State = "approved"
	Rejected  State = "rejected"
	Expired   State = "expired"
	Revoked   State = "revoked"
)

// Verbs of the life cycle.
const (
	Start   resource.Verb = "start"
	Submit  resource.Verb = "submit"
	Approve resource.Verb = "approve"
	Reject  resource.Verb = "reject"
	Reopen  resource.Verb = "reopen"
	Expire  resource.Verb = "expire"
	Resend  resource.Verb = "resend"
	Revoke  resource.Verb = "revoke"
)

// Rules returns the rules of the resource.
func Rules() resource.Rules[Packet] {
	service := state.Who{Kinds: []principal.Kind{principal.System}}

	return resource.Rules[Packet]{
		Item: Item, Sort: []string{"-created_at"}, KeepDeleted: true,
		About: "An onboarding packet, which a carrier fills in by a link. Its entries are a proposal until the packet is approved.",
		Own:   []resource.Verb{resource.Create, resource.Read, resource.Update, resource.Delete, resource.Restore, Approve, Reject, Resend, Revoke},
		Life: resource.LifeOf(state.Machine[State]{
			Item: Item, Initial: Sent, Final: []State{Approved, Revoked},
			Steps: []state.Step[State]{
				{From: []State{Sent}, Verb: string(Start), To: Started, Who: service},
				{From: []State{Started}, Verb: string(Submit), To: Submitted, Who: service},
				{From: []State{Submitted}, Verb: string(Approve), To: Approved},
				{From: []State{Submitted}, Verb: string(Reject), To: Rejected},
				{From: []State{Rejected}, Verb: string(Reopen), To: Started},
				{From: []State{Sent}, Verb: string(Expire), To: Expired, Who: service},
				{From: []State{Expired}, Verb: string(Resend), To: Sent},
				{From: []State{Sent, Started, Submitted, Rejected, Expired}, Verb: string(Revoke), To: Revoked},
			},
		}, func(p *Packet) *State { return &p.State }),
		Events: resource.Events[Packet]{
			Submit: func(p Packet) events.Event {
				return carriersapi.PacketSubmitted{Carrier: p.Carrier.String(), Packet: p.ID.String()}
			},
			Approve: func(p Packet) events.Event {
				return carriersapi.PacketApproved{Carrier: p.Carrier.String(), Packet: p.ID.String()}
			},
		},
		Expiring: func(p Packet, e resource.Expiry) events.Event {
			if p.State != Approved && p.State != "" {
				return nil
			}

			return carriersapi.PacketReviewDue{Carrier: p.Carrier.String(), Packet: p.ID.String(), DueOn: string(e.On), Days: e.Days}
		},
	}
}

// Open reports whether the carrier can fill the packet in.
func (p *Packet) Open() bool { return p.State == Sent || p.State == Started }

// Asks reports whether the packet requests a step: the profile and the equipment always.
func (p *Packet) Asks(step string) bool {
	return step == StepProfile || step == StepEquipment || slices.Contains(p.Documents.V, step)
}

// Errors of packets.
var (
	ErrClosed      = errs.New(errs.Conflict, "carriers.packet_closed", "The packet cannot be changed in its state. Have it reopened, or send a new packet.")
	ErrChanged     = errs.New(errs.Conflict, "carriers.packet_changed", "Someone else saved this step in the meantime. Read it again, and then save your changes.")
	ErrIncomplete  = errs.New(errs.Invalid, "carriers.packet_incomplete", "The packet is incomplete. Complete the listed steps.")
	ErrNoAgreement = errs.New(errs.Invalid, "carriers.no_agreement", "The given data was invalid.").
			WithField("documents", "The company has no agreement. Write one with PUT /carriers/api/v1/packet_settings, or leave out agreement.")
	ErrInvalid      = errs.New(errs.Invalid, "carriers.invalid_packet", "The given data was invalid.")
	ErrGone         = errs.New(errs.NotFound, "carriers.packet_gone", "The link is no longer valid. Ask for a new one.")
	ErrTooManyLinks = errs.New(errs.Conflict, "carriers.packet_too_many_links", "The packet has too many upload links. Ask for a new packet.")
	ErrNoAddress    = errs.New(errs.Conflict, "carriers.no_public_address", "Links cannot be sent because web.base_url is not set. Set it, or use the channel link.")
	ErrNotAsked     = errs.New(errs.Conflict, "carriers.document_not_asked", "The packet does not request this step. Leave it out.")
)

// ErrUnread is the error of an approval of a packet that may not be the one that was read.
var ErrUnread = ErrInvalid.WithField("If-Match", "If-Match is required: the ETag of the packet as you read it. The carrier may have changed it since.")

// ErrNotAccepted is the error of an acceptance without a name or a tick.
var ErrNotAccepted = errs.New(errs.Invalid, "carriers.not_accepted", "The given data was invalid.").
	WithField("name", "Enter your name and tick the box to accept the agreement.")
