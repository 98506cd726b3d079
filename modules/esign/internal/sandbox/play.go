package sandbox

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/jobs"
)

// play is something that happens to an envelope at a time, and what is told of it, in the vendor's order.
type play struct {
	envelope *envelope

	now  time.Time
	told []notice
}

func begin(e *envelope, now time.Time) *play { return &play{envelope: e, now: now.UTC()} }

// tell notes a notification with the envelope as it is at this moment.
func (p *play) tell(event, recipient string) error {
	p.envelope.Notices++
	// Two of the same moment have times of their own, as the vendor's.
	at := p.now.Add(time.Duration(p.envelope.Notices) * time.Microsecond)
	body, err := json.Marshal(message(p.envelope, event, recipient, at))
	if err != nil {
		return fmt.Errorf("notification %s: %w", event, err)
	}
	p.told = append(p.told, notice{
		ID: database.NewID(), AccountID: p.envelope.AccountID, EnvelopeID: p.envelope.ID, Seq: p.envelope.Notices, Event: event, Body: body, CreatedAt: p.now,
	})

	return nil
}

// become moves the envelope to a status.
func (p *play) become(status string, at **time.Time) {
	p.envelope.Status, p.envelope.ChangedAt = status, p.now
	*at = &p.now
}

// send gives the first ones their turn.
func (p *play) send() error {
	p.become(sent, &p.envelope.SentAt)
	if p.envelope.ExpireAfter > 0 {
		until := p.now.AddDate(0, 0, int(p.envelope.ExpireAfter))
		p.envelope.ExpiresAt = &until
	}
	if slices.ContainsFunc(p.envelope.Recipients, func(r recipient) bool { return caseOf(r.Email).Expires }) {
		soon := p.now.Add(soonExpired)
		p.envelope.ExpiresAt = &soon
	}
	if err := p.tell("envelope-sent", ""); err != nil {
		return err
	}

	return p.turn()
}

// turn gives those with the lowest routing order who are not done their turn, and ends the envelope when all are done.
// Copies are done when they are sent.
func (p *play) turn() error {
	for {
		waiting := p.upNext()
		if len(waiting) == 0 {
			p.become(completed, &p.envelope.CompletedAt)

			return p.tell("envelope-completed", "")
		}
		acting := false
		for _, r := range waiting {
			acting = acting || r.acts()
			if r.Status != created {
				continue
			}
			if err := p.reach(r); err != nil {
				return err
			}
		}
		if acting {
			return nil
		}
	}
}

// reach sends the envelope to a recipient.
func (p *play) reach(r *recipient) error {
	r.Status, r.SentAt, p.envelope.ChangedAt = sent, &p.now, p.now
	if err := p.tell("recipient-sent", r.ID); err != nil {
		return err
	}
	switch {
	case !r.acts():
		r.Status = completed

		return p.tell("recipient-completed", r.ID)
	case caseOf(r.Email).Bounces:
		r.Status, r.Reason = bounced, "550 5.1.1 There is no such mailbox."

		return p.tell("recipient-autoresponded", r.ID)
	}

	return nil
}

// upNext are those who are not done, of the lowest routing order among them.
func (p *play) upNext() (next []*recipient) {
	lowest := 0
	for i := range p.envelope.Recipients {
		r := &p.envelope.Recipients[i]
		if r.done() {
			continue
		}
		if len(next) == 0 || r.RoutingOrder < lowest {
			next, lowest = next[:0], r.RoutingOrder
		}
		if r.RoutingOrder == lowest {
			next = append(next, r)
		}
	}

	return next
}

// view is a recipient who looks at the envelope for the first time.
func (p *play) view(r *recipient) error {
	if r.Status != sent && r.Status != bounced {
		return nil
	}
	r.Status, r.Reason, r.DeliveredAt, p.envelope.ChangedAt = delivered, "", &p.now, p.now
	if err := p.tell("recipient-delivered", r.ID); err != nil {
		return err
	}
	if slices.ContainsFunc(p.envelope.Recipients, func(r recipient) bool { return r.acts() && r.DeliveredAt == nil }) {
		return nil
	}
	p.become(delivered, &p.envelope.DeliveredAt)

	return p.tell("envelope-delivered", "")
}

// sign is a recipient who does what is asked of him.
func (p *play) sign(r *recipient, signature string) error {
	r.Status, r.Signature, r.SignedAt, p.envelope.ChangedAt = completed, signature, &p.now, p.now
	if err := p.tell("recipient-completed", r.ID); err != nil {
		return err
	}

	return p.turn()
}

// decline is a recipient who does not sign, which ends the envelope.
func (p *play) decline(r *recipient, reason string) error {
	r.Status, r.Reason, r.DeclinedAt = declined, reason, &p.now
	if err := p.tell("recipient-declined", r.ID); err != nil {
		return err
	}
	p.envelope.Reason = reason
	p.become(declined, &p.envelope.DeclinedAt)

	return p.tell("envelope-declined", "")
}

func (p *play) void(reason string) error {
	p.envelope.Reason = reason
	p.become(voided, &p.envelope.VoidedAt)

	return p.tell("envelope-voided", "")
}

// resend sends the envelope again to those whose turn it is.
func (p *play) resend() error {
	p.envelope.ChangedAt = p.now
	for _, r := range p.upNext() {
		r.SentAt = &p.now
		if err := p.tell("recipient-resent", r.ID); err != nil {
			return err
		}
	}

	return p.tell("envelope-resent", "")
}

// correct puts recipients in the place of others, or adds them; who has not signed gets the envelope anew.
func (p *play) correct(changed []recipient) error {
	p.envelope.ChangedAt = p.now
	for _, c := range changed {
		r := p.envelope.recipient(c.ID)
		if r == nil {
			p.envelope.Recipients = append(p.envelope.Recipients, c)

			continue
		}
		c.Status, c.Tabs, c.Prefilled, c.Corrections = created, r.Tabs, r.Prefilled, r.Corrections+1
		*r = c
	}
	slices.SortStableFunc(p.envelope.Recipients, func(a, b recipient) int { return cmp.Compare(a.RoutingOrder, b.RoutingOrder) })
	if err := p.tell("envelope-corrected", ""); err != nil || p.envelope.Status == created {
		return err
	}

	return p.turn()
}

// keep stores what happened, and has it told.
func (s *Sandbox) keep(ctx context.Context, p *play) error {
	if err := s.store.saveEnvelope(ctx, p.envelope); err != nil {
		return err
	}

	return s.spread(ctx, p)
}

// spread has told what happened.
func (s *Sandbox) spread(ctx context.Context, p *play) error {
	told := p.told
	switch {
	case p.envelope.any(func(c Case) bool { return c.Silent }):
		return nil
	case p.envelope.any(func(c Case) bool { return c.Disordered }):
		told = disordered(told)
	}
	for i := range told {
		if err := s.store.insert(ctx, &told[i]); err != nil {
			return err
		}
	}
	if len(told) == 0 {
		return nil
	}

	return s.queue.Enqueue(ctx, Bringing{Envelope: p.envelope.ID})
}

func (e *envelope) any(is func(Case) bool) bool {
	return slices.ContainsFunc(e.Recipients, func(r recipient) bool { return is(caseOf(r.Email)) })
}

// disordered are notices in the wrong order.
func disordered(told []notice) []notice {
	turned := slices.Clone(told)
	slices.Reverse(turned)
	for i := range turned {
		turned[i].Seq = told[i].Seq
	}

	return turned
}

// with holds an envelope, lets something happen to it, and keeps that.
func (s *Sandbox) with(ctx context.Context, e envelopeOf, do func(*play) error) error {
	return s.store.db.InTx(ctx, func(ctx context.Context) error {
		row, err := s.store.envelope(ctx, e.account, e.id, true)
		if err != nil {
			return err
		}
		p := begin(&row, s.clock.Now())
		was := row.ExpiresAt
		if err := do(p); err != nil {
			return err
		}
		if err := s.keep(ctx, p); err != nil || was != nil || row.ExpiresAt == nil {
			return err
		}

		return s.queue.Enqueue(ctx, Expiring{Envelope: row.ID}, jobs.At(*row.ExpiresAt))
	})
}
