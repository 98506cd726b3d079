package gateway

import (
	"context"
	"net/http"
	"net/url"
	"strconv"

	"github.com/dispatchd/dispatchd/modules/cards/cardsapi"
	"github.com/dispatchd/dispatchd/platform/outbound"
)

// Customer is a customer at Square. All texts may be "".
type Customer struct {
	ID          string `json:"id,omitempty"`
	GivenName   string `json:"given_name,omitempty"`
	FamilyName  string `json:"family_name,omitempty"`
	CompanyName string `json:"company_name,omitempty"`
	Email       string `json:"email_address,omitempty"`
	Phone       string `json:"phone_number,omitempty"`
	ReferenceID string `json:"reference_id,omitempty"`
	Note        string `json:"note,omitempty"`
	CreatedAt   string `json:"created_at,omitempty"`
	UpdatedAt   string `json:"updated_at,omitempty"`
}

type newCustomer struct {
	Customer

	Key string `json:"idempotency_key"`
}

type customerAnswer struct {
	Customer Customer `json:"customer"`
}

// CreateCustomer makes a customer. The same key again returns the first one.
func (a *Account) CreateCustomer(ctx context.Context, key string, c Customer) (Customer, error) {
	var answer customerAnswer
	if err := a.post(ctx, "v2/customers", newCustomer{Customer: c, Key: key}, &answer); err != nil {
		return Customer{}, err
	}
	if answer.Customer.ID == "" {
		return Customer{}, unreadable("The answer has no id of a customer.")
	}

	return answer.Customer, nil
}

// Customer returns a customer.
func (a *Account) Customer(ctx context.Context, id string) (Customer, error) {
	var answer customerAnswer
	err := a.get(ctx, "v2/customers/"+url.PathEscape(id), nil, &answer)

	return answer.Customer, err
}

// Customers returns a page of the account's customers, the oldest first, and the cursor of the next one, "" on the last.
func (a *Account) Customers(ctx context.Context, cursor string, limit int) (page []Customer, next string, err error) {
	var answer struct {
		Customers []Customer `json:"customers"`
		Cursor    string     `json:"cursor"`
	}
	query := url.Values{"limit": {strconv.Itoa(limit)}, "sort_field": {"CREATED_AT"}, "sort_order": {"ASC"}}
	if cursor != "" {
		query.Set("cursor", cursor)
	}
	err = a.get(ctx, "v2/customers", query, &answer)

	return answer.Customers, answer.Cursor, err
}

// UpdateCustomer changes fields of a customer; nil clears one.
func (a *Account) UpdateCustomer(ctx context.Context, id string, fields map[string]*string) (Customer, error) {
	var answer customerAnswer
	err := a.call(ctx, outbound.Request{Method: http.MethodPut, Path: "v2/customers/" + url.PathEscape(id), JSON: fields}, &answer)

	return answer.Customer, err
}

// DeleteCustomer deletes a customer, and the cards of the customer with it.
func (a *Account) DeleteCustomer(ctx context.Context, id string) error {
	return a.call(ctx, outbound.Request{Method: http.MethodDelete, Path: "v2/customers/" + url.PathEscape(id)}, nil)
}

// forCustomer marks the key of the customer that is made for a card.
const forCustomer = "c:"

type address struct {
	PostalCode string `json:"postal_code"`
}

type newCard struct {
	Key          string `json:"idempotency_key"`
	SourceID     string `json:"source_id"`
	Verification string `json:"verification_token,omitempty"`
	Card         struct {
		CustomerID  string   `json:"customer_id"`
		Cardholder  string   `json:"cardholder_name,omitempty"`
		Billing     *address `json:"billing_address,omitempty"`
		ReferenceID string   `json:"reference_id"`
	} `json:"card"`
}

type cardAnswer struct {
	Card card `json:"card"`
}

// SaveCard implements cardsapi.VendorVault. An owner without a customer at Square gets one first, by a key of its own: a repeat finds both.
func (a *Account) SaveCard(ctx context.Context, o cardsapi.VendorCardOrder) (cardsapi.VendorCard, error) {
	customer := o.Customer
	if customer == "" {
		made, err := a.CreateCustomer(ctx, forCustomer+o.Reference, customerOf(o))
		if err != nil {
			return cardsapi.VendorCard{}, err
		}
		customer = made.ID
	}
	order := newCard{Key: o.Reference, SourceID: o.Token.ID, Verification: o.Token.Verification}
	order.Card.CustomerID, order.Card.Cardholder, order.Card.ReferenceID = customer, clip(o.OwnerName, longestCardholder), o.Reference
	if o.PostalCode != "" {
		order.Card.Billing = &address{PostalCode: o.PostalCode}
	}
	var answer cardAnswer
	if err := a.post(ctx, "v2/cards", order, &answer); err != nil {
		return cardsapi.VendorCard{}, err
	}
	if answer.Card.ID == "" {
		return cardsapi.VendorCard{}, unreadable("The answer has no id of a card.")
	}

	return answer.Card.vendor(), nil
}

// longestCardholder and longestName are what Square takes, in characters.
const (
	longestCardholder = 96
	longestName       = 300
)

// customerOf is the customer of an owner. Square wants at least one name or address.
func customerOf(o cardsapi.VendorCardOrder) Customer {
	c := Customer{GivenName: clip(o.OwnerName, longestName), Email: o.OwnerEmail, ReferenceID: o.OwnerRef}
	if c.GivenName == "" && c.Email == "" {
		c.GivenName = "Cardholder"
	}

	return c
}

func clip(text string, most int) string {
	runes := []rune(text)

	return string(runes[:min(len(runes), most)])
}

// RemoveCard implements cardsapi.VendorVault. A card that is disabled already is removed.
func (a *Account) RemoveCard(ctx context.Context, id string) error {
	err := a.post(ctx, "v2/cards/"+url.PathEscape(id)+"/disable", struct{}{}, nil)
	if err == nil || !is(err, cardsapi.UnknownReason) {
		return err
	}
	var answer cardAnswer
	if a.get(ctx, "v2/cards/"+url.PathEscape(id), nil, &answer) == nil && answer.Card.ID != "" && !answer.Card.Enabled {
		return nil
	}

	return err
}
