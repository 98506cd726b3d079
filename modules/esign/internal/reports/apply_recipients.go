package reports

import (
	"cmp"
	"context"
	"reflect"
	"slices"
	"time"

	"github.com/dispatchd/dispatchd/modules/esign/esignapi"
	"github.com/dispatchd/dispatchd/modules/esign/internal/provider"
	"github.com/dispatchd/dispatchd/modules/esign/internal/store"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/state"
)

// applyRecipients takes what was told of the recipients of an envelope that is held, and returns all of them. Those that
// are not told of stay unchanged.
func (s *Progress) applyRecipients(ctx context.Context, row store.Envelope, t Report) ([]store.Recipient, error) {
	if len(t.Update.Recipients) == 0 && t.RecipientID == "" {
		return nil, nil
	}
	all, err := s.store.RecipientsOf(ctx, row.ID)
	if err != nil {
		return nil, err
	}
	for _, u := range t.Update.Recipients {
		if u.ID == "" {
			continue // a name alone says nothing of anybody
		}
		i := findRecipient(all, u)
		if i < 0 {
			now := s.clock.Now()
			fresh := store.Recipient{
				ID: database.NewID(), EnvelopeID: row.ID, ExternalID: u.ID, Kind: cmp.Or(u.Kind, provider.Signer), State: store.RecipientCreated,
				CreatedAt: now, UpdatedAt: now,
			}
			if err := s.store.Insert(ctx, &fresh); err != nil {
				return nil, err
			}
			all, i = append(all, fresh), len(all)
		}
		if err := s.applyRecipient(ctx, row, &all[i], u, t); err != nil {
			return nil, err
		}
	}

	return all, nil
}

// findRecipient returns which of the recipients is told of: by the vendor's id, or, where it has given another one than it was
// asked to, by role and address. It is -1 for somebody new.
func findRecipient(all []store.Recipient, u provider.RecipientUpdate) int {
	if i := slices.IndexFunc(all, func(r store.Recipient) bool { return r.ExternalID == u.ID }); i >= 0 {
		return i
	}

	return slices.IndexFunc(all, func(r store.Recipient) bool {
		return r.HeardStatus == "" && u.Role != "" && r.Role == u.Role && r.Email == u.Email && r.Email != ""
	})
}

// applyRecipient takes what was told of a recipient.
func (s *Progress) applyRecipient(ctx context.Context, row store.Envelope, r *store.Recipient, u provider.RecipientUpdate, t Report) error {
	before, now := *r, s.clock.Now()
	r.ExternalID = u.ID
	to, at := store.RecipientStatus(u.Status), state.ReportedTime(latestTime(u), now)
	held, next := recipientStanding(r), recipientTiers.Standing(to, at, u.Bound)
	if next.Exceeds(held) {
		reason := u.Reason
		if to == r.State {
			reason = cmp.Or(reason, r.Reason)
		}
		r.State, r.HeardStatus, r.HeardAt, r.Reason = to, u.Status, timeOrNil(next.Since(held)), reason
	} else if to == r.State && r.Reason == "" {
		r.Reason = u.Reason
	}
	r.SentAt = earliest(r.SentAt, state.ReportedTime(u.SentAt, now))
	r.DeliveredAt = earliest(r.DeliveredAt, state.ReportedTime(u.DeliveredAt, now))
	r.SignedAt = earliest(r.SignedAt, state.ReportedTime(u.SignedAt, now))
	r.DeclinedAt = earliest(r.DeclinedAt, state.ReportedTime(u.DeclinedAt, now))
	if said := state.ReportedTime(t.At, now); r.ToldAt == nil || said.After(*r.ToldAt) {
		r.SetDescription(u)
		r.ToldAt = timeOrNil(said)
	}
	if reflect.DeepEqual(before, *r) {
		return nil
	}
	r.UpdatedAt = now
	if err := s.store.SaveRecipient(ctx, r); err != nil || before.State == r.State {
		return err
	}

	return s.bus.Publish(ctx, esignapi.RecipientChanged{About: row.EventAbout(), Recipient: r.ID.String(), State: string(r.State)})
}

// latestTime is the last time that a recipient's entry has: since when it is as it says.
func latestTime(u provider.RecipientUpdate) time.Time {
	last := u.SentAt
	for _, at := range []time.Time{u.DeliveredAt, u.SignedAt, u.DeclinedAt} {
		if at.After(last) {
			last = at
		}
	}

	return last
}
