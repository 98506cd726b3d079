package square

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/dispatchd/dispatchd/modules/cards/cardsapi"
	"github.com/dispatchd/dispatchd/modules/square/internal/gateway"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/link"
)

// connecting is what the links are for that travel to Square and back as the state of OAuth.
const connecting link.Purpose = "square.connect"

// connectLife is how long a person may take at Square.
const connectLife = 15 * time.Minute

// connector connects accounts with OAuth (RFC 6749, 4.1), and disconnects them.
type connector struct {
	application *application
	accounts    cardsapi.VendorAccounts
	grants      *grants
	links       *link.Service
	db          *database.DB
}

func newConnector(app *application, a cardsapi.VendorAccounts, g *grants, l *link.Service, db *database.DB) *connector {
	return &connector{application: app, accounts: a, grants: g, links: l, db: db}
}

// wish is the account that is to be connected: a new one with a name, or the one with an id.
type wish struct {
	Name     string `json:"name,omitempty"`
	Account  string `json:"account,omitempty"`
	Location string `json:"location,omitempty"`
}

// start returns the address at which a merchant connects, and until when.
func (c *connector) start(ctx context.Context, w wish) (address string, until time.Time, err error) {
	if !c.application.exists() || c.application.baseURL == "" {
		return "", until, errNoApplication
	}
	all, err := c.accounts.Connected(ctx, gateway.Name)
	if err != nil {
		return "", until, err
	}
	switch {
	case w.Account != "" && !slices.ContainsFunc(all, func(a cardsapi.VendorAccount) bool { return a.UUID == w.Account }):
		return "", until, cardsapi.ErrAccount
	case w.Account == "" && slices.ContainsFunc(all, func(a cardsapi.VendorAccount) bool { return a.Name == w.Name }):
		return "", until, errInvalid.WithField("name", "Another account has this name. Use another one, or send its account_uuid to connect it again.")
	}
	made, text, err := c.links.Create(ctx, link.NewLink{Purpose: connecting, Subject: link.Subject{Type: "cards.account"}, Payload: w})
	if err != nil {
		return "", until, err
	}

	return c.application.authorizeURL(text), made.ExpiresAt, nil
}

// finish connects the account of a state, with the code that Square gave the merchant's browser.
func (c *connector) finish(ctx context.Context, state, code string) (account cardsapi.VendorAccount, err error) {
	ctx, found, err := c.links.Enter(ctx, connecting, state)
	if err != nil {
		return account, err
	}
	wanted, err := link.PayloadOf[wish](found)
	if err != nil {
		return account, err
	}
	calling, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	given, credentials, err := c.application.exchange(calling, code, wanted.Location)
	if err != nil {
		return account, connectError(err)
	}
	err = c.db.InTx(ctx, func(ctx context.Context) error {
		if _, err := c.links.Use(ctx, connecting, state); err != nil {
			return err
		}
		if account, err = c.accounts.Connect(ctx, gateway.Name, wanted.Account, wanted.Name, credentials); err != nil {
			return err
		}

		return c.grants.connect(ctx, parsed(account.UUID), given.Merchant)
	})

	return account, err
}

// connectError is what the person is told whom Square, or its network, has let down.
func connectError(err error) error {
	failure, ok := errors.AsType[*cardsapi.VendorError](err)
	switch {
	case !ok:
		return err
	case failure.Retryable || !failure.NotDone:
		return errDown.WithRetryAfter(failure.RetryAfter).WithCause(err)
	}

	return errNotConnected.WithCause(err)
}

// revoke ends what a merchant allows: at Square, which tells all accounts of the merchant, and here.
func (c *connector) revoke(ctx context.Context, account cardsapi.VendorAccount) error {
	if gateway.RefreshToken(account.Credentials) == "" {
		return errNotOAuth
	}
	calling, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	if err := c.application.revoke(calling, gateway.AccessToken(account.Credentials)); err != nil {
		return connectError(err)
	}

	return c.db.InTx(ctx, func(ctx context.Context) error { return c.grants.revoke(ctx, parsed(account.UUID)) })
}

// enter returns the context of the company that a state is for.
func (c *connector) enter(ctx context.Context, state string) (context.Context, error) {
	ctx, _, err := c.links.Enter(ctx, connecting, state)

	return ctx, err
}
