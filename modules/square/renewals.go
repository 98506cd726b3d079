package square

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/cards/cardsapi"
	"github.com/dispatchd/dispatchd/modules/square/internal/gateway"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/inbound"
	"github.com/dispatchd/dispatchd/platform/jobs"
	"github.com/dispatchd/dispatchd/platform/principal"
)

// renewSweep is how often tokens are looked for that are to be renewed.
const renewSweep = time.Hour

// renewals keep the tokens of connected accounts good.
type renewals struct {
	application *application
	accounts    cardsapi.VendorAccounts
	grants      *grants
	queue       *jobs.Queue
	db          *database.DB
}

func newRenewals(app *application, a cardsapi.VendorAccounts, g *grants, q *jobs.Queue, db *database.DB) *renewals {
	return &renewals{application: app, accounts: a, grants: g, queue: q, db: db}
}

// renewAll is the job that has tokens renewed.
type renewAll struct{}

// Kind implements jobs.Args.
func (renewAll) Kind() string { return "square.renew_tokens" }

func (r *renewals) renewAll(ctx context.Context, _ renewAll) error {
	return r.grants.eachDue(ctx, func(ctx context.Context, account uuid.UUID) error {
		return r.queue.Enqueue(ctx, renewOne{Account: account}, jobs.Unique())
	})
}

// renewOne is the job that renews the token of an account.
type renewOne struct {
	Account uuid.UUID `json:"account"`
}

// Kind implements jobs.Args.
func (renewOne) Kind() string { return "square.renew_token" }

func (r *renewals) renewOne(ctx context.Context, args renewOne) error {
	known, err := r.account(ctx, args.Account)
	if err != nil {
		return err
	}
	if known == nil || gateway.RefreshToken(known.Credentials) == "" { // it was deleted, or given a token by hand
		return r.db.InTx(ctx, func(ctx context.Context) error { return r.grants.drop(ctx, args.Account) })
	}
	calling, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	given, credentials, err := r.application.renew(calling, gateway.RefreshToken(known.Credentials), gateway.Location(known.Credentials))
	if failure, said := errors.AsType[*cardsapi.VendorError](err); said && failure.NotDone && !failure.Retryable {
		// The account is failing once its token has ended.
		if err := r.db.InTx(ctx, func(ctx context.Context) error { return r.grants.postpone(ctx, args.Account) }); err != nil {
			return err
		}

		return jobs.Permanent(failure)
	}
	if err != nil {
		return err
	}

	return r.db.InTx(ctx, func(ctx context.Context) error {
		if _, err := r.accounts.Connect(ctx, gateway.Name, known.UUID, "", credentials); err != nil {
			return err
		}

		return r.grants.save(ctx, args.Account, given.Merchant)
	})
}

// owners returns the accounts that a notification of the application is for.
func (r *renewals) owners(ctx context.Context, n inbound.Notification) (all []inbound.Owner, err error) {
	merchant := gateway.Merchant(n.Body)
	if merchant == "" {
		return nil, nil
	}
	rows, err := r.grants.of(ctx, merchant)
	if err != nil {
		return nil, err
	}
	for _, row := range rows {
		known, err := r.account(principal.AsCompany(ctx, row.CompanyID), row.ID)
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
func (r *renewals) account(ctx context.Context, id uuid.UUID) (*cardsapi.VendorAccount, error) {
	all, err := r.accounts.Connected(ctx, gateway.Name)
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
