// Package accounts decides about accounts at providers, and opens them for calls.
package accounts

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/esign/internal/provider"
	"github.com/dispatchd/dispatchd/modules/esign/internal/sandbox"
	"github.com/dispatchd/dispatchd/modules/esign/internal/store"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/jobs"
	"github.com/dispatchd/dispatchd/platform/secret"
	"github.com/dispatchd/dispatchd/platform/web"
)

// How the notifications of a new account are verified.
const (
	verifiedAutomatic = "automatic"
	verifiedHMAC      = "hmac"
)

// sandboxKey is the name of the key by which the sandbox signs what it sends us.
const sandboxKey = "sandbox"

// Service decides about accounts at providers.
type Service struct {
	store    *store.Repository
	accounts *store.Store
	vendors  *Vendors
	queue    *jobs.Queue
	Clock    clock.Clock
	box      *sandbox.Sandbox
	keys     *secret.Keys
}

// New returns a Service.
func New(r *store.Repository, v *Vendors, queue *jobs.Queue, c clock.Clock, box *sandbox.Sandbox) *Service {
	return &Service{store: r, accounts: v.Accounts, vendors: v, keys: v.Keys, queue: queue, Clock: c, box: box}
}

// NewAccount is what an account is made from.
type NewAccount struct {
	Name, Provider, Environment string
	Credentials                 map[string]string
}

// Create stores an account, and has it checked. The first one of a company is its default.
func (s *Service) Create(ctx context.Context, n NewAccount) (store.Account, error) {
	environment, err := s.vendors.check(n.Provider, n.Environment, n.Credentials)
	if err != nil {
		return store.Account{}, err
	}
	n.Environment = environment
	row, signs, err := s.Prepare(ctx, database.NewID(), n)
	if err != nil {
		return row, err
	}

	return row, s.accounts.Create(ctx, &row, func(ctx context.Context) error {
		if signs != nil {
			if err := s.store.Insert(ctx, signs); err != nil {
				return err
			}
		}

		return s.queue.Enqueue(ctx, CheckOne{Account: row.ID}, jobs.Attempts(1))
	})
}

// Prepare is an account that is not stored yet, and what signs its notifications, nil for nothing.
func (s *Service) Prepare(ctx context.Context, id uuid.UUID, n NewAccount) (row store.Account, signs *store.Key, err error) {
	row = store.Account{
		Account: s.accounts.NewAccount(n.Name, n.Provider), Environment: n.Environment, EndpointID: uuid.New(), Verification: verifiedAutomatic,
	}
	row.ID = id
	if n.Provider == sandbox.Name {
		row.Verification, row.ExternalID = verifiedHMAC, id.String()
	}
	if err = s.accounts.Seal(ctx, &row, n.Credentials); err != nil {
		return row, nil, err
	}
	signs, err = s.newSandboxKey(ctx, row)

	return row, signs, err
}

// newSandboxKey is the key that an account at the sandbox, and the sandbox itself, have in common; nil for others.
func (s *Service) newSandboxKey(ctx context.Context, of store.Account) (*store.Key, error) {
	if of.Provider != sandbox.Name {
		return nil, nil //nolint:nilnil // there is none, and nothing went wrong
	}
	random := make([]byte, 32)
	if _, err := rand.Read(random); err != nil {
		return nil, fmt.Errorf("the sandbox's key: %w", err)
	}
	row := &store.Key{ID: database.NewID(), AccountID: of.ID, Name: sandboxKey, CreatedAt: s.Clock.Now()}
	text := base64.StdEncoding.EncodeToString(random)
	var err error
	row.Secret, err = s.keys.Seal(ctx, secret.Place{Table: store.TableKeys, Column: store.ColumnSecret, Company: of.CompanyID, ID: row.ID}, []byte(text))

	return row, err
}

// Update changes the name, and the credentials if there are some: then the account is checked.
func (s *Service) Update(ctx context.Context, id uuid.UUID, match web.IfMatch, name *string, credentials map[string]string) (store.Account, error) {
	return s.accounts.Update(ctx, id, match, name, credentials, func(ctx context.Context, row *store.Account) (map[string]string, error) {
		if _, err := s.vendors.check(row.Provider, row.Environment, credentials); err != nil {
			return nil, err
		}
		row.BaseURL = ""

		return credentials, s.queue.Enqueue(ctx, CheckOne{Account: row.ID}, jobs.Attempts(1))
	})
}

// Remove deletes an account that no envelope and no mapping needs, and what only it had.
func (s *Service) Remove(ctx context.Context, id uuid.UUID, match web.IfMatch) error {
	return s.accounts.Remove(ctx, id, match, s.store.IsAccountUsed, func(ctx context.Context, id uuid.UUID) error {
		if err := s.box.ForgetAccount(ctx, id); err != nil {
			return err
		}

		return s.store.DeleteOfAccount(ctx, id)
	})
}

// Test makes a call that costs nothing, keeps what was found, and says how long it took.
func (s *Service) Test(ctx context.Context, id uuid.UUID) (store.Account, time.Duration, error) {
	row, err := s.accounts.One(ctx, id)
	if err != nil {
		return row, 0, err
	}
	begun := s.Clock.Now()
	found, health := s.callCheck(ctx, row)
	took := s.Clock.Now().Sub(begun)
	if _, said := errors.AsType[*provider.Error](health); health != nil && !said && ctx.Err() != nil {
		return row, took, health // it was the caller who gave up
	}
	row, err = s.vendors.NoteHealth(ctx, row, found, health)

	return row, took, err
}

// callCheck asks the provider what it knows of the account.
func (s *Service) callCheck(ctx context.Context, row store.Account) (provider.Found, error) {
	open, err := s.vendors.Open(ctx, row)
	if err != nil {
		return provider.Found{}, err
	}
	calling, cancel := s.vendors.CallContext(ctx)
	defer cancel()

	return open.Check(calling)
}
