package connection

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/esign/internal/accounts"
	"github.com/dispatchd/dispatchd/modules/esign/internal/settings"
	"github.com/dispatchd/dispatchd/modules/esign/internal/store"
	"github.com/dispatchd/dispatchd/platform/clock"
)

// Clients are the clients of accounts, with which vendors get tokens to show with notifications.
type Clients struct {
	store    *store.Repository
	accounts *store.Store
	clock    clock.Clock
	life     time.Duration // of tokens
}

// NewClients returns Clients.
func NewClients(r *store.Repository, v *accounts.Vendors, c clock.Clock, s settings.Settings) *Clients {
	return &Clients{store: r, accounts: v.Accounts, clock: c, life: s.TokenLife}
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
func (s *Clients) AddClient(ctx context.Context, account uuid.UUID, name string) (row store.Client, text string, err error) {
	text = newSecret("dsc_")
	err = s.store.DB.InTx(ctx, func(ctx context.Context) error {
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
func (s *Clients) RevokeClient(ctx context.Context, account, id uuid.UUID) error {
	return s.store.DB.InTx(ctx, func(ctx context.Context) error {
		if _, err := s.accounts.One(ctx, account); err != nil {
			return err
		}
		if _, err := s.store.HeldClient(ctx, id); err != nil { // who is getting a token with it comes first
			return err
		}

		return s.store.RevokeClient(ctx, account, id, s.clock.Now())
	})
}
