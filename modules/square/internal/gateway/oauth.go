package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/cards/cardsapi"
	"github.com/dispatchd/dispatchd/platform/outbound"
	"github.com/dispatchd/dispatchd/platform/secret"
)

// Scopes are what a merchant allows the application.
var Scopes = []string{
	"MERCHANT_PROFILE_READ", "CUSTOMERS_READ", "CUSTOMERS_WRITE", "PAYMENTS_READ", "PAYMENTS_WRITE", "DISPUTES_READ", "PAYOUTS_READ",
}

// RenewEvery is the age at which an access token is replaced: it is good for 30 days, and Square asks for a new one every week
// (developer.squareup.com/docs/oauth-api/refresh-revoke-limit-scope).
const RenewEvery = 7 * 24 * time.Hour

// Grant is what a merchant allows: the tokens of an account, which are never logged.
type Grant struct {
	Merchant        string
	Access, Refresh secret.Text
	ExpiresAt       time.Time
}

// Credentials are those of an account with the grant, at a location.
func (g Grant) Credentials(application, location string) map[string]string {
	return map[string]string{
		keyToken: g.Access.Reveal(), keyRefresh: g.Refresh.Reveal(), keyMerchant: g.Merchant, keyExpires: g.ExpiresAt.UTC().Format(time.RFC3339),
		keyApplication: application, keyLocation: location,
	}
}

// HasApplication reports whether merchants can connect with OAuth.
func (s *Square) HasApplication() bool { return s.application.ID != "" }

// Application is the id of the deployment's application at Square.
func (s *Square) Application() string { return s.application.ID }

// Endpoint is the endpoint of the application's notifications, of all merchants.
func (s *Square) Endpoint() uuid.UUID {
	return uuid.NewSHA1(uuid.NameSpaceURL, []byte(addresses[s.environment]+"/oauth2/clients/"+s.application.ID))
}

// ApplicationKey verifies the application's notifications.
func (s *Square) ApplicationKey() []byte { return []byte(s.application.SignatureKey) }

// AuthorizeURL is where a merchant allows the application to charge cards. The browser comes back to redirect with the state and a code.
func (s *Square) AuthorizeURL(state, redirect string) string {
	query := url.Values{"client_id": {s.application.ID}, "scope": {strings.Join(Scopes, " ")}, "state": {state}, "redirect_uri": {redirect}}
	if s.environment == Production {
		query.Set("session", "false") // the merchant logs in, rather than be taken for whoever used the browser last
	}

	return s.base + "/oauth2/authorize?" + query.Encode()
}

type tokenRequest struct {
	ClientID     string `json:"client_id"`
	ClientSecret string `json:"client_secret"`
	GrantType    string `json:"grant_type"`
	Code         string `json:"code,omitempty"`
	RedirectURI  string `json:"redirect_uri,omitempty"`
	RefreshToken string `json:"refresh_token,omitempty"`
}

// Exchange returns the grant of a code, which is good once and for five minutes.
func (s *Square) Exchange(ctx context.Context, code, redirect string) (Grant, error) {
	return s.token(ctx, tokenRequest{GrantType: "authorization_code", Code: code, RedirectURI: redirect})
}

// Renew returns a grant with a new access token. The refresh token stays good, so that a lost answer loses nothing.
func (s *Square) Renew(ctx context.Context, refresh string) (Grant, error) {
	return s.token(ctx, tokenRequest{GrantType: "refresh_token", RefreshToken: refresh})
}

func (s *Square) token(ctx context.Context, r tokenRequest) (Grant, error) {
	r.ClientID, r.ClientSecret = s.application.ID, string(s.application.Secret)
	var said struct {
		AccessToken  string    `json:"access_token"`
		RefreshToken string    `json:"refresh_token"`
		MerchantID   string    `json:"merchant_id"`
		ExpiresAt    time.Time `json:"expires_at"`
	}
	if err := s.oauth(ctx, "oauth2/token", nil, r, &said); err != nil {
		return Grant{}, err
	}
	if said.AccessToken == "" || said.RefreshToken == "" || said.MerchantID == "" {
		return Grant{}, unreadable("The answer lacks a token or the merchant.")
	}

	return Grant{
		Merchant: said.MerchantID, Access: secret.Hide(said.AccessToken), Refresh: secret.Hide(said.RefreshToken), ExpiresAt: said.ExpiresAt,
	}, nil
}

// Revoke ends all that a merchant allows the application, by an access token.
func (s *Square) Revoke(ctx context.Context, access string) error {
	authorize := func(_ context.Context, h http.Header) error {
		h.Set("Authorization", "Client "+string(s.application.Secret))

		return nil
	}

	return s.oauth(ctx, "oauth2/revoke", authorize, map[string]string{"client_id": s.application.ID, "access_token": access}, nil)
}

// oauth makes a call of the application. Square answers refusals with a message in place of errors.
func (s *Square) oauth(ctx context.Context, path string, auth outbound.Authorize, body, out any) error {
	_, err := s.api.Call(ctx, outbound.Request{
		Method: http.MethodPost, Path: path, JSON: body, Auth: auth, Header: http.Header{"Square-Version": {version}}, Key: "application",
		Repeat: outbound.Repeat{NotSent: true},
	}, out)
	if f, ok := errors.AsType[*outbound.Error](err); ok && f.Reason == outbound.BadStatus && f.Status < http.StatusInternalServerError &&
		f.Status != http.StatusTooManyRequests {
		var said struct {
			Message string `json:"message"`
		}
		_ = json.Unmarshal(f.Answer.Body, &said) //nolint:errcheck // what cannot be read says nothing

		return &cardsapi.VendorError{Reason: cardsapi.Auth, NotDone: true, Detail: cardsapi.Printable(said.Message), Cause: err}
	}

	return failure(err, s.clock.Now())
}

// MainLocation is the id of the merchant's main location.
func (s *Square) MainLocation(ctx context.Context, g Grant) (string, error) {
	var said struct {
		Location struct {
			ID string `json:"id"`
		} `json:"location"`
	}
	a := &Account{square: s, api: s.api, clock: s.clock, key: g.Merchant, token: g.Access}
	if err := a.get(ctx, "v2/locations/main", nil, &said); err != nil {
		return "", err
	}
	if said.Location.ID == "" {
		return "", unreadable("The answer has no id of a location.")
	}

	return said.Location.ID, nil
}

// Merchant is whose a notification is, "" if it does not say.
func Merchant(body []byte) string {
	var n struct {
		Merchant string `json:"merchant_id"`
	}
	if json.Unmarshal(body, &n) != nil {
		return ""
	}

	return n.Merchant
}

// RefreshToken is that of an account's credentials, "" if it was not connected with OAuth.
func RefreshToken(credentials map[string]string) string { return credentials[keyRefresh] }

// AccessToken is that of an account's credentials.
func AccessToken(credentials map[string]string) string { return credentials[keyToken] }

// Location is that of an account's credentials.
func Location(credentials map[string]string) string { return credentials[keyLocation] }
