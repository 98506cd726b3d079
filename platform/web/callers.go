package web

import (
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/principal"
)

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
	errCompanyNeeded = errs.New(errs.Forbidden, "web.company_needed", "This is done for a company, and the operator belongs to none. Use a token of the company.")
	errOperatorOnly  = errs.New(errs.Forbidden, "web.operator_only", "This is for the operator of the service.")
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
