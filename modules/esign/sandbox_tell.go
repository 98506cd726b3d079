package esign

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"strconv"
	"strings"

	"github.com/dispatchd/dispatchd/modules/esign/esignapi"
	"github.com/dispatchd/dispatchd/modules/esign/internal/sandbox"
	"github.com/dispatchd/dispatchd/platform/inbound/verify"
	"github.com/dispatchd/dispatchd/platform/outbound"
	"github.com/dispatchd/dispatchd/platform/secret"
	"github.com/dispatchd/dispatchd/platform/web"
)

// teller brings us what the sandbox tells, as a vendor does: over HTTP, signed, to the address that its account has.
type teller struct {
	*repository

	box     *sandbox.Sandbox
	vendors *vendors
	api     *web.API
	public  *outbound.Client
	own     *outbound.Client
}

func newTeller(r *repository, box *sandbox.Sandbox, v *vendors, api *web.API, network *outbound.Network) (*teller, error) {
	t := &teller{repository: r, box: box, vendors: v, api: api}
	var err error
	if t.public, err = network.Client(outbound.Spec{Name: "esign.sandbox"}); err != nil {
		return nil, err
	}
	t.own, err = network.Client(outbound.Spec{Name: "esign.sandbox_own", Own: t.listening})

	return t, err
}

// listening is where this process listens, as it can be called from here.
func (t *teller) listening() string {
	at, err := netip.ParseAddrPort(t.api.Address())
	if err != nil {
		return t.api.Address()
	}
	if host := at.Addr().Unmap(); host.IsUnspecified() {
		return net.JoinHostPort("127.0.0.1", strconv.Itoa(int(at.Port())))
	}

	return at.String()
}

// tell is the job that brings what there is to tell of an envelope.
func (t *teller) tell(ctx context.Context, args sandbox.Bringing) error {
	return t.box.Bring(ctx, args, t.bring)
}

// errNotTaken says that a notification was not acknowledged.
var errNotTaken = errors.New("esign: the sandbox's notification was not taken")

// bring sends a notification. That of an account that is gone is nobody's.
func (t *teller) bring(ctx context.Context, n sandbox.Notice) error {
	row, err := t.vendors.accounts.One(ctx, n.Account)
	if errors.Is(err, errAccount) {
		return nil
	}
	if err != nil {
		return err
	}
	header, err := t.signed(ctx, row, n.Body)
	if err != nil {
		return err
	}
	client, address := t.public, t.vendors.address(esignapi.Area+"."+callbackKind, row.EndpointID)
	if strings.HasPrefix(address, "/") {
		client, address = t.own, "http://"+t.listening()+address
	}
	answer, err := client.Do(ctx, outbound.Call{Method: http.MethodPost, URL: address, Header: header, Body: n.Body, Key: row.ID.String()})
	if err == nil && !answer.OK() {
		err = fmt.Errorf("%w: status %d", errNotTaken, answer.Status)
	}

	return err
}

// signed is the header of a notification, with a signature by each key that the account has, as while keys are changed.
func (t *teller) signed(ctx context.Context, row account, body []byte) (http.Header, error) {
	header := http.Header{"Content-Type": {"application/json"}, "X-Authorization-Digest": {"HMACSHA256"}}
	keys, err := t.keysOf(ctx, row.ID)
	if err != nil {
		return nil, err
	}
	for i, k := range keys {
		text, err := t.vendors.keys.Open(ctx, secret.Place{Table: tableKeys, Column: columnSecret, Company: row.CompanyID, ID: k.ID}, k.Secret)
		if err != nil {
			return nil, fmt.Errorf("key %s: %w", k.ID, err)
		}
		header.Set(fmt.Sprintf("X-Docusign-Signature-%d", i+1), verify.SignDocuSign(text, body))
	}

	return header, nil
}
