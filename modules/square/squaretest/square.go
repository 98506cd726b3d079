// Package squaretest is a server that speaks as Square does, for tests: it keeps what it is sent in memory, knows idempotency keys, counts
// what it has charged, checks the credentials, and fails as it is told.
package squaretest

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/dispatchd/dispatchd/platform/inbound/verify"
	"github.com/dispatchd/dispatchd/platform/outbound/vendortest"
)

// Fault is how a request ends otherwise than it should.
type Fault = vendortest.Fault

// The sources that Square's own test environment has, and some more.
const (
	OK                = "cnon:card-nonce-ok"
	Declined          = "cnon:card-nonce-declined"
	WrongCVV          = "cnon:card-nonce-rejected-cvv"
	WrongPostalCode   = "cnon:card-nonce-rejected-postalcode"
	WrongExpiration   = "cnon:card-nonce-rejected-expiration"
	InsufficientFunds = "cnon:card-nonce-insufficient-funds"
	OverLimit         = "cnon:card-nonce-over-limit"
	NeedsVerification = "cnon:card-nonce-requires-verification"
	// Verification is what the buyer's verification returns.
	Verification = "verf:ok"
)

var declines = map[string][]string{
	Declined: {"GENERIC_DECLINE"}, WrongCVV: {"GENERIC_DECLINE", "CVV_FAILURE"}, WrongPostalCode: {"ADDRESS_VERIFICATION_FAILURE"},
	WrongExpiration: {"CARD_EXPIRED"}, InsufficientFunds: {"INSUFFICIENT_FUNDS"}, OverLimit: {"TRANSACTION_LIMIT"},
}

// pageLimit is the most of a page, so that lists have several.
const pageLimit = 2

// Square is a merchant's account at Square. It is an http.Handler.
type Square struct {
	faults vendortest.Faults

	Token, Application, Location, SignatureKey, Merchant string

	state     sync.Mutex
	prefix    string
	made      int
	last      time.Time
	revoked   bool
	granted   map[string]bool
	customers []map[string]any
	cards     []map[string]any
	payments  []map[string]any
	refunds   []map[string]any
	payouts   []map[string]any
	entries   map[string][]map[string]any
	known     map[string]answer
}

// answer is what was answered to an idempotency key.
type answer struct {
	body  string
	reply vendortest.Reply
}

// New returns an account without customers and payments; name tells it from others.
func New(name string) *Square {
	return &Square{
		Token: "token-" + name, Application: "sandbox-sq0idb-" + name, Location: "L" + name, SignatureKey: "signature-key-" + name, Merchant: "M" + name,
		prefix: name, entries: map[string][]map[string]any{}, known: map[string]answer{},
	}
}

// Hub is Square with several accounts, which it tells apart by who calls, and with an application that they can allow something.
type Hub struct {
	Application *Application

	accounts sync.Map
}

// Add opens an account.
func (h *Hub) Add(s *Square) { h.accounts.Store("Bearer "+s.Token, s) }

// ServeHTTP implements http.Handler.
func (h *Hub) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if strings.HasPrefix(r.URL.Path, "/oauth2/") && h.Application != nil {
		h.serveOAuth(w, r)

		return
	}
	if found, ok := h.accounts.Load(r.Header.Get("Authorization")); ok {
		found.(*Square).ServeHTTP(w, r)

		return
	}
	new(Square).ServeHTTP(w, r)
}

// Credentials are what an account of ours is made with.
func (s *Square) Credentials() map[string]string {
	return map[string]string{"access_token": s.Token, "application_id": s.Application, "location_id": s.Location, "signature_key": s.SignatureKey}
}

// Fail has the next requests end so, each with one of the faults.
func (s *Square) Fail(list ...Fault) { s.faults.Fail(list...) }

// Revoke has the token refused from now on.
func (s *Square) Revoke() {
	s.state.Lock()
	defer s.state.Unlock()
	s.revoked = true
}

// Charged is how many payments were made.
func (s *Square) Charged() int {
	s.state.Lock()
	defer s.state.Unlock()

	return len(s.payments)
}

// Payment is a payment as Square shows it, by its id or its reference; nil for none.
func (s *Square) Payment(id string) map[string]any {
	s.state.Lock()
	defer s.state.Unlock()
	for _, p := range s.payments {
		if p["id"] == id || p["reference_id"] == id {
			return maps.Clone(p)
		}
	}

	return nil
}

// Card is a card as Square shows it, nil for none.
func (s *Square) Card(id string) map[string]any { return s.one(&s.cards, id) }

// Refund is a refund as Square shows it, nil for none.
func (s *Square) Refund(id string) map[string]any { return s.one(&s.refunds, id) }

func (s *Square) one(all *[]map[string]any, id string) map[string]any {
	s.state.Lock()
	defer s.state.Unlock()

	return maps.Clone(find(*all, id))
}

// Customers are all customers.
func (s *Square) Customers() []map[string]any {
	s.state.Lock()
	defer s.state.Unlock()

	return slices.Clone(s.customers)
}

// Change changes a payment as somebody does at Square; nobody is notified.
func (s *Square) Change(id string, change func(payment map[string]any)) {
	s.state.Lock()
	defer s.state.Unlock()
	if p := find(s.payments, id); p != nil {
		change(p)
		p["updated_at"] = s.now()
	}
}

// Add makes a payment as somebody does at Square's till.
func (s *Square) Add(source string, units int64) string {
	s.state.Lock()
	defer s.state.Unlock()
	p := s.newPayment(map[string]any{"amount_money": amount(units, "USD"), "autocomplete": true})
	p["source_type"] = source

	return p["id"].(string)
}

// PayOut pays out a payment with a fee.
func (s *Square) PayOut(payment string, fee int64) string {
	s.state.Lock()
	defer s.state.Unlock()
	id, p := s.id("po_"), find(s.payments, payment)
	gross := unitsOf(p["amount_money"])
	s.payouts = append(s.payouts, map[string]any{
		"id": id, "status": "SENT", "amount_money": amount(gross-fee, "USD"), "arrival_date": "2026-11-26", "created_at": s.now(),
	})
	s.entries[id] = []map[string]any{{
		"gross_amount_money": amount(gross, "USD"), "fee_amount_money": amount(fee, "USD"), "type_charge_details": map[string]any{"payment_id": payment},
	}}

	return id
}

// Notification is a notification about an object, as Square sends it to an address, and its signature.
func (s *Square) Notification(address, event, kind string, object map[string]any) (body []byte, signature string) {
	s.state.Lock()
	defer s.state.Unlock()
	body, err := json.Marshal(map[string]any{
		"merchant_id": s.Merchant, "type": event, "event_id": s.id("event-"), "created_at": s.now(),
		"data": map[string]any{"type": kind, "id": object["id"], "object": map[string]any{kind: object}},
	})
	if err != nil {
		panic(err)
	}

	return body, verify.SignSquare([]byte(s.SignatureKey), address, body)
}

// SignatureHeader is the header of the signature.
const SignatureHeader = "X-Square-Hmacsha256-Signature"

func (s *Square) id(kind string) string {
	s.made++

	return fmt.Sprintf("%s%s%04d", kind, s.prefix, s.made)
}

// now is the time, and later than the last one.
func (s *Square) now() string {
	at := time.Now().UTC() //nolint:forbidigo // it is the vendor's clock
	if !at.After(s.last) {
		at = s.last.Add(time.Microsecond)
	}
	s.last = at

	return at.Format(time.RFC3339Nano)
}

// ServeHTTP implements http.Handler.
func (s *Square) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	text, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 1<<20))
	if err != nil {
		return
	}
	s.faults.Answer(w, r, func() vendortest.Reply {
		s.state.Lock()
		defer s.state.Unlock()
		switch {
		case s.Token == "" || r.Header.Get("Authorization") != "Bearer "+s.Token && !s.granted[r.Header.Get("Authorization")]:
			return refuse(http.StatusUnauthorized, "AUTHENTICATION_ERROR", "UNAUTHORIZED", "")
		case s.revoked:
			return refuse(http.StatusUnauthorized, "AUTHENTICATION_ERROR", "ACCESS_TOKEN_REVOKED", "")
		case r.Header.Get("Square-Version") == "":
			return invalid("MISSING_REQUIRED_PARAMETER", "Square-Version")
		}

		return s.once(r, text)
	})
}

// once answers a repeat of an idempotency key as the first call.
func (s *Square) once(r *http.Request, text []byte) vendortest.Reply {
	body := map[string]any{}
	if len(text) > 0 && json.Unmarshal(text, &body) != nil {
		return invalid("BAD_REQUEST", "")
	}
	path, _ := strings.CutPrefix(r.URL.Path, "/v2/")
	key, keyed := body["idempotency_key"].(string)
	switch {
	case !keyed:
		return s.route(r, path, body)
	case len(key) == 0 || len(key) > 45:
		return invalid("VALUE_TOO_LONG", "idempotency_key")
	}
	key = path + " " + key
	if known, ok := s.known[key]; ok {
		if known.body != string(text) {
			return invalid("IDEMPOTENCY_KEY_REUSED", "idempotency_key")
		}

		return known.reply
	}
	made := s.route(r, path, body)
	s.known[key] = answer{body: string(text), reply: made}

	return made
}

func (s *Square) route(r *http.Request, path string, body map[string]any) vendortest.Reply {
	parts := append(strings.Split(path, "/"), "", "")
	kind, id, verb := parts[0], parts[1], parts[2]
	post := r.Method == http.MethodPost
	switch {
	case kind == "locations" && (id == s.Location || id == "main"):
		return vendortest.JSON(http.StatusOK, map[string]any{"location": map[string]any{"id": s.Location, "status": "ACTIVE"}})
	case kind == "customers" && post:
		return s.createCustomer(body)
	case kind == "customers" && id == "":
		return page(r, "customers", s.customers)
	case kind == "customers":
		return s.customer(r.Method, id, body)
	case kind == "cards" && verb == "disable":
		return s.disable(find(s.cards, id))
	case kind == "cards" && post:
		return s.createCard(body)
	case kind == "cards":
		return show("card", find(s.cards, id))
	case kind == "payments" && verb != "":
		return s.end(find(s.payments, id), verb)
	case kind == "payments" && post:
		return s.pay(body)
	case kind == "payments" && id == "":
		return page(r, "payments", s.payments)
	case kind == "payments":
		return show("payment", find(s.payments, id))
	case kind == "refunds" && post:
		return s.giveBack(body)
	case kind == "refunds" && id == "":
		return page(r, "refunds", s.refunds)
	case kind == "refunds":
		return show("refund", find(s.refunds, id))
	case kind == "payouts" && verb == "payout-entries":
		return vendortest.JSON(http.StatusOK, map[string]any{"payout_entries": s.entries[id]})
	case kind == "payouts":
		return page(r, "payouts", s.payouts)
	default:
		return notFound("")
	}
}

func refuse(status int, category, code, field string) vendortest.Reply {
	return vendortest.JSON(status, map[string]any{"errors": []any{map[string]any{"category": category, "code": code, "detail": "Refused: " + code, "field": field}}})
}

func invalid(code, field string) vendortest.Reply {
	return refuse(http.StatusBadRequest, "INVALID_REQUEST_ERROR", code, field)
}

func notFound(field string) vendortest.Reply {
	return refuse(http.StatusNotFound, "INVALID_REQUEST_ERROR", "NOT_FOUND", field)
}

func show(name string, thing map[string]any) vendortest.Reply {
	if thing == nil {
		return notFound("")
	}

	return vendortest.JSON(http.StatusOK, map[string]any{name: thing})
}

func find(all []map[string]any, id string) map[string]any {
	for _, one := range all {
		if one["id"] == id {
			return one
		}
	}

	return nil
}

func amount(units int64, currency any) map[string]any {
	return map[string]any{"amount": units, "currency": currency}
}

func unitsOf(money any) int64 {
	m, _ := money.(map[string]any)
	switch n := m["amount"].(type) {
	case float64:
		return int64(n)
	case int64:
		return n
	default:
		return 0
	}
}

func currencyOf(money any) any {
	m, _ := money.(map[string]any)

	return m["currency"]
}

// page lists things of a window, the oldest first.
func page(r *http.Request, name string, all []map[string]any) vendortest.Reply {
	query := r.URL.Query()
	from, to := parse(query.Get("begin_time")), parse(query.Get("end_time"))
	list := []map[string]any{}
	for _, one := range all {
		text, _ := one["created_at"].(string)
		at := parse(text)
		if !at.Before(from) && (to.IsZero() || !at.After(to)) {
			list = append(list, one)
		}
	}
	skip := 0
	if text := query.Get("cursor"); text != "" {
		if _, err := fmt.Sscanf(text, "cursor-%d", &skip); err != nil {
			return invalid("INVALID_CURSOR", "cursor")
		}
	}
	body := map[string]any{name: list[min(skip, len(list)):min(skip+pageLimit, len(list))]}
	if skip+pageLimit < len(list) {
		body["cursor"] = fmt.Sprintf("cursor-%d", skip+pageLimit)
	}

	return vendortest.JSON(http.StatusOK, body)
}

func parse(text string) time.Time {
	at, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		return time.Time{}
	}

	return at
}
