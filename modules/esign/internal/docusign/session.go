package docusign

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"github.com/dispatchd/dispatchd/modules/esign/internal/provider"
	"github.com/dispatchd/dispatchd/platform/outbound"
	"github.com/dispatchd/dispatchd/platform/secret"
)

const (
	scope     = "signature impersonation"
	grantType = "urn:ietf:params:oauth:grant-type:jwt-bearer"
	// assertionLife is how long an assertion is good, spare how long before its end a token is no longer used.
	assertionLife = 10 * time.Minute
	spare         = 5 * time.Minute
)

// grant is what calls are made with.
type grant struct {
	token   secret.Text
	until   time.Time
	account string
	base    string
	name    string
}

func (g grant) bearer() outbound.Authorize {
	return outbound.Bearer(func(context.Context) (secret.Text, error) { return g.token, nil })
}

// session is the grant of an account, for all of this process. It is asked for by one caller at a time.
type session struct {
	turn chan struct{}
	held *grant
}

// session returns that of an account with its credentials: other ones are another session.
func (p *Provider) session(o provider.Opening, environment string) *session {
	all := o.Credentials.Reveal()
	sum := sha256.New()
	for _, part := range []string{o.Key, environment, all[keyIntegration], all[keyUser], all[keyAccount], all[keyPrivate]} {
		_, _ = fmt.Fprintf(sum, "%d:%s", len(part), part) //nolint:errcheck // a hash takes everything
	}
	key := hex.EncodeToString(sum.Sum(nil))
	made := &session{turn: make(chan struct{}, 1)}
	if old, there, _ := p.sessions.PeekOrAdd(key, made); there {
		return old
	}

	return made
}

// enter waits for the turn.
func (s *session) enter(ctx context.Context) error {
	select {
	case s.turn <- struct{}{}:
		return nil
	case <-ctx.Done():
		return &provider.Error{Reason: provider.ProviderDown, Taken: provider.No, Retryable: true, Cause: ctx.Err()}
	}
}

func (s *session) release() { <-s.turn }

// is reports whether two grants have the same token.
func (g grant) is(other grant) bool { return g.token.Reveal() == other.token.Reveal() }

// dropGrant forgets a grant that was refused, unless there is another one by now.
func (s *session) dropGrant(g grant) {
	s.turn <- struct{}{}
	defer s.release()
	if s.held != nil && s.held.is(g) {
		s.held = nil
	}
}

func (s *session) forget() {
	s.turn <- struct{}{}
	defer s.release()
	s.held = nil
}

// grant returns the grant of the account, a new one if the old one ends soon.
func (a *account) grant(ctx context.Context) (grant, error) {
	if err := a.session.enter(ctx); err != nil {
		return grant{}, err
	}
	defer a.session.release()
	if held := a.session.held; held != nil && a.clock.Now().Before(held.until) {
		return *held, nil
	}
	fresh, err := a.token(ctx)
	if err != nil {
		return grant{}, err
	}
	if err := a.discover(ctx, &fresh); err != nil {
		return grant{}, err
	}
	a.session.held = &fresh

	return fresh, nil
}

// token gets a token by an assertion that the private key signs. It does the same once and twice.
func (a *account) token(ctx context.Context) (grant, error) {
	now := a.clock.Now()
	assertion, err := jwt.NewWithClaims(jwt.SigningMethodRS256, jwt.MapClaims{
		"iss": a.integration, "sub": a.user, "aud": a.hosts[a.environment], "iat": now.Unix(), "exp": now.Add(assertionLife).Unix(), "scope": scope,
	}).SignedString(a.private)
	if err != nil {
		return grant{}, missingError("The private key cannot sign.")
	}
	var said struct {
		Token   string `json:"access_token"`
		Expires int64  `json:"expires_in"`
	}
	_, err = a.auth[a.environment].Call(ctx, outbound.Request{
		Method: http.MethodPost, Path: "oauth/token", Form: url.Values{"grant_type": {grantType}, "assertion": {assertion}},
		Key: a.at.Key, Repeat: outbound.RepeatIdempotent(),
	}, &said)
	if err != nil {
		return grant{}, a.authFailure(err)
	}
	if said.Token == "" {
		return grant{}, &provider.Error{Reason: provider.ProviderDown, Taken: provider.No, Retryable: true, Detail: "The answer has no token."}
	}
	life := time.Duration(min(max(said.Expires, 0), 24*3600)) * time.Second

	return grant{token: secret.Hide(said.Token), until: now.Add(max(life-spare, life/2))}, nil
}

// flag is a boolean that may be a text.
type flag bool

// UnmarshalJSON implements json.Unmarshaler.
func (f *flag) UnmarshalJSON(raw []byte) error {
	*f = flag(strings.EqualFold(strings.Trim(string(raw), `"`), "true"))

	return nil
}

var _ json.Unmarshaler = new(flag)

// discover finds the account, and where its API is.
func (a *account) discover(ctx context.Context, g *grant) error {
	var said struct {
		Accounts []struct {
			ID      string `json:"account_id"`
			Default flag   `json:"is_default"`
			Name    string `json:"account_name"`
			BaseURI string `json:"base_uri"`
		} `json:"accounts"`
	}
	if _, err := a.auth[a.environment].Call(ctx, outbound.Request{
		Method: http.MethodGet, Path: "oauth/userinfo", Auth: g.bearer(), Key: a.at.Key, Repeat: outbound.RepeatIdempotent(),
	}, &said); err != nil {
		return a.authFailure(err)
	}
	at := -1
	for i, one := range said.Accounts {
		if a.wanted == "" && bool(one.Default) || a.wanted != "" && strings.EqualFold(one.ID, a.wanted) {
			at = i
		}
	}
	if at < 0 {
		return missingError("The user has no such account at DocuSign: see account_id.")
	}
	one := said.Accounts[at]
	if !a.isDocuSign(one.BaseURI) {
		return &provider.Error{Reason: provider.ProviderDown, Taken: provider.No, Detail: "DocuSign names an address of its API that is not one of its own."}
	}
	g.account, g.base, g.name = one.ID, strings.TrimSuffix(one.BaseURI, "/"), one.Name

	return nil
}

// isDocuSign reports whether an address that DocuSign names is one of its API: calls carry the token.
func (p *Provider) isDocuSign(address string) bool {
	u, err := url.Parse(address)
	if err != nil || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return false
	}
	if slices.Contains(p.settings.APIHosts, u.Hostname()) {
		return true
	}

	return u.Scheme == "https" && strings.HasSuffix(strings.ToLower(u.Hostname()), ".docusign.net")
}
