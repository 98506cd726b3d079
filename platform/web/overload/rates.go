package overload

import (
	"net/netip"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/ratelimit"
)

// ErrRateLimited is the answer to who calls too often.
var ErrRateLimited = errs.New(errs.TooMany, "web.rate_limited", "Too many requests.")

// Rates count how often somebody calls.
type Rates struct {
	// Token counts requests with a token, by TokenKey; Address those without, by AddressKey.
	Token, Address *ratelimit.Limiter
}

// NewRates returns the counts of one process.
func NewRates(s RateSettings) Rates {
	policy := func(name string, quota int) ratelimit.Policy {
		return ratelimit.Policy{Name: name, Quota: quota, Window: s.Window}
	}

	return Rates{
		Token:   ratelimit.New(policy("token", s.PerToken), clock.System{}),
		Address: ratelimit.New(policy("address", s.PerAddress), clock.System{}),
	}
}

// TokenKey is what the requests of a principal are counted by.
func TokenKey(who principal.Principal) string {
	if who.Token == uuid.Nil { // shown to somebody else, who vouches for the caller
		return string(who.Kind) + string(who.Company[:]) + string(who.User[:])
	}

	return string(who.Token[:])
}

// Subscriber is how many bits of an IPv6 address name the network that a subscriber gets.
const Subscriber = 64

// AddressKey is the address, of IPv6 the network of a subscriber.
func AddressKey(addr netip.Addr) string {
	if addr.Is6() {
		if network, err := addr.Prefix(Subscriber); err == nil {
			addr = network.Addr()
		}
	}

	return string(addr.AsSlice())
}
