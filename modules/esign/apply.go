package esign

import (
	"context"
	"reflect"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/esign/esignapi"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/state"
)

// verbReport is the verb of moves that a provider has told of.
const verbReport = "report"

// apply is the one way in for what a provider tells of an envelope of an account, by itself or asked. It may be told
// twice, late, out of order, and at the same time: what is stored in the end is the same. An envelope that is not here
// is adopted if it belongs to an item; known is false if it does not, and nothing was done.
func (s *core) apply(ctx context.Context, account uuid.UUID, t told) (known bool, err error) {
	if t.Update.ID == "" {
		return false, nil
	}
	err = s.db.InTx(ctx, func(ctx context.Context) error {
		row, found, err := s.meant(ctx, account, t)
		if known = err == nil && row != nil; err != nil || row == nil {
			return err
		}
		if err := s.hear(ctx, row, t); err != nil || found {
			return err
		}

		return s.adoptStrays(ctx, account, t.Update.ID) // it has only now got its name
	})

	return known, err
}

// hear takes what was told of an envelope that is held.
func (s *core) hear(ctx context.Context, row *envelope, t told) error {
	before := *row
	s.advance(row, t)
	s.note(row, t)
	arrived := row.State != before.State
	if arrived && row.State == completed {
		if err := s.wantDocuments(ctx, row); err != nil {
			return err
		}
	}
	if !reflect.DeepEqual(before, *row) {
		row.Version, row.UpdatedAt = row.Version+1, s.clock.Now()
		if err := s.saveHeard(ctx, row); err != nil {
			return err
		}
	}
	if arrived {
		if err := lifecycle().Put(ctx, s.states, before.State, row.State, state.Move{
			Verb: verbReport, UUID: row.ID, Party: "provider", Reason: row.Reason,
		}); err != nil {
			return err
		}
		if err := s.announce(ctx, before, *row); err != nil {
			return err
		}
	}
	recipients, err := s.hearRecipients(ctx, *row, t)
	if err != nil || t.Event == "" && !arrived {
		return err
	}

	return s.remember(ctx, *row, recipients, t)
}

// advance moves an envelope to where it is, if what was told decides that.
func (s *core) advance(row *envelope, t told) {
	u, now := t.Update, s.clock.Now()
	to, at := heardStatus(u), believed(u.At, now)
	next := standingOf(to, at, u.Bound)
	if to == "" || !next.exceeds(row.standing()) {
		if to == row.State && row.Reason == "" {
			row.Reason = u.Reason
		}

		return
	}
	since := next.at
	if since.IsZero() && next.tier == row.standing().tier {
		since = row.standing().at
	}
	reason := u.Reason
	if reason == "" && to == row.State {
		reason = row.Reason
	}
	row.State, row.HeardStatus, row.HeardAt, row.Reason, row.Code = to, u.Status, orNone(since), reason, ""
	if next.tier >= removed {
		row.EndedAt = orNone(either(at, now))
	}
}

// note keeps the times that were told, and, of what may be told otherwise later, what was told last.
func (s *core) note(row *envelope, t told) {
	u, now := t.Update, s.clock.Now()
	at := believed(u.At, now)
	row.SentAt = earlier(row.SentAt, believed(u.SentAt, now))
	row.DeliveredAt = earlier(row.DeliveredAt, believed(u.DeliveredAt, now))
	row.CompletedAt = earlier(row.CompletedAt, believed(u.CompletedAt, now))
	switch heardStatus(u) { //nolint:exhaustive // those that have a time of their own
	case sent:
		if u.SentAt.IsZero() {
			row.SentAt = earlier(row.SentAt, at)
		}
	case delivered:
		if u.DeliveredAt.IsZero() {
			row.DeliveredAt = earlier(row.DeliveredAt, at)
		}
	case completed:
		if u.CompletedAt.IsZero() {
			row.CompletedAt = earlier(row.CompletedAt, at)
		}
	}
	said := believed(t.At, now)
	if u.Whole == nil || row.ToldAt != nil && !said.After(*row.ToldAt) {
		return
	}
	row.Heard, row.ToldAt = u.Whole, orNone(said)
	if u.Subject != "" {
		row.Subject = u.Subject
	}
	if u.Message != "" {
		row.Message = u.Message
	}
	if !u.ExpiresAt.IsZero() {
		row.ExpiresAt = &u.ExpiresAt
	}
}

// announce publishes where an envelope has come to. Sent and delivered are said once, also of one that was corrected.
func (s *core) announce(ctx context.Context, before, row envelope) error {
	about := row.about()
	switch row.State { //nolint:exhaustive // the others are nobody's news
	case sent:
		if before.SentAt == nil {
			return s.bus.Publish(ctx, esignapi.EnvelopeSent{About: about})
		}
	case delivered:
		if before.DeliveredAt == nil {
			return s.bus.Publish(ctx, esignapi.EnvelopeDelivered{About: about})
		}
	case completed:
		return s.bus.Publish(ctx, esignapi.EnvelopeCompleted{About: about})
	case declined:
		return s.bus.Publish(ctx, esignapi.EnvelopeDeclined{About: about, Reason: row.Reason})
	case voided:
		return s.bus.Publish(ctx, esignapi.EnvelopeVoided{About: about, Reason: row.Reason})
	case expired:
		return s.bus.Publish(ctx, esignapi.EnvelopeExpired{About: about})
	case deleted:
		return s.bus.Publish(ctx, esignapi.EnvelopeDeleted{About: about})
	}

	return nil
}

// about is what all events say of an envelope.
func (e *envelope) about() esignapi.About {
	a := esignapi.About{Envelope: e.ID.String(), ItemType: e.ItemType, Source: e.Source}
	if e.ItemID != nil {
		a.Item = e.ItemID.String()
	}

	return a
}

// remember writes what has happened into the history of the envelope, once.
func (s *core) remember(ctx context.Context, row envelope, all []recipient, t told) error {
	h := happening{
		ID: database.NewID(), EnvelopeID: row.ID, Event: t.Event, DedupeKey: t.key(), Detail: t.Detail,
		HappenedAt: t.moment(), CreatedAt: s.clock.Now(),
	}
	if t.Event == "" {
		h.Event, h.Detail = "found", string(row.State)
	}
	if t.Delivery != uuid.Nil {
		h.DeliveryID = &t.Delivery
	}
	for _, r := range all {
		if t.RecipientID != "" && r.ExternalID == t.RecipientID {
			h.RecipientID = &r.ID
		}
	}

	return s.insertHappening(ctx, &h)
}
