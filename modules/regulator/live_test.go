package regulator_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"

	"github.com/dispatchd/dispatchd/platform/moduletest"
)

const secretKey = "k3y-that-nobody-may-see"

// fmcsa answers as the live sources do, and fails on request.
type fmcsa struct {
	mu      sync.Mutex
	answers map[string]func(http.ResponseWriter, *http.Request)
	calls   map[string]int
	// numbers are how many carriers have been taken: each service of a test has one of its own, from 1001 on.
	numbers int
}

func serve(t *testing.T, f *fmcsa) string {
	t.Helper()
	f.calls = map[string]int{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		f.mu.Lock()
		f.calls[r.URL.Path]++
		answer := f.answers[r.URL.Path]
		f.mu.Unlock()
		if answer == nil {
			w.WriteHeader(http.StatusNotFound)
			_, _ = fmt.Fprint(w, `{"content": null}`)

			return
		}
		answer(w, r)
	}))
	t.Cleanup(server.Close)

	return server.URL
}

// number returns the number of a carrier that no other service asks about.
func (f *fmcsa) number() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.numbers++

	return 1000 + f.numbers
}

func (f *fmcsa) say(number int, answer func(http.ResponseWriter, *http.Request)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.answers[fmt.Sprintf("/carriers/%d", number)] = answer
}

func (f *fmcsa) asked(path string) int {
	f.mu.Lock()
	defer f.mu.Unlock()

	return f.calls[path]
}

func says(status int, body string) func(http.ResponseWriter, *http.Request) {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_, _ = fmt.Fprint(w, body)
	}
}

func live(adapter, url string, more ...string) moduletest.Option {
	return moduletest.Set(append([]string{
		"modules.carriers.regulator.adapter=" + adapter, "modules.carriers.regulator.url=" + url, "modules.carriers.regulator.key=" + secretKey,
		"outbound.allow_http=true", "outbound.allow_networks=127.0.0.0/8", "outbound.breaker_failures=0", "outbound.retries=0",
	}, more...)...)
}

const qcCarrier = `{"content": {"carrier": {"allowedToOperate": "Y", "bipdInsuranceOnFile": "0", "bipdInsuranceRequired": "Y", "bipdRequiredAmount": "750",
	"cargoInsuranceOnFile": "0", "bondInsuranceOnFile": "0", "commonAuthorityStatus": "A", "contractAuthorityStatus": "N", "brokerAuthorityStatus": "N",
	"carrierOperation": {"carrierOperationCode": "A"}, "dotNumber": 1001, "legalName": "BIG HAUL 0 LLC", "statusCode": "A", "safetyRating": null,
	"vehicleInsp": 12, "vehicleOosInsp": "4", "vehicleOosRate": "33.3%", "vehicleOosRateNationalAverage": "20.72", "phyState": "TX"}},
	"retrievalDate": "2026-11-24T06:33:31.490+0000"}`

const legacyInsurance = "DOCKET_NUMBER,DOT_NUMBER,INS_FORM_CODE,MOD_COL_1,NAME_COMPANY,POLICY_NO,TRANS_DATE,UNDERL_LIM_AMOUNT,MAX_COV_AMOUNT,EFFECTIVE_DATE,CANCL_EFFECTIVE_DATE\n" +
	"MC000500,00001001,91X,BIPD/Primary,EXAMPLE CASUALTY,P77,01/02/2025,0,750,01/15/2025,\n"

func TestQCMobile_AnswersInTheBackgroundAndWins(t *testing.T) {
	t.Parallel()
	vendor := &fmcsa{answers: map[string]func(http.ResponseWriter, *http.Request){}}
	url := serve(t, vendor)
	moduletest.BootEach(t, modules(), func(t *testing.T, a *moduletest.App) {
		t.Helper()
		imported(t, a, "census", census(2))
		number := vendor.number()
		vendor.say(number, says(http.StatusOK, qcCarrier))
		imported(t, a, "legacy.actpendinsur", strings.ReplaceAll(legacyInsurance, "1001", strconv.Itoa(number)))
		path := fmt.Sprintf("%s/regulator/%d", area, number)
		first := a.Call(t, a.Owner.Token, http.MethodGet, path, nil).OK(t)
		require.Equal(t, "unavailable", first.Get("insurance.liability.outcome").String())
		for range 5 {
			a.Call(t, a.NewCompany(t).Token, http.MethodGet, path, nil).OK(t)
		}
		a.Eventually(t, func() bool {
			return a.Call(t, a.Owner.Token, http.MethodGet, path, nil).OK(t).Get("operation.allowed_to_operate").Bool()
		}, "the answer is kept")
		got := a.Call(t, a.Owner.Token, http.MethodGet, path, nil).OK(t)
		require.Equal(t, "none", got.Get("insurance.liability.outcome").String(), "the live answer wins over the old set")
		require.Equal(t, "0.00", got.Get("insurance.liability.amount").String())
		require.Equal(t, "750000.00", got.Get("insurance.liability.required").String())
		require.True(t, got.Get("authority.property_active").Bool())
		require.InDelta(t, 33.3, got.Get("inspections.vehicle.percent").Float(), 0.01)
		require.NotEmpty(t, got.Get("operation.source.as_of").String())
		require.Equal(t, 1, vendor.asked(fmt.Sprintf("/carriers/%d", number)), "one question for all who ask")
	}, live("qcmobile", url))
}

func TestSnapshots_AreKeptWhereSomethingChanged(t *testing.T) {
	t.Parallel()
	vendor := &fmcsa{answers: map[string]func(http.ResponseWriter, *http.Request){}}
	url := serve(t, vendor)
	moduletest.BootEach(t, modules(), func(t *testing.T, a *moduletest.App) {
		t.Helper()
		number := vendor.number()
		vendor.say(number, says(http.StatusOK, qcCarrier))
		path := fmt.Sprintf("%s/regulator/%d", area, number)
		snapshots := func() []gjson.Result {
			a.Call(t, a.Owner.Token, http.MethodGet, path, nil).OK(t)

			return a.Call(t, a.Owner.Token, http.MethodGet, path+"/snapshots", nil).OK(t).Get("data").Array()
		}
		// Before the first answer, what is known is that nothing is.
		a.Eventually(t, func() bool { return len(snapshots()) == 1 }, "the first answer is kept")
		vendor.say(number, says(http.StatusOK, strings.Replace(qcCarrier, `"allowedToOperate": "Y"`, `"allowedToOperate": "N"`, 1)))
		a.Eventually(t, func() bool { return len(snapshots()) == 2 }, "the change is kept")
		newest := snapshots()[0]
		require.Equal(t, int64(2), newest.Get("number").Int())
		require.JSONEq(t, `[{"field": "operation.allowed_to_operate", "from": "true", "to": "false"}]`, newest.Get("changes").Raw)
		require.Equal(t, newest.Get("uuid").String(), a.Call(t, a.Owner.Token, http.MethodGet, path, nil).OK(t).Get("snapshot_uuid").String())
	}, live("qcmobile", url, "modules.carriers.regulator.refresh_after=1ms"))
}

func TestQCMobile_FailsWithoutALossAndWithoutItsKey(t *testing.T) {
	t.Parallel()
	for name, failing := range map[string]struct {
		answer func(http.ResponseWriter, *http.Request)
		why    string
	}{
		"a page of maintenance": {func(w http.ResponseWriter, _ *http.Request) {
			_, _ = fmt.Fprint(w, "<html>Scheduled maintenance</html>")
		}, "not JSON"},
		"a key that is refused": {says(http.StatusNotFound, `{"content": "Webkey not found"}`), "the key is refused"},
		"too many requests":     {says(http.StatusTooManyRequests, `{}`), "too many requests"},
		"half an answer":        {says(http.StatusOK, qcCarrier[:len(qcCarrier)/2]), "not JSON"},
		"an error":              {says(http.StatusInternalServerError, `{"content": "`+secretKey+`"}`), "status 500"},
		"nothing":               {func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, "timeout"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			vendor := &fmcsa{answers: map[string]func(http.ResponseWriter, *http.Request){}}
			url := serve(t, vendor)
			moduletest.BootEach(t, modules(), func(t *testing.T, a *moduletest.App) {
				t.Helper()
				number := vendor.number()
				vendor.say(number, says(http.StatusOK, qcCarrier))
				path, health := fmt.Sprintf("%s/regulator/%d", area, number), area+"/carriers/router/test"
				a.Eventually(t, func() bool {
					return a.Call(t, a.Owner.Token, http.MethodGet, path, nil).OK(t).Get("operation.allowed_to_operate").Bool()
				}, "the answer is kept")
				vendor.say(number, failing.answer)
				a.Eventually(t, func() bool {
					kept := a.Call(t, a.Owner.Token, http.MethodGet, path, nil).OK(t)
					require.True(t, kept.Get("operation.allowed_to_operate").Bool(), "the old answer stays")

					return !a.Call(t, a.Owner.Token, http.MethodGet, health, nil).OK(t).Get("ok").Bool()
				}, "the failure shows")
				got := a.Call(t, a.Owner.Token, http.MethodGet, health, nil).OK(t)
				require.Contains(t, got.Get("regulator.why").String(), failing.why)
				require.NotContains(t, string(got.Body), secretKey)
				require.NotContains(t, a.Logged(), secretKey)
				require.Len(t, a.Call(t, a.Owner.Token, http.MethodGet, path+"/snapshots", nil).OK(t).Get("data").Array(), 1, "nothing changed")
				require.NotContains(t, string(a.Call(t, a.Owner.Token, http.MethodGet, path, nil).OK(t).Body), secretKey)
			}, live("qcmobile", url, "modules.carriers.regulator.refresh_after=1ms", "modules.carriers.regulator.retry_after=100ms", "outbound.header_timeout=1s"))
		})
	}
}

func TestOpenData_ReadsTheSetsOfOneNumber(t *testing.T) {
	t.Parallel()
	vendor := &fmcsa{answers: map[string]func(http.ResponseWriter, *http.Request){
		"/inys-ebih.json": func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Query().Get("usdot_number") != "1001" || r.URL.Query().Get("$limit") == "" || r.Header.Get("X-App-Token") != secretKey {
				w.WriteHeader(http.StatusBadRequest)

				return
			}
			says(http.StatusOK, `[{"docket_number": "MC500", "usdot_number": "1001", "op_auth_type": "`+property+`", "op_auth_status": "Active"}]`)(w, r)
		},
		"/c5y8-a4uz.json": func(w http.ResponseWriter, r *http.Request) {
			rows := []string{}
			if r.URL.Query().Get("$offset") == "0" {
				for n := range 1000 {
					rows = append(rows, fmt.Sprintf(`{"docket_number": "MC500", "ins_type_code": "3", "policy_no": "B%d", "effective_date": "20250101", "max_cov_amount": "75000"}`, n))
				}
			} else {
				rows = append(rows, `{"docket_number": "MC500", "ins_type_code": "1", "policy_no": "A1", "effective_date": "20260601", "max_cov_amount": "1000000"}`)
			}
			says(http.StatusOK, "["+strings.Join(rows, ",")+"]")(w, r)
		},
		"/yu5v-wbh6.json": says(http.StatusOK, `[]`), "/3uet-3z4i.json": says(http.StatusOK, `[]`), "/wb4f-neki.json": says(http.StatusOK, `[]`),
	}}
	url := serve(t, vendor)
	moduletest.BootEach(t, modules(), func(t *testing.T, a *moduletest.App) {
		t.Helper()
		path := area + "/regulator/1001"
		a.Eventually(t, func() bool {
			return a.Call(t, a.Owner.Token, http.MethodGet, path, nil).OK(t).Get("authority.property_active").Bool()
		}, "the rows are kept")
		got := a.Call(t, a.Owner.Token, http.MethodGet, path, nil).OK(t)
		require.Equal(t, "rows", got.Get("insurance.liability.outcome").String(), "the second page is read too")
		require.Equal(t, "none", got.Get(`insurance.other_sources.#(name=="motus.inshist").outcome`).String())
		require.Equal(t, "unavailable", got.Get("identity.source.outcome").String(), "the census is imported, not asked")
	}, live("opendata", url))
}
