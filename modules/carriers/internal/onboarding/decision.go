package onboarding

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/attachments/attachmentsapi"
	"github.com/dispatchd/dispatchd/modules/carriers/internal/packet"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/secret"
)

// decision is an approved packet, as it changes the carrier.
type decision struct {
	packet      uuid.UUID
	proposal    packet.Proposal
	account     secret.Text
	certificate *uuid.UUID
	w9          bool
	notice      *uuid.UUID
	acceptedOn  field.Date // "" if there was no agreement to accept
	today       field.Date
	at          time.Time
}

// Decisions read what belongs to a packet that is approved, besides its proposal.
type Decisions struct {
	packets *resource.Resource[packet.Packet]
	stored  *packet.Repository
	files   attachmentsapi.Files
	clock   clock.Clock
}

// NewDecisions returns a Decisions.
func NewDecisions(packets *resource.Resource[packet.Packet], stored *packet.Repository, files attachmentsapi.Files, c clock.Clock) *Decisions {
	return &Decisions{packets, stored, files, c}
}

// begin returns a decision without its proposal.
func (s *Decisions) begin(ctx context.Context, id uuid.UUID) (d decision, err error) {
	d = decision{packet: id, at: s.clock.Now()}
	if d.today, err = s.packets.Today(ctx); err != nil {
		return d, err
	}
	all, err := s.files.OfOwner(ctx, packet.Item, id.String())
	if err != nil {
		return d, err
	}
	files := packet.Files(all)
	d.certificate, d.notice = files.First(packet.AgentCertificate, packet.Certificate), files.First(packet.Notice)
	d.w9 = files.First(packet.StepW9) != nil
	d.account, err = s.stored.Account(ctx, id)

	return d, err
}

// of is the decision with the proposal that was approved.
func (d decision) of(p packet.Proposal) decision {
	d.proposal = p
	if p.Agreement != nil {
		d.acceptedOn = d.today
	}

	return d
}

// reviewDue is the day on which a packet that is approved on a day should be reviewed.
func reviewDue(today field.Date) field.Date {
	day, err := time.Parse(time.DateOnly, string(today))
	if err != nil {
		return ""
	}

	return field.Date(day.Add(packet.ReviewAfter).Format(time.DateOnly))
}
