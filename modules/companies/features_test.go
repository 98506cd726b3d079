package companies_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/modules/companies"
	"github.com/dispatchd/dispatchd/platform/module"
	"github.com/dispatchd/dispatchd/platform/moduletest"
)

// featureAreas are the area and two that a company may be without.
func featureAreas() []module.Module {
	return []module.Module{companies.Module, module.New("esign", "Signatures").Needs("loads"), module.New("loads", "Loads")}
}

const ownFeatures = "/companies/api/v1/features"

func featuresOf(c moduletest.Company) string {
	return "/companies/api/v1/companies/" + c.ID.String() + "/features"
}

func TestFeatures_AreChangedByTheOperatorAndReadByTheCompany(t *testing.T) {
	t.Parallel()
	moduletest.BootEach(t, featureAreas(), func(t *testing.T, a *moduletest.App) {
		t.Helper()
		operator, company := a.Operator(t, "*"), a.Owner
		patch := func(query, body string) moduletest.Response {
			return a.Call(t, operator, http.MethodPatch, featuresOf(company)+query, body)
		}
		own := func(area string) string {
			return a.Call(t, company.Token, http.MethodGet, ownFeatures, nil).OK(t).Get(`data.#(area=="` + area + `").on`).Raw
		}
		dry := patch("?dry_run=true", `{"areas":{"loads":false}}`).OK(t)
		require.JSONEq(t, `["esign","loads"]`, dry.Get("off").Raw)
		require.JSONEq(t, `{"loads":["esign"]}`, dry.Get("needed_by").Raw)
		require.True(t, dry.Get("refused").Bool())
		require.True(t, dry.Get("silent.0.data_kept").Bool())

		refused := patch("", `{"areas":{"loads":false}}`).Refused(t, http.StatusConflict, "feature.needed_by")
		require.JSONEq(t, `{"loads":["esign"]}`, refused.Get("details.needed_by").Raw)
		require.Equal(t, "true", own("loads"), "nothing was changed so far")

		done := patch("", `{"areas":{"loads":false},"cascade":true}`).OK(t)
		require.JSONEq(t, `["esign","loads"]`, done.Get("off").Raw)
		require.Equal(t, "false", own("loads"))
		require.Equal(t, "true", own("companies"))
		patch("", `{"areas":{"esign":true}}`).Refused(t, http.StatusConflict, "feature.needs")
		patch("", `{"areas":{"esign":true,"loads":true}}`).OK(t)
		require.Equal(t, "true", own("esign"))
		require.Equal(t, a.Call(t, operator, http.MethodGet, featuresOf(company), nil).OK(t).Get("data").Raw,
			a.Call(t, company.Token, http.MethodGet, ownFeatures, nil).OK(t).Get("data").Raw)
	})
}

func TestFeatures_RefuseMistakesAndOthersThanTheOperator(t *testing.T) {
	t.Parallel()
	moduletest.BootEach(t, featureAreas(), func(t *testing.T, a *moduletest.App) {
		t.Helper()
		operator := a.Operator(t, "*")
		invalid := a.Call(t, operator, http.MethodPatch, featuresOf(a.Owner), `{"areas":{"lods":true,"companies":false}}`).
			Refused(t, http.StatusUnprocessableEntity, "feature.invalid")
		require.Equal(t, "There is no such area; the nearest is loads.", invalid.Get(`errors.areas\.lods.0`).String())
		require.Equal(t, "Every company uses the area companies. It cannot be switched off.", invalid.Get(`errors.areas\.companies.0`).String())

		nobody := "/companies/api/v1/companies/0190d0c0-0000-7000-8000-00000000ffff/features"
		for _, method := range []string{http.MethodGet, http.MethodPatch} {
			var body any
			if method == http.MethodPatch {
				body = `{"areas":{"loads":false}}`
			}
			a.Call(t, operator, method, nobody, body).Refused(t, http.StatusNotFound, "identity.company_not_found")
			a.Call(t, a.Owner.Token, method, featuresOf(a.Owner), body).Refused(t, http.StatusForbidden, "web.operator_only")
		}
		a.Call(t, operator, http.MethodGet, ownFeatures, nil).Refused(t, http.StatusForbidden, "web.company_needed")
	})
}
