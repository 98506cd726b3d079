package incoming

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/sms/internal/optout"
	"github.com/dispatchd/dispatchd/modules/sms/internal/provider"
	"github.com/dispatchd/dispatchd/modules/sms/internal/segment"
	"github.com/dispatchd/dispatchd/modules/sms/internal/store"
	"github.com/dispatchd/dispatchd/modules/sms/smsapi"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/events"
	"github.com/dispatchd/dispatchd/platform/jobs"
)

// What a message can say.
const (
	wordStop  = string(optout.Stop)
	wordStart = string(optout.Start)
	wordHelp  = string(optout.Help)
)

// meaningOf is what a message says: as the provider has understood it, else as we do.
func meaningOf(in provider.Inbound, p store.Preferences) optout.Meaning {
	switch in.OptOut {
	case "STOP":
		return optout.Stop
	case "START":
		return optout.Start
	case "HELP":
		return optout.Help
	default:
		return optout.Read(in.Body, p.StopWords)
	}
}

// replyPause is how long the same number gets no second answer to START and HELP, so that two machines do not
// talk forever.
const replyPause = 10 * time.Minute

// Receiver takes messages from outside.
type Receiver struct {
	store    *store.Repository
	keywords *Keywords
	bus      *events.Bus
	queue    *jobs.Queue
	clock    clock.Clock
}

// NewReceiver returns a Receiver.
func NewReceiver(r *store.Repository, k *Keywords, bus *events.Bus, queue *jobs.Queue, c clock.Clock) *Receiver {
	return &Receiver{store: r, keywords: k, bus: bus, queue: queue, clock: c}
}

// Receive stores a message that an account got, and does what it says. The same message twice is one: the second
// time, it returns the first row. Error: store.ErrNumber where the account has no such number.
func (s *Receiver) Receive(ctx context.Context, account uuid.UUID, in provider.Inbound) (row store.Message, err error) {
	err = s.store.DB.InTx(ctx, func(ctx context.Context) error {
		to, err := s.store.NumberByE164(ctx, account, in.To)
		if err != nil {
			return err
		}
		// The same message at the same time: who holds the contact's row is first.
		from, err := s.store.LockContact(ctx, in.From, s.clock.Now())
		if err != nil {
			return err
		}
		if row, err = s.store.MessageByProviderID(ctx, account, in.ID); !errors.Is(err, store.ErrBadMessageID) {
			return err
		}
		if from.BadAt != nil { // it is not, whatever was said
			from.BadAt, from.BadReason = nil, ""
			if err := s.store.SaveContact(ctx, &from); err != nil {
				return err
			}
		}
		p, err := s.store.Preferences(ctx)
		if err != nil {
			return err
		}
		row = s.newRow(to, in)
		row.Interpret(meaningOf(in, p), from)
		t, err := s.store.AddMessageToThread(ctx, &row)
		if err != nil {
			return err
		}
		row.ThreadID = t.ID
		if err := s.store.Insert(ctx, &row); err != nil {
			return err
		}
		if err := s.keepFiles(ctx, row); err != nil {
			return err
		}
		if row.OptOutReview != nil {
			err = s.bus.Publish(ctx, smsapi.OptOutSuspected{Message: row.EventData()})
		} else {
			err = s.keywords.apply(ctx, p, row, from, in)
		}
		if err != nil {
			return err
		}

		return s.bus.Publish(ctx, smsapi.MessageReceived{Message: row.EventData(), Keyword: row.Keyword})
	})

	return row, err
}

// newRow is the row of a message from outside.
func (s *Receiver) newRow(to store.Number, in provider.Inbound) store.Message {
	now := s.clock.Now()
	count := segment.Of(in.Body, false)
	row := store.Message{
		ID: database.NewID(), AccountID: to.AccountID, NumberID: to.ID, Direction: store.Inbound, Sender: in.From, Recipient: in.To,
		Body: strings.ReplaceAll(strings.ToValidUTF8(in.Body, "�"), "\x00", ""), Media: in.Media, Encoding: string(count.Encoding),
		Segments: int64(max(count.Segments, in.Segments)), State: store.Received, ProviderID: &in.ID, ProviderStatus: string(store.Received),
		DueAt: now, Version: 1, CreatedAt: now, UpdatedAt: now,
	}
	if row.Media == nil {
		row.Media = []string{}
	}

	return row
}

// keepFiles has the files of a message kept as attachments.
func (s *Receiver) keepFiles(ctx context.Context, row store.Message) error {
	for i := range row.Media {
		if err := s.queue.Enqueue(ctx, KeepFile{Message: row.ID, Index: i}); err != nil {
			return err
		}
	}

	return nil
}
