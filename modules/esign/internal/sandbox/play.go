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

func newPlay(e *envelope, now time.Time) *play { return &play{envelope: e, now: now.UTC()} }

// addNotice notes a notification with the envelope as it is at this moment.
func (p *play) addNotice(event, recipient string) error {
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

// setStatus moves the envelope to a status.
func (p *play) setStatus(status string, at **time.Time) {
	p.envelope.Status, p.envelope.ChangedAt = status, p.now
	*at = &p.now
}

// send gives the first ones their turn.
func (p *play) send() error {
	p.setStatus(sent, &p.envelope.SentAt)
	if p.envelope.ExpireAfter > 0 {
		until := p.now.AddDate(0, 0, int(p.envelope.ExpireAfter))
		p.envelope.ExpiresAt = &until
	}
	if slices.ContainsFunc(p.envelope.Recipients, func(r recipient) bool { return caseOf(r.Email).Expires }) {
		soon := p.now.Add(soonExpired)
		p.envelope.ExpiresAt = &soon
	}
	if err := p.addNotice("envelope-sent", ""); err != nil {
		return err
	}

	return p.advanceRouting()
}

// advanceRouting gives those with the lowest routing order who are not done their turn, and ends the envelope when all are done.
// Copies are done when they are sent.
func (p *play) advanceRouting() error {
	for {
		waiting := p.upNext()
		if len(waiting) == 0 {
			p.setStatus(completed, &p.envelope.CompletedAt)

			return p.addNotice("envelope-completed", "")
		}
		acting := false
		for _, r := range waiting {
			acting = acting || r.mustAct()
			if r.Status != created {
				continue
			}
			if err := p.sendTo(r); err != nil {
				return err
			}
		}
		if acting {
			return nil
		}
	}
}

// sendTo sends the envelope to a recipient.
func (p *play) sendTo(r *recipient) error {
	r.Status, r.SentAt, p.envelope.ChangedAt = sent, &p.now, p.now
	if err := p.addNotice("recipient-sent", r.ID); err != nil {
		return err
	}
	switch {
	case !r.mustAct():
		r.Status = completed

		return p.addNotice("recipient-completed", r.ID)
	case caseOf(r.Email).Bounces:
		r.Status, r.Reason = bounced, "550 5.1.1 There is no such mailbox."

		return p.addNotice("recipient-autoresponded", r.ID)
	}

	return nil
}

// upNext are those who are not done, of the lowest routing order among them.
func (p *play) upNext() (next []*recipient) {
	lowest := 0
	for i := range p.envelope.Recipients {
		r := &p.envelope.Recipients[i]
		if r.isDone() {
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
	if err := p.addNotice("recipient-delivered", r.ID); err != nil {
		return err
	}
	if slices.ContainsFunc(p.envelope.Recipients, func(r recipient) bool { return r.mustAct() && r.DeliveredAt == nil }) {
		return nil
	}
	p.setStatus(delivered, &p.envelope.DeliveredAt)

	return p.addNotice("envelope-delivered", "")
}

// sign is a recipient who does what is asked of him.
func (p *play) sign(r *recipient, signature string) error {
	r.Status, r.Signature, r.SignedAt, p.envelope.ChangedAt = completed, signature, &p.now, p.now
	if err := p.addNotice("recipient-completed", r.ID); err != nil {
		return err
	}

	return p.advanceRouting()
}

// decline is a recipient who does not sign, which ends the envelope.
func (p *play) decline(r *recipient, reason string) error {
	r.Status, r.Reason, r.DeclinedAt = declined, reason, &p.now
	if err := p.addNotice("recipient-declined", r.ID); err != nil {
		return err
	}
	p.envelope.Reason = reason
	p.setStatus(declined, &p.envelope.DeclinedAt)

	return p.addNotice("envelope-declined", "")
}

func (p *play) void(reason string) error {
	p.envelope.Reason = reason
	p.setStatus(voided, &p.envelope.VoidedAt)

	return p.addNotice("envelope-voided", "")
}

// resend sends the envelope again to those whose turn it is.
func (p *play) resend() error {
	p.envelope.ChangedAt = p.now
	for _, r := range p.upNext() {
		r.SentAt = &p.now
		if err := p.addNotice("recipient-resent", r.ID); err != nil {
			return err
		}
	}

	return p.addNotice("envelope-resent", "")
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
	if err := p.addNotice("envelope-corrected", ""); err != nil || p.envelope.Status == created {
		return err
	}

	return p.advanceRouting()
}

// savePlay stores what happened, and has it told.
func (s *Sandbox) savePlay(ctx context.Context, p *play) error {
	if err := s.store.saveEnvelope(ctx, p.envelope); err != nil {
		return err
	}

	return s.enqueueNotices(ctx, p)
}

// enqueueNotices has told what happened.
func (s *Sandbox) enqueueNotices(ctx context.Context, p *play) error {
	told := p.told
	switch {
	case p.envelope.anyRecipient(func(c Case) bool { return c.Silent }):
		return nil
	case p.envelope.anyRecipient(func(c Case) bool { return c.Disordered }):
		told = misordered(told)
	}
	for i := range told {
		if err := s.store.insert(ctx, &told[i]); err != nil {
			return err
		}
	}
	if len(told) == 0 {
		return nil
	}

	return s.queue.Enqueue(ctx, DeliverJob{Envelope: p.envelope.ID})
}

func (e *envelope) anyRecipient(is func(Case) bool) bool {
	return slices.ContainsFunc(e.Recipients, func(r recipient) bool { return is(caseOf(r.Email)) })
}

// misordered are notices in the wrong order.
func misordered(told []notice) []notice {
	turned := slices.Clone(told)
	slices.Reverse(turned)
	for i := range turned {
		turned[i].Seq = told[i].Seq
	}

	return turned
}

// withEnvelope holds an envelope, lets something happen to it, and keeps that.
func (s *Sandbox) withEnvelope(ctx context.Context, e envelopeOf, do func(*play) error) error {
	return s.db.InTx(ctx, func(ctx context.Context) error {
		row, err := s.store.envelope(ctx, e.account, e.id, true)
		if err != nil {
			return err
		}
		p := newPlay(&row, s.clock.Now())
		was := row.ExpiresAt
		if err := do(p); err != nil {
			return err
		}
		if err := s.savePlay(ctx, p); err != nil || was != nil || row.ExpiresAt == nil {
			return err
		}

		return s.queue.Enqueue(ctx, ExpireJob{Envelope: row.ID}, jobs.At(*row.ExpiresAt))
	})
}
