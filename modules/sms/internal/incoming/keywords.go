package incoming

import (
	"context"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/sms/internal/delivery"
	"github.com/dispatchd/dispatchd/modules/sms/internal/optout"
	"github.com/dispatchd/dispatchd/modules/sms/internal/provider"
	"github.com/dispatchd/dispatchd/modules/sms/internal/segment"
	"github.com/dispatchd/dispatchd/modules/sms/internal/store"
	"github.com/dispatchd/dispatchd/modules/sms/internal/vendors"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/database"
)

// Keywords does what STOP, START and HELP say, and answers them where the provider does not.
type Keywords struct {
	store   *store.Repository
	vendors *vendors.Service
	outbox  *delivery.Outbox
	optOuts *delivery.OptOuts
	clock   clock.Clock
}

// NewKeywords returns Keywords.
func NewKeywords(r *store.Repository, v *vendors.Service, outbox *delivery.Outbox, optOuts *delivery.OptOuts, c clock.Clock) *Keywords {
	return &Keywords{store: r, vendors: v, outbox: outbox, optOuts: optOuts, clock: c}
}

// obeyStop opts a number out that has sent STOP to a number that is not known here.
func (s *Keywords) obeyStop(ctx context.Context, in provider.Inbound) error {
	p, err := s.store.Preferences(ctx)
	if err != nil || meaningOf(in, p) != optout.Stop {
		return err
	}

	return s.optOuts.Add(ctx, in.From, delivery.OptOutCause{Source: delivery.SourceKeyword, Keyword: wordStop})
}

// apply does what a keyword says, and answers it where the provider does not.
func (s *Keywords) apply(ctx context.Context, p store.Preferences, row store.Message, from store.Contact, in provider.Inbound) error {
	if row.Keyword == "" {
		return nil
	}
	late := !in.At.IsZero() && in.At.Add(replyPause).Before(row.CreatedAt)
	if late {
		// What was said since then counts.
		if overtaken, err := s.store.LaterConsent(ctx, row.Sender, in.At); err != nil || overtaken {
			return err
		}
	}
	account, err := s.vendors.Accounts.One(ctx, row.AccountID)
	if err != nil {
		return err
	}
	answers := p.AutoReplies && in.OptOut == "" && !late && account.DisabledAt == nil
	if vendor, ok := s.vendors.ByName[account.Provider]; !ok || vendor.Capabilities().HandlesStop && optout.VendorOptOut(row.Body) {
		answers = false
	}
	how := delivery.OptOutCause{Source: delivery.SourceKeyword, Keyword: row.Keyword, Message: &row.ID}
	switch row.Keyword {
	case wordStop:
		if answers && from.OptedOutAt == nil {
			farewell, err := s.reply(ctx, row, p.StopText)
			if err != nil {
				return err
			}
			how.Farewell = farewell
		}

		return s.optOuts.Add(ctx, row.Sender, how)
	case wordStart:
		if err := s.optOuts.Remove(ctx, row.Sender, how); err != nil || !answers {
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
func (s *Keywords) replyOnce(ctx context.Context, row store.Message, text string) error {
	now := s.clock.Now()
	to, err := s.store.LockContact(ctx, row.Sender, now)
	if err != nil || to.RepliedAt != nil && to.RepliedAt.Add(replyPause).After(now) {
		return err
	}
	to.RepliedAt = &now
	if err := s.store.SaveContact(ctx, &to); err != nil {
		return err
	}
	_, err = s.reply(ctx, row, text)

	return err
}

// reply stores an answer to a message, from the number that it was sent to, and returns its id; nil for an empty text.
func (s *Keywords) reply(ctx context.Context, to store.Message, text string) (*uuid.UUID, error) {
	if text == "" {
		return nil, nil //nolint:nilnil // there is no answer
	}
	now := s.clock.Now()
	count := segment.Of(text, false)
	row := store.Message{
		ID: database.NewID(), AccountID: to.AccountID, NumberID: to.NumberID, Direction: store.Outbound, Sender: to.Recipient, Recipient: to.Sender,
		Body: text, Media: []string{}, Encoding: string(count.Encoding), Segments: int64(count.Segments), State: store.Queued,
		Keyword: to.Keyword, Urgent: true, DueAt: now, Version: 1, CreatedAt: now, UpdatedAt: now,
	}

	return &row.ID, s.outbox.Add(ctx, &row)
}
