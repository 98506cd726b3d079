package esign

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/dispatchd/dispatchd/modules/esign/esignapi"
	"github.com/dispatchd/dispatchd/modules/esign/internal/accounts"
	"github.com/dispatchd/dispatchd/modules/esign/internal/sandbox"
	"github.com/dispatchd/dispatchd/modules/esign/internal/store"
	"github.com/dispatchd/dispatchd/platform/inbound/verify"
	"github.com/dispatchd/dispatchd/platform/outbound"
	"github.com/dispatchd/dispatchd/platform/secret"
	"github.com/dispatchd/dispatchd/platform/vendorsandbox"
	"github.com/dispatchd/dispatchd/platform/web"
)

// sandboxCourier brings us what the sandbox tells, as a vendor does: over HTTP, signed, to the address that its account has.
type sandboxCourier struct {
	store   *store.Repository
	box     *sandbox.Sandbox
	vendors *accounts.Vendors
	poster  *vendorsandbox.Poster
}

func newTeller(r *store.Repository, box *sandbox.Sandbox, v *accounts.Vendors, api *web.API, network *outbound.Network) (*sandboxCourier, error) {
	poster, err := vendorsandbox.NewPoster(esignapi.Area, network, api.Address)

	return &sandboxCourier{store: r, box: box, vendors: v, poster: poster}, err
}

// deliverNotices is the job that brings what there is to tell of an envelope.
func (t *sandboxCourier) deliverNotices(ctx context.Context, args sandbox.DeliverJob) error {
	return t.box.DeliverNotices(ctx, args, t.deliverNotice)
}

// deliverNotice sends a notification. That of an account that is gone is nobody's.
func (t *sandboxCourier) deliverNotice(ctx context.Context, n *vendorsandbox.Notice, body []byte) error {
	row, err := t.vendors.Accounts.One(ctx, n.Account)
	if errors.Is(err, store.ErrAccount) {
		return nil
	}
	if err != nil {
		return err
	}
	header, err := t.signed(ctx, row, body)
	if err != nil {
		return err
	}

	return t.poster.Post(ctx, t.vendors.Address(esignapi.Area+"."+accounts.CallbackKind, row.EndpointID), header, body, row.ID.String())
}

// signed is the header of a notification, with a signature by each key that the account has, as while keys are changed.
func (t *sandboxCourier) signed(ctx context.Context, row store.Account, body []byte) (http.Header, error) {
	header := http.Header{"Content-Type": {"application/json"}, "X-Authorization-Digest": {"HMACSHA256"}}
	keys, err := t.store.KeysOf(ctx, row.ID)
	if err != nil {
		return nil, err
	}
	for i, k := range keys {
		text, err := t.vendors.Keys.Open(ctx, secret.Place{Table: store.TableKeys, Column: store.ColumnSecret, Company: row.CompanyID, ID: k.ID}, k.Secret)
		if err != nil {
			return nil, fmt.Errorf("key %s: %w", k.ID, err)
		}
		header.Set(fmt.Sprintf("X-Docusign-Signature-%d", i+1), verify.SignDocuSign(text, body))
	}

	return header, nil
}
