package cards

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/cards/cardsapi"
	"github.com/dispatchd/dispatchd/modules/cards/internal/accounts"
	"github.com/dispatchd/dispatchd/modules/cards/internal/payments"
	"github.com/dispatchd/dispatchd/modules/cards/internal/sandbox"
	"github.com/dispatchd/dispatchd/modules/cards/internal/store"
	"github.com/dispatchd/dispatchd/platform/config"
	"github.com/dispatchd/dispatchd/platform/inbound"
	"github.com/dispatchd/dispatchd/platform/inbound/verify"
	"github.com/dispatchd/dispatchd/platform/jobs"
	"github.com/dispatchd/dispatchd/platform/outbound"
	"github.com/dispatchd/dispatchd/platform/vendorsandbox"
	"github.com/dispatchd/dispatchd/platform/web"
)

// mostNotice is more than a notification of the sandbox has.
const mostNotice = 64 * config.KiB

const signatureHeader = "X-Square-Hmacsha256-Signature"

// sandboxKind is the kind of the sandbox's notifications.
func sandboxKind() inbound.Kind[*receiver] {
	return inbound.Kind[*receiver]{
		Name: sandbox.Kind, Path: "/sandbox/{uuid}/notifications", Summary: "Receive a notification of the sandbox",
		Description: "In Square's form, with Square's signature. The sandbox sends them.",
		Find:        (*receiver).endpoint, Process: (*receiver).process, MaxBody: mostNotice,
		Key: func(n inbound.Notification) string { return sandbox.EventID(n.Body) },
	}
}

// receiver receives the sandbox's notifications, and delivers them too, as the vendor.
type receiver struct {
	accounts *accounts.Service
	vendors  *accounts.Vendors
	notices  *payments.Notices
	box      *sandbox.Sandbox
	poster   *vendorsandbox.Poster
}

// newPoster returns what delivers the sandbox's notices.
func newPoster(api *web.API, network *outbound.Network) (*vendorsandbox.Poster, error) {
	return vendorsandbox.NewPoster(cardsapi.Area, network, api.Address)
}

func newReceiver(
	a *accounts.Service, v *accounts.Vendors, n *payments.Notices, box *sandbox.Sandbox, p *vendorsandbox.Poster,
) *receiver {
	return &receiver{accounts: a, vendors: v, notices: n, box: box, poster: p}
}

// endpoint returns whose endpoint it is, and what verifies what arrives there.
func (s *receiver) endpoint(ctx context.Context, id uuid.UUID) (inbound.Endpoint, error) {
	row, err := s.accounts.ByEndpoint(ctx, sandbox.Name, id.String())
	if err != nil {
		return inbound.Endpoint{}, err
	}
	company, err := uuid.Parse(row.Company)
	if err != nil {
		return inbound.Endpoint{}, err
	}
	address := s.vendors.OwnURL("cards."+sandbox.Kind, id)
	square := verify.Square(verify.Key{ID: "sandbox", Secret: []byte(row.Credentials[sandbox.SignatureKey])})

	return inbound.Endpoint{Company: company, Scheme: func(ctx context.Context, r verify.Request) (string, error) {
		if len(r.URLs) == 0 && strings.HasPrefix(address, "/") { // there is no public address: the sandbox signs the path
			r.URLs = []string{address}
		}

		return square(ctx, r)
	}}, nil
}

// process applies what a notification says.
func (s *receiver) process(ctx context.Context, d inbound.Delivery) error {
	inbox := cardsapi.Inbox{Vendor: sandbox.Name, Accounts: s.accounts, Reports: s.notices}
	ignored, err := inbox.Apply(ctx, d.Endpoint.String(), func(cardsapi.VendorAccount) (cardsapi.Notice, string, error) {
		n, err := sandbox.ReadNotice(d.Body)
		if err != nil {
			err = jobs.Permanent(err)
		}

		return n, "", err
	})
	if ignored != "" {
		return inbound.Ignored(ignored)
	}

	return err
}

// deliver is the job that delivers the sandbox's notices of a payment.
func (s *receiver) deliver(ctx context.Context, args sandbox.DeliverJob) error {
	return s.box.Deliver(ctx, args, func(ctx context.Context, n *vendorsandbox.Notice) error {
		row, err := s.vendors.Accounts.One(ctx, n.Account)
		if errors.Is(err, store.ErrAccount) {
			return nil
		}
		if err != nil {
			return err
		}
		credentials, err := s.vendors.Accounts.Open(ctx, row)
		if err != nil {
			return err
		}
		address := s.vendors.OwnURL("cards."+sandbox.Kind, row.EndpointID)
		header := http.Header{
			"Content-Type":  {"application/json"},
			signatureHeader: {verify.SignSquare([]byte(credentials.Reveal()[sandbox.SignatureKey]), address, n.Body)},
		}
		if err := s.poster.Post(ctx, address, header, n.Body, row.ID.String()); err != nil {
			return fmt.Errorf("notice %s: %w", n.ID, err)
		}

		return nil
	})
}
