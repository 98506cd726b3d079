package routeengine

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/routeengine/routeengineapi"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/secret"
)

// tokenLife is how long a quick quote holds.
const tokenLife = 30 * time.Minute

// tokens are quick quotes that somebody holds: signed, so that none is stored.
type tokens struct{ keys *secret.Keys }

func newTokens(keys *secret.Keys) *tokens { return &tokens{keys} }

const tokenPurpose = "route_engine.quick_quote"

// claim is what a token says.
type claim struct {
	Company uuid.UUID                 `json:"company"`
	Until   time.Time                 `json:"until"`
	Of      routeengineapi.QuickQuote `json:"of"`
}

func (t *tokens) issue(ctx context.Context, of routeengineapi.QuickQuote, until time.Time) (string, error) {
	text, err := json.Marshal(claim{principal.CompanyOf(ctx), until, of})
	if err != nil {
		return "", err
	}
	key, err := t.keys.Derive(tokenPurpose)
	if err != nil {
		return "", err
	}
	encode := base64.RawURLEncoding.EncodeToString

	return encode(text) + "." + encode(sign(key, text)), nil
}

func sign(key, text []byte) []byte {
	mac := hmac.New(sha256.New, key)
	mac.Write(text)

	return mac.Sum(nil)
}

// redeem returns what a token of the caller's company is of. Error: routeengineapi.ErrQuoteToken.
func (t *tokens) redeem(ctx context.Context, token string, now time.Time) (routeengineapi.QuickQuote, error) {
	body, signature, _ := strings.Cut(token, ".")
	text, err := base64.RawURLEncoding.DecodeString(body)
	if err != nil {
		return routeengineapi.QuickQuote{}, routeengineapi.ErrQuoteToken
	}
	given, err := base64.RawURLEncoding.DecodeString(signature)
	if err != nil {
		return routeengineapi.QuickQuote{}, routeengineapi.ErrQuoteToken
	}
	keys, err := t.keys.DeriveAll(tokenPurpose)
	if err != nil {
		return routeengineapi.QuickQuote{}, err
	}
	for _, key := range keys {
		var c claim
		if hmac.Equal(sign(key, text), given) && json.Unmarshal(text, &c) == nil && c.Company == principal.CompanyOf(ctx) && now.Before(c.Until) {
			return c.Of, nil
		}
	}

	return routeengineapi.QuickQuote{}, routeengineapi.ErrQuoteToken
}
