package connection

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/google/uuid"
	"github.com/hashicorp/golang-lru/v2/expirable"

	"github.com/dispatchd/dispatchd/modules/esign/internal/accounts"
	"github.com/dispatchd/dispatchd/modules/esign/internal/store"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/inbound/verify"
	"github.com/dispatchd/dispatchd/platform/secret"
)

// mostKeys is how many keys, and how many clients that are not revoked, an account has: so many keys DocuSign has.
const mostKeys = 100

// Keys are the keys of accounts by which vendors sign notifications.
type Keys struct {
	store    *store.Repository
	accounts *store.Store
	sealed   *secret.Keys
	clock    clock.Clock
	// signers are keys as they verify.
	signers *expirable.LRU[keysVersion, []verify.Key]
}

// NewKeys returns Keys.
func NewKeys(r *store.Repository, v *accounts.Vendors, c clock.Clock) *Keys {
	return &Keys{
		store: r, accounts: v.Accounts, sealed: v.Keys, clock: c, signers: expirable.NewLRU[keysVersion, []verify.Key](maxCachedKeys, nil, 0),
	}
}

func keyPlace(company, id uuid.UUID) secret.Place {
	return secret.Place{Table: store.TableKeys, Column: store.ColumnSecret, Company: company, ID: id}
}

// keysVersion are the keys of an account as long as nobody changes it.
type keysVersion struct {
	account uuid.UUID
	version int64
}

// signersKept is of how many accounts the keys are kept in memory, as they verify.
const maxCachedKeys = 1000

// AddKey keeps a key of the vendor's. It is good from now on, beside those that are there.
func (k *Keys) AddKey(ctx context.Context, account uuid.UUID, name, text string) (row store.Key, err error) {
	err = k.store.DB.InTx(ctx, func(ctx context.Context) error {
		owner, err := k.accounts.OneForUpdate(ctx, account)
		if err != nil {
			return err
		}
		have, err := k.store.KeysOf(ctx, account)
		if err != nil {
			return err
		}
		if len(have) >= mostKeys {
			return store.ErrTooMany
		}
		row = store.Key{ID: database.NewID(), AccountID: account, Name: strings.TrimSpace(name), CreatedAt: k.clock.Now()}
		if row.Secret, err = k.sealed.Seal(ctx, keyPlace(owner.CompanyID, row.ID), []byte(text)); err != nil {
			return err
		}
		if err := k.store.Insert(ctx, &row); errors.Is(err, database.ErrDuplicate) {
			return store.ErrKeyTaken
		} else if err != nil {
			return err
		}

		return k.store.SaveConnection(ctx, k.clock.Now(), &owner)
	})

	return row, err
}

// RemoveKey ends a key.
func (k *Keys) RemoveKey(ctx context.Context, account, id uuid.UUID) error {
	return k.store.DB.InTx(ctx, func(ctx context.Context) error {
		owner, err := k.accounts.OneForUpdate(ctx, account)
		if err != nil {
			return err
		}
		if err := k.store.DeleteKey(ctx, account, id); err != nil {
			return err
		}

		return k.store.SaveConnection(ctx, k.clock.Now(), &owner)
	})
}

// verifyKeys are the keys of an account as they verify. They are read once for each version of the account.
func (k *Keys) verifyKeys(ctx context.Context, row store.Account) ([]verify.Key, error) {
	of := keysVersion{row.ID, row.Version}
	if list, ok := k.signers.Get(of); ok {
		return list, nil
	}
	list, err := k.readKeys(ctx, row)
	if err == nil {
		k.signers.Add(of, list)
	}

	return list, err
}

func (k *Keys) readKeys(ctx context.Context, row store.Account) ([]verify.Key, error) {
	rows, err := k.store.KeysOf(ctx, row.ID)
	if err != nil {
		return nil, err
	}
	list := make([]verify.Key, 0, len(rows))
	for _, one := range rows {
		text, err := k.sealed.Open(ctx, keyPlace(row.CompanyID, one.ID), one.Secret)
		if err != nil {
			return nil, fmt.Errorf("key %s: %w", one.ID, err)
		}
		list = append(list, verify.Key{ID: byKey + one.ID.String(), Secret: text})
	}

	return list, nil
}
