package reports

import (
	"context"
	"reflect"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/esign/esignapi"
	"github.com/dispatchd/dispatchd/modules/esign/internal/documents"
	"github.com/dispatchd/dispatchd/modules/esign/internal/store"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/events"
	"github.com/dispatchd/dispatchd/platform/state"
)

// Progress moves envelopes that are held to where reports say they are.
type Progress struct {
	store     *store.Repository
	documents *documents.Requests
	states    *state.Log
	bus       *events.Bus
	clock     clock.Clock
}

// NewProgress returns a Progress.
func NewProgress(r *store.Repository, documents *documents.Requests, states *state.Log, bus *events.Bus, c clock.Clock) *Progress {
	return &Progress{store: r, documents: documents, states: states, bus: bus, clock: c}
}

// applyTo takes what was told of an envelope that is held.
func (s *Progress) applyTo(ctx context.Context, row *store.Envelope, t Report) error {
	before := *row
	s.advance(row, t)
	s.noteTimes(row, t)
	arrived := row.State != before.State
	if arrived && row.State == store.Completed {
		if err := s.documents.Request(ctx, row); err != nil {
			return err
		}
	}
	if !reflect.DeepEqual(before, *row) {
		row.Version, row.UpdatedAt = row.Version+1, s.clock.Now()
		if err := s.store.SaveReported(ctx, row); err != nil {
			return err
		}
	}
	if arrived {
		if err := store.Lifecycle.Put(ctx, s.states, before.State, row.State, state.Move{
			Verb: verbReport, UUID: row.ID, Party: "provider", Reason: row.Reason,
		}); err != nil {
			return err
		}
		if err := s.publish(ctx, before, *row); err != nil {
			return err
		}
	}
	recipients, err := s.applyRecipients(ctx, *row, t)
	if err != nil || t.Event == "" && !arrived {
		return err
	}

	return s.recordEvent(ctx, *row, recipients, t)
}

// advance moves an envelope to where it is, if what was told decides that.
func (s *Progress) advance(row *store.Envelope, t Report) {
	u, now := t.Update, s.clock.Now()
	to, at := reportedStatus(u), state.ReportedTime(u.At, now)
	held, next := envelopeStanding(row), envelopeTiers.Standing(to, at, u.Bound)
	if to == "" || !next.Exceeds(held) {
		if to == row.State && row.Reason == "" {
			row.Reason = u.Reason
		}

		return
	}
	reason := u.Reason
	if reason == "" && to == row.State {
		reason = row.Reason
	}
	row.State, row.HeardStatus, row.HeardAt, row.Reason, row.Code = to, u.Status, timeOrNil(next.Since(held)), reason, ""
	if next.Ended {
		row.EndedAt = timeOrNil(at)
		if at.IsZero() {
			row.EndedAt = &now
		}
	}
}

// noteTimes keeps the times that were told, and, of what may be told otherwise later, what was told last.
func (s *Progress) noteTimes(row *store.Envelope, t Report) {
	u, now := t.Update, s.clock.Now()
	at := state.ReportedTime(u.At, now)
	row.SentAt = earliest(row.SentAt, state.ReportedTime(u.SentAt, now))
	row.DeliveredAt = earliest(row.DeliveredAt, state.ReportedTime(u.DeliveredAt, now))
	row.CompletedAt = earliest(row.CompletedAt, state.ReportedTime(u.CompletedAt, now))
	switch reportedStatus(u) { //nolint:exhaustive // those that have a time of their own
	case store.Sent:
		if u.SentAt.IsZero() {
			row.SentAt = earliest(row.SentAt, at)
		}
	case store.Delivered:
		if u.DeliveredAt.IsZero() {
			row.DeliveredAt = earliest(row.DeliveredAt, at)
		}
	case store.Completed:
		if u.CompletedAt.IsZero() {
			row.CompletedAt = earliest(row.CompletedAt, at)
		}
	}
	said := state.ReportedTime(t.At, now)
	if u.Whole == nil || row.ToldAt != nil && !said.After(*row.ToldAt) {
		return
	}
	row.Heard, row.ToldAt = u.Whole, timeOrNil(said)
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

// publish publishes where an envelope has come to. Sent and delivered are said once, also of one that was corrected.
func (s *Progress) publish(ctx context.Context, before, row store.Envelope) error {
	about := row.EventAbout()
	switch row.State { //nolint:exhaustive // the others are nobody's news
	case store.Sent:
		if before.SentAt == nil {
			return s.bus.Publish(ctx, esignapi.EnvelopeSent{About: about})
		}
	case store.Delivered:
		if before.DeliveredAt == nil {
			return s.bus.Publish(ctx, esignapi.EnvelopeDelivered{About: about})
		}
	case store.Completed:
		return s.bus.Publish(ctx, esignapi.EnvelopeCompleted{About: about})
	case store.Declined:
		return s.bus.Publish(ctx, esignapi.EnvelopeDeclined{About: about, Reason: row.Reason})
	case store.Voided:
		return s.bus.Publish(ctx, esignapi.EnvelopeVoided{About: about, Reason: row.Reason})
	case store.Expired:
		return s.bus.Publish(ctx, esignapi.EnvelopeExpired{About: about})
	case store.Deleted:
		return s.bus.Publish(ctx, esignapi.EnvelopeDeleted{About: about})
	}

	return nil
}

// recordEvent writes what has happened into the history of the envelope, once.
func (s *Progress) recordEvent(ctx context.Context, row store.Envelope, all []store.Recipient, t Report) error {
	h := store.HistoryEvent{
		ID: database.NewID(), EnvelopeID: row.ID, Event: t.Event, DedupeKey: t.dedupeKey(), Detail: t.Detail,
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

	return s.store.InsertHistoryEvent(ctx, &h)
}
