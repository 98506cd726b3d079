// Package connection decides how notifications arrive: the keys and clients of an account, the tokens that clients get, and what
// verifies a notification.
package connection

import (
	"context"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/esign/internal/accounts"
	"github.com/dispatchd/dispatchd/modules/esign/internal/store"
	"github.com/dispatchd/dispatchd/platform/audit"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/web"
)

// Service decides how notifications of an account are verified, and where they arrive.
type Service struct {
	store    *store.Repository
	accounts *store.Store
	clock    clock.Clock
	trail    *audit.Log
}

// New returns a Service.
func New(r *store.Repository, v *accounts.Vendors, c clock.Clock, trail *audit.Log) *Service {
	return &Service{store: r, accounts: v.Accounts, clock: c, trail: trail}
}

// SetVerification says how notifications are verified from now on.
func (s *Service) SetVerification(ctx context.Context, id uuid.UUID, match web.IfMatch, how string) (store.Account, error) {
	return s.change(ctx, id, match, func(row *store.Account) { row.Verification = how })
}

// Rotate gives an account another address for notifications. What comes to the old one is refused from now on.
func (s *Service) Rotate(ctx context.Context, id uuid.UUID, match web.IfMatch) (store.Account, error) {
	return s.change(ctx, id, match, func(row *store.Account) {
		last := row.EndpointID
		row.LastEndpointID, row.EndpointID = &last, uuid.New()
	})
}

// change changes how notifications of an account arrive, and records which of it.
func (s *Service) change(ctx context.Context, id uuid.UUID, match web.IfMatch, do func(*store.Account)) (row store.Account, err error) {
	err = s.store.DB.InTx(ctx, func(ctx context.Context) error {
		if row, err = s.accounts.OneForUpdate(ctx, id); err != nil {
			return err
		}
		if err := match.Check(row.Version); err != nil {
			return err
		}
		before := row
		do(&row)
		if err := s.store.SaveConnection(ctx, s.clock.Now(), &row); err != nil {
			return err
		}

		return s.trail.Record(ctx, audit.Entry{
			Action: "esign.connection_changed", Item: audit.Item{Type: "esign.account", UUID: row.ID}, Changes: changesSince(before, row),
		})
	})

	return row, err
}

// changesSince are the changes for the audit trail.
func changesSince(before, row store.Account) map[string]audit.Change {
	changes := map[string]audit.Change{}
	if before.Verification != row.Verification {
		changes["verification"] = audit.Change{Before: before.Verification, After: row.Verification}
	}
	if before.EndpointID != row.EndpointID {
		changes["endpoint_uuid"] = audit.Change{Before: before.EndpointID, After: row.EndpointID}
	}

	return changes
}
