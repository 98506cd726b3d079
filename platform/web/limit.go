package web

import (
	"context"
	"net/netip"

	"github.com/gofiber/fiber/v2"
	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/ratelimit"
)

// The headers of the limits (draft-ietf-httpapi-ratelimit-headers).
const (
	headerPolicy = "RateLimit-Policy"
	headerLimit  = "RateLimit"
)

var errRateLimited = errs.New(errs.TooMany, "web.rate_limited", "These are too many requests. Please slow down, and try again after the time in Retry-After.")

// limiter is a ratelimit.Limiter, wherever it counts.
type limiter interface {
	Take(ctx context.Context, key string) ratelimit.Result
	Headers(r ratelimit.Result) (policy, state string)
}

// limits are how often somebody may call.
type limits struct {
	token, address limiter
}

func newLimits(s RateLimitSettings) limits {
	policy := func(name string, quota int) ratelimit.Policy {
		return ratelimit.Policy{Name: name, Quota: quota, Window: s.Window}
	}

	return limits{
		token:   ratelimit.New(policy("token", s.PerToken), clock.System{}),
		address: ratelimit.New(policy("address", s.PerAddress), clock.System{}),
	}
}

// limitToken counts a request with a token.
func (e *endpoint) limitToken(c *call, who principal.Principal) error {
	key := string(who.Token[:])
	if who.Token == uuid.Nil { // shown to somebody else, who vouches for the caller
		key = string(who.Kind) + string(who.Company[:]) + string(who.User[:])
	}

	return c.take(e.api.limits.token, key)
}

// limitAddress counts a request of somebody who is not known.
func (e *endpoint) limitAddress(c *call) error {
	return c.take(e.api.limits.address, addressKey(c.exchange.client))
}

// addressKey is the address, of IPv6 the network of 64 bits, which is what a subscriber gets.
func addressKey(addr netip.Addr) string {
	const subscriber = 64
	if addr.Is6() {
		if network, err := addr.Prefix(subscriber); err == nil {
			addr = network.Addr()
		}
	}

	return string(addr.AsSlice())
}

func (c *call) take(l limiter, key string) error {
	r := l.Take(c.ctx, key)
	if policy, state := l.Headers(r); policy != "" {
		c.fiber().Set(headerPolicy, policy)
		c.fiber().Set(headerLimit, state)
	}
	if r.Allowed {
		return nil
	}

	return errRateLimited.WithRetryAfter(r.RetryAfter)
}

// refuseStranger is the answer for a token that is refused: why, or that it happens too often.
func (e *endpoint) refuseStranger(c *call, err error) error {
	if errs.KindOf(err) == errs.Unauthenticated {
		if over := e.limitAddress(c); over != nil {
			return over
		}
	}

	return challenged(err, bearer(c.Header(fiber.HeaderAuthorization)))
}
