package outbound

import (
	"net/netip"
	"slices"
)

// nonPublicIPv4 are the networks of IPv4 that are not public: those that IANA's registry of special-purpose
// addresses (https://www.iana.org/assignments/iana-ipv4-special-registry) does not call globally
// reachable, multicast, and the addresses at which clouds serve their metadata and which look public.
func nonPublicIPv4() []netip.Prefix {
	return prefixes(
		"0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12",
		"192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24",
		"203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4",
		"168.63.129.16/32", // Azure's WireServer
	)
}

// nonPublicIPv6 are the networks of IPv6 that are not public. Whatever lies outside of global unicast,
// 2000::/3, is closed without standing here.
func nonPublicIPv6() []netip.Prefix {
	return prefixes(
		"2001::/23",     // protocol assignments, Teredo among them
		"2001:db8::/32", // documentation
		"2002::/16",     // 6to4
		"3fff::/20",     // documentation
	)
}

func prefixes(texts ...string) []netip.Prefix {
	all := make([]netip.Prefix, len(texts))
	for i, text := range texts {
		all[i] = netip.MustParsePrefix(text)
	}

	return all
}

// ranges decides about addresses.
type ranges struct {
	closed4, closed6, allowed []netip.Prefix
	global6, nat64, sixToFour netip.Prefix
}

func newRanges(allowed []netip.Prefix) ranges {
	return ranges{
		closed4: nonPublicIPv4(), closed6: nonPublicIPv6(), allowed: allowed,
		global6: netip.MustParsePrefix("2000::/3"), nat64: netip.MustParsePrefix("64:ff9b::/96"), sixToFour: netip.MustParsePrefix("2002::/16"),
	}
}

// open reports whether an address may be called. An address of IPv6 that carries one of IPv4 is open
// if both are: NAT64 in allow_networks does not lead into the private networks behind it.
func (r ranges) open(a netip.Addr) bool {
	if !a.IsValid() || a.Zone() != "" {
		return false
	}
	a = a.Unmap()
	if inner, carries := r.embedded(a); carries && !r.open(inner) {
		return false
	}
	if r.allows(a) {
		return true
	}
	if a.Is4() {
		return !containsAddr(r.closed4, a)
	}

	return r.global6.Contains(a) && !containsAddr(r.closed6, a)
}

// allows reports whether the configuration names the network of an address.
func (r ranges) allows(a netip.Addr) bool { return containsAddr(r.allowed, a.Unmap().WithZone("")) }

// embedded returns the address of IPv4 in one of NAT64 (RFC 6052) or 6to4 (RFC 3056).
func (r ranges) embedded(a netip.Addr) (netip.Addr, bool) {
	if !a.Is6() {
		return netip.Addr{}, false
	}
	b := a.As16()
	switch {
	case r.nat64.Contains(a):
		return netip.AddrFrom4([4]byte(b[12:16])), true
	case r.sixToFour.Contains(a):
		return netip.AddrFrom4([4]byte(b[2:6])), true
	default:
		return netip.Addr{}, false
	}
}

func containsAddr(all []netip.Prefix, a netip.Addr) bool {
	return slices.ContainsFunc(all, func(p netip.Prefix) bool { return p.Contains(a) })
}
