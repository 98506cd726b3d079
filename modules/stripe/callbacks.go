package stripe

import (
	"context"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/cards/cardsapi"
	"github.com/dispatchd/dispatchd/modules/stripe/internal/gateway"
	"github.com/dispatchd/dispatchd/platform/config"
	"github.com/dispatchd/dispatchd/platform/inbound"
	"github.com/dispatchd/dispatchd/platform/inbound/verify"
	"github.com/dispatchd/dispatchd/platform/jobs"
)

// mostNotice is more than an event of Stripe has.
const mostNotice = 512 * config.KiB

// noticeKind is the kind of Stripe's events.
func noticeKind() inbound.Kind[*receiver] {
	return inbound.Kind[*receiver]{
		Name: gateway.Kind, Path: "/notifications/{uuid}", Summary: "Receive an event from Stripe",
		Description: "GET /cards/api/v1/accounts shows the address. Stripe-Signature is verified with the signing_secret of the account.",
		Find:        (*receiver).endpoint, Process: (*receiver).process, MaxBody: mostNotice,
		Key: func(n inbound.Notification) string { return gateway.EventID(n.Body) },
	}
}

// receiver takes Stripe's events.
type receiver struct{ inbox cardsapi.Inbox }

func newReceiver(a cardsapi.VendorAccounts, r cardsapi.Reports) *receiver {
	return &receiver{cardsapi.Inbox{Vendor: gateway.Name, Accounts: a, Reports: r}}
}

// endpoint returns whose endpoint it is, and what verifies what arrives there. A disabled account has it still: what was charged before
// comes to an end.
func (s *receiver) endpoint(ctx context.Context, id uuid.UUID) (inbound.Endpoint, error) {
	a, err := s.inbox.Accounts.ByEndpoint(ctx, gateway.Name, id.String())
	if err != nil {
		return inbound.Endpoint{}, err
	}
	company, err := uuid.Parse(a.Company)
	if err != nil {
		return inbound.Endpoint{}, err
	}
	key := verify.Key{ID: gateway.SigningSecret, Secret: []byte(a.Credentials[gateway.SigningSecret])}

	return inbound.Endpoint{Company: company, Scheme: verify.Stripe(verify.Tolerance, key)}, nil
}

// process applies what an event says.
func (s *receiver) process(ctx context.Context, d inbound.Delivery) error {
	ignored, err := s.inbox.Apply(ctx, d.Endpoint.String(), func(a cardsapi.VendorAccount) (cardsapi.Notice, string, error) {
		n, ignored, err := gateway.ReadNotice(d.Body, a.Credentials)
		if err != nil {
			err = jobs.Permanent(err)
		}

		return n, ignored, err
	})
	if ignored != "" {
		return inbound.Ignored(ignored)
	}

	return err
}
