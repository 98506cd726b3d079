package square

import (
	"context"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/cards/cardsapi"
	"github.com/dispatchd/dispatchd/modules/square/internal/gateway"
	"github.com/dispatchd/dispatchd/platform/config"
	"github.com/dispatchd/dispatchd/platform/inbound"
	"github.com/dispatchd/dispatchd/platform/inbound/verify"
	"github.com/dispatchd/dispatchd/platform/jobs"
)

// mostNotice is more than a notification of Square has.
const mostNotice = 256 * config.KiB

// noticeKind is the kind of Square's notifications.
func noticeKind() inbound.Kind[*receiver] {
	return inbound.Kind[*receiver]{
		Name: gateway.Kind, Path: "/notifications/{uuid}", Summary: "Receive a notification from Square",
		Description: "GET /accounts shows the address. x-square-hmacsha256-signature is verified with the signature_key of the account.",
		Find:        (*receiver).endpoint, Process: (*receiver).process, MaxBody: mostNotice,
		Key: func(n inbound.Notification) string { return gateway.EventID(n.Body) },
	}
}

// receiver takes Square's notifications.
type receiver struct {
	application *application
	renewals    *renewals
	accounts    cardsapi.VendorAccounts
	reports     cardsapi.Reports
}

func newReceiver(app *application, n *renewals, a cardsapi.VendorAccounts, r cardsapi.Reports) *receiver {
	return &receiver{application: app, renewals: n, accounts: a, reports: r}
}

// endpoint returns whose endpoint it is, and what verifies what arrives there. A disabled account has it still: what was charged before
// comes to an end.
//
// One endpoint is the application's: it is told of all merchants that connected with OAuth.
func (s *receiver) endpoint(ctx context.Context, id uuid.UUID) (inbound.Endpoint, error) {
	if key, is := s.application.key(id); is {
		return inbound.Endpoint{Scheme: verify.Square(verify.Key{ID: "application", Secret: key}), Owners: s.renewals.owners}, nil
	}
	a, err := s.accounts.ByEndpoint(ctx, gateway.Name, id.String())
	if err != nil {
		return inbound.Endpoint{}, err
	}
	company, err := uuid.Parse(a.Company)
	if err != nil {
		return inbound.Endpoint{}, err
	}
	key := verify.Key{ID: gateway.SignatureKey, Secret: []byte(a.Credentials[gateway.SignatureKey])}

	return inbound.Endpoint{Company: company, Scheme: verify.Square(key)}, nil
}

// process applies what a notification says.
func (s *receiver) process(ctx context.Context, d inbound.Delivery) error {
	inbox := cardsapi.Inbox{Vendor: gateway.Name, Accounts: s.accounts, Reports: s.reports}
	ignored, err := inbox.Apply(ctx, d.Endpoint.String(), func(cardsapi.VendorAccount) (n cardsapi.Notice, ignored string, err error) {
		n, says, err := gateway.ReadNotice(d.Body)
		switch {
		case err != nil:
			err = jobs.Permanent(err)
		case !says:
			ignored = "it says nothing about card payments"
		}

		return n, ignored, err
	})
	if ignored != "" {
		return inbound.Ignored(ignored)
	}

	return err
}
