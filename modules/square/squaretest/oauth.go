package squaretest

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"time"

	"github.com/dispatchd/dispatchd/platform/inbound/verify"
	"github.com/dispatchd/dispatchd/platform/outbound/vendortest"
)

// Application is what merchants allow to charge their cards: its id, its secret, and the key of its notifications.
type Application struct {
	ID, Secret, SignatureKey string

	mu sync.Mutex
	// codes and refreshes are whose they are.
	codes, refreshes map[string]*Square
	made             int
	faults           vendortest.Faults
}

// NewApplication returns an application that nobody has allowed anything.
func NewApplication() *Application {
	return &Application{ //nolint:gosec // nobody's secret
		ID: "sandbox-sq0idb-APP", Secret: "sandbox-sq0csb-secret-of-app", SignatureKey: "signature-key-of-app",
		codes: map[string]*Square{}, refreshes: map[string]*Square{},
	}
}

// Fail has the next requests for tokens end so.
func (a *Application) Fail(list ...Fault) { a.faults.Fail(list...) }

// Allow is what a merchant's browser does with the address that it was sent to: it returns the one that it is sent back to.
func (a *Application) Allow(address string, merchant *Square) (*url.URL, error) {
	to, err := url.Parse(address)
	if err != nil {
		return nil, err
	}
	query := to.Query()
	if to.Path != "/oauth2/authorize" || query.Get("client_id") != a.ID || query.Get("scope") == "" || query.Get("state") == "" {
		return nil, fmt.Errorf("square refuses the address %s", address)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.made++
	code := fmt.Sprintf("sandbox-sq0cgb-%d", a.made)
	a.codes[code] = merchant
	back, err := url.Parse(query.Get("redirect_uri"))
	if err != nil {
		return nil, err
	}
	back.RawQuery = url.Values{"code": {code}, "response_type": {"code"}, "state": {query.Get("state")}}.Encode()

	return back, nil
}

// Sign signs a notification for an address, as Square signs those of the application.
func (a *Application) Sign(address string, body []byte) string {
	return verify.SignSquare([]byte(a.SignatureKey), address, body)
}

// refused is how Square refuses for OAuth.
func refused(message string) vendortest.Reply {
	return vendortest.JSON(http.StatusUnauthorized, map[string]any{"message": message, "type": "service.not_authorized"})
}

func (h *Hub) serveOAuth(w http.ResponseWriter, r *http.Request) {
	text, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 1<<20))
	if err != nil {
		return
	}
	a := h.Application
	a.faults.Answer(w, r, func() vendortest.Reply {
		a.mu.Lock()
		defer a.mu.Unlock()
		var body map[string]string
		if json.Unmarshal(text, &body) != nil || body["client_id"] != a.ID {
			return refused("Not Authorized")
		}
		if r.URL.Path == "/oauth2/revoke" {
			return h.revoke(r, body)
		}
		if body["client_secret"] != a.Secret {
			return refused("Not Authorized")
		}

		return h.token(body)
	})
}

func (h *Hub) token(body map[string]string) vendortest.Reply {
	a, refresh := h.Application, body["refresh_token"]
	merchant := a.refreshes[refresh]
	if body["grant_type"] == "authorization_code" {
		merchant = a.codes[body["code"]]
		delete(a.codes, body["code"])
		refresh = fmt.Sprintf("refresh-%s-%d", body["code"], a.made)
	}
	if merchant == nil {
		return refused("Authorization code not found")
	}
	a.made++
	token := fmt.Sprintf("granted-token-%s-%d", merchant.Merchant, a.made)
	merchant.grant(token)
	h.accounts.Store("Bearer "+token, merchant)
	a.refreshes[refresh] = merchant

	return vendortest.JSON(http.StatusOK, map[string]any{
		"access_token": token, "token_type": "bearer", "refresh_token": refresh, "merchant_id": merchant.Merchant,
		"expires_at": time.Now().UTC().Add(30 * 24 * time.Hour).Format(time.RFC3339), //nolint:forbidigo // it is the vendor's clock
	})
}

// revoke ends all that a merchant has allowed.
func (h *Hub) revoke(r *http.Request, body map[string]string) vendortest.Reply {
	a := h.Application
	found, known := h.accounts.Load("Bearer " + body["access_token"])
	if !known || r.Header.Get("Authorization") != "Client "+a.Secret {
		return refused("Not Authorized")
	}
	merchant := found.(*Square)
	for _, token := range merchant.ungrant() {
		h.accounts.Delete(token)
	}
	for refresh, of := range a.refreshes {
		if of == merchant {
			delete(a.refreshes, refresh)
		}
	}

	return vendortest.JSON(http.StatusOK, map[string]any{"success": true})
}

func (s *Square) grant(token string) {
	s.state.Lock()
	defer s.state.Unlock()
	if s.granted == nil {
		s.granted = map[string]bool{}
	}
	s.granted["Bearer "+token] = true
}

func (s *Square) ungrant() []string {
	s.state.Lock()
	defer s.state.Unlock()
	tokens := slices.Collect(maps.Keys(s.granted))
	clear(s.granted)

	return tokens
}
