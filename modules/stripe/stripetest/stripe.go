// Package stripetest is a server that speaks as Stripe does, for tests: it keeps what it is sent in memory, takes forms alone and no
// parameters that it does not know, knows idempotency keys, counts what it has charged, checks the credentials, and fails as it is told.
package stripetest

import (
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/dispatchd/dispatchd/platform/outbound/vendortest"
)

// Fault is how a request ends otherwise than it should.
type Fault = vendortest.Fault

// The payment methods that Stripe's test mode has, and some more.
const (
	OK                = "pm_card_visa"
	Declined          = "pm_card_chargeDeclined"
	InsufficientFunds = "pm_card_chargeDeclinedInsufficientFunds"
	Expired           = "pm_card_chargeDeclinedExpiredCard"
	WrongCVC          = "pm_card_chargeDeclinedIncorrectCvc"
	WrongZip          = "pm_card_chargeDeclinedIncorrectZip"
	Fraudulent        = "pm_card_chargeDeclinedFraudulent"
	Stolen            = "pm_card_chargeDeclinedStolenCard"
	OverLimit         = "pm_card_chargeDeclinedVelocityLimitExceeded"
	LaterDeclined     = "pm_card_chargeCustomerFail"
	Asks              = "pm_card_threeDSecure2Required"
)

// declines are the codes of methods that are refused: code and decline code.
var declines = map[string][2]string{
	Declined: {"card_declined", "generic_decline"}, InsufficientFunds: {"card_declined", "insufficient_funds"}, Expired: {"expired_card", ""},
	WrongCVC: {"incorrect_cvc", ""}, WrongZip: {"incorrect_zip", ""}, Fraudulent: {"card_declined", "fraudulent"},
	Stolen: {"card_declined", "stolen_card"}, OverLimit: {"card_declined", "card_velocity_exceeded"}, LaterDeclined: {"card_declined", "generic_decline"},
}

// pageLimit is the most of a page, whatever is asked for, so that lists have several.
const pageLimit = 2

// object is a thing as Stripe shows it, with everything expanded.
type object map[string]any

func (o object) id() string { return text(o["id"]) }

func text(value any) string {
	s, _ := value.(string)

	return s
}

func units(value any) int64 {
	n, _ := value.(int64)

	return n
}

// Stripe is an account at Stripe. It is an http.Handler.
type Stripe struct {
	faults vendortest.Faults

	SecretKey, PublishableKey, SigningSecret string
	// Connected is the account that a platform acts for, "" for the key's own.
	Connected string
	// Pends has refunds stay pending until Settle.
	Pends bool

	state   sync.Mutex
	prefix  string
	made    int
	revoked bool
	// disconnected is a connected account that has revoked the access.
	disconnected bool
	customers    []object
	methods      []object
	setups       []object
	intents      []object
	refunds      []object
	payouts      []object
	entries      map[string][]object
	known        map[string]answer
}

// answer is what was answered to an idempotency key.
type answer struct {
	request string
	reply   vendortest.Reply
}

// New returns an account without customers and payments; name tells it from others.
func New(name string) *Stripe {
	return &Stripe{
		SecretKey: "sk_test_secret" + name, PublishableKey: "pk_test_public" + name, SigningSecret: "whsec_signing" + name,
		prefix: name, entries: map[string][]object{}, known: map[string]answer{},
	}
}

// Hub is Stripe with several accounts, which it tells apart by who calls.
type Hub struct{ accounts sync.Map }

// Add opens an account.
func (h *Hub) Add(s *Stripe) { h.accounts.Store("Bearer "+s.SecretKey+" "+s.Connected, s) }

// ServeHTTP implements http.Handler.
func (h *Hub) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	found, ok := h.accounts.Load(r.Header.Get("Authorization") + " " + r.Header.Get("Stripe-Account"))
	if !ok {
		found = &Stripe{}
	}
	found.(http.Handler).ServeHTTP(w, r)
}

// Credentials are what an account of ours is made with.
func (s *Stripe) Credentials() map[string]string {
	c := map[string]string{"secret_key": s.SecretKey, "publishable_key": s.PublishableKey, "signing_secret": s.SigningSecret}
	if s.Connected != "" {
		c["connected_account"] = s.Connected
	}

	return c
}

// Fail has the next requests end so, each with one of the faults.
func (s *Stripe) Fail(list ...Fault) { s.faults.Fail(list...) }

// Revoke has the key refused from now on.
func (s *Stripe) Revoke() {
	s.state.Lock()
	defer s.state.Unlock()
	s.revoked = true
}

// Disconnect has a connected account revoke the platform's access.
func (s *Stripe) Disconnect() {
	s.state.Lock()
	defer s.state.Unlock()
	s.disconnected = true
}

func (s *Stripe) id(kind string) string {
	s.made++

	return fmt.Sprintf("%s_%s%04d", kind, s.prefix, s.made)
}

func now() int64 {
	return time.Now().Unix() //nolint:forbidigo // it is the vendor's clock
}

// ServeHTTP implements http.Handler.
func (s *Stripe) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 1<<20))
	if err != nil {
		return
	}
	s.faults.Answer(w, r, func() vendortest.Reply {
		s.state.Lock()
		defer s.state.Unlock()
		switch {
		case s.SecretKey == "" || r.Header.Get("Authorization") != "Bearer "+s.SecretKey:
			return refuse(http.StatusUnauthorized, "invalid_request_error", "", "", "Invalid API Key provided: "+r.Header.Get("Authorization"))
		case s.revoked:
			return refuse(http.StatusUnauthorized, "invalid_request_error", "api_key_expired", "", "Expired API Key provided: "+s.SecretKey)
		case s.disconnected || r.Header.Get("Stripe-Account") != s.Connected:
			return refuse(http.StatusForbidden, "invalid_request_error", "account_invalid", "", "The provided key '"+s.SecretKey+"' does not have access.")
		case r.Header.Get("Stripe-Version") == "":
			return invalid("", "", "Say which version.")
		}

		return s.once(r, string(body))
	})
}

// once answers a repeat of an idempotency key as the first call, whatever has happened since.
func (s *Stripe) once(r *http.Request, body string) vendortest.Reply {
	key := r.Header.Get("Idempotency-Key")
	switch {
	case r.Method != http.MethodPost || key == "":
		return s.route(r, body)
	case len(key) > 255: //nolint:mnd // characters
		return invalid("", "", "The key is too long.")
	}
	request := r.URL.Path + " " + body
	if known, ok := s.known[key]; ok {
		if known.request != request {
			return refuse(http.StatusBadRequest, "idempotency_error", "", "", "Keys can only be used with the parameters they were first used with.")
		}
		known.reply.Header = map[string]string{"Idempotent-Replayed": "true"}

		return known.reply
	}
	made := s.route(r, body)
	if made.Status != http.StatusBadRequest { // what is not valid is not begun
		s.known[key] = answer{request: request, reply: made}
	}

	return made
}

func refuse(status int, kind, code, param, message string) vendortest.Reply {
	e := object{"type": kind, "message": message}
	for name, value := range map[string]string{"code": code, "param": param} {
		if value != "" {
			e[name] = value
		}
	}

	return vendortest.JSON(status, object{"error": e})
}

func invalid(code, param, message string) vendortest.Reply {
	return refuse(http.StatusBadRequest, "invalid_request_error", code, param, message)
}

func notFound(status int, param, id string) vendortest.Reply {
	return refuse(status, "invalid_request_error", "resource_missing", param, "No such thing: '"+id+"'")
}

// show is a reply of a thing, with what was asked for expanded.
func show(o object, expand []string) vendortest.Reply {
	if o == nil {
		return notFound(http.StatusNotFound, "id", "")
	}

	return vendortest.JSON(http.StatusOK, fold(o, "", expand))
}

// fold replaces the things in a thing by their ids, unless they are to be expanded.
func fold(o object, at string, expand []string) object {
	folded := object{}
	for name, value := range o {
		inner, is := value.(object)
		if folded[name] = value; !is || inner["object"] == nil {
			continue
		}
		path := at + name
		if slices.ContainsFunc(expand, func(wanted string) bool {
			return wanted == path || len(wanted) > len(path) && wanted[:len(path)+1] == path+"."
		}) {
			folded[name] = fold(inner, path+".", expand)
		} else {
			folded[name] = inner.id()
		}
	}

	return folded
}

func find(all []object, id string) object {
	for _, one := range all {
		if one.id() == id {
			return one
		}
	}

	return nil
}

// page lists things of a window, the newest first.
func page(r *http.Request, all []object, holds func(object) bool) vendortest.Reply {
	query := r.URL.Query()
	limit := 10
	if given := query.Get("limit"); given != "" {
		n, err := strconv.Atoi(given)
		if err != nil || n < 1 || n > 100 {
			return invalid("parameter_invalid_integer", "limit", "The limit must be between 1 and 100.")
		}
		limit = n
	}
	list, begun := []object{}, query.Get("starting_after") == ""
	for _, one := range slices.Backward(all) {
		if begun && within(one, query.Get("created[gte]"), query.Get("created[lt]")) && holds(one) {
			list = append(list, fold(one, "data.", query["expand[]"]))
		}
		begun = begun || one.id() == query.Get("starting_after")
	}
	if !begun {
		return notFound(http.StatusBadRequest, "starting_after", query.Get("starting_after"))
	}
	n := min(limit, pageLimit, len(list))

	return vendortest.JSON(http.StatusOK, object{"object": "list", "data": list[:n], "has_more": n < len(list)})
}

func within(one object, from, to string) bool {
	at := units(one["created"])
	begin, _ := strconv.ParseInt(from, 10, 64) //nolint:errcheck // 0 is a time as well
	end, err := strconv.ParseInt(to, 10, 64)

	return at >= begin && (err != nil || at < end)
}
