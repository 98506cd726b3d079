package esign

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/esign/internal/provider"
	"github.com/dispatchd/dispatchd/modules/esign/internal/sandbox"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/jobs"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/secret"
	"github.com/dispatchd/dispatchd/platform/web"
)

// The healths of accounts.
const (
	healthUnchecked = "unchecked"
	healthConnected = "connected"
	healthFailing   = "failing"
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
	who, _ := principal.From(ctx)
	row, err := s.made(ctx, who.Company, database.NewID(), n)
	if err != nil {
		return row, err
	}
	row.Environment = environment
	signs, err := s.sandboxSigns(ctx, who.Company, row)
	if err != nil {
		return row, err
	}
	err = s.db.InTx(ctx, func(ctx context.Context) error {
		if err := s.insertAccount(ctx, &row); err != nil {
			return err
		}
		if signs != nil {
			if err := s.insert(ctx, signs); err != nil {
				return err
			}
		}

		return s.queue.Enqueue(ctx, checkingOne{Account: row.ID}, jobs.Attempts(1))
	})

	return row, err
}

// made is an account that is not stored yet.
func (s *accounts) made(ctx context.Context, company, id uuid.UUID, n newAccount) (row account, err error) {
	now := s.clock.Now()
	row = account{
		ID: id, Name: strings.TrimSpace(n.name), Provider: n.provider, Environment: n.environment, Health: healthUnchecked,
		EndpointID: uuid.New(), Verification: verifiedAutomatic, Version: 1, CreatedAt: now, UpdatedAt: now,
	}
	if n.provider == sandbox.Name {
		row.Verification, row.ExternalID = verifiedHMAC, id.String()
	}
	row.Credentials, err = s.vendors.seal(ctx, company, id, n.credentials)

	return row, err
}

// sandboxSigns is the key that an account at the sandbox, and the sandbox itself, have in common; nil for others.
func (s *accounts) sandboxSigns(ctx context.Context, company uuid.UUID, of account) (*key, error) {
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
	row.Secret, err = s.vendors.keys.Seal(ctx, secret.Place{Table: tableKeys, Column: columnSecret, Company: company, ID: row.ID}, []byte(text))

	return row, err
}

// insertAccount inserts an account, as the default if the company has none. Of two first accounts at a time the index
// of defaults decides.
func (s *accounts) insertAccount(ctx context.Context, row *account) error {
	for range 2 {
		_, err := s.defaultAccount(ctx)
		if row.IsDefault = errors.Is(err, errNoAccount); err != nil && !row.IsDefault {
			return err
		}
		err = s.db.Savepoint(ctx, func(ctx context.Context) error { return s.insert(ctx, row) })
		if !errors.Is(err, database.ErrDuplicate) {
			return err
		}
	}

	return errTaken
}

// change holds an account, lets do change it, and stores it.
func (s *accounts) change(ctx context.Context, id uuid.UUID, match web.IfMatch, do func(context.Context, *account) error) (row account, err error) {
	err = s.db.InTx(ctx, func(ctx context.Context) error {
		if row, err = s.heldAccount(ctx, id); err != nil {
			return err
		}
		if err := match.Check(row.Version); err != nil {
			return err
		}
		if err := do(ctx, &row); err != nil {
			return err
		}
		row.Version, row.UpdatedAt = row.Version+1, s.clock.Now()

		return s.saveAccount(ctx, &row)
	})

	return row, err
}

// update changes the name, and the credentials if there are some: then what was found with the old ones is forgotten,
// and the account is checked.
func (s *accounts) update(ctx context.Context, id uuid.UUID, match web.IfMatch, name *string, credentials map[string]string) (account, error) {
	return s.change(ctx, id, match, func(ctx context.Context, row *account) (err error) {
		if name != nil {
			row.Name = strings.TrimSpace(*name)
		}
		if credentials == nil {
			return nil
		}
		if _, err := s.vendors.check(row.Provider, row.Environment, credentials); err != nil {
			return err
		}
		row.Health, row.Problem, row.CheckedAt, row.BaseURL = healthUnchecked, "", nil, ""
		if row.Credentials, err = s.vendors.seal(ctx, row.CompanyID, row.ID, credentials); err != nil {
			return err
		}

		return s.queue.Enqueue(ctx, checkingOne{Account: row.ID}, jobs.Attempts(1))
	})
}

// disable stops an account, or lets it go on.
func (s *accounts) disable(ctx context.Context, id uuid.UUID, match web.IfMatch, disabled bool) (account, error) {
	return s.change(ctx, id, match, func(_ context.Context, row *account) error {
		now := s.clock.Now()
		if row.DisabledAt = nil; disabled {
			row.DisabledAt = &now
		}

		return nil
	})
}

// prefer makes an account the one that is used where none is said.
func (s *accounts) prefer(ctx context.Context, id uuid.UUID, match web.IfMatch) (account, error) {
	return s.change(ctx, id, match, func(ctx context.Context, row *account) error {
		row.IsDefault = true

		return s.clearDefaultAccount(ctx)
	})
}

// remove deletes an account that no envelope and no mapping needs, and what only it had.
func (s *accounts) remove(ctx context.Context, id uuid.UUID, match web.IfMatch) error {
	return s.db.InTx(ctx, func(ctx context.Context) error {
		row, err := s.heldAccount(ctx, id)
		if err != nil {
			return err
		}
		if err := match.Check(row.Version); err != nil {
			return err
		}
		used, err := s.accountIsUsed(ctx, id)
		if err == nil && used {
			err = errAccountUsed
		}
		if err != nil {
			return err
		}

		if err := s.box.Forget(ctx, id); err != nil {
			return err
		}

		return s.deleteAccount(ctx, id)
	})
}

// test makes a call that costs nothing, keeps what was found, and says how long it took.
func (s *accounts) test(ctx context.Context, id uuid.UUID) (account, time.Duration, error) {
	row, err := s.account(ctx, id)
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

// noteHealth keeps what a call of an account has shown, unless its credentials were changed meanwhile.
func (s *core) noteHealth(ctx context.Context, of account, found provider.Found, health error) (row account, err error) {
	reason, _ := reasonOf(health)
	err = s.db.InTx(ctx, func(ctx context.Context) error {
		if row, err = s.heldAccount(ctx, of.ID); err != nil {
			return err
		}
		if !slices.Equal(row.Credentials, of.Credentials) {
			return nil
		}
		now := s.clock.Now()
		row.Health, row.Problem, row.CheckedAt = healthConnected, "", &now
		if health != nil {
			row.Health, row.Problem = healthFailing, string(reason)
		} else if found.ExternalID != "" {
			row.ExternalID, row.BaseURL = found.ExternalID, found.BaseURL
		}

		return s.saveAccount(ctx, &row)
	})

	return row, err
}

// ready returns an account that may be used: the given one, or the default.
func (s *core) ready(ctx context.Context, id uuid.UUID) (account, error) {
	read := s.defaultAccount
	if id != uuid.Nil {
		read = func(ctx context.Context) (account, error) { return s.account(ctx, id) }
	}
	row, err := read(ctx)
	if err == nil && row.DisabledAt != nil {
		err = errDisabled
	}

	return row, err
}
