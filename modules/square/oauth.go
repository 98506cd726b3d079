package square

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/cards/cardsapi"
	"github.com/dispatchd/dispatchd/modules/square/internal/gateway"
	"github.com/dispatchd/dispatchd/platform/audit"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/inbound"
	"github.com/dispatchd/dispatchd/platform/jobs"
	"github.com/dispatchd/dispatchd/platform/link"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/web"
)

// connecting is what the links are for that travel to Square and back as the state of OAuth.
const connecting link.Purpose = "square.connect"

// connectLife is how long a person may take at Square.
const connectLife = 15 * time.Minute

const (
	callbackPath = base + "/oauth/callback"
	// renewSweep is how often tokens are looked for that are to be renewed, retryRenewal when one is tried again that Square refused.
	renewSweep   = time.Hour
	retryRenewal = 24 * time.Hour
)

// connector connects accounts with OAuth (RFC 6749, 4.1), and keeps their tokens good.
type connector struct {
	square   *gateway.Square
	accounts cardsapi.VendorAccounts
	grants   *grants
	links    *link.Service
	inbox    *inbound.Inbox
	queue    *jobs.Queue
	db       *database.DB
	clock    clock.Clock
	trail    *audit.Log
	baseURL  string
}

func newConnector(
	s *gateway.Square, a cardsapi.VendorAccounts, g *grants, l *link.Service, in *inbound.Inbox, q *jobs.Queue, db *database.DB, c clock.Clock, trail *audit.Log,
	w web.Settings,
) *connector {
	return &connector{
		square: s, accounts: a, grants: g, links: l, inbox: in, queue: q, db: db, clock: c, trail: trail, baseURL: strings.TrimSuffix(w.BaseURL, "/"),
	}
}

// wish is the account that is to be connected: a new one with a name, or the one with an id.
type wish struct {
	Name     string `json:"name,omitempty"`
	Account  string `json:"account,omitempty"`
	Location string `json:"location,omitempty"`
}

// redirectURL is where Square sends the browser back.
func (c *connector) redirectURL() string { return c.baseURL + callbackPath }

// notifyURL is where Square sends the notifications of all merchants, "" if the service has no public address.
func (c *connector) notifyURL() string {
	address := c.inbox.URL(gateway.Name+"."+gateway.Kind, c.square.Endpoint())
	if !c.square.HasApplication() || strings.HasPrefix(address, "/") {
		return ""
	}

	return address
}

// start returns the address at which a merchant connects, and until when.
func (c *connector) start(ctx context.Context, w wish) (address string, until time.Time, err error) {
	if !c.square.HasApplication() || c.baseURL == "" {
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

	return c.square.AuthorizeURL(text, c.redirectURL()), made.ExpiresAt, nil
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
	given, err := c.square.Exchange(calling, code, c.redirectURL())
	if err == nil && wanted.Location == "" {
		wanted.Location, err = c.square.MainLocation(calling, given)
	}
	if err != nil {
		return account, connectError(err)
	}
	credentials := given.Credentials(c.square.Application(), wanted.Location)
	err = c.db.InTx(ctx, func(ctx context.Context) error {
		if _, err := c.links.Use(ctx, connecting, state); err != nil {
			return err
		}
		if account, err = c.accounts.Connect(ctx, gateway.Name, wanted.Account, wanted.Name, credentials); err != nil {
			return err
		}
		id := parsed(account.UUID)
		if err := c.grants.save(ctx, grant{ID: id, Merchant: given.Merchant, RenewAt: c.clock.Now().Add(gateway.RenewEvery)}); err != nil {
			return err
		}

		return c.trail.Record(ctx, audit.Entry{Action: "square.connected", Item: audit.Item{Type: "cards.account", UUID: id}})
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
	if err := c.square.Revoke(calling, gateway.AccessToken(account.Credentials)); err != nil {
		return connectError(err)
	}

	return c.db.InTx(ctx, func(ctx context.Context) error {
		id := parsed(account.UUID)
		if err := c.grants.drop(ctx, id); err != nil {
			return err
		}

		return c.trail.Record(ctx, audit.Entry{Action: "square.revoked", Item: audit.Item{Type: "cards.account", UUID: id}})
	})
}

// owners returns the accounts that a notification of the application is for.
func (c *connector) owners(ctx context.Context, n inbound.Notification) (all []inbound.Owner, err error) {
	merchant := gateway.Merchant(n.Body)
	if merchant == "" {
		return nil, nil
	}
	rows, err := c.grants.of(ctx, merchant)
	if err != nil {
		return nil, err
	}
	for _, row := range rows {
		known, err := c.account(principal.AsCompany(ctx, row.CompanyID), row.ID)
		if err != nil {
			return nil, err
		}
		if known != nil {
			all = append(all, inbound.Owner{Company: row.CompanyID, Endpoint: parsed(known.Endpoint)})
		}
	}

	return all, nil
}

// account returns an account of the company, nil if it was deleted.
func (c *connector) account(ctx context.Context, id uuid.UUID) (*cardsapi.VendorAccount, error) {
	all, err := c.accounts.Connected(ctx, gateway.Name)
	if err != nil {
		return nil, err
	}
	for _, a := range all {
		if a.UUID == id.String() {
			return &a, nil
		}
	}

	return nil, nil //nolint:nilnil // none is no failure
}

// renewAll is the job that has tokens renewed.
type renewAll struct{}

// Kind implements jobs.Args.
func (renewAll) Kind() string { return "square.renew_tokens" }

func (c *connector) renewAll(ctx context.Context, _ renewAll) error {
	return c.grants.eachDue(ctx, c.clock.Now(), func(ctx context.Context, account uuid.UUID) error {
		return c.queue.Enqueue(ctx, renewOne{Account: account}, jobs.Unique())
	})
}

// renewOne is the job that renews the token of an account.
type renewOne struct {
	Account uuid.UUID `json:"account"`
}

// Kind implements jobs.Args.
func (renewOne) Kind() string { return "square.renew_token" }

func (c *connector) renewOne(ctx context.Context, args renewOne) error {
	known, err := c.account(ctx, args.Account)
	if err != nil {
		return err
	}
	if known == nil || gateway.RefreshToken(known.Credentials) == "" { // it was deleted, or given a token by hand
		return c.db.InTx(ctx, func(ctx context.Context) error { return c.grants.drop(ctx, args.Account) })
	}
	calling, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	given, err := c.square.Renew(calling, gateway.RefreshToken(known.Credentials))
	if failure, said := errors.AsType[*cardsapi.VendorError](err); said && failure.NotDone && !failure.Retryable {
		later := c.clock.Now().Add(retryRenewal) // the account is failing once its token has ended
		if err := c.db.InTx(ctx, func(ctx context.Context) error { return c.grants.postpone(ctx, args.Account, later) }); err != nil {
			return err
		}

		return jobs.Permanent(failure)
	}
	if err != nil {
		return err
	}

	return c.db.InTx(ctx, func(ctx context.Context) error {
		credentials := given.Credentials(c.square.Application(), gateway.Location(known.Credentials))
		if _, err := c.accounts.Connect(ctx, gateway.Name, known.UUID, "", credentials); err != nil {
			return err
		}

		return c.grants.save(ctx, grant{ID: args.Account, Merchant: given.Merchant, RenewAt: c.clock.Now().Add(gateway.RenewEvery)})
	})
}
