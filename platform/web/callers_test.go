package web_test

import (
	"context"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/web"
)

func TestCallers_AreOfACompanyUnlessTheOperationSaysOtherwise(t *testing.T) {
	t.Parallel()
	s := build(t)
	require.NoError(t, s.Mount("sides", func(r *web.Router) {
		for id, callers := range map[string]web.Callers{"company": web.OfCompany, "operator": web.OfOperator, "both": web.OfBoth} {
			web.Register(r, web.Operation{
				Method: http.MethodGet, Path: "/" + id, ID: id, Summary: "Read", Access: web.Read, Callers: callers,
				Errors: []*errs.Error{errNoThing},
			}, func(context.Context, *struct{}) (*struct{ Body string }, error) { return &struct{ Body string }{}, nil })
		}
	}))
	require.NoError(t, s.Start(t.Context()))
	t.Cleanup(func() { require.NoError(t, s.Stop(context.WithoutCancel(t.Context()))) })
	const path = "/sides/api/v1/"

	s.call(t, http.MethodGet, path+"company", "").ok(t)
	s.call(t, http.MethodGet, path+"both", "").ok(t)
	require.Equal(t, "web.operator_only", s.call(t, http.MethodGet, path+"operator", "").refused(t, 403).Code)
	require.Equal(t, "web.operator_only",
		s.call(t, http.MethodGet, path+"operator", "", "Authorization: Bearer reader").refused(t, 403).Code, "whatever its scopes")
	operator := "Authorization: Bearer operator"
	s.call(t, http.MethodGet, path+"operator", "", operator).ok(t)
	s.call(t, http.MethodGet, path+"both", "", operator).ok(t)
	require.Equal(t, "web.company_needed", s.call(t, http.MethodGet, path+"company", "", operator).refused(t, 403).Code)

	d := documentOf(t, s)
	require.Equal(t, "#/components/responses/Forbidden", d.Paths[path+"company"]["get"].Responses["403"].Ref)
	require.Contains(t, d.Paths[path+"operator"]["get"].Responses["403"].Description, "web.operator_only")
	require.NotContains(t, d.Paths[path+"both"]["get"].Responses["403"].Description, "web.company_needed")
	require.Equal(t, web.OfOperator, s.Operations()[2].Callers)
}

func TestCallers_OfAPublicOperationAreNotKnown(t *testing.T) {
	t.Parallel()
	err := build(t).Mount("sides", func(r *web.Router) {
		op := sound()
		op.Access, op.Callers = web.Public, web.OfOperator
		web.Register(r, op, func(context.Context, *struct{}) (*struct{}, error) { return nil, nil })
	})

	require.ErrorContains(t, err, "a caller without a token is not known")
}
