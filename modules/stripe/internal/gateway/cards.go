package gateway

import (
	"context"
	"net/url"

	"github.com/dispatchd/dispatchd/modules/cards/cardsapi"
)

// forCustomer marks the key of the customer that is made for a card.
const forCustomer = "customer:"

// longestName is what Stripe takes, in characters.
const longestName = 256

// method is a card that Stripe keeps.
type method struct {
	ID       string             `json:"id"`
	Customer expandable[noMore] `json:"customer"`
	Card     struct {
		Brand string `json:"brand"`
		Last4 string `json:"last4"`
		Month int    `json:"exp_month"`
		Year  int    `json:"exp_year"`
	} `json:"card"`
}

func (m method) vendor() cardsapi.VendorCard {
	return cardsapi.VendorCard{
		ID: m.ID, Customer: m.Customer.ID, Brand: m.Card.Brand, Last4: m.Card.Last4, Month: m.Card.Month, Year: m.Card.Year, Enabled: true,
	}
}

// setup is how a card is saved: its bank is asked whether it may be charged later, while the cardholder is not there.
type setup struct {
	ID        string             `json:"id"`
	Status    string             `json:"status"`
	Customer  expandable[noMore] `json:"customer"`
	Method    expandable[method] `json:"payment_method"`
	LastError *said              `json:"last_setup_error"`
}

const withMethod = "payment_method"

// SaveCard implements cardsapi.VendorVault. An owner without a customer at Stripe gets one first, by a key of its own: a repeat finds both.
func (a *Account) SaveCard(ctx context.Context, o cardsapi.VendorCardOrder) (cardsapi.VendorCard, error) {
	customer := o.Customer
	if customer == "" {
		made, err := a.createCustomer(ctx, o)
		if err != nil {
			return cardsapi.VendorCard{}, err
		}
		customer = made
	}
	form := url.Values{
		"customer": {customer}, "payment_method": {o.Token.ID}, "confirm": {"true"}, "usage": {"off_session"}, "payment_method_types[]": {onlyCard},
		"metadata[" + keyReference + "]": {o.Reference}, "expand[]": {withMethod},
	}
	var s setup
	got, err := a.post(ctx, "v1/"+setups, o.Reference, form, &s)
	if got.replayed && err == nil && s.ID != "" { // the first answer: the bank may have decided since
		var now setup
		if _, err := a.get(ctx, pathTo(setups, s.ID), url.Values{"expand[]": {withMethod}}, &now); err == nil {
			s = now
		}
	}
	if err != nil {
		return cardsapi.VendorCard{}, hideToken(err, o.Token.ID)
	}

	return s.card()
}

// card is the card that was saved.
func (s setup) card() (cardsapi.VendorCard, error) {
	switch {
	case s.Status == "succeeded" && s.Method.ID != "":
		v := s.Method.Thing.vendor()
		v.ID, v.Customer = s.Method.ID, s.Customer.ID

		return v, nil
	case s.Status == "requires_action":
		return cardsapi.VendorCard{}, &cardsapi.VendorError{
			Reason: cardsapi.ActionRequired, NotDone: true, Code: "authentication_required",
			Detail: "The bank wants to ask the cardholder. Have the page of the card fields confirm a SetupIntent first.",
		}
	case s.Status == "requires_payment_method" && s.LastError != nil:
		why := *s.LastError

		return cardsapi.VendorCard{}, &cardsapi.VendorError{
			Reason: why.reason(), NotDone: true, Code: why.code(), Detail: cardsapi.Printable(why.Message), Final: why.isFinal(),
		}
	default:
		return cardsapi.VendorCard{}, unreadable("The answer has no card that was saved.")
	}
}

func (a *Account) createCustomer(ctx context.Context, o cardsapi.VendorCardOrder) (string, error) {
	form := url.Values{"metadata[" + keyReference + "]": {o.Reference}}
	for name, value := range map[string]string{"name": clip(o.OwnerName, longestName), "email": o.OwnerEmail, "metadata[owner]": o.OwnerRef} {
		if value != "" {
			form.Set(name, value)
		}
	}
	var made struct {
		ID string `json:"id"`
	}
	if _, err := a.post(ctx, "v1/customers", forCustomer+o.Reference, form, &made); err != nil {
		return "", err
	}
	if made.ID == "" {
		return "", unreadable("The answer has no id of a customer.")
	}

	return made.ID, nil
}

// RemoveCard implements cardsapi.VendorVault. A card that belongs to no customer any more is removed. It has no idempotency key: that is the
// same once and twice.
func (a *Account) RemoveCard(ctx context.Context, id string) error {
	_, err := a.post(ctx, pathTo(methods, id, "detach"), "", url.Values{}, nil)
	if e := refusal(err); e == nil || e.Reason != cardsapi.UnknownReason {
		return err
	}
	var m method
	if _, failed := a.get(ctx, pathTo(methods, id), nil, &m); failed == nil && m.ID != "" && m.Customer.ID == "" {
		return nil
	}

	return err
}
