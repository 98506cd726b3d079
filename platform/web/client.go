package web

import (
	"context"
	"net/netip"
	"slices"
	"strings"

	"github.com/gofiber/fiber/v2"

	"github.com/dispatchd/dispatchd/platform/web/overload"
)

// ClientIP returns the address that the request of ctx comes from, "" if ctx belongs to no request.
// Behind trusted proxies it is the last address of X-Forwarded-For that is not one of theirs.
func ClientIP(ctx context.Context) string {
	if ex := exchangeOf(ctx); ex != nil && ex.client.IsValid() {
		return ex.client.String()
	}

	return ""
}

// ClientNetwork returns the network that the request of ctx comes from, for limits by address: the address itself, or the /64 of an IPv6 address, which is
// what one subscriber has. It is "" if ctx belongs to no request.
func ClientNetwork(ctx context.Context) string {
	ex := exchangeOf(ctx)
	if ex == nil || !ex.client.IsValid() {
		return ""
	}
	if network, err := ex.client.Prefix(overload.Subscriber); ex.client.Is6() && err == nil {
		return network.String()
	}

	return ex.client.String()
}

// client finds out where a request comes from. Each proxy adds on the right whom it was called by,
// so the list is read from there, for as long as a trusted proxy wrote it; everything further left
// a stranger may have made up.
func (a *API) client(c *fiber.Ctx) netip.Addr {
	peer, _ := netip.AddrFromSlice(c.Context().RemoteIP())
	peer = plainAddr(peer)
	if !a.trusts(peer) {
		return peer
	}
	client := peer
	headers := c.Request().Header.PeekAll(fiber.HeaderXForwardedFor)
	for _, header := range slices.Backward(headers) {
		hops := strings.Split(string(header), ",")
		for _, hop := range slices.Backward(hops) {
			addr, ok := parseHop(hop)
			if !ok {
				return client
			}
			client = addr
			if !a.trusts(client) {
				return client
			}
		}
	}

	return client
}

func (a *API) trusts(addr netip.Addr) bool {
	return slices.ContainsFunc(a.proxies, func(n netip.Prefix) bool { return n.Contains(addr) })
}

// parseHop reads an entry of X-Forwarded-For. Some proxies add the port.
func parseHop(text string) (netip.Addr, bool) {
	text = strings.TrimSpace(text)
	if both, err := netip.ParseAddrPort(text); err == nil {
		return plainAddr(both.Addr()), true
	}
	addr, err := netip.ParseAddr(strings.Trim(text, "[]"))

	return plainAddr(addr), err == nil
}

// plainAddr makes an address comparable: IPv4 as IPv4, and without a zone.
func plainAddr(addr netip.Addr) netip.Addr { return addr.Unmap().WithZone("") }

// parseNetwork reads an address or a network.
func parseNetwork(text string) (netip.Prefix, error) {
	if addr, err := netip.ParseAddr(text); err == nil {
		addr = plainAddr(addr)

		return addr.Prefix(addr.BitLen())
	}
	prefix, err := netip.ParsePrefix(text)

	return prefix.Masked(), err
}

// parseNetworks reads what the check of the settings has found right.
func parseNetworks(texts []string) []netip.Prefix {
	var all []netip.Prefix
	for _, text := range texts {
		if n, err := parseNetwork(text); err == nil {
			all = append(all, n)
		}
	}

	return all
}
