package square

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/cards/cardsapi"
	"github.com/dispatchd/dispatchd/modules/square/internal/gateway"
	"github.com/dispatchd/dispatchd/platform/database"
)

const base = "/square/api/v1"

// callTimeout is how long Square may take while a request waits, requestTimeout how long that request may take.
const (
	callTimeout    = 20 * time.Second
	requestTimeout = 30 * time.Second
)

// keyPrefix begins the references of cards and payments that are ordered here.
const keyPrefix = "square:"

// opener chooses accounts, and opens them.
type opener struct {
	square   *gateway.Square
	accounts cardsapi.VendorAccounts
}

func newOpener(s *gateway.Square, a cardsapi.VendorAccounts) *opener {
	return &opener{square: s, accounts: a}
}

// account returns the account with an id, or the only enabled one for uuid.Nil. With several, nobody guesses which is to be charged.
func (o *opener) account(ctx context.Context, id uuid.UUID) (cardsapi.VendorAccount, error) {
	all, err := o.accounts.Connected(ctx, gateway.Name)
	if err != nil {
		return cardsapi.VendorAccount{}, err
	}
	var enabled []cardsapi.VendorAccount
	for _, a := range all {
		switch {
		case a.UUID == id.String() && a.Disabled:
			return a, cardsapi.ErrDisabled
		case a.UUID == id.String():
			return a, nil
		case !a.Disabled:
			enabled = append(enabled, a)
		}
	}
	switch {
	case id != uuid.Nil:
		return cardsapi.VendorAccount{}, cardsapi.ErrAccount
	case len(enabled) == 0:
		return cardsapi.VendorAccount{}, errNoAccount
	case len(enabled) > 1:
		return cardsapi.VendorAccount{}, errWhich
	}

	return enabled[0], nil
}

// open opens an account for calls that have nothing to do with money.
func (o *opener) open(ctx context.Context, id uuid.UUID) (*gateway.Account, error) {
	a, err := o.account(ctx, id)
	if err != nil {
		return nil, err
	}
	opened, err := o.square.OpenAccount(cardsapi.Opening{Account: a.UUID, Credentials: a.Credentials})

	return opened, callerError(err)
}

// referenceOf is the reference of an idempotency key, or one that is made up.
func referenceOf(key string) string {
	if key == "" {
		key = database.NewID().String()
	}

	return keyPrefix + key
}
