package web

import (
	"github.com/gofiber/fiber/v2"

	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/ratelimit"
	"github.com/dispatchd/dispatchd/platform/web/overload"
)

// The headers of the limits (draft-ietf-httpapi-ratelimit-headers).
const (
	headerPolicy = "RateLimit-Policy"
	headerLimit  = "RateLimit"
)

// limitToken counts a request with a token.
func (e *endpoint) limitToken(c *call, who principal.Principal) error {
	return c.count(e.api.room.rates.Token, overload.TokenKey(who))
}

// limitAddress counts a request of somebody who is not known.
func (e *endpoint) limitAddress(c *call) error {
	return c.count(e.api.room.rates.Address, overload.AddressKey(c.exchange.client))
}

// count counts a request, and refuses one too many.
func (c *call) count(l *ratelimit.Limiter, key string) error {
	r := l.Take(c.ctx, key)
	if policy, state := l.Headers(r); policy != "" {
		c.fiber.Set(headerPolicy, policy)
		c.fiber.Set(headerLimit, state)
	}
	if r.Allowed {
		return nil
	}

	return overload.ErrRateLimited.WithRetryAfter(r.RetryAfter)
}

// refuseStranger is the answer for a token that is refused: why, or that it happens too often.
func (e *endpoint) refuseStranger(c *call, err error) error {
	if errs.KindOf(err) == errs.Unauthenticated {
		if over := e.limitAddress(c); over != nil {
			return over
		}
	}

	return withChallenge(err, bearer(c.Header(fiber.HeaderAuthorization)))
}
