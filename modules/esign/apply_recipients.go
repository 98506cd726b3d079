package esign

import (
	"cmp"
	"context"
	"reflect"
	"slices"
	"time"

	"github.com/dispatchd/dispatchd/modules/esign/esignapi"
	"github.com/dispatchd/dispatchd/modules/esign/internal/provider"
	"github.com/dispatchd/dispatchd/platform/database"
)

// hearRecipients takes what was told of the recipients of an envelope that is held, and returns all of them. Those that
// are not told of stay as they are.
func (s *core) hearRecipients(ctx context.Context, row envelope, t told) ([]recipient, error) {
	if len(t.Update.Recipients) == 0 && t.RecipientID == "" {
		return nil, nil
	}
	all, err := s.recipientsOf(ctx, row.ID)
	if err != nil {
		return nil, err
	}
	for _, u := range t.Update.Recipients {
		if u.ID == "" {
			continue // a name alone says nothing of anybody
		}
		i := whoIs(all, u)
		if i < 0 {
			now := s.clock.Now()
			fresh := recipient{
				ID: database.NewID(), EnvelopeID: row.ID, ExternalID: u.ID, Kind: cmp.Or(u.Kind, provider.Signer), State: recipientCreated,
				CreatedAt: now, UpdatedAt: now,
			}
			if err := s.insert(ctx, &fresh); err != nil {
				return nil, err
			}
			all, i = append(all, fresh), len(all)
		}
		if err := s.hearRecipient(ctx, row, &all[i], u, t); err != nil {
			return nil, err
		}
	}

	return all, nil
}

// whoIs returns which of the recipients is told of: by the vendor's id, or, where it has given another one than it was
// asked to, by role and address. It is -1 for somebody new.
func whoIs(all []recipient, u provider.RecipientUpdate) int {
	if i := slices.IndexFunc(all, func(r recipient) bool { return r.ExternalID == u.ID }); i >= 0 {
		return i
	}

	return slices.IndexFunc(all, func(r recipient) bool {
		return r.HeardStatus == "" && u.Role != "" && r.Role == u.Role && r.Email == u.Email && r.Email != ""
	})
}

// hearRecipient takes what was told of a recipient.
func (s *core) hearRecipient(ctx context.Context, row envelope, r *recipient, u provider.RecipientUpdate, t told) error {
	before, now := *r, s.clock.Now()
	r.ExternalID = u.ID
	to, at := recipientStatus(u.Status), believed(latest(u), now)
	if next := recipientStanding(to, at, u.Bound); next.exceeds(r.standing()) {
		since := next.at
		if since.IsZero() && next.tier == r.standing().tier {
			since = r.standing().at
		}
		reason := u.Reason
		if to == r.State {
			reason = cmp.Or(reason, r.Reason)
		}
		r.State, r.HeardStatus, r.HeardAt, r.Reason = to, u.Status, orNone(since), reason
	} else if to == r.State && r.Reason == "" {
		r.Reason = u.Reason
	}
	r.SentAt = earlier(r.SentAt, believed(u.SentAt, now))
	r.DeliveredAt = earlier(r.DeliveredAt, believed(u.DeliveredAt, now))
	r.SignedAt = earlier(r.SignedAt, believed(u.SignedAt, now))
	r.DeclinedAt = earlier(r.DeclinedAt, believed(u.DeclinedAt, now))
	if said := believed(t.At, now); r.ToldAt == nil || said.After(*r.ToldAt) {
		r.describe(u)
		r.ToldAt = orNone(said)
	}
	if reflect.DeepEqual(before, *r) {
		return nil
	}
	r.UpdatedAt = now
	if err := s.saveRecipient(ctx, r); err != nil || before.State == r.State {
		return err
	}

	return s.bus.Publish(ctx, esignapi.RecipientChanged{About: row.about(), Recipient: r.ID.String(), State: string(r.State)})
}

// describe takes what may be told otherwise later, where it is told.
func (r *recipient) describe(u provider.RecipientUpdate) {
	r.Kind, r.Role = cmp.Or(u.Kind, r.Kind), cmp.Or(u.Role, r.Role)
	r.Name, r.Email = cmp.Or(u.Name, r.Name), cmp.Or(u.Email, r.Email)
	r.RoutingOrder = cmp.Or(int64(u.RoutingOrder), r.RoutingOrder)
	r.Embedded = r.Embedded || u.Embedded
}

// latest is the last time that a recipient's entry has: since when it is as it says.
func latest(u provider.RecipientUpdate) time.Time {
	last := u.SentAt
	for _, at := range []time.Time{u.DeliveredAt, u.SignedAt, u.DeclinedAt} {
		if at.After(last) {
			last = at
		}
	}

	return last
}
