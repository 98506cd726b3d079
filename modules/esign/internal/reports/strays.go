package reports

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/esign/internal/settings"
	"github.com/dispatchd/dispatchd/modules/esign/internal/store"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/jobs"
)

const (
	// unmatchedBatch is how many notifications of one envelope are read at a time.
	unmatchedBatch = 200
	// unmatchedPause is how long a notification waits whose envelope has just become known.
	unmatchedPause = time.Second
	// UnmatchedSweep is how often what is too old is removed.
	UnmatchedSweep = time.Hour
)

// StoreUnmatched keeps what was told of an envelope that is not known. If it has become known meanwhile, that is to be
// applied instead, a little later. Who is first holds the envelope: who names it looks for strays while holding it. Notifications of other envelopes
// do not wait.
func (s *Service) StoreUnmatched(ctx context.Context, account uuid.UUID, t Report) error {
	if _, err := s.accounts.One(ctx, account); err != nil {
		return err
	}
	if err := s.hold(ctx, account, t.Update.ID); err != nil {
		return err
	}
	known, err := s.store.KnowsEnvelope(ctx, account, t.Update.ID)
	if err != nil {
		return err
	}
	if known {
		return jobs.Later(unmatchedPause)
	}
	notice, err := json.Marshal(t)
	if err != nil {
		return fmt.Errorf("delivery %s: %w", t.Delivery, err)
	}

	return s.store.InsertUnmatched(ctx, &store.Unmatched{
		ID: database.NewID(), AccountID: account, ExternalID: t.Update.ID, DeliveryID: t.Delivery, Event: t.Event,
		Notice: notice, ReceivedAt: t.Received,
	})
}

// ApplyUnmatched applies what was told of an envelope before it was known by the vendor's id. It is called, in the same
// transaction, by who stores that id.
func (s *Service) ApplyUnmatched(ctx context.Context, account uuid.UUID, external string) error {
	if _, err := s.accounts.One(ctx, account); err != nil {
		return err
	}
	if err := s.hold(ctx, account, external); err != nil {
		return err
	}
	for {
		rows, err := s.store.UnmatchedOf(ctx, account, external, unmatchedBatch)
		if err != nil || len(rows) == 0 {
			return err
		}
		ids := make([]uuid.UUID, len(rows))
		for i, row := range rows {
			var t Report
			if err := json.Unmarshal(row.Notice, &t); err != nil {
				return fmt.Errorf("stray %s: %w", row.ID, err)
			}
			if _, err := s.Apply(ctx, account, t); err != nil {
				return err
			}
			ids[i] = row.ID
		}
		if err := s.store.DeleteUnmatched(ctx, ids); err != nil {
			return err
		}
	}
}

// hold keeps others from what is told of an envelope that may not be known yet, until the transaction ends.
func (s *Service) hold(ctx context.Context, account uuid.UUID, external string) error {
	return s.store.DB.HoldName(ctx, "esign "+account.String()+" "+external)
}

// DeleteUnmatchedJob is the job that removes what nobody has asked for.
type DeleteUnmatchedJob struct{}

// Kind implements jobs.Args.
func (DeleteUnmatchedJob) Kind() string { return "esign.sweep_strays" }

// Leftovers are notifications of envelopes that never became known.
type Leftovers struct {
	store *store.Repository
	clock clock.Clock
	keep  time.Duration
}

// NewLeftovers returns Leftovers.
func NewLeftovers(r *store.Repository, c clock.Clock, s settings.Settings) *Leftovers {
	return &Leftovers{store: r, clock: c, keep: s.KeepStrays}
}

// DeleteOldUnmatched deletes what was told of envelopes that never became known, once keep_strays has passed.
func (s *Leftovers) DeleteOldUnmatched(ctx context.Context, _ DeleteUnmatchedJob) error {
	return s.store.DeleteUnmatchedBefore(ctx, s.clock.Now().Add(-s.keep))
}
