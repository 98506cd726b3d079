// Package connection decides how notifications arrive: the keys and clients of an account, the tokens that clients get, and what
// verifies a notification.
package connection

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"

	"github.com/google/uuid"
	"github.com/hashicorp/golang-lru/v2/expirable"

	"github.com/dispatchd/dispatchd/modules/esign/internal/accounts"
	"github.com/dispatchd/dispatchd/modules/esign/internal/settings"
	"github.com/dispatchd/dispatchd/modules/esign/internal/store"
	"github.com/dispatchd/dispatchd/platform/audit"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/identity"
	"github.com/dispatchd/dispatchd/platform/inbound/verify"
	"github.com/dispatchd/dispatchd/platform/secret"
	"github.com/dispatchd/dispatchd/platform/web"
)

// mostKeys is how many keys, and how many clients that are not revoked, an account has: so many keys DocuSign has.
const mostKeys = 100

// Service decides how notifications arrive, and how they are verified.
type Service struct {
	db       *database.DB
	store    *store.Repository
	accounts *store.Store
	keys     *secret.Keys
	identity *identity.Service
	clock    clock.Clock
	trail    *audit.Log
	settings settings.Settings
	// signers are keys as they verify.
	signers *expirable.LRU[keysVersion, []verify.Key]
}

// New returns a Service.
func New(r *store.Repository, v *accounts.Vendors, i *identity.Service, c clock.Clock, trail *audit.Log, s settings.Settings) *Service {
	return &Service{
		db: r.DB, store: r, accounts: v.Accounts, keys: v.Keys, identity: i, clock: c, trail: trail, settings: s,
		signers: expirable.NewLRU[keysVersion, []verify.Key](maxCachedKeys, nil, 0),
	}
}

func keyPlace(company, id uuid.UUID) secret.Place {
	return secret.Place{Table: store.TableKeys, Column: store.ColumnSecret, Company: company, ID: id}
}

// AddKey keeps a key of the vendor's. It is good from now on, beside those that are there.
func (s *Service) AddKey(ctx context.Context, account uuid.UUID, name, text string) (row store.Key, err error) {
	err = s.db.InTx(ctx, func(ctx context.Context) error {
		owner, err := s.accounts.OneForUpdate(ctx, account)
		if err != nil {
			return err
		}
		have, err := s.store.KeysOf(ctx, account)
		if err != nil {
			return err
		}
		if len(have) >= mostKeys {
			return store.ErrTooMany
		}
		row = store.Key{ID: database.NewID(), AccountID: account, Name: strings.TrimSpace(name), CreatedAt: s.clock.Now()}
		if row.Secret, err = s.keys.Seal(ctx, keyPlace(owner.CompanyID, row.ID), []byte(text)); err != nil {
			return err
		}
		if err := s.store.Insert(ctx, &row); errors.Is(err, database.ErrDuplicate) {
			return store.ErrKeyTaken
		} else if err != nil {
			return err
		}

		return s.saveNextVersion(ctx, &owner)
	})

	return row, err
}

// RemoveKey ends a key.
func (s *Service) RemoveKey(ctx context.Context, account, id uuid.UUID) error {
	return s.db.InTx(ctx, func(ctx context.Context) error {
		owner, err := s.accounts.OneForUpdate(ctx, account)
		if err != nil {
			return err
		}
		if err := s.store.DeleteKey(ctx, account, id); err != nil {
			return err
		}

		return s.saveNextVersion(ctx, &owner)
	})
}

// saveNextVersion gives an account that is held its next version: with other keys it is another one.
func (s *Service) saveNextVersion(ctx context.Context, row *store.Account) error {
	row.Version, row.UpdatedAt = row.Version+1, s.clock.Now()

	return s.store.SaveConnection(ctx, row)
}

// keysVersion are the keys of an account as long as nobody changes it.
type keysVersion struct {
	account uuid.UUID
	version int64
}

// signersKept is of how many accounts the keys are kept in memory, as they verify.
const maxCachedKeys = 1000

// verifyKeys are the keys of an account as they verify. They are read once for each version of the account.
func (s *Service) verifyKeys(ctx context.Context, row store.Account) ([]verify.Key, error) {
	of := keysVersion{row.ID, row.Version}
	if list, ok := s.signers.Get(of); ok {
		return list, nil
	}
	list, err := s.readKeys(ctx, row)
	if err == nil {
		s.signers.Add(of, list)
	}

	return list, err
}

func (s *Service) readKeys(ctx context.Context, row store.Account) ([]verify.Key, error) {
	rows, err := s.store.KeysOf(ctx, row.ID)
	if err != nil {
		return nil, err
	}
	list := make([]verify.Key, 0, len(rows))
	for _, k := range rows {
		text, err := s.keys.Open(ctx, keyPlace(row.CompanyID, k.ID), k.Secret)
		if err != nil {
			return nil, fmt.Errorf("key %s: %w", k.ID, err)
		}
		list = append(list, verify.Key{ID: byKey + k.ID.String(), Secret: text})
	}

	return list, nil
}

// newSecret makes a secret that is recognised by what it begins with.
func newSecret(prefix string) string {
	const size = 32
	random := make([]byte, size)
	_, _ = rand.Read(random) // never fails, see its documentation

	return prefix + base64.RawURLEncoding.EncodeToString(random)
}

// hashOf is what is stored of a secret of ours: with 256 random bits it needs neither salt nor stretching.
func hashOf(text string) []byte {
	sum := sha256.Sum256([]byte(text))

	return sum[:]
}

// AddClient makes a client, and returns its secret, which is shown this once.
func (s *Service) AddClient(ctx context.Context, account uuid.UUID, name string) (row store.Client, text string, err error) {
	text = newSecret("dsc_")
	err = s.db.InTx(ctx, func(ctx context.Context) error {
		if _, err := s.accounts.OneForUpdate(ctx, account); err != nil {
			return err
		}
		have, err := s.store.ClientsOf(ctx, account)
		if err != nil {
			return err
		}
		good := 0
		for _, c := range have {
			if c.RevokedAt == nil {
				good++
			}
		}
		if good >= mostKeys {
			return store.ErrTooMany
		}
		row = store.Client{ID: uuid.New(), AccountID: account, Name: strings.TrimSpace(name), SecretHash: hashOf(text), CreatedAt: s.clock.Now()}

		return s.store.Insert(ctx, &row)
	})

	return row, text, err
}

// RevokeClient revokes a client. Its tokens are good no more.
func (s *Service) RevokeClient(ctx context.Context, account, id uuid.UUID) error {
	return s.db.InTx(ctx, func(ctx context.Context) error {
		if _, err := s.accounts.One(ctx, account); err != nil {
			return err
		}
		if _, err := s.store.HeldClient(ctx, id); err != nil { // who is getting a token with it comes first
			return err
		}

		return s.store.RevokeClient(ctx, account, id, s.clock.Now())
	})
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
	err = s.db.InTx(ctx, func(ctx context.Context) error {
		if row, err = s.accounts.OneForUpdate(ctx, id); err != nil {
			return err
		}
		if err := match.Check(row.Version); err != nil {
			return err
		}
		before := row
		do(&row)
		if err := s.saveNextVersion(ctx, &row); err != nil {
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
