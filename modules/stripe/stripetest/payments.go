package stripetest

import (
	"net/http"
	"net/url"
	"strconv"

	"github.com/dispatchd/dispatchd/platform/outbound/vendortest"
)

func (s *Stripe) createCustomer(form url.Values) vendortest.Reply {
	made := object{
		"id": s.id("cus"), "object": "customer", "name": form.Get("name"), "email": form.Get("email"), "created": now(), "metadata": metadata(form),
	}
	s.customers = append(s.customers, made)

	return show(made, nil)
}

func metadata(form url.Values) map[string]string {
	kept := map[string]string{}
	for _, name := range []string{"reference", "reason", "owner"} {
		if value := form.Get("metadata[" + name + "]"); value != "" {
			kept[name] = value
		}
	}

	return kept
}

// source is what a method does: that of Stripe's test mode, or the one that a saved card was made of.
func (s *Stripe) source(id string) (string, object) {
	if m := find(s.methods, id); m != nil {
		return text(m["source"]), m
	}

	return id, nil
}

func isKnown(source string) bool {
	return source == OK || source == Asks || declines[source] != [2]string{}
}

// save sets up a card for payments while the cardholder is not there.
func (s *Stripe) save(form url.Values) vendortest.Reply {
	customer, source := form.Get("customer"), form.Get("payment_method")
	codes, refused := declines[source]
	switch {
	case form.Get("usage") != "off_session" || form.Get("confirm") != "true":
		return invalid("parameter_missing", "usage", "It would not be saved.")
	case find(s.customers, customer) == nil:
		return notFound(http.StatusBadRequest, "customer", customer)
	case !isKnown(source):
		return notFound(http.StatusBadRequest, "payment_method", source)
	case refused && source != LaterDeclined:
		return vendortest.JSON(http.StatusPaymentRequired, object{"error": decline(codes)})
	}
	made := object{
		"id": s.id("pm"), "object": "payment_method", "type": "card", "customer": customer, "source": source, "created": now(),
		"card": map[string]any{"brand": "visa", "last4": "4242", "exp_month": 12, "exp_year": 2030},
	}
	s.methods = append(s.methods, made)
	setup := object{
		"id": s.id("seti"), "object": "setup_intent", "status": "succeeded", "customer": customer, "payment_method": made, "metadata": metadata(form),
	}
	if source == Asks {
		setup["status"] = "requires_action"
	}
	s.setups = append(s.setups, setup)

	return show(setup, form["expand[]"])
}

func (s *Stripe) detach(m object) vendortest.Reply {
	switch {
	case m == nil:
		return notFound(http.StatusNotFound, "payment_method", "")
	case m["customer"] == nil:
		return invalid("", "", "The payment method you provided is not attached to a customer so detachment is impossible.")
	}
	m["customer"] = nil

	return show(m, nil)
}

func decline(codes [2]string) object {
	e := object{"type": "card_error", "code": codes[0], "message": "Your card was declined."}
	if codes[1] != "" {
		e["decline_code"] = codes[1]
	}

	return e
}

// pay makes a payment and confirms it.
func (s *Stripe) pay(form url.Values) vendortest.Reply {
	amount, err := strconv.ParseInt(form.Get("amount"), 10, 64)
	source, saved := s.source(form.Get("payment_method"))
	switch {
	case err != nil || amount < 1:
		return invalid("parameter_invalid_integer", "amount", "Invalid integer.")
	case amount < 50: //nolint:mnd // 0.50 USD
		return invalid("amount_too_small", "amount", "Amount must be at least $0.50 usd")
	case form.Get("currency") != "usd" && form.Get("currency") != "jpy":
		return invalid("", "currency", "Invalid currency: "+form.Get("currency"))
	case form.Get("payment_method_types[]") != "card" || form.Get("confirm") != "true":
		return invalid("parameter_missing", "confirm", "A return_url is needed.")
	case !isKnown(source):
		return notFound(http.StatusBadRequest, "payment_method", source)
	case saved != nil && saved["customer"] == nil:
		return invalid("", "payment_method", "It was detached, and may not be used again.")
	case saved != nil && saved["customer"] != form.Get("customer"):
		return invalid("payment_method_unexpected_state", "payment_method", "It belongs to another customer.")
	}
	made := s.newIntent(amount, form.Get("currency"))
	made["metadata"], made["description"], made["statement_descriptor_suffix"] = metadata(form), form.Get("description"), form.Get("statement_descriptor_suffix")
	made["capture_method"], made["customer"], made["return_url"] = form.Get("capture_method"), form.Get("customer"), form.Get("return_url")
	made["off_session"] = form.Get("off_session") == "true"
	codes, refused := declines[source]
	switch {
	case refused:
	case source != Asks:
		s.take(made)

		return show(made, form["expand[]"])
	case form.Get("off_session") == "true" || form.Get("error_on_requires_action") == "true":
		codes = [2]string{"authentication_required", "authentication_required"}
	default:
		made["status"] = "requires_action"
		made["next_action"] = map[string]any{"type": "redirect_to_url", "redirect_to_url": map[string]any{"url": "https://hooks.stripe.com/3ds/" + made.id()}}

		return show(made, form["expand[]"])
	}
	made["last_payment_error"] = decline(codes)
	e := decline(codes)
	e["payment_intent"] = made

	return vendortest.JSON(http.StatusPaymentRequired, object{"error": e})
}

func (s *Stripe) newIntent(amount int64, currency string) object {
	made := object{
		"id": s.id("pi"), "object": "payment_intent", "status": "requires_payment_method", "amount": amount, "amount_received": int64(0),
		"currency": currency, "created": now(), "payment_method_types": []string{"card"}, "capture_method": "automatic",
		"metadata": map[string]string{},
	}
	s.intents = append(s.intents, made)

	return made
}

// take takes the amount, or reserves it.
func (s *Stripe) take(intent object) {
	intent["status"] = "requires_capture"
	charge := object{
		"id": s.id("ch"), "object": "charge", "payment_intent": intent.id(), "amount_refunded": int64(0),
		"payment_method_details": map[string]any{"type": "card"},
	}
	if intent["capture_method"] != "manual" {
		s.settle(intent, charge)
	}
	intent["latest_charge"] = charge
}

// settle takes an amount with a fee of 2.9 % and 0.30.
func (s *Stripe) settle(intent, charge object) {
	amount := units(intent["amount"])
	intent["status"], intent["amount_received"] = "succeeded", amount
	charge["balance_transaction"] = object{
		"id": s.id("txn"), "object": "balance_transaction", "type": "charge", "amount": amount, "currency": intent["currency"],
		"fee": (amount*29+500)/1000 + 30, //nolint:mnd // see above
	}
}

func (s *Stripe) end(intent object, verb string, expand []string) vendortest.Reply {
	switch {
	case intent == nil:
		return notFound(http.StatusNotFound, "intent", "")
	case verb == "capture" && intent["status"] == "requires_capture":
		s.settle(intent, intent["latest_charge"].(object))
	case verb == "cancel" && (intent["status"] == "requires_capture" || intent["status"] == "requires_action"):
		intent["status"] = "canceled"
	default:
		return invalid("payment_intent_unexpected_state", "", "This PaymentIntent has a status of "+text(intent["status"])+".")
	}

	return show(intent, expand)
}

func (s *Stripe) giveBack(form url.Values) vendortest.Reply {
	id := form.Get("payment_intent")
	amount, err := strconv.ParseInt(form.Get("amount"), 10, 64)
	of := find(s.intents, id)
	if of == nil {
		return notFound(http.StatusNotFound, "payment_intent", id)
	}
	charge, _ := of["latest_charge"].(object)
	left := units(of["amount_received"]) - units(charge["amount_refunded"])
	switch {
	case err != nil || amount < 1:
		return invalid("parameter_invalid_integer", "amount", "Invalid positive integer")
	case left == 0:
		return invalid("charge_already_refunded", "", "Charge has already been refunded.")
	case amount > left:
		return invalid("", "amount", "Refund amount is greater than unrefunded amount on charge")
	}
	charge["amount_refunded"] = units(charge["amount_refunded"]) + amount
	made := object{
		"id": s.id("re"), "object": "refund", "status": "succeeded", "amount": amount, "currency": of["currency"], "payment_intent": id,
		"metadata": metadata(form), "created": now(),
	}
	if s.Pends {
		made["status"] = "pending"
	}
	s.refunds = append(s.refunds, made)

	return show(made, nil)
}
