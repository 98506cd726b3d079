package sms

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/sms/internal/phone"
	"github.com/dispatchd/dispatchd/modules/sms/smsapi"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/identity"
	"github.com/dispatchd/dispatchd/platform/jobs"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/state"
	"github.com/dispatchd/dispatchd/platform/web"
)

// messages decides about messages that we send.
type messages struct{ *core }

func newMessages(c *core) *messages { return &messages{core: c} }

// send stores a message, and the job that sends it.
func (s *core) send(ctx context.Context, d draft) (row message, err error) {
	err = s.db.InTx(ctx, func(ctx context.Context) error {
		c, err := s.compose(ctx, d)
		if err != nil {
			return err
		}
		row, err = s.store(ctx, c)

		return err
	})

	return row, err
}

// store makes the row of a message. It refuses early whom it would not send to; what decides is begin.
func (s *core) store(ctx context.Context, c composed) (message, error) {
	now := s.clock.Now()
	to, err := s.contact(ctx, c.To)
	if err != nil {
		return message{}, err
	}
	if to.OptedOutAt != nil {
		return message{}, errOptedOut.WithField("to", errOptedOut.Message)
	}
	if !c.DespiteBad {
		if err := s.refuseBad(to, now); err != nil {
			return message{}, err
		}
	}
	row := message{
		ID: database.NewID(), AccountID: c.from.AccountID, NumberID: c.from.ID, Direction: outbound,
		Sender: c.from.Number, Recipient: c.To, Body: c.text, Media: c.Media, Encoding: string(c.count.Encoding),
		Segments: int64(c.count.Segments), State: queued, OwnerType: c.Owner.Type, Urgent: c.Urgent, DueAt: now,
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
		row.State, row.DueAt = scheduled, c.SendAt.UTC().Truncate(time.Microsecond)
	}
	if err := s.refuseQuiet(ctx, c.preferences, row); err != nil {
		return row, err
	}

	return row, s.enter(ctx, &row)
}

// enter stores a message that is to be sent, in its thread, with its job and its event.
func (s *core) enter(ctx context.Context, row *message) error {
	t, err := s.file(ctx, row)
	if err != nil {
		return err
	}
	row.ThreadID = t.ID
	if err := s.insert(ctx, row); err != nil {
		return err
	}
	if err := s.queue.Enqueue(ctx, sendArgs{Message: row.ID}, s.on(row.DueAt)...); err != nil {
		return err
	}

	return s.bus.Publish(ctx, smsapi.MessageQueued{Message: row.told()})
}

// on has a job run at a time. What is due runs at once: a job with a time waits for the next look at those.
func (s *core) on(at time.Time) []jobs.Option {
	if !at.After(s.clock.Now()) {
		return nil
	}

	return []jobs.Option{jobs.At(at)}
}

// file puts a message at the end of its thread.
func (s *core) file(ctx context.Context, row *message) (thread, error) {
	ours := row.Sender
	if row.Direction == inbound {
		ours = row.Recipient
	}
	t := thread{
		ID: database.NewID(), NumberID: row.NumberID, Number: ours, Counterpart: row.counterpart(),
		LastID: row.ID, LastAt: row.CreatedAt, Direction: row.Direction, CreatedAt: row.CreatedAt,
	}
	if row.Direction == inbound {
		t.Unread = 1
	}

	return s.talk(ctx, t)
}

// told is what events say of a message.
func (row message) told() smsapi.Message {
	m := smsapi.Message{Message: row.ID.String(), Thread: row.ThreadID.String(), OwnerType: row.OwnerType}
	if row.OwnerID != nil {
		m.Owner = row.OwnerID.String()
	}

	return m
}

// refuseQuiet refuses a message that would be due in quiet hours, where the company wants that.
func (s *core) refuseQuiet(ctx context.Context, p preferences, row message) error {
	if p.QuietPolicy != quietRefuse {
		return nil
	}
	until, err := s.quiet(ctx, p, row, row.DueAt)
	if err != nil || until.IsZero() {
		return err
	}

	return errQuiet.WithDetail("until", until)
}

// quiet returns when the quiet hours of a message's recipient end in which a time is; the zero time for none.
func (s *core) quiet(ctx context.Context, p preferences, row message, at time.Time) (time.Time, error) {
	if row.Urgent || p.QuietFrom == "" {
		return time.Time{}, nil
	}
	names := phone.Zones(row.Recipient)
	if len(names) == 0 {
		who, _ := principal.From(ctx)
		company, err := s.identity.Company(ctx, who.Company)
		if err != nil && !errors.Is(err, identity.ErrCompanyNotFound) {
			return time.Time{}, err
		}
		names = []string{company.TimeZone}
	}
	var zones []*time.Location
	for _, name := range names {
		zone, err := time.LoadLocation(name)
		if err != nil {
			zone = time.UTC
		}
		zones = append(zones, zone)
	}

	return quietUntil(at, p.QuietFrom, p.QuietTo, zones), nil
}

// outcomeOf is what became of a message of a bulk request.
type outcomeOf struct {
	row message
	err error
}

var errUndone = errors.New("sms: a message of an atomic request was refused")

// bulk sends several messages: all or none of them, or each by itself.
func (s *messages) bulk(ctx context.Context, drafts []draft, atomic bool) (outcomes []outcomeOf, err error) {
	err = s.db.InTx(ctx, func(ctx context.Context) error {
		outcomes = outcomes[:0]
		for _, d := range drafts {
			var o outcomeOf
			o.err = s.db.Savepoint(ctx, func(ctx context.Context) (err error) {
				c, err := s.compose(ctx, d)
				if err != nil {
					return err
				}
				o.row, err = s.store(ctx, c)

				return err
			})
			if _, expected := errors.AsType[*errs.Error](o.err); o.err != nil && !expected {
				return o.err
			}
			outcomes = append(outcomes, o)
			if o.err != nil && atomic {
				return errUndone
			}
		}

		return nil
	})
	if errors.Is(err, errUndone) {
		return outcomes, nil
	}

	return outcomes, err
}

// current implements state.Handlers.
func (s *messages) current(ctx context.Context, id uuid.UUID) (status, any, error) {
	row, err := s.message(ctx, id)

	return row.State, row, err
}

// move implements state.Handlers: people cancel, and decide about what nobody knows of.
func (s *messages) move(ctx context.Context, move state.Move, match web.IfMatch) (*web.Resource[messageBody], error) {
	var row message
	err := s.db.InTx(ctx, func(ctx context.Context) (err error) {
		if row, err = s.heldMessage(ctx, move.UUID); err != nil {
			return err
		}
		if err := match.Check(row.Version); err != nil {
			return err
		}
		move.Thing = row
		if row.State, err = lifecycle().Apply(ctx, s.states, row.State, move); err != nil {
			return err
		}
		now := s.clock.Now()
		row.Version, row.UpdatedAt = row.Version+1, now
		switch row.State { //nolint:exhaustive // where people's verbs lead
		case queued:
			row.DueAt, row.SlotAt, row.Reason, row.Code = now, nil, "", ""
			err = s.queue.Enqueue(ctx, sendArgs{Message: row.ID})
		case failed:
			err = s.bus.Publish(ctx, smsapi.MessageFailed{Message: row.told(), Reason: row.Reason, Code: row.Code})
		}

		return orElse(err, s.saveMessage(ctx, &row))
	})
	if err != nil {
		return nil, err
	}

	return messageResource(row), nil
}
