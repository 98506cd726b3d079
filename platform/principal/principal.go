// Package principal says who is calling.
//
// The web package puts the principal of a request's token into its context; the database package
// reads its company from there and lets no statement on a company's rows run without one.
package principal

import (
	"context"
	"slices"
	"strings"

	"github.com/google/uuid"
)

// Kind says what sort of caller a principal is.
type Kind string

const (
	// User is a person of a company.
	User Kind = "user"
	// Service is a program of a company.
	Service Kind = "service"
	// Operator runs the deployment. It stands above companies and sees inside none.
	Operator Kind = "operator"
	// System is the service itself at work for one company: a job, a seed.
	System Kind = "system"
)

// Principal is who is calling. The zero value is nobody.
type Principal struct {
	Kind Kind
	// Company is the company whose rows the principal may touch; uuid.Nil for the operator.
	Company uuid.UUID
	// User is the person, uuid.Nil for a service.
	User uuid.UUID
	// Token is the id of the token that was shown, uuid.Nil if there was none.
	Token uuid.UUID
	// Role is the role of the user, "" for others than users.
	Role string
	// Scopes are what the principal may do; see Allows.
	Scopes []string
}

// ForCompany returns the service itself at work for one company, with every scope.
func ForCompany(company uuid.UUID) Principal {
	return Principal{Kind: System, Company: company, Scopes: []string{"*"}}
}

// Allows reports whether one of the principal's scopes covers scope ("sms:read"): the same scope,
// every scope of the area ("sms:*"), the same action in every area ("*:read"), or everything ("*").
func (p Principal) Allows(scope string) bool {
	area, action, _ := strings.Cut(scope, ":")

	return slices.ContainsFunc(p.Scopes, func(have string) bool {
		return have == scope || have == "*" || have == area+":*" || have == "*:"+action
	})
}

type contextKey struct{}

// With returns a context in which p is calling.
func With(ctx context.Context, p Principal) context.Context {
	return context.WithValue(ctx, contextKey{}, p)
}

// From returns who is calling, and false if nobody is.
func From(ctx context.Context) (Principal, bool) {
	p, ok := ctx.Value(contextKey{}).(Principal)

	return p, ok
}

// AsCompany returns a context in which the service itself is at work for a company.
func AsCompany(ctx context.Context, company uuid.UUID) context.Context {
	return With(ctx, ForCompany(company))
}

// CompanyOf returns the company that is calling, uuid.Nil if none is.
func CompanyOf(ctx context.Context) uuid.UUID {
	caller, _ := From(ctx)

	return caller.Company
}

// UserOf returns the person who is calling, nil for a program or nobody.
func UserOf(ctx context.Context) *uuid.UUID {
	who, _ := From(ctx)
	if who.User == uuid.Nil {
		return nil
	}

	return &who.User
}
