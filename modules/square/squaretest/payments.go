package squaretest

import (
	"maps"
	"net/http"
	"slices"

	"github.com/dispatchd/dispatchd/platform/outbound/vendortest"
)

func (s *Square) createCustomer(body map[string]any) vendortest.Reply {
	named := false
	for _, name := range []string{"given_name", "family_name", "company_name", "email_address", "phone_number"} {
		named = named || body[name] != nil && body[name] != ""
	}
	if !named {
		return invalid("BAD_REQUEST", "")
	}
	made := maps.Clone(body)
	delete(made, "idempotency_key")
	made["id"], made["created_at"], made["updated_at"] = s.id("CUST"), s.now(), s.now()
	s.customers = append(s.customers, made)

	return show("customer", made)
}

// customer shows, changes or deletes a customer. The cards of one who is deleted are disabled.
func (s *Square) customer(method, id string, body map[string]any) vendortest.Reply {
	found := find(s.customers, id)
	if found == nil {
		return notFound("")
	}
	switch method {
	case http.MethodPut:
		for name, value := range body {
			if found[name] = value; value == nil {
				delete(found, name)
			}
		}
		found["updated_at"] = s.now()
	case http.MethodDelete:
		s.customers = slices.DeleteFunc(s.customers, func(c map[string]any) bool { return c["id"] == id })
		for _, card := range s.cards {
			if card["customer_id"] == id {
				card["enabled"] = false
			}
		}

		return vendortest.JSON(http.StatusOK, map[string]any{})
	}

	return show("customer", found)
}

// decline refuses a source; false for one that can be charged. A saved card keeps the source that it was saved from.
func decline(source, verification any) (vendortest.Reply, bool) {
	text, _ := source.(string)
	codes := declines[text]
	switch {
	case text == NeedsVerification && verification != Verification:
		codes = []string{"CARD_DECLINED_VERIFICATION_REQUIRED"}
	case text != OK && text != NeedsVerification && codes == nil:
		return notFound("source_id"), true
	}
	if codes == nil {
		return vendortest.Reply{}, false
	}
	list := make([]any, len(codes))
	for i, code := range codes {
		list[i] = map[string]any{"category": "PAYMENT_METHOD_ERROR", "code": code, "detail": "Authorization error: '" + code + "'"}
	}

	return vendortest.JSON(http.StatusBadRequest, map[string]any{"errors": list}), true
}

func (s *Square) createCard(body map[string]any) vendortest.Reply {
	order, _ := body["card"].(map[string]any)
	customer, _ := order["customer_id"].(string)
	if find(s.customers, customer) == nil {
		return notFound("card.customer_id")
	}
	if refused, no := decline(body["source_id"], body["verification_token"]); no {
		return refused
	}
	made := map[string]any{
		"id": s.id("ccof:"), "card_brand": "VISA", "last_4": "1111", "exp_month": 12, "exp_year": 2030, "customer_id": customer, "enabled": true,
		"cardholder_name": order["cardholder_name"], "reference_id": order["reference_id"], "version": 1,
	}
	s.cards = append(s.cards, made)

	return show("card", made)
}

func (s *Square) disable(card map[string]any) vendortest.Reply {
	switch {
	case card == nil:
		return notFound("")
	case card["enabled"] == false:
		return invalid("BAD_REQUEST", "")
	}
	card["enabled"] = false

	return show("card", card)
}

func (s *Square) pay(body map[string]any) vendortest.Reply {
	source, _ := body["source_id"].(string)
	if card := find(s.cards, source); card != nil {
		switch {
		case card["enabled"] == false:
			return invalid("INVALID_CARD", "source_id")
		case body["customer_id"] != card["customer_id"]:
			return invalid("CUSTOMER_NOT_FOUND", "customer_id")
		}
	} else if refused, no := decline(source, body["verification_token"]); no {
		return refused
	}
	switch {
	case body["location_id"] != s.Location:
		return notFound("location_id")
	case currencyOf(body["amount_money"]) != "USD":
		return invalid("INVALID_VALUE", "amount_money.currency")
	}

	return show("payment", s.newPayment(body))
}

func (s *Square) newPayment(body map[string]any) map[string]any {
	made := map[string]any{
		"id": s.id("PAY"), "status": "COMPLETED", "source_type": "CARD", "amount_money": body["amount_money"], "location_id": s.Location,
		"refunded_money": amount(0, currencyOf(body["amount_money"])), "refund_ids": []string{}, "receipt_url": "https://squareup.com/receipt",
	}
	for _, name := range []string{"reference_id", "note", "customer_id", "statement_description_identifier", "autocomplete"} {
		if body[name] != nil {
			made[name] = body[name]
		}
	}
	if body["autocomplete"] == false {
		made["status"] = "APPROVED"
	}
	at := s.now()
	made["created_at"], made["updated_at"] = at, at
	s.payments = append(s.payments, made)

	return made
}

func (s *Square) end(payment map[string]any, verb string) vendortest.Reply {
	to := map[string]string{"complete": "COMPLETED", "cancel": "CANCELED"}[verb]
	switch {
	case payment == nil || to == "":
		return notFound("")
	case payment["status"] != "APPROVED":
		return invalid("BAD_REQUEST", "")
	}
	payment["status"], payment["updated_at"] = to, s.now()

	return show("payment", payment)
}

func (s *Square) giveBack(body map[string]any) vendortest.Reply {
	id, _ := body["payment_id"].(string)
	of := find(s.payments, id)
	if of == nil {
		return notFound("payment_id")
	}
	given, units := unitsOf(of["refunded_money"]), unitsOf(body["amount_money"])
	switch {
	case of["status"] != "COMPLETED":
		return refuse(http.StatusBadRequest, "REFUND_ERROR", "PAYMENT_NOT_REFUNDABLE", "")
	case units <= 0 || given+units > unitsOf(of["amount_money"]):
		return refuse(http.StatusBadRequest, "REFUND_ERROR", "REFUND_AMOUNT_INVALID", "amount_money")
	}
	at := s.now()
	made := map[string]any{
		"id": s.id("REF"), "status": "PENDING", "payment_id": id, "amount_money": body["amount_money"], "location_id": s.Location, "reason": body["reason"],
		"created_at": at, "updated_at": at,
	}
	s.refunds = append(s.refunds, made)
	ids, _ := of["refund_ids"].([]string)
	of["refunded_money"], of["refund_ids"], of["updated_at"] = amount(given+units, currencyOf(of["amount_money"])), append(ids, made["id"].(string)), at

	return show("refund", made)
}

// Settle completes a refund, or fails it, and returns it.
func (s *Square) Settle(id, status string) map[string]any {
	s.state.Lock()
	defer s.state.Unlock()
	r := find(s.refunds, id)
	if r != nil {
		r["status"], r["updated_at"] = status, s.now()
	}

	return maps.Clone(r)
}
