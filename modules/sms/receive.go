package sms

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/sms/internal/optout"
	"github.com/dispatchd/dispatchd/modules/sms/internal/provider"
	"github.com/dispatchd/dispatchd/modules/sms/internal/segment"
	"github.com/dispatchd/dispatchd/modules/sms/smsapi"
	"github.com/dispatchd/dispatchd/platform/database"
)

// What a message can say.
const (
	wordStop  = string(optout.Stop)
	wordStart = string(optout.Start)
	wordHelp  = string(optout.Help)
)

// meaning is what a message says: as the provider has understood it, else as we do.
func meaning(in provider.Inbound, p preferences) optout.Meaning {
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

// receiver takes messages from outside.
type receiver struct{ *core }

func newReceiver(c *core) *receiver { return &receiver{core: c} }

// receive stores a message that an account got, and does what it says. The same message twice is one: the second
// time, it returns the first row. Errors: errNumber where the account has no such number.
func (s *receiver) receive(ctx context.Context, account uuid.UUID, in provider.Inbound) (row message, err error) {
	err = s.db.InTx(ctx, func(ctx context.Context) error {
		to, err := s.numberOf(ctx, account, in.To)
		if err != nil {
			return err
		}
		// The same message at the same time: who holds the contact's row is first.
		from, err := s.heldContact(ctx, in.From, s.clock.Now())
		if err != nil {
			return err
		}
		if row, err = s.messageOf(ctx, account, in.ID); !errors.Is(err, errBadMessageID) {
			return err
		}
		if from.BadAt != nil { // it is not, whatever was said
			from.BadAt, from.BadReason = nil, ""
			if err := s.saveContact(ctx, &from); err != nil {
				return err
			}
		}
		p, err := s.preferences(ctx)
		if err != nil {
			return err
		}
		row = s.received(to, in)
		row.interpret(meaning(in, p), from)
		t, err := s.file(ctx, &row)
		if err != nil {
			return err
		}
		row.ThreadID = t.ID
		if err := s.insert(ctx, &row); err != nil {
			return err
		}
		if err := s.keepFiles(ctx, row); err != nil {
			return err
		}
		if row.OptOutReview != nil {
			err = s.bus.Publish(ctx, smsapi.OptOutSuspected{Message: row.told()})
		} else {
			err = s.obey(ctx, p, row, from, in)
		}
		if err != nil {
			return err
		}

		return s.bus.Publish(ctx, smsapi.MessageReceived{Message: row.told(), Keyword: row.Keyword})
	})

	return row, err
}

// interpret notes what a message says. "Yes" is an answer to a question, unless its sender has opted out; who has opted out
// already is not suspected of it.
func (row *message) interpret(says optout.Meaning, from contact) {
	switch {
	case says == optout.Suspected && from.OptedOutAt == nil:
		row.OptOutReview = new(reviewPending)
	case says == optout.Suspected, says == optout.Start && optout.IsYes(row.Body) && from.OptedOutAt == nil:
	default:
		row.Keyword = string(says)
	}
}

// received is the row of a message from outside.
func (s *receiver) received(to number, in provider.Inbound) message {
	now := s.clock.Now()
	count := segment.Of(in.Body, false)
	row := message{
		ID: database.NewID(), AccountID: to.AccountID, NumberID: to.ID, Direction: inbound, Sender: in.From, Recipient: in.To,
		Body: strings.ReplaceAll(strings.ToValidUTF8(in.Body, "�"), "\x00", ""), Media: in.Media, Encoding: string(count.Encoding),
		Segments: int64(max(count.Segments, in.Segments)), State: received, ProviderID: &in.ID, ProviderStatus: string(received),
		DueAt: now, Version: 1, CreatedAt: now, UpdatedAt: now,
	}
	if row.Media == nil {
		row.Media = []string{}
	}

	return row
}

// keepFiles has the files of a message kept as attachments.
func (s *receiver) keepFiles(ctx context.Context, row message) error {
	for i := range row.Media {
		if err := s.queue.Enqueue(ctx, keepingFile{Message: row.ID, Index: i}); err != nil {
			return err
		}
	}

	return nil
}

// obey does what a keyword says, and answers it where the provider does not.
func (s *receiver) obey(ctx context.Context, p preferences, row message, from contact, in provider.Inbound) error {
	if row.Keyword == "" {
		return nil
	}
	late := !in.At.IsZero() && in.At.Add(replyPause).Before(row.CreatedAt)
	if late {
		// What was said since then counts.
		if overtaken, err := s.laterConsent(ctx, row.Sender, in.At); err != nil || overtaken {
			return err
		}
	}
	account, err := s.accounts.One(ctx, row.AccountID)
	if err != nil {
		return err
	}
	answers := p.AutoReplies && in.OptOut == "" && !late && account.DisabledAt == nil
	if vendor, ok := s.vendors.byName[account.Provider]; !ok || vendor.Capabilities().HandlesStop && optout.Vendors(row.Body) {
		answers = false
	}
	how := optOutOf{source: sourceKeyword, keyword: row.Keyword, message: &row.ID}
	switch row.Keyword {
	case wordStop:
		if answers && from.OptedOutAt == nil {
			farewell, err := s.reply(ctx, row, p.StopText)
			if err != nil {
				return err
			}
			how.farewell = farewell
		}

		return s.addOptOut(ctx, row.Sender, how)
	case wordStart:
		if err := s.dropOptOut(ctx, row.Sender, how); err != nil || !answers {
			return err
		}

		return s.replyOnce(ctx, row, p.StartText)
	default:
		if !answers {
			return nil
		}

		return s.replyOnce(ctx, row, p.HelpText)
	}
}

// replyOnce answers a keyword, unless one was answered a moment ago.
func (s *receiver) replyOnce(ctx context.Context, row message, text string) error {
	now := s.clock.Now()
	to, err := s.heldContact(ctx, row.Sender, now)
	if err != nil || to.RepliedAt != nil && to.RepliedAt.Add(replyPause).After(now) {
		return err
	}
	to.RepliedAt = &now
	if err := s.saveContact(ctx, &to); err != nil {
		return err
	}
	_, err = s.reply(ctx, row, text)

	return err
}

// reply stores an answer to a message, from the number that it was sent to, and returns its id; nil for an empty text.
func (s *receiver) reply(ctx context.Context, to message, text string) (*uuid.UUID, error) {
	if text == "" {
		return nil, nil //nolint:nilnil // there is no answer
	}
	now := s.clock.Now()
	count := segment.Of(text, false)
	row := message{
		ID: database.NewID(), AccountID: to.AccountID, NumberID: to.NumberID, Direction: outbound, Sender: to.Recipient, Recipient: to.Sender,
		Body: text, Media: []string{}, Encoding: string(count.Encoding), Segments: int64(count.Segments), State: queued,
		Keyword: to.Keyword, Urgent: true, DueAt: now, Version: 1, CreatedAt: now, UpdatedAt: now,
	}

	return &row.ID, s.enter(ctx, &row)
}
