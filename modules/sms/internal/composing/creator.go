package composing

import (
	"context"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/sms/internal/delivery"
	"github.com/dispatchd/dispatchd/modules/sms/internal/store"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/limit"
	"github.com/dispatchd/dispatchd/platform/principal"
)

// Creator makes the rows of messages.
type Creator struct {
	recipients *Recipients
	secrets    *Concealer
	meter      *limit.Meter
	outbox     *delivery.Outbox
	clock      clock.Clock
}

// NewCreator returns a Creator.
func NewCreator(r *Recipients, c *Concealer, m *limit.Meter, out *delivery.Outbox, clk clock.Clock) *Creator {
	return &Creator{recipients: r, secrets: c, meter: m, outbox: out, clock: clk}
}

// create makes the row of a message. It refuses early whom it would not send to; what decides is delivery.Beginner.
func (s *Creator) create(ctx context.Context, c composed) (store.Message, error) {
	now := s.clock.Now()
	if err := s.recipients.check(ctx, c, now); err != nil {
		return store.Message{}, err
	}
	row := store.Message{
		ID: database.NewID(), AccountID: c.from.AccountID, NumberID: c.from.ID, Direction: store.Outbound,
		Sender: c.from.Number, Recipient: c.To, Body: c.text, Media: c.Media, Encoding: string(c.count.Encoding),
		Segments: int64(c.count.Segments), State: store.Queued, OwnerType: c.Owner.Type, Urgent: c.Urgent, DueAt: now,
		CreatedBy: principal.UserOf(ctx), Version: 1, CreatedAt: now, UpdatedAt: now,
	}
	if row.Media == nil {
		row.Media = []string{}
	}
	if c.Owner.UUID != uuid.Nil {
		row.OwnerID = &c.Owner.UUID
	}
	if c.TemplateUUID != uuid.Nil {
		row.TemplateID = &c.TemplateUUID
	}
	if c.SendAt.After(now) {
		row.State, row.DueAt = store.Scheduled, clock.Stamp(c.SendAt)
	}
	if err := s.recipients.checkHours(ctx, c, row); err != nil {
		return row, err
	}
	if err := s.secrets.conceal(ctx, c, &row); err != nil {
		return row, err
	}

	if err := s.meter.Add(ctx, "sms", 1); err != nil {
		return row, err
	}

	return row, s.outbox.Add(ctx, &row)
}
