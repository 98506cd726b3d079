package square

import (
	"context"
	"strings"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/square/internal/gateway"
	"github.com/dispatchd/dispatchd/platform/inbound"
	"github.com/dispatchd/dispatchd/platform/web"
)

const callbackPath = base + "/oauth/callback"

// application is the deployment's application at Square, by which merchants connect. There may be none.
type application struct {
	square  *gateway.Square
	inbox   *inbound.Inbox
	baseURL string
}

func newApplication(s *gateway.Square, in *inbound.Inbox, w web.Settings) *application {
	return &application{square: s, inbox: in, baseURL: strings.TrimSuffix(w.BaseURL, "/")}
}

// exists reports whether there is an application.
func (a *application) exists() bool { return a.square.HasApplication() }

// id is what Square calls the application.
func (a *application) id() string { return a.square.Application() }

// key returns the key that signs the notifications of all merchants, if the endpoint is the one they arrive at.
func (a *application) key(endpoint uuid.UUID) ([]byte, bool) {
	if !a.exists() || endpoint != a.square.Endpoint() {
		return nil, false
	}

	return a.square.ApplicationKey(), true
}

// redirectURL is where Square sends the browser back.
func (a *application) redirectURL() string { return a.baseURL + callbackPath }

// notifyURL is where Square sends the notifications of all merchants, "" if the service has no public address.
func (a *application) notifyURL() string {
	address := a.inbox.URL(gateway.Name+"."+gateway.Kind, a.square.Endpoint())
	if !a.square.HasApplication() || strings.HasPrefix(address, "/") {
		return ""
	}

	return address
}

// authorizeURL is where a merchant allows access. The state comes back with the answer.
func (a *application) authorizeURL(state string) string {
	return a.square.AuthorizeURL(state, a.redirectURL())
}

// exchange returns what a code grants, and the credentials of an account at a location, the merchant's main one for "".
func (a *application) exchange(ctx context.Context, code, location string) (given gateway.Grant, credentials map[string]string, err error) {
	given, err = a.square.Exchange(ctx, code, a.redirectURL())
	if err == nil && location == "" {
		location, err = a.square.MainLocation(ctx, given)
	}
	if err != nil {
		return given, nil, err
	}

	return given, given.Credentials(a.id(), location), nil
}

// renew returns what a refresh token grants, and the credentials of an account at a location.
func (a *application) renew(ctx context.Context, refresh, location string) (given gateway.Grant, credentials map[string]string, err error) {
	given, err = a.square.Renew(ctx, refresh)
	if err != nil {
		return given, nil, err
	}

	return given, given.Credentials(a.id(), location), nil
}

// revoke ends the access of an access token's merchant.
func (a *application) revoke(ctx context.Context, access string) error {
	return a.square.Revoke(ctx, access)
}
