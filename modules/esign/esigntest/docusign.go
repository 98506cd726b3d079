// Package esigntest is a server that speaks as DocuSign does, for tests and measurements: it keeps what it is sent in
// memory, checks assertions and tokens, and fails as it is told.
package esigntest

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/outbound/vendortest"
)

// Fault is how a request ends otherwise than it should.
type Fault = vendortest.Fault

// Object is an object of JSON.
type Object = map[string]any

// DocuSign is the server of tokens, under /oauth, and the API of one account, under /restapi. It is an http.Handler.
type DocuSign struct {
	vendortest.Faults

	Integration, User, Account string

	key       *rsa.PrivateKey
	mu        sync.Mutex
	consented bool
	base      string
	tokens    map[string]bool
	grants    int
	templates []Object
	envelopes []*Envelope
	documents map[string][]byte
}

// Envelope is an envelope that was made.
type Envelope struct {
	// Definition is what it was made from, Shown what the API shows of it.
	Definition, Shown Object
	// Typed are values that recipients have changed, by "recipient/label".
	Typed     map[string]string
	Resent    int
	ChangedAt time.Time
}

// ID is the envelope's.
func (e *Envelope) ID() string { return e.Shown["envelopeId"].(string) } //nolint:forcetypeassert // it has one

// NewDocuSign returns an account without envelopes, with the templates of New.
func NewDocuSign() (*DocuSign, error) {
	private, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		return nil, err
	}

	return &DocuSign{
		Integration: uuid.NewString(), User: uuid.NewString(), Account: uuid.NewString(), key: private, consented: true,
		tokens: map[string]bool{}, templates: templates, documents: map[string][]byte{},
	}, nil
}

// Credentials are what an account of ours is made with.
func (d *DocuSign) Credentials() map[string]string {
	text := pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(d.key)})

	return map[string]string{"integration_key": d.Integration, "user_id": d.User, "private_key": string(text)}
}

// locked does something to the server.
func (d *DocuSign) locked(do func()) {
	d.mu.Lock()
	defer d.mu.Unlock()
	do()
}

// Consent has the user agree, or not any more.
func (d *DocuSign) Consent(given bool) { d.locked(func() { d.consented = given }) }

// Revoke has all tokens refused that there are.
func (d *DocuSign) Revoke() { d.locked(func() { clear(d.tokens) }) }

// Move has another address named as that of the API.
func (d *DocuSign) Move(base string) { d.locked(func() { d.base = base }) }

// SetTemplates has other templates, in the form of the API's, with "recipients".
func (d *DocuSign) SetTemplates(all ...Object) { d.locked(func() { d.templates = all }) }

// Grants is how many tokens were given.
func (d *DocuSign) Grants() (n int) {
	d.locked(func() { n = d.grants })

	return n
}

// Envelopes are those that were made.
func (d *DocuSign) Envelopes() (all []Envelope) {
	d.locked(func() {
		for _, e := range d.envelopes {
			all = append(all, *e)
		}
	})

	return all
}

// Show changes what the API shows of an envelope.
func (d *DocuSign) Show(id string, change func(shown Object)) {
	d.locked(func() {
		for _, e := range d.envelopes {
			if e.ID() == id {
				change(e.Shown)
				e.ChangedAt = clock.System{}.Now()
			}
		}
	})
}

// Type has a recipient change the value of a tab.
func (d *DocuSign) Type(id, recipient, label, value string) {
	d.locked(func() {
		for _, e := range d.envelopes {
			if e.ID() == id {
				e.Typed[recipient+"/"+label] = value
			}
		}
	})
}

// Attach gives an envelope a document: "combined" or "certificate".
func (d *DocuSign) Attach(id, document string, content []byte) {
	d.locked(func() { d.documents[id+"/"+document] = content })
}

// ServeHTTP implements http.Handler.
func (d *DocuSign) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, 35<<20)
	switch r.URL.Path {
	case "/oauth/token", "/oauth/userinfo":
		d.mu.Lock()
		out := d.oauth(r)
		d.mu.Unlock()
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(out.Status)
		_, _ = w.Write(out.Body) //nolint:errcheck // who has gone does not want it
	default:
		d.Answer(w, r, func() vendortest.Reply {
			d.mu.Lock()
			defer d.mu.Unlock()
			if !d.tokens[strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")] {
				return refusal(http.StatusUnauthorized, "AUTHORIZATION_INVALID_TOKEN", "The access token provided is expired, revoked or malformed.")
			}
			path, ok := strings.CutPrefix(r.URL.Path, "/restapi/v2.1/accounts/"+d.Account)
			if !ok {
				return refusal(http.StatusBadRequest, "USER_DOES_NOT_BELONG_TO_SPECIFIED_ACCOUNT", "The specified User is not a member of the specified Account.")
			}

			return d.route(r, strings.Split(strings.Trim(path, "/"), "/"))
		})
	}
}

func refusal(status int, code, message string) vendortest.Reply {
	return vendortest.JSON(status, Object{"errorCode": code, "message": message})
}

func (d *DocuSign) oauth(r *http.Request) vendortest.Reply {
	wrong := func(code string) vendortest.Reply {
		return vendortest.JSON(http.StatusBadRequest, Object{"error": code})
	}
	if r.URL.Path == "/oauth/userinfo" {
		if !d.tokens[strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")] {
			return vendortest.JSON(http.StatusUnauthorized, Object{"error": "invalid_token"})
		}
		base := d.base
		if base == "" {
			base = "http://" + r.Host
		}

		return vendortest.JSON(http.StatusOK, Object{"sub": d.User, "accounts": []Object{
			{"account_id": uuid.NewString(), "is_default": "false", "account_name": "Other", "base_uri": "https://other.docusign.net"},
			{"account_id": d.Account, "is_default": true, "account_name": "Acme", "base_uri": base},
		}})
	}
	if r.ParseForm() != nil || r.PostForm.Get("grant_type") != "urn:ietf:params:oauth:grant-type:jwt-bearer" {
		return wrong("unsupported_grant_type")
	}
	claims := jwt.MapClaims{}
	_, err := jwt.ParseWithClaims(r.PostForm.Get("assertion"), claims, func(*jwt.Token) (any, error) { return &d.key.PublicKey, nil },
		jwt.WithValidMethods([]string{"RS256"}), jwt.WithAudience(r.Host), jwt.WithIssuer(d.Integration), jwt.WithSubject(d.User),
		jwt.WithExpirationRequired(), jwt.WithIssuedAt())
	switch {
	case err != nil, claims["scope"] != "signature impersonation":
		return wrong("invalid_grant")
	case !d.consented:
		return wrong("consent_required")
	}
	d.grants++
	token := fmt.Sprintf("token-%d-%s", d.grants, uuid.NewString())
	d.tokens[token] = true

	return vendortest.JSON(http.StatusOK, Object{"access_token": token, "token_type": "Bearer", "expires_in": 3600})
}

func (d *DocuSign) route(r *http.Request, path []string) vendortest.Reply {
	switch {
	case path[0] == "":
		return vendortest.JSON(http.StatusOK, Object{"accountName": "Acme"})
	case path[0] == "templates":
		return d.template(r, path[1:])
	case path[0] == "envelopes" && len(path) == 1 && r.Method == http.MethodPost:
		return d.create(r)
	case path[0] == "envelopes" && len(path) == 1:
		return d.list(r)
	case path[0] == "envelopes":
		at := slices.IndexFunc(d.envelopes, func(e *Envelope) bool { return e.ID() == path[1] })
		if at < 0 {
			return refusal(http.StatusNotFound, "ENVELOPE_DOES_NOT_EXIST", "The envelope specified does not exist.")
		}

		return d.envelope(r, d.envelopes[at], path[2:])
	default:
		return refusal(http.StatusNotFound, "RESOURCE_NOT_FOUND", "The URL provided does not resolve to a resource.")
	}
}

func body(r *http.Request) (Object, bool) {
	var o Object

	err := json.NewDecoder(r.Body).Decode(&o)

	return o, err == nil
}
