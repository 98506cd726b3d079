package routeengine_test

import (
	"encoding/base64"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/moduletest"
)

const formulasPath = area + "/formulas"

type object = map[string]any

// caller makes a call as the owner of a company.
type caller func(method, path string, body any) moduletest.Response

func each(t *testing.T, test func(t *testing.T, call caller)) {
	t.Helper()
	moduletest.BootEach(t, modules(), func(t *testing.T, a *moduletest.App) {
		t.Helper()
		test(t, func(method, path string, body any) moduletest.Response {
			return a.Call(t, a.Owner.Token, method, path, body)
		})
	})
}

func accord() object {
	return object{"from": "75201", "to": "33101", "vehicles": []object{{"year": 2003, "make": "Honda", "model": "Accord", "type": "sedan"}}}
}

func TestQuickQuote_IsTheSameOnRepeat(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, call caller) {
		t.Helper()
		first, again := call(http.MethodPost, area+"/quick_quote", accord()).OK(t), call(http.MethodPost, area+"/quick_quote", accord()).OK(t)
		require.InDelta(t, 1277, first.Get("miles").Float(), 40)
		require.Equal(t, first.Get("price").String(), first.Get("options.0.tariff").String())
		require.GreaterOrEqual(t, len(first.Get("explanation.vehicles.0.factors").Array()), 6)
		require.Equal(t, first.Get("explanation").Raw, again.Get("explanation").Raw)
		require.NotEmpty(t, first.Get("explanation.context_hash").String())
		require.Less(t, first.Get("low").Float(), first.Get("price").Float())
		require.Less(t, first.Get("price").Float(), first.Get("high").Float())

		odd := accord()
		odd["vehicles"] = []object{{"make": "Honda", "type": "spaceship"}}
		call(http.MethodPost, area+"/quick_quote", odd).Refused(t, http.StatusUnprocessableEntity, "web.invalid")

		nowhere := accord()
		nowhere["to"] = "00000"
		call(http.MethodPost, area+"/quick_quote", nowhere).Refused(t, http.StatusUnprocessableEntity, "route_engine.unknown_place")
		nowhere["to"] = "96813"
		call(http.MethodPost, area+"/quick_quote", nowhere).Refused(t, http.StatusUnprocessableEntity, "route_engine.no_road")
	})
}

func TestFormula_CountsFromItsPublication(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, call caller) {
		t.Helper()
		require.Zero(t, call(http.MethodGet, area+"/current_formula", nil).OK(t).Get("revision").Int())
		flat := call(http.MethodPost, formulasPath, object{"name": "Flat", "factors": []object{{"key": "base", "label": "Base", "kind": "set", "value": "miles + 0.005"}}}).OK(t)
		at := formulasPath + "/" + flat.Get("uuid").String()
		price := func() string { return call(http.MethodPost, area+"/quick_quote", accord()).OK(t).Get("price").String() }
		before := price()
		published := call(http.MethodPost, at+"/publish", nil).OK(t)
		require.Len(t, published.Get("trials").Array(), 20)
		require.NotEqual(t, before, price())
		require.EqualValues(t, 1, call(http.MethodGet, area+"/current_formula", nil).OK(t).Get("revision").Int())
		call(http.MethodPatch, at, object{"name": "Other"}).Refused(t, http.StatusConflict, "route_engine.formula_frozen")

		second := call(http.MethodPost, at+"/revise", nil).OK(t)
		require.EqualValues(t, 2, second.Get("revision").Int())
		call(http.MethodPost, formulasPath+"/"+second.Get("uuid").String()+"/publish", nil).OK(t)
		require.Equal(t, "retired", call(http.MethodGet, at, nil).OK(t).Get("state").String())
	})
}

func TestFormula_IsRetiredByThoseWhoPublish(t *testing.T) {
	t.Parallel()
	moduletest.BootEach(t, modules(), func(t *testing.T, a *moduletest.App) {
		t.Helper()
		at := a.Call(t, a.Owner.Token, http.MethodPost, formulasPath, object{"name": "Ours"}).OK(t).Header.Get("Location")
		a.Call(t, a.Owner.Token, http.MethodPost, at+"/publish", nil).OK(t)
		writer := a.Token(t, a.Owner, "route_engine:read", "route_engine:write")
		require.Empty(t, a.Call(t, writer, http.MethodGet, at+"/transitions", nil).OK(t).Get("data").Array())
		a.Call(t, writer, http.MethodPost, at+"/retire", nil).Refused(t, http.StatusForbidden, "web.scope_missing")
		a.Call(t, a.Token(t, a.Owner, "route_engine:formulas"), http.MethodPost, at+"/retire", nil).OK(t)
	})
}

func TestFormula_IsRefusedWithWhatIsWrong(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, call caller) {
		t.Helper()
		refused := call(http.MethodPost, formulasPath, object{"name": "A circle", "factors": []object{
			{"key": "a", "label": "A", "kind": "set", "value": "b"}, {"key": "b", "label": "B", "kind": "set", "value": "a"},
		}}).Refused(t, http.StatusUnprocessableEntity, "route_engine.invalid_formula")
		require.Contains(t, refused.Get("errors").Raw, "factors.0.value")
		for name, value := range map[string]string{"division by zero": "miles / (vehicles - vehicles)", "overflow": "miles * 1000000000", "negative": "100 - miles"} {
			f := call(http.MethodPost, formulasPath, object{"name": name, "factors": []object{{"key": "a", "label": "A", "kind": "set", "value": value}}}).OK(t)
			failed := call(http.MethodPost, formulasPath+"/"+f.Get("uuid").String()+"/publish", nil).
				Refused(t, http.StatusUnprocessableEntity, "route_engine.formula_failed")
			require.Equal(t, "a", failed.Get("details.factor").String(), name)
			require.NotEmpty(t, failed.Get("details.sample").String())
		}
		require.Zero(t, call(http.MethodGet, area+"/current_formula", nil).OK(t).Get("revision").Int(), "the shipped one counts still")
	})
}

func TestFormula_IsPublishedOnceHoweverManyTry(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, call caller) {
		t.Helper()
		var wg sync.WaitGroup
		for _, name := range []string{"A", "B", "C"} {
			at := formulasPath + "/" + call(http.MethodPost, formulasPath, object{"name": name}).OK(t).Get("uuid").String()
			wg.Go(func() { call(http.MethodPost, at+"/publish", nil) })
		}
		wg.Wait()
		require.Len(t, call(http.MethodGet, formulasPath+"?filter[state]=published", nil).OK(t).Get("data").Array(), 1)
	})
}

func TestQuickQuote_ShowsWhatCarriersGetToThoseWhoSeeMargins(t *testing.T) {
	t.Parallel()
	moduletest.BootEach(t, modules(), func(t *testing.T, a *moduletest.App) {
		t.Helper()
		seller := a.Token(t, a.Owner, "route_engine:read", "route_engine:write", "route_engine:formulas")
		sold := a.Call(t, seller, http.MethodPost, area+"/quick_quote", accord()).OK(t)
		whole := a.Call(t, a.Owner.Token, http.MethodPost, area+"/quick_quote", accord()).OK(t)
		require.Equal(t, whole.Get("price").String(), sold.Get("price").String())
		for _, key := range []string{"carrier_pay", "broker_fee", "explanation"} {
			require.True(t, whole.Get(key).Exists(), key)
			require.False(t, sold.Get(key).Exists(), key)
		}
		body, _, _ := strings.Cut(sold.Get("quote_token").String(), ".")
		text, err := base64.RawURLEncoding.DecodeString(body)
		require.NoError(t, err)
		require.NotContains(t, string(text), whole.Get("carrier_pay").String(), "a token is not read")

		a.Call(t, seller, http.MethodGet, area+"/current_formula", nil).Refused(t, http.StatusForbidden, "web.scope_missing")
		made := a.Call(t, a.Owner.Token, http.MethodPost, formulasPath, object{"name": "Flat"}).OK(t)
		require.True(t, made.Get("factors").Exists())
		require.False(t, a.Call(t, seller, http.MethodGet, formulasPath+"/"+made.Get("uuid").String(), nil).OK(t).Get("factors").Exists())
	})
}
