package sms

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/sms/internal/provider"
	"github.com/dispatchd/dispatchd/modules/sms/internal/segment"
	"github.com/dispatchd/dispatchd/modules/sms/smsapi"
	"github.com/dispatchd/dispatchd/platform/database"
)

// What a whole message can say.
const (
	wordStop  = "stop"
	wordStart = "start"
	wordHelp  = "help"
)

// keyword returns what a message says if it is nothing but a keyword, in any case, else "". The words are those
// that carriers and providers know.
func keyword(body string) string {
	switch strings.ToUpper(strings.Trim(strings.Join(strings.Fields(body), " "), " .!\"'")) {
	case "STOP", "UNSUBSCRIBE", "END", "QUIT", "STOPALL", "STOP ALL", "REVOKE", "OPTOUT", "CANCEL":
		return wordStop
	case "START", "YES", "UNSTOP":
		return wordStart
	case "HELP", "INFO":
		return wordHelp
	default:
		return ""
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
		row = s.received(to, in)
		t, err := s.file(ctx, &row)
		if err != nil {
			return err
		}
		if row.ThreadID = t.ID; row.Keyword == wordStart && isYes(in.Body) && from.OptedOutAt == nil {
			row.Keyword = "" // an answer to a question
		}
		if err := s.insert(ctx, &row); err != nil {
			return err
		}
		if err := s.obey(ctx, row, from, in.OptOut != ""); err != nil {
			return err
		}

		return s.bus.Publish(ctx, smsapi.MessageReceived{Message: row.told(), Keyword: row.Keyword})
	})

	return row, err
}

func isYes(body string) bool { return strings.Contains(strings.ToUpper(body), "YES") }

// received is the row of a message from outside.
func (s *receiver) received(to number, in provider.Inbound) message {
	now := s.clock.Now()
	count := segment.Of(in.Body, false)
	row := message{
		ID: database.NewID(), AccountID: to.AccountID, NumberID: to.ID, Direction: inbound, Sender: in.From, Recipient: in.To,
		Body: strings.ReplaceAll(strings.ToValidUTF8(in.Body, "�"), "\x00", ""), Media: in.Media, Encoding: string(count.Encoding),
		Segments: int64(max(count.Segments, in.Segments)), State: received, ProviderID: &in.ID, ProviderStatus: string(received),
		Keyword: keyword(in.Body), DueAt: now, Version: 1, CreatedAt: now, UpdatedAt: now,
	}
	if row.Media == nil {
		row.Media = []string{}
	}
	switch in.OptOut { // what the provider has understood counts
	case "STOP", "START", "HELP":
		row.Keyword = strings.ToLower(in.OptOut)
	}

	return row
}

// obey does what a keyword says, and answers it where the provider does not.
func (s *receiver) obey(ctx context.Context, row message, from contact, understood bool) error {
	if row.Keyword == "" {
		return nil
	}
	p, err := s.preferences(ctx)
	if err != nil {
		return err
	}
	account, err := s.accounts.One(ctx, row.AccountID)
	if err != nil {
		return err
	}
	answers := p.AutoReplies && !understood && account.DisabledAt == nil
	if vendor, ok := s.vendors.byName[account.Provider]; !ok || vendor.Capabilities().HandlesStop {
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
