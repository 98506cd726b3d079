package esign

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/inbound/verify"
	"github.com/dispatchd/dispatchd/platform/secret"
	"github.com/dispatchd/dispatchd/platform/web"
)

// mostKeys is how many keys, and how many clients that are not revoked, an account has: so many keys DocuSign has.
const mostKeys = 100

// connections decide about how notifications arrive, and how they are verified.
type connections struct{ *core }

func newConnections(c *core) *connections { return &connections{core: c} }

func keyPlace(company, id uuid.UUID) secret.Place {
	return secret.Place{Table: tableKeys, Column: columnSecret, Company: company, ID: id}
}

// addKey keeps a key of the vendor's. It is good from now on, beside those that are there.
func (s *connections) addKey(ctx context.Context, account uuid.UUID, name, text string) (row key, err error) {
	err = s.db.InTx(ctx, func(ctx context.Context) error {
		owner, err := s.accounts.Held(ctx, account)
		if err != nil {
			return err
		}
		have, err := s.keysOf(ctx, account)
		if err != nil {
			return err
		}
		if len(have) >= mostKeys {
			return errTooMany
		}
		row = key{ID: database.NewID(), AccountID: account, Name: strings.TrimSpace(name), CreatedAt: s.clock.Now()}
		if row.Secret, err = s.vendors.keys.Seal(ctx, keyPlace(owner.CompanyID, row.ID), []byte(text)); err != nil {
			return err
		}
		if err := s.insert(ctx, &row); errors.Is(err, database.ErrDuplicate) {
			return errKeyTaken
		} else if err != nil {
			return err
		}

		return s.changed(ctx, &owner)
	})

	return row, err
}

// removeKey ends a key.
func (s *connections) removeKey(ctx context.Context, account, id uuid.UUID) error {
	return s.db.InTx(ctx, func(ctx context.Context) error {
		owner, err := s.accounts.Held(ctx, account)
		if err != nil {
			return err
		}
		if err := s.deleteKey(ctx, account, id); err != nil {
			return err
		}

		return s.changed(ctx, &owner)
	})
}

// changed gives an account that is held its next version: with other keys it is another one.
func (s *connections) changed(ctx context.Context, row *account) error {
	row.Version, row.UpdatedAt = row.Version+1, s.clock.Now()

	return s.saveConnection(ctx, row)
}

// signersOf are the keys of an account as long as nobody changes it.
type signersOf struct {
	account uuid.UUID
	version int64
}

// signersKept is of how many accounts the keys are kept in memory, as they verify.
const signersKept = 1000

// signers are the keys of an account as they verify. They are read once for each version of the account.
func (s *core) signers(ctx context.Context, row account) ([]verify.Key, error) {
	of := signersOf{row.ID, row.Version}
	if list, ok := s.vendors.signers.Get(of); ok {
		return list, nil
	}
	list, err := s.readSigners(ctx, row)
	if err == nil {
		s.vendors.signers.Add(of, list)
	}

	return list, err
}

func (s *core) readSigners(ctx context.Context, row account) ([]verify.Key, error) {
	rows, err := s.keysOf(ctx, row.ID)
	if err != nil {
		return nil, err
	}
	list := make([]verify.Key, 0, len(rows))
	for _, k := range rows {
		text, err := s.vendors.keys.Open(ctx, keyPlace(row.CompanyID, k.ID), k.Secret)
		if err != nil {
			return nil, fmt.Errorf("key %s: %w", k.ID, err)
		}
		list = append(list, verify.Key{ID: byKey + k.ID.String(), Secret: text})
	}

	return list, nil
}

// newText makes a secret that is recognised by what it begins with.
func newText(prefix string) string {
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

// addClient makes a client, and returns its secret, which is shown this once.
func (s *connections) addClient(ctx context.Context, account uuid.UUID, name string) (row client, text string, err error) {
	text = newText("dsc_")
	err = s.db.InTx(ctx, func(ctx context.Context) error {
		if _, err := s.accounts.Held(ctx, account); err != nil {
			return err
		}
		have, err := s.clientsOf(ctx, account)
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
			return errTooMany
		}
		row = client{ID: uuid.New(), AccountID: account, Name: strings.TrimSpace(name), SecretHash: hashOf(text), CreatedAt: s.clock.Now()}

		return s.insert(ctx, &row)
	})

	return row, text, err
}

// endClient revokes a client. Its tokens are good no more.
func (s *connections) endClient(ctx context.Context, account, id uuid.UUID) error {
	return s.db.InTx(ctx, func(ctx context.Context) error {
		if _, err := s.accounts.One(ctx, account); err != nil {
			return err
		}
		if _, err := s.heldClient(ctx, id); err != nil { // who is getting a token with it comes first
			return err
		}

		return s.revokeClient(ctx, account, id, s.clock.Now())
	})
}

// verifyBy says how notifications are verified from now on.
func (s *connections) verifyBy(ctx context.Context, id uuid.UUID, match web.IfMatch, how string) (account, error) {
	return s.change(ctx, id, match, func(row *account) { row.Verification = how })
}

// rotate gives an account another address for notifications. What comes to the old one is refused from now on.
func (s *connections) rotate(ctx context.Context, id uuid.UUID, match web.IfMatch) (account, error) {
	return s.change(ctx, id, match, func(row *account) {
		last := row.EndpointID
		row.LastEndpointID, row.EndpointID = &last, uuid.New()
	})
}

func (s *connections) change(ctx context.Context, id uuid.UUID, match web.IfMatch, do func(*account)) (row account, err error) {
	err = s.db.InTx(ctx, func(ctx context.Context) error {
		if row, err = s.accounts.Held(ctx, id); err != nil {
			return err
		}
		if err := match.Check(row.Version); err != nil {
			return err
		}
		do(&row)

		return s.changed(ctx, &row)
	})

	return row, err
}
