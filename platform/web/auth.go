package web

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/gofiber/fiber/v2"
	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/principal"
)

// securityScheme is the name of the bearer token in the OpenAPI document.
const securityScheme = "bearer"

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
	if err := e.permit(who); errors.Is(err, principal.ErrScopeMissing) {
		return &challengeError{cause: err, challenge: fmt.Sprintf(`Bearer realm="dispatchd", error="insufficient_scope", scope="%s"`, e.scope)}
	} else if err != nil {
		return err
	}
	c.ctx = principal.With(c.ctx, who)

	return e.gated(c.ctx, who)
}

// permit refuses who may not call the operation.
func (e *endpoint) permit(who principal.Principal) error {
	if err := e.op.Callers.check(who); err != nil || e.op.Access == SignedIn || who.Allows(e.scope) {
		return err
	}

	return principal.Lacks(e.scope)
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

// withChallenge adds the challenge to a refused token. A request that shows none is told no error.
func withChallenge(err error, token string) error {
	refused, ok := errors.AsType[*errs.Error](err)
	if !ok || refused.Kind != errs.Unauthenticated {
		return err
	}
	challenge := `Bearer realm="dispatchd"`
	if token != "" {
		challenge += fmt.Sprintf(`, error="invalid_token", error_description="%s"`, stripUnquotable(refused.Message))
	}

	return &challengeError{cause: err, challenge: challenge}
}

// stripUnquotable leaves out what may not stand in an error_description.
func stripUnquotable(text string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' || r == '"' || r == '\\' {
			return -1
		}

		return r
	}, text)
}

// setChallenge sets the header on an answer.
func setChallenge(headers http.Header, err error) {
	if refused, ok := errors.AsType[*challengeError](err); ok {
		headers.Set(fiber.HeaderWWWAuthenticate, refused.challenge)
	}
}

// Gate says whether a company uses an area.
type Gate interface {
	Allows(ctx context.Context, company uuid.UUID, area string) (bool, error)
}

// UseGate refuses, from then on, callers of a company that does not use the area of the operation.
// Public operations know no caller: those that act for a company ask the gate themselves. It is
// called before Start.
func (a *API) UseGate(g Gate) { a.gate = g }

var errAreaOff = errs.New(errs.Forbidden, "web.area_off", "The company does not use this area.")

// gated refuses who is of a company that does not use the operation's area.
func (e *endpoint) gated(ctx context.Context, who principal.Principal) error {
	if e.api.gate == nil || who.Company == uuid.Nil {
		return nil
	}
	used, err := e.api.gate.Allows(ctx, who.Company, e.info.Area)
	if err != nil || used {
		return err
	}

	return errAreaOff.WithMessage("The company does not use the area %s.", e.info.Area).WithDetail("area", e.info.Area)
}

// Callers says on which side of the companies the callers of an operation stand.
type Callers int

const (
	// OfCompany is for the people and programs of a company. The operator is refused.
	OfCompany Callers = iota
	// OfOperator is for the operator of the deployment alone.
	OfOperator
	// OfBoth is for everybody with a token.
	OfBoth
)

var (
	errCompanyNeeded = errs.New(errs.Forbidden, "web.company_needed", "This requires a company, and an operator token has none. Use a token of the company.")
	errOperatorOnly  = errs.New(errs.Forbidden, "web.operator_only", "This requires an operator token.")
)

// String implements fmt.Stringer.
func (cs Callers) String() string {
	switch cs {
	case OfOperator:
		return "operator"
	case OfBoth:
		return "both"
	default:
		return "company"
	}
}

// check refuses a principal of the other side.
func (cs Callers) check(who principal.Principal) error {
	operator := who.Kind == principal.Operator
	switch {
	case cs == OfCompany && operator:
		return errCompanyNeeded
	case cs == OfOperator && !operator:
		return errOperatorOnly
	default:
		return nil
	}
}

// errors are the refusals that callers of such an operation can meet.
func (cs Callers) errors() []*errs.Error {
	switch cs {
	case OfCompany:
		return []*errs.Error{errCompanyNeeded}
	case OfOperator:
		return []*errs.Error{errOperatorOnly}
	case OfBoth:
		return nil
	default:
		return nil
	}
}
