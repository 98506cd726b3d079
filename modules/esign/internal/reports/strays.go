package reports

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/esign/internal/store"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/jobs"
)

const (
	// strayBatch is how many notifications of one envelope are read at a time.
	strayBatch = 200
	// strayPause is how long a notification waits whose envelope has just become known.
	strayPause = time.Second
	// StraySweep is how often what is too old is removed.
	StraySweep = time.Hour
)

// KeepStray keeps what was told of an envelope that is not known. If it has become known meanwhile, that is to be
// applied instead, a little later. The account's row is held by who is first: who names an envelope looks for strays
// while holding it.
func (s *Service) KeepStray(ctx context.Context, account uuid.UUID, t Report) error {
	if _, err := s.accounts.Held(ctx, account); err != nil {
		return err
	}
	known, err := s.store.KnowsEnvelope(ctx, account, t.Update.ID)
	if err != nil {
		return err
	}
	if known {
		return jobs.Later(strayPause)
	}
	notice, err := json.Marshal(t)
	if err != nil {
		return fmt.Errorf("delivery %s: %w", t.Delivery, err)
	}

	return s.store.InsertStray(ctx, &store.Stray{
		ID: database.NewID(), AccountID: account, ExternalID: t.Update.ID, DeliveryID: t.Delivery, Event: t.Event,
		Notice: notice, ReceivedAt: t.Received,
	})
}

// ApplyStrays applies what was told of an envelope before it was known by the vendor's id. It is called, in the same
// transaction, by who stores that id.
func (s *Service) ApplyStrays(ctx context.Context, account uuid.UUID, external string) error {
	if _, err := s.accounts.Held(ctx, account); err != nil {
		return err
	}
	for {
		rows, err := s.store.StraysOf(ctx, account, external, strayBatch)
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
		if err := s.store.DeleteStrays(ctx, ids); err != nil {
			return err
		}
	}
}

// DeleteStrays is the job that removes what nobody has asked for.
type DeleteStrays struct{}

// Kind implements jobs.Args.
func (DeleteStrays) Kind() string { return "esign.sweep_strays" }

// DeleteOldStrays deletes what was told of envelopes that never became known, once keep_strays has passed.
func (s *Service) DeleteOldStrays(ctx context.Context, _ DeleteStrays) error {
	return s.store.DeleteStraysBefore(ctx, s.clock.Now().Add(-s.keep))
}
