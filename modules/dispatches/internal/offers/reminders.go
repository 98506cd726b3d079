package offers

import (
	"cmp"
	"context"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/dispatches/internal/messages"
	"github.com/dispatchd/dispatchd/modules/dispatches/internal/store"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/share"
	"github.com/dispatchd/dispatchd/platform/web"
)

// Reminders have carriers answer in time.
type Reminders struct {
	offers *resource.Resource[store.Offer]
	writer *messages.Writer
	sender *Sender
	clock  clock.Clock
}

// NewReminders returns Reminders.
func NewReminders(offers *resource.Resource[store.Offer], w *messages.Writer, s *Sender, c clock.Clock) *Reminders {
	return &Reminders{offers, w, s, c}
}

func (r *Reminders) remind(ctx context.Context, in *noteInput) (*sendOutput, error) {
	out, now := &sendOutput{}, r.clock.Now()
	var given share.Share
	o, err := r.offers.Change(ctx, in.UUID, in.IfMatch, store.VerbRemind, func(ctx context.Context, o *store.Offer) error {
		if err := o.CheckAnswer(store.Proposal{Party: store.Carrier}, now); err != nil {
			return err
		}

		return messages.Remind(&o.Reminders, &o.RemindedAt, now, o.Channels.V, func() (_ share.Share, err error) {
			given, err = r.writer.WriteOffer(ctx, *o, func(load string) string {
				return strings.TrimSpace("Please answer our offer of the load " + load + ". " + in.Body.Note)
			})

			return given, err
		})
	})
	if err != nil {
		return nil, err
	}
	if out.Body, err = r.sender.sentOf(ctx, o, given); err != nil {
		return nil, err
	}

	return out, r.offers.Show(ctx, nil, &out.Body.Offer)
}

type extendInput struct {
	web.IfMatch

	UUID uuid.UUID `path:"uuid" format:"uuid"`
	Body struct {
		Minutes int64  `json:"expires_in_minutes,omitempty" minimum:"5" maximum:"20160" doc:"By default as long as when it was sent."`
		Note    string `json:"note,omitempty" maxLength:"500"`
	}
}

// extend has an offer expire later.
func (r *Reminders) extend(ctx context.Context, in *extendInput) (*web.Resource[store.Offer], error) {
	now := r.clock.Now()
	row, err := r.offers.Change(ctx, in.UUID, in.IfMatch, store.VerbExtend, func(ctx context.Context, o *store.Offer) error {
		if err := o.CheckAnswer(store.Proposal{Party: o.Turn}, now); err != nil {
			return err
		}
		until := now.Add(time.Duration(cmp.Or(in.Body.Minutes, o.Minutes)) * time.Minute)
		if until.Before(*o.ExpiresAt) {
			return store.ErrInvalidOffer.WithField("expires_in_minutes", "The offer expires later already.")
		}
		o.ExpiresAt = &until
		o.Record(ctx, string(store.VerbExtend), o.Current(store.Proposal{Party: store.Broker, Note: in.Body.Note}), now)

		return nil
	})

	return r.offers.Answer(ctx, row, err)
}
