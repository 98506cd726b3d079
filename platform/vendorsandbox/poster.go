package vendorsandbox

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"strconv"
	"strings"

	"github.com/dispatchd/dispatchd/platform/outbound"
)

// errNotTaken says that a notification was not acknowledged.
var errNotTaken = errors.New("vendorsandbox: the notification was not taken")

// Poster sends notifications to the service's own receivers, as a vendor does: over HTTP.
type Poster struct {
	public, own *outbound.Client
	listens     func() string
}

// NewPoster returns the poster of an area. Listens returns the address at which the process listens, as web.API.Address does.
func NewPoster(area string, network *outbound.Network, listens func() string) (*Poster, error) {
	p := &Poster{listens: listens}
	var err error
	if p.public, err = network.Client(outbound.Spec{Name: area + ".sandbox"}); err != nil {
		return nil, err
	}
	p.own, err = network.Client(outbound.Spec{Name: area + ".sandbox_own", Own: p.host})

	return p, err
}

// Post sends a notification of an account to an address, or to the process itself if the address is a path, as it is where the service
// has no public address. It fails unless the notification is acknowledged.
func (p *Poster) Post(ctx context.Context, address string, header http.Header, body []byte, account string) error {
	client := p.public
	if strings.HasPrefix(address, "/") {
		client, address = p.own, "http://"+p.host()+address
	}
	answer, err := client.Do(ctx, outbound.Call{Method: http.MethodPost, URL: address, Header: header, Body: body, Key: account})
	if err == nil && !answer.OK() {
		err = fmt.Errorf("%w: status %d", errNotTaken, answer.Status)
	}

	return err
}

// host is where the process listens, as it can be called from itself.
func (p *Poster) host() string {
	at, err := netip.ParseAddrPort(p.listens())
	if err != nil {
		return p.listens()
	}
	if host := at.Addr().Unmap(); host.IsUnspecified() {
		return net.JoinHostPort("127.0.0.1", strconv.Itoa(int(at.Port())))
	}

	return at.String()
}
