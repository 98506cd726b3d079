package esign

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/jobs"
)

const (
	// strayBatch is how many notifications of one envelope are read at a time.
	strayBatch = 200
	// strayPause is how long a notification waits whose envelope has just become known.
	strayPause = time.Second
	// straySweep is how often what is too old is removed.
	straySweep = time.Hour
)

// keepStray keeps what was told of an envelope that is not known. If it has become known meanwhile, that is to be
// applied instead, a little later. The account's row is held by who is first: who names an envelope looks for strays
// while holding it.
func (s *core) keepStray(ctx context.Context, account uuid.UUID, t told) error {
	if _, err := s.accounts.Held(ctx, account); err != nil {
		return err
	}
	known, err := s.knowsEnvelope(ctx, account, t.Update.ID)
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

	return s.insertStray(ctx, &stray{
		ID: database.NewID(), AccountID: account, ExternalID: t.Update.ID, DeliveryID: t.Delivery, Event: t.Event,
		Notice: notice, ReceivedAt: t.Received,
	})
}

// adoptStrays applies what was told of an envelope before it was known by the vendor's id. It is called, in the same
// transaction, by who stores that id.
func (s *core) adoptStrays(ctx context.Context, account uuid.UUID, external string) error {
	if _, err := s.accounts.Held(ctx, account); err != nil {
		return err
	}
	for {
		rows, err := s.straysOf(ctx, account, external, strayBatch)
		if err != nil || len(rows) == 0 {
			return err
		}
		ids := make([]uuid.UUID, len(rows))
		for i, row := range rows {
			var t told
			if err := json.Unmarshal(row.Notice, &t); err != nil {
				return fmt.Errorf("stray %s: %w", row.ID, err)
			}
			if _, err := s.apply(ctx, account, t); err != nil {
				return err
			}
			ids[i] = row.ID
		}
		if err := s.deleteStrays(ctx, ids); err != nil {
			return err
		}
	}
}

// sweepingStrays is the job that removes what nobody has asked for.
type sweepingStrays struct{}

// Kind implements jobs.Args.
func (sweepingStrays) Kind() string { return "esign.sweep_strays" }

func (s *core) sweepStrays(ctx context.Context, _ sweepingStrays) error {
	return s.dropStrays(ctx, s.clock.Now().Add(-s.settings.KeepStrays))
}
