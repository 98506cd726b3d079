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

// Purpose is the purpose of links to packets.
const Purpose link.Purpose = "carriers.packet"

// LinkRules returns the rules of links to packets. The settings set their expiry, and the state of the packet decides what they allow.
func LinkRules() link.Rules { return link.Rules{Portal: link.Carriers, Life: maxLinkLife} }

const (
	maxLinkLife = 90 * 24 * time.Hour
	// reviewAfter is how long after its approval a packet is due for review.
	reviewAfter = 90 * 24 * time.Hour
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
	start   resource.Verb = "start"
	submit  resource.Verb = "submit"
	approve resource.Verb = "approve"
	reject  resource.Verb = "reject"
	reopen  resource.Verb = "reopen"
	expire  resource.Verb = "expire"
	resend  resource.Verb = "resend"
	revoke  resource.Verb = "revoke"
)

// Rules returns the rules of the resource.
func Rules() resource.Rules[Packet] {
	service := state.Who{Kinds: []principal.Kind{principal.System}}

	return resource.Rules[Packet]{
		Item: Item, Sort: []string{"-created_at"}, KeepDeleted: true,
		About: "An onboarding packet, which a carrier fills in by a link. Its entries are a proposal until the packet is approved.",
		Own:   []resource.Verb{resource.Create, resource.Read, resource.Update, resource.Delete, resource.Restore, approve, reject, resend, revoke},
		Life: resource.LifeOf(state.Machine[State]{
			Item: Item, Initial: Sent, Final: []State{Approved, Revoked},
			Steps: []state.Step[State]{
				{From: []State{Sent}, Verb: string(start), To: Started, Who: service},
				{From: []State{Started}, Verb: string(submit), To: Submitted, Who: service},
				{From: []State{Submitted}, Verb: string(approve), To: Approved},
				{From: []State{Submitted}, Verb: string(reject), To: Rejected},
				{From: []State{Rejected}, Verb: string(reopen), To: Started},
				{From: []State{Sent}, Verb: string(expire), To: Expired, Who: service},
				{From: []State{Expired}, Verb: string(resend), To: Sent},
				{From: []State{Sent, Started, Submitted, Rejected, Expired}, Verb: string(revoke), To: Revoked},
			},
		}, func(p *Packet) *State { return &p.State }),
		Events: resource.Events[Packet]{
			submit: func(p Packet) events.Event {
				return carriersapi.PacketSubmitted{Carrier: p.Carrier.String(), Packet: p.ID.String()}
			},
			approve: func(p Packet) events.Event {
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

// open reports whether the carrier can fill the packet in.
func (p *Packet) open() bool { return p.State == Sent || p.State == Started }

// asks reports whether the packet requests a step: the profile and the equipment always.
func (p *Packet) asks(step string) bool {
	return step == stepProfile || step == stepEquipment || slices.Contains(p.Documents.V, step)
}

// Errors of packets.
var (
	errClosed     = errs.New(errs.Conflict, "carriers.packet_closed", "The packet cannot be changed in its state. Have it reopened, or send a new packet.")
	errChanged    = errs.New(errs.Conflict, "carriers.packet_changed", "Someone else saved this step in the meantime. Read it again, and then save your changes.")
	errIncomplete = errs.New(errs.Invalid, "carriers.packet_incomplete", "The packet is incomplete. Complete the listed steps.")
	errAgreement  = errs.New(errs.Invalid, "carriers.no_agreement", "The given data was invalid.").
			WithField("documents", "The company has no agreement. Write one with PUT /carriers/api/v1/packet_settings, or leave out agreement.")
	errDocuments = errs.New(errs.Invalid, "carriers.invalid_packet", "The given data was invalid.")
	errGone      = errs.New(errs.NotFound, "carriers.packet_gone", "The link is no longer valid. Ask for a new one.")
	errTooMuch   = errs.New(errs.Conflict, "carriers.packet_too_many_links", "The packet has too many upload links. Ask for a new packet.")
	errNoAddress = errs.New(errs.Conflict, "carriers.no_public_address", "Links cannot be sent because web.base_url is not set. Set it, or use the channel link.")
	errAsked     = errs.New(errs.Conflict, "carriers.document_not_asked", "The packet does not request this step. Leave it out.")
)

var errUnread = errDocuments.WithField("If-Match", "If-Match is required: the ETag of the packet as you read it. The carrier may have changed it since.")

// errNotAccepted is the error of an acceptance without a name or a tick.
var errNotAccepted = errs.New(errs.Invalid, "carriers.not_accepted", "The given data was invalid.").
	WithField("name", "Enter your name and tick the box to accept the agreement.")
