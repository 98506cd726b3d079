package routeengine

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"encoding/base64"
	"encoding/json"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/routeengine/routeengineapi"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/secret"
)

// tokenLife is how long a quick quote holds.
const tokenLife = 30 * time.Minute

// tokens seals quick quotes for their holders, so that they need not be stored and can be neither read nor changed.
type tokens struct {
	keys  *secret.Keys
	clock clock.Clock
}

func newTokens(keys *secret.Keys, c clock.Clock) *tokens { return &tokens{keys: keys, clock: c} }

const tokenPurpose = "route_engine.quick_quote"

// claim is what a token says.
type claim struct {
	Company uuid.UUID                 `json:"company"`
	Until   time.Time                 `json:"until"`
	Of      routeengineapi.QuickQuote `json:"of"`
}

// issue seals a quick quote: its holder cannot read what carriers get.
func (t *tokens) issue(ctx context.Context, of routeengineapi.QuickQuote) (string, error) {
	text, err := json.Marshal(claim{principal.CompanyOf(ctx), t.clock.Now().Add(tokenLife), of})
	if err != nil {
		return "", err
	}
	key, err := t.keys.Derive(tokenPurpose)
	if err != nil {
		return "", err
	}
	box, err := boxOf(key)
	if err != nil {
		return "", err
	}

	return base64.RawURLEncoding.EncodeToString(box.Seal(nil, nil, text, nil)), nil //nolint:gosec // the box makes a random nonce itself
}

// boxOf is AES-256-GCM, with a nonce in front of each text.
func boxOf(key []byte) (cipher.AEAD, error) {
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}

	return cipher.NewGCMWithRandomNonce(block)
}

// redeem returns what a token of the caller's company is of. Error: routeengineapi.ErrQuoteToken.
func (t *tokens) redeem(ctx context.Context, token string) (routeengineapi.QuickQuote, error) {
	sealed, err := base64.RawURLEncoding.DecodeString(token)
	if err != nil {
		return routeengineapi.QuickQuote{}, routeengineapi.ErrQuoteToken
	}
	keys, err := t.keys.DeriveAll(tokenPurpose)
	if err != nil {
		return routeengineapi.QuickQuote{}, err
	}
	for _, key := range keys {
		box, err := boxOf(key)
		if err != nil {
			return routeengineapi.QuickQuote{}, err
		}
		text, wrong := box.Open(nil, nil, sealed, nil)
		var c claim
		if wrong == nil && json.Unmarshal(text, &c) == nil && c.Company == principal.CompanyOf(ctx) && t.clock.Now().Before(c.Until) {
			return c.Of, nil
		}
	}

	return routeengineapi.QuickQuote{}, routeengineapi.ErrQuoteToken
}
