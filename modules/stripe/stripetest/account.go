package stripetest

import (
	"encoding/json"
	"maps"
	"strconv"
	"strings"

	"github.com/dispatchd/dispatchd/platform/inbound/verify"
)

// SignatureHeader is the header of the signature.
const SignatureHeader = "Stripe-Signature"

// Charged is how many payments took or reserved money.
func (s *Stripe) Charged() int {
	s.state.Lock()
	defer s.state.Unlock()
	n := 0
	for _, p := range s.intents {
		if p["status"] == "succeeded" || p["status"] == "requires_capture" {
			n++
		}
	}

	return n
}

// Customers is how many customers there are.
func (s *Stripe) Customers() int {
	s.state.Lock()
	defer s.state.Unlock()

	return len(s.customers)
}

// Payment is a payment as Stripe shows it, by its id or its reference; nil for none.
func (s *Stripe) Payment(id string) map[string]any {
	s.state.Lock()
	defer s.state.Unlock()
	for _, p := range s.intents {
		if p.id() == id || p["metadata"].(map[string]string)["reference"] == id {
			return fold(p, "", nil)
		}
	}

	return nil
}

// Confirm answers for the cardholder whom a payment asks, and returns the payment.
func (s *Stripe) Confirm(id string, accepts bool) map[string]any {
	s.state.Lock()
	defer s.state.Unlock()
	p := find(s.intents, id)
	if p == nil {
		return nil
	}
	delete(p, "next_action")
	if accepts {
		s.take(p)
	} else {
		p["status"], p["last_payment_error"] = "requires_payment_method", decline([2]string{"payment_intent_authentication_failure", ""})
	}

	return fold(p, "", nil)
}

// Decide has the banks decide about the cards that are being saved: they can be charged.
func (s *Stripe) Decide() {
	s.state.Lock()
	defer s.state.Unlock()
	for _, setup := range s.setups {
		setup["status"] = "succeeded"
	}
}

// Change changes a payment as somebody does at Stripe; nobody is notified.
func (s *Stripe) Change(id string, change func(payment map[string]any)) {
	s.state.Lock()
	defer s.state.Unlock()
	if p := find(s.intents, id); p != nil {
		change(p)
	}
}

// ChangePayout changes a payout as Stripe or its bank does.
func (s *Stripe) ChangePayout(id string, change func(payout map[string]any)) {
	s.state.Lock()
	defer s.state.Unlock()
	if p := find(s.payouts, id); p != nil {
		change(p)
	}
}

// Add makes a payment by a method such as "card", as somebody does at Stripe.
func (s *Stripe) Add(method string, amount int64) string {
	s.state.Lock()
	defer s.state.Unlock()
	p := s.newIntent(amount, "usd")
	s.take(p)
	p["latest_charge"].(object)["payment_method_details"] = map[string]any{"type": method}

	return p.id()
}

// Settle completes a refund, or fails it, and returns it.
func (s *Stripe) Settle(id, status string) map[string]any {
	s.state.Lock()
	defer s.state.Unlock()
	r := find(s.refunds, id)
	if r != nil {
		r["status"] = status
	}

	return maps.Clone(r)
}

// PayOut pays out payments, with a monthly fee of 2.00 beside their own.
func (s *Stripe) PayOut(payments ...string) string {
	s.state.Lock()
	defer s.state.Unlock()
	const monthly = 200
	id, net := s.id("po"), int64(-monthly)
	entries := []object{{"id": s.id("txn"), "type": "stripe_fee", "amount": int64(-monthly), "fee": int64(0), "currency": "usd", "source": nil}}
	for _, payment := range payments {
		charge, _ := find(s.intents, payment)["latest_charge"].(object)
		entry := maps.Clone(charge["balance_transaction"].(object))
		entry["source"] = charge
		entries = append(entries, entry)
		net += units(entry["amount"]) - units(entry["fee"])
	}
	entries = append(entries, object{"id": s.id("txn"), "type": "payout", "amount": -net, "fee": int64(0), "currency": "usd", "source": id})
	s.entries[id] = entries
	s.payouts = append(s.payouts, object{
		"id": id, "object": "payout", "status": "paid", "amount": net, "currency": "usd", "arrival_date": int64(1795651200), "created": now(),
		"automatic": true, "reconciliation_status": "completed",
	})

	return id
}

// PayOutAgain pays out what came back from a payout that failed, with a monthly fee of 2.00.
func (s *Stripe) PayOutAgain(failed string) string {
	id := s.PayOut()
	s.state.Lock()
	defer s.state.Unlock()
	back := find(s.payouts, failed)
	s.entries[id] = append(s.entries[id], object{"id": s.id("txn"), "type": "payout_failure", "amount": back["amount"], "fee": int64(0), "currency": "usd", "source": back})
	s.entries[failed] = append(s.entries[failed], object{"id": s.id("txn"), "type": "payout_failure", "amount": back["amount"], "fee": int64(0), "currency": "usd", "source": back})

	return id
}

// Payout is a payout as Stripe has it.
func (s *Stripe) Payout(id string) map[string]any {
	s.state.Lock()
	defer s.state.Unlock()

	return maps.Clone(find(s.payouts, id))
}

// Event is an event about a thing, as Stripe sends it, and its signature.
func (s *Stripe) Event(kind string, about map[string]any, more ...string) (body []byte, signature string) {
	s.state.Lock()
	defer s.state.Unlock()
	e := object{
		"id": s.id("evt"), "object": "event", "type": kind, "livemode": strings.HasPrefix(s.SecretKey, "sk_live_"), "created": now(),
		"data": map[string]any{"object": about},
	}
	if s.Connected != "" {
		e["account"] = s.Connected
	}
	for i := 0; i < len(more); i += 2 {
		e[more[i]] = more[i+1]
	}
	body, err := json.Marshal(e)
	if err != nil {
		panic(err)
	}

	return body, s.Sign(s.SigningSecret, body)
}

// Sign is the signature of a body with a secret.
func (*Stripe) Sign(signingSecret string, body []byte) string {
	return verify.SignStripe([]byte(signingSecret), strconv.FormatInt(now(), 10), body)
}
