package esign

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

// accounts decides about accounts at providers.
type accounts struct {
	*core

	box *sandbox.Sandbox
}

func newAccounts(c *core, box *sandbox.Sandbox) *accounts { return &accounts{core: c, box: box} }

// newAccount is what an account is made from.
type newAccount struct {
	name, provider, environment string
	credentials                 map[string]string
}

// create stores an account, and has it checked. The first one of a company is its default.
func (s *accounts) create(ctx context.Context, n newAccount) (account, error) {
	environment, err := s.vendors.check(n.provider, n.environment, n.credentials)
	if err != nil {
		return account{}, err
	}
	n.environment = environment
	row, signs, err := s.made(ctx, database.NewID(), n)
	if err != nil {
		return row, err
	}

	return row, s.accounts.Create(ctx, &row, func(ctx context.Context) error {
		if signs != nil {
			if err := s.insert(ctx, signs); err != nil {
				return err
			}
		}

		return s.queue.Enqueue(ctx, checkingOne{Account: row.ID}, jobs.Attempts(1))
	})
}

// made is an account that is not stored yet, and what signs its notifications, nil for nothing.
func (s *accounts) made(ctx context.Context, id uuid.UUID, n newAccount) (row account, signs *key, err error) {
	row = account{
		Account: s.accounts.Fresh(n.name, n.provider), Environment: n.environment, EndpointID: uuid.New(), Verification: verifiedAutomatic,
	}
	row.ID = id
	if n.provider == sandbox.Name {
		row.Verification, row.ExternalID = verifiedHMAC, id.String()
	}
	if err = s.accounts.Seal(ctx, &row, n.credentials); err != nil {
		return row, nil, err
	}
	signs, err = s.sandboxSigns(ctx, row)

	return row, signs, err
}

// sandboxSigns is the key that an account at the sandbox, and the sandbox itself, have in common; nil for others.
func (s *accounts) sandboxSigns(ctx context.Context, of account) (*key, error) {
	if of.Provider != sandbox.Name {
		return nil, nil //nolint:nilnil // there is none, and nothing went wrong
	}
	random := make([]byte, 32)
	if _, err := rand.Read(random); err != nil {
		return nil, fmt.Errorf("the sandbox's key: %w", err)
	}
	row := &key{ID: database.NewID(), AccountID: of.ID, Name: sandboxKey, CreatedAt: s.clock.Now()}
	text := base64.StdEncoding.EncodeToString(random)
	var err error
	row.Secret, err = s.vendors.keys.Seal(ctx, secret.Place{Table: tableKeys, Column: columnSecret, Company: of.CompanyID, ID: row.ID}, []byte(text))

	return row, err
}

// update changes the name, and the credentials if there are some: then the account is checked.
func (s *accounts) update(ctx context.Context, id uuid.UUID, match web.IfMatch, name *string, credentials map[string]string) (account, error) {
	return s.accounts.Update(ctx, id, match, name, credentials, func(ctx context.Context, row *account) (map[string]string, error) {
		if _, err := s.vendors.check(row.Provider, row.Environment, credentials); err != nil {
			return nil, err
		}
		row.BaseURL = ""

		return credentials, s.queue.Enqueue(ctx, checkingOne{Account: row.ID}, jobs.Attempts(1))
	})
}

// remove deletes an account that no envelope and no mapping needs, and what only it had.
func (s *accounts) remove(ctx context.Context, id uuid.UUID, match web.IfMatch) error {
	return s.accounts.Remove(ctx, id, match, s.accountIsUsed, func(ctx context.Context, id uuid.UUID) error {
		if err := s.box.Forget(ctx, id); err != nil {
			return err
		}

		return s.dropOfAccount(ctx, id)
	})
}

// test makes a call that costs nothing, keeps what was found, and says how long it took.
func (s *accounts) test(ctx context.Context, id uuid.UUID) (account, time.Duration, error) {
	row, err := s.accounts.One(ctx, id)
	if err != nil {
		return row, 0, err
	}
	begun := s.clock.Now()
	found, health := s.look(ctx, row)
	took := s.clock.Now().Sub(begun)
	if _, said := errors.AsType[*provider.Error](health); health != nil && !said && ctx.Err() != nil {
		return row, took, health // it was the caller who gave up
	}
	row, err = s.noteHealth(ctx, row, found, health)

	return row, took, err
}

// look asks the provider what it knows of the account.
func (s *accounts) look(ctx context.Context, row account) (provider.Found, error) {
	open, err := s.vendors.dial(ctx, row)
	if err != nil {
		return provider.Found{}, err
	}
	calling, cancel := context.WithTimeout(ctx, s.settings.CallTimeout)
	defer cancel()

	return open.Check(calling)
}

// noteHealth keeps what a call of an account has shown.
func (s *core) noteHealth(ctx context.Context, of account, found provider.Found, health error) (account, error) {
	reason, _ := reasonOf(health)

	return s.accounts.Note(ctx, of, string(reason), func(row *account) {
		if found.ExternalID != "" {
			row.ExternalID, row.BaseURL = found.ExternalID, found.BaseURL
		}
	})
}
