package envelopes

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/esign/internal/provider"
	"github.com/dispatchd/dispatchd/modules/esign/internal/store"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/jobs"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/web"
)

// ActArgs are the job that does at the provider what somebody wants of an envelope.
type ActArgs struct {
	Action uuid.UUID `json:"action"`
}

// Kind implements jobs.Args.
func (ActArgs) Kind() string { return "esign.act" }

// Orders keeps what somebody wants of envelopes that are at the provider.
type Orders struct {
	db    *database.DB
	store *store.Repository
	queue *jobs.Queue
	gate  Gate
	clock clock.Clock
}

// NewOrders returns an Orders.
func NewOrders(r *store.Repository, queue *jobs.Queue, g Gate, c clock.Clock) *Orders {
	return &Orders{db: r.DB, store: r, queue: queue, gate: g, clock: c}
}

// isUnderWay are the states in which the provider waits for recipients.
func isUnderWay(s store.Status) bool {
	return slices.Contains([]store.Status{store.Processing, store.Sent, store.Delivered, store.Correcting, store.Signed}, s)
}

// Place stores what somebody wants of an envelope, and the job that does it. There is one at a time.
func (s *Orders) Place(
	ctx context.Context, id uuid.UUID, match web.IfMatch, verb string, fill func(context.Context, store.Envelope, *store.ActionContent) error,
) (row store.Envelope, err error) {
	err = s.db.InTx(ctx, func(ctx context.Context) error {
		if row, err = s.store.HeldEnvelope(ctx, id); err != nil {
			return err
		}
		if err := match.Check(row.Version); err != nil {
			return err
		}
		if err := CheckOrder(row, verb); err != nil {
			return err
		}
		now := s.clock.Now()
		a := store.Action{ID: database.NewID(), EnvelopeID: row.ID, Verb: verb, State: store.ActionWaiting, CreatedBy: principal.UserOf(ctx), CreatedAt: now, UpdatedAt: now}
		if fill != nil {
			if err := fill(ctx, row, &a.Content); err != nil {
				return err
			}
		}
		err = s.db.Savepoint(ctx, func(ctx context.Context) error { return s.store.Insert(ctx, &a) })
		if errors.Is(err, database.ErrDuplicate) {
			return store.ErrBusy
		}
		if err != nil {
			return err
		}
		row.Version, row.UpdatedAt = row.Version+1, now
		if err := s.store.SaveEnvelope(ctx, &row); err != nil {
			return err
		}

		return s.queue.Enqueue(ctx, ActArgs{Action: a.ID})
	})

	return row, err
}

// CheckOrder refuses what cannot be done with an envelope as it is.
func CheckOrder(row store.Envelope, verb string) error {
	if verb == store.ActRefresh {
		if row.ExternalID == nil && row.State != store.Unknown && row.State != store.Sending {
			return store.ErrNotThere.WithDetail("current", string(row.State))
		}

		return nil
	}
	if !isUnderWay(row.State) {
		return store.ErrEnded.WithDetail("current", string(row.State))
	}
	if row.ExternalID == nil {
		return store.ErrNotThere.WithDetail("current", string(row.State))
	}

	return nil
}

// Correction is a recipient as somebody wants it instead. Without an id it is a new one.
type Correction struct {
	UUID              uuid.UUID
	Kind, Name, Email string
	RoutingOrder      int
}

// Correct has recipients changed who have not signed, and new ones added.
func (s *Orders) Correct(ctx context.Context, id uuid.UUID, match web.IfMatch, changes []Correction) (store.Envelope, error) {
	return s.Place(ctx, id, match, store.ActCorrect, func(ctx context.Context, row store.Envelope, c *store.ActionContent) error {
		all, err := s.store.Recipients(ctx, row.ID)
		if err != nil {
			return err
		}
		rows, err := correctedRecipients(all, changes)
		if err != nil {
			return err
		}
		for _, r := range rows {
			c.Changed = append(c.Changed, r.ForProvider())
		}

		return s.gate.check(ctx, rows)
	})
}

// Resend has the provider write to those again who are to act now.
func (s *Orders) Resend(ctx context.Context, id uuid.UUID, match web.IfMatch) (store.Envelope, error) {
	return s.Place(ctx, id, match, store.ActResend, func(ctx context.Context, row store.Envelope, _ *store.ActionContent) error {
		all, err := s.store.Recipients(ctx, row.ID)
		if err != nil {
			return err
		}

		return s.gate.check(ctx, all)
	})
}

// correctedRecipients are the recipients that are changed, and new.
func correctedRecipients(all []store.Recipient, changes []Correction) ([]store.Recipient, error) {
	wrong, next := store.ErrInvalid, 0
	byID := make(map[uuid.UUID]store.Recipient, len(all))
	for _, r := range all {
		byID[r.ID] = r
		if n, err := strconv.Atoi(r.ExternalID); err == nil {
			next = max(next, n)
		}
	}
	var changed []store.Recipient
	seen := map[uuid.UUID]bool{}
	for i, c := range changes {
		refuse := func(key, text string) { wrong = wrong.WithField(fmt.Sprintf("recipients.%d.%s", i, key), text) }
		row, known := byID[c.UUID]
		switch {
		case c.UUID == uuid.Nil:
			next++
			row = store.Recipient{ID: database.NewID(), ExternalID: strconv.Itoa(next), Kind: orKind(provider.RecipientKind(c.Kind), provider.Signer), RoutingOrder: 1}
		case !known || seen[c.UUID]:
			refuse("uuid", "The envelope has no such recipient, or it is here twice.")

			continue
		case c.Kind != "" && c.Kind != string(row.Kind):
			refuse("kind", "The kind of a recipient cannot be changed: add another one.")
		case slices.Contains(done, row.State):
			refuse("uuid", "The recipient has done what was asked already: it is "+string(row.State)+".")
		}
		seen[c.UUID] = true
		if c.Name != "" {
			row.Name = c.Name
		}
		if c.Email != "" {
			row.Email = c.Email
		}
		if c.RoutingOrder > 0 {
			row.RoutingOrder = int64(c.RoutingOrder)
		}
		checkPerson(row, refuse)
		changed = append(changed, row)
	}
	if len(changed) == 0 && len(wrong.Fields) == 0 {
		wrong = wrong.WithField("recipients", "The recipients must be one or more.")
	}
	if len(all)+len(changes) > 2*mostRecipients || next > mostRecipients {
		wrong = wrong.WithField("recipients", fmt.Sprintf("An envelope has at most %d recipients.", mostRecipients))
	}
	if len(wrong.Fields) > 0 {
		return nil, wrong
	}

	return changed, nil
}

// Void takes back an envelope that is on its way.
func (s *Orders) Void(ctx context.Context, id uuid.UUID, match web.IfMatch, reason string) (store.Envelope, error) {
	if reason = strings.TrimSpace(reason); reason == "" {
		return store.Envelope{}, store.ErrInvalid.WithField("reason", "The reason is required: recipients are told.")
	}

	return s.Place(ctx, id, match, store.ActVoid, func(_ context.Context, _ store.Envelope, c *store.ActionContent) error {
		c.Reason = store.Clip(reason, 200)

		return nil
	})
}
