package web

import (
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/gofiber/fiber/v2"

	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/principal"
)

// securityScheme is the name of the bearer token in the OpenAPI document.
const securityScheme = "bearer"

var errScopeMissing = errs.New(errs.Forbidden, "web.scope_missing", "The token does not have the scope that this needs.")

// authenticate finds out who is calling and whether they may. The principal is in the call's
// context afterwards.
func (e *endpoint) authenticate(c *call) error {
	if e.scope == "" {
		if e.taken {
			return nil // who is refused is limited
		}

		return e.limitAddress(c)
	}
	who, err := e.api.auth.Authenticate(c.ctx, bearer(c.Header(fiber.HeaderAuthorization)))
	if err != nil {
		return e.refuseStranger(c, err)
	}
	if err := e.limitToken(c, who); err != nil {
		return err
	}
	if err := e.op.Callers.check(who); err != nil {
		return err
	}
	if e.op.Access != SignedIn && !who.Allows(e.scope) {
		return &challengeError{
			cause: errScopeMissing.WithMessage("The token does not have the scope %s, which this needs.", e.scope).
				WithDetail("scope", e.scope),
			challenge: fmt.Sprintf(`Bearer realm="dispatchd", error="insufficient_scope", scope="%s"`, e.scope),
		}
	}
	c.ctx = principal.With(c.ctx, who)

	return e.gated(c.ctx, who)
}

// bearer returns the token of an Authorization header, "" if it has none. The scheme's case does
// not matter (RFC 9110, 11.1).
func bearer(header string) string {
	scheme, token, _ := strings.Cut(header, " ")
	if !strings.EqualFold(scheme, "bearer") {
		return ""
	}

	return strings.TrimSpace(token)
}

// challengeError is a refusal with the WWW-Authenticate header that belongs to it (RFC 6750, 3).
type challengeError struct {
	cause     error
	challenge string
}

// Error implements error.
func (e *challengeError) Error() string { return e.cause.Error() }

// Unwrap returns the refusal itself.
func (e *challengeError) Unwrap() error { return e.cause }

// challenged adds the challenge to a refused token. A request that shows none is told no error.
func challenged(err error, token string) error {
	refused, ok := errors.AsType[*errs.Error](err)
	if !ok || refused.Kind != errs.Unauthenticated {
		return err
	}
	challenge := `Bearer realm="dispatchd"`
	if token != "" {
		challenge += fmt.Sprintf(`, error="invalid_token", error_description="%s"`, quotable(refused.Message))
	}

	return &challengeError{cause: err, challenge: challenge}
}

// quotable leaves out what may not stand in an error_description.
func quotable(text string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' || r == '"' || r == '\\' {
			return -1
		}

		return r
	}, text)
}

// challenge sets the header on an answer.
func challenge(headers http.Header, err error) {
	if refused, ok := errors.AsType[*challengeError](err); ok {
		headers.Set(fiber.HeaderWWWAuthenticate, refused.challenge)
	}
}
