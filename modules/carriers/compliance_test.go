package carriers_test

import (
	"fmt"
	"maps"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/fx"

	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/moduletest"
)

const carriersPath = area + "/carriers"

type object = map[string]any

// eachDesk runs a test on each database with the sandbox, at a moment.
func eachDesk(t *testing.T, now time.Time, test func(t *testing.T, call func(method, path string, body any) moduletest.Response, a *moduletest.App)) {
	t.Helper()
	at := func(clock.Clock) clock.Clock { return clock.NewFake(now) }
	moduletest.BootEach(t, modules(), func(t *testing.T, a *moduletest.App) {
		t.Helper()
		test(t, func(method, path string, body any) moduletest.Response {
			return a.Call(t, a.Owner.Token, method, path, body)
		}, a)
	}, moduletest.Set(sandbox), moduletest.With(fx.Decorate(at)))
}

var noon = time.Date(2026, 11, 24, 12, 0, 0, 0, time.UTC)

// recordName is the name of a carrier of the sandbox on the regulator's record.
func recordName(usdot string) string {
	n, err := strconv.Atoi(strings.TrimRight(usdot[max(0, strings.Index(usdot, "99")):], "C"))
	if err != nil {
		return usdot
	}
	firsts := []string{"Sample", "Cedar", "Prairie", "Harbor", "Summit", "Copper", "Blue Heron", "Granite", "Juniper", "Lakeside"}
	seconds := []string{"Auto Lines", "Car Carriers", "Vehicle Transport", "Auto Haulers", "Motor Logistics"}
	i := n - 9900001

	return fmt.Sprintf("%s %s %03d", firsts[i%len(firsts)], seconds[i/len(firsts)%len(seconds)], i+1)
}

// sample is a carrier of the sandbox with all papers.
func sample(usdot string) object {
	return object{
		"legal_name": recordName(usdot), "usdot": usdot, "agreement_signed": "2026-01-05", "w9_received": "2026-01-05",
		"insurance": []object{{
			"kind": "cargo", "insurer": "Sample Insurance", "policy": "C-1", "each_occurrence": "250000.00", "expires": "2027-06-01", "verified": "2026-06-01",
		}},
	}
}

func codesIn(got moduletest.Response, list string) string { return got.Get(list + ".#.code").Raw }

func TestValidate_JudgesByAnyNumberAndByTheCompanysPapers(t *testing.T) {
	t.Parallel()
	eachDesk(t, noon, func(t *testing.T, call func(string, string, any) moduletest.Response, _ *moduletest.App) {
		t.Helper()
		made := call(http.MethodPost, carriersPath, sample("USDOT 09900001C")).OK(t)
		require.Equal(t, "9900001", made.Get("usdot").String())
		for _, by := range []object{{"usdot": "9900001"}, {"mc": "mc 0-990001"}, {"carrier_uuid": made.Get("uuid").String()}} {
			got := call(http.MethodPut, carriersPath+"/validate", by).OK(t)
			require.True(t, got.Get("eligible").Bool(), got.Get("blockers").Raw)
			require.Equal(t, made.Get("uuid").String(), got.Get("carrier.uuid").String())
			require.Equal(t, `["MC-990001"]`, got.Get("carrier.dockets").Raw)
			require.Equal(t, "[]", got.Get("blockers").Raw)
			require.Equal(t, `["identity_unverified"]`, codesIn(got, "warnings"))
			require.NotEmpty(t, got.Get("sources.0.as_of").String())
		}
		low := call(http.MethodPut, carriersPath+"/validate", object{"usdot": "9900001", "for": object{"declared_value": "250000.01"}}).OK(t)
		require.Equal(t, `["cargo_low"]`, codesIn(low, "blockers"))
		require.Equal(t, "250000.01", low.Get("blockers.0.evidence.needed").String())
		stranger := call(http.MethodPut, carriersPath+"/validate", object{"usdot": "9900002"}).OK(t)
		require.Equal(t, "null", stranger.Get("carrier.uuid").Raw)
		require.Equal(t, `["not_allowed"]`, codesIn(stranger, "blockers"))

		call(http.MethodPut, carriersPath+"/validate", object{"usdot": "1234567"}).Refused(t, http.StatusNotFound, "carriers.not_in_registry")
		none := call(http.MethodPut, carriersPath+"/validate", object{}).Refused(t, http.StatusUnprocessableEntity, "carriers.one_number")
		require.Equal(t, `["carrier_uuid","mc","usdot"]`, none.Get("errors.@keys").Raw)
		call(http.MethodPut, carriersPath+"/validate", object{"usdot": "1", "mc": "1"}).Refused(t, http.StatusUnprocessableEntity, "carriers.one_number")
		for _, number := range []string{"MC-", "acme", "123456789"} {
			refused := call(http.MethodPut, carriersPath+"/validate", object{"mc": number}).Refused(t, http.StatusUnprocessableEntity, "carriers.invalid_number")
			require.Contains(t, refused.Get("errors.mc.0").String(), "must be", number)
		}
	})
}

func TestValidate_ComparesPapersWithTheDayOfTheDelivery(t *testing.T) {
	t.Parallel()
	// 00:30 UTC of the first is the evening before in Los Angeles.
	eachDesk(t, time.Date(2026, 12, 1, 0, 30, 0, 0, time.UTC), func(t *testing.T, call func(string, string, any) moduletest.Response, a *moduletest.App) {
		t.Helper()
		company, err := a.Identity.Company(t.Context(), a.Owner.ID)
		require.NoError(t, err)
		company.TimeZone = "America/Los_Angeles"
		_, err = a.Identity.UpdateCompany(t.Context(), company)
		require.NoError(t, err)
		body := sample("9900001")
		body["insurance"].([]object)[0]["expires"] = "2026-11-30"
		call(http.MethodPost, carriersPath, body).OK(t)
		got := call(http.MethodPut, carriersPath+"/validate", object{"usdot": "9900001"}).OK(t)
		require.True(t, got.Get("eligible").Bool(), "it is still the last day there")
		got = call(http.MethodPut, carriersPath+"/validate", object{"usdot": "9900001", "for": object{"delivery": "2026-12-01"}}).OK(t)
		require.Equal(t, `["cargo_expires"]`, codesIn(got, "blockers"))
		require.Equal(t, "expired", got.Get("status").String())
	})
}

func TestValidate_CountsCertificatesFromTheirFirstDay(t *testing.T) {
	t.Parallel()
	eachDesk(t, noon, func(t *testing.T, call func(string, string, any) moduletest.Response, _ *moduletest.App) {
		t.Helper()
		cargo := func(cover, effective, expires string) object {
			return object{"kind": "cargo", "insurer": "Sample Insurance", "policy": "C-1", "each_occurrence": cover, "effective": effective, "expires": expires, "verified": "2026-11-24"}
		}
		body := sample("9900001")
		body["insurance"] = []object{cargo("250000.00", "2026-12-05", "2027-12-04")}
		at := call(http.MethodPost, carriersPath, body).OK(t).Header.Get("Location")
		blockers := func(delivery string) string {
			return codesIn(call(http.MethodPut, carriersPath+"/validate", object{"usdot": "9900001", "for": object{"delivery": delivery}}).OK(t), "blockers")
		}
		require.Equal(t, `["cargo_missing"]`, blockers("2026-12-04"))
		require.Equal(t, `[]`, blockers("2026-12-05"))
		call(http.MethodPatch, at, object{"insurance": []object{cargo("250000.00", "2026-12-05", "2027-12-04"), cargo("500000.00", "2025-12-05", "2026-12-04")}}).OK(t)
		require.Equal(t, `[]`, blockers("2026-12-04"))
		require.Equal(t, `[]`, blockers("2026-12-05"), "the greater one has run out")
		require.Equal(t, `["cargo_expires"]`, blockers("2027-12-05"))
		call(http.MethodPut, carriersPath+"/validate", object{"usdot": "9900001", "for": object{"declared_value": "-5"}}).Refused(t, http.StatusUnprocessableEntity, "carriers.invalid_value")
	})
}

func TestCarrier_RefusesCertificatesThatAreNone(t *testing.T) {
	t.Parallel()
	eachDesk(t, noon, func(t *testing.T, call func(string, string, any) moduletest.Response, _ *moduletest.App) {
		t.Helper()
		for field, value := range map[string]any{
			"verified": "2026-11-25", "each_occurrence": "-1", "deductible": "-1", "attachment_uuid": "01a2232d-d3c2-7633-ad55-a1db2475644a", "expires": nil,
		} {
			body := sample("9900001")
			body["insurance"].([]object)[0][field] = value
			refused := call(http.MethodPost, carriersPath, body).Refused(t, http.StatusUnprocessableEntity, "carriers.invalid_carrier")
			require.NotEmpty(t, refused.Get(`errors.insurance\.0\.`+field+".0").String(), field)
		}
	})
}

func TestCarrier_KnowsItsComplianceAfterEachChange(t *testing.T) {
	t.Parallel()
	eachDesk(t, noon, func(t *testing.T, call func(string, string, any) moduletest.Response, a *moduletest.App) {
		t.Helper()
		made := call(http.MethodPost, carriersPath, sample("9900001")).OK(t)
		at := made.Header.Get("Location")
		becomes := func(want string) moduletest.Response {
			t.Helper()
			var got moduletest.Response
			a.Eventually(t, func() bool {
				got = call(http.MethodGet, area+"/compliance?carrier_uuid="+made.Get("uuid").String(), nil).OK(t)

				return got.Get("data.0.status").String() == want
			}, "a verdict: "+want)

			return got
		}
		require.Equal(t, `["identity_unverified"]`, becomes("warned").Get("data.0.codes").Raw)
		require.Equal(t, int64(1), call(http.MethodGet, at, nil).OK(t).Get("version").Int(), "a verdict is no change of the carrier")
		require.Equal(t, made.Get("uuid").String(), call(http.MethodGet, area+"/compliance?status=warned", nil).OK(t).Get("data.0.carrier_uuid").String())
		require.Equal(t, "[]", call(http.MethodGet, area+"/compliance?status=blocked", nil).OK(t).Get("data").Raw)

		call(http.MethodPost, at+"/ban", object{"reason": "Held a load hostage."}).OK(t)
		require.Equal(t, `["do_not_use","identity_unverified"]`, becomes("blocked").Get("data.0.codes").Raw)
		over := call(http.MethodPost, area+"/overrides", object{
			"carrier_uuid": made.Get("uuid").String(), "code": "do_not_use", "reason": "The last load.", "until": "2026-11-30",
		}).OK(t)
		becomes("warned")
		call(http.MethodDelete, over.Header.Get("Location"), nil).OK(t)
		becomes("blocked")
		call(http.MethodPost, at+"/allow", nil).OK(t)
		becomes("warned")

		record := call(http.MethodGet, area+"/regulator/9900001", nil).OK(t).Get("identity.phone").String()
		call(http.MethodPost, at+"/confirm_identity", object{"channel": "+12025550199"}).Refused(t, http.StatusUnprocessableEntity, "carriers.not_on_record")
		confirmed := call(http.MethodPost, at+"/confirm_identity", object{"channel": record}).OK(t)
		require.Equal(t, record, confirmed.Get("identity_confirmations.0.channel").String())
		becomes("eligible")
		var from []string
		for _, e := range a.Events(t, a.Owner) {
			if e.Name == "carriers.carrier.compliance_changed" {
				from = append(from, e.Get("from").String())
			}
		}
		require.Equal(t, []string{"unknown", "warned", "blocked", "warned", "blocked", "warned"}, from)
	})
}

func TestRules_OfACompanyReplaceTheDefaults(t *testing.T) {
	t.Parallel()
	eachDesk(t, noon, func(t *testing.T, call func(string, string, any) moduletest.Response, _ *moduletest.App) {
		t.Helper()
		call(http.MethodPost, carriersPath, sample("9900001")).OK(t)
		rules := area + "/rules"
		low := object{
			"code": "cargo_low", "title": "We want half a million", "evidence": "cargo_cover", "needed": "threshold",
			"levels": []object{{"severity": "block", "when": "cargo_cover < threshold", "threshold": "500000"}},
		}
		made := call(http.MethodPost, rules, low).OK(t)
		got := call(http.MethodPut, carriersPath+"/validate", object{"usdot": "9900001"}).OK(t)
		require.Equal(t, "We want half a million", got.Get("blockers.0.title").String())
		require.Equal(t, "500000", got.Get("blockers.0.evidence.needed").String())
		effective := call(http.MethodGet, rules+"/effective", nil).OK(t)
		require.Equal(t, "We want half a million", effective.Get(`rules.#(code=="cargo_low").title`).String())
		require.Equal(t, "number", effective.Get(`facts.#(name=="cargo_cover").kind`).String())
		call(http.MethodDelete, made.Header.Get("Location"), nil).OK(t)
		require.True(t, call(http.MethodPut, carriersPath+"/validate", object{"usdot": "9900001"}).OK(t).Get("eligible").Bool())

		low["levels"] = []object{{"severity": "block", "when": "cargo_covre < 1"}}
		refused := call(http.MethodPost, rules, low).Refused(t, http.StatusUnprocessableEntity, "carriers.invalid_rule")
		require.Contains(t, refused.Get(`errors.levels\.0\.when.0`).String(), "Did you mean cargo_cover?")
	})
}

func TestReadCarriers_FindsThemByIdAndNumber(t *testing.T) {
	t.Parallel()
	eachDesk(t, noon, func(t *testing.T, call func(string, string, any) moduletest.Response, a *moduletest.App) {
		t.Helper()
		one := call(http.MethodPost, carriersPath, sample("9900001")).OK(t)
		two := call(http.MethodPost, carriersPath, object{"legal_name": "Two", "docket": "mc0000990002"}).OK(t)
		three := call(http.MethodPost, carriersPath, object{"legal_name": "Three"}).OK(t)
		got := call(http.MethodPost, carriersPath+"/read", object{
			"uuids": []string{three.Get("uuid").String()}, "usdots": []string{"dot 9900001", "77"}, "dockets": []string{"MC-990002"},
		}).OK(t)
		require.Equal(t, int64(3), got.Get("data.#").Int())
		require.Equal(t, `["77"]`, got.Get("missing").Raw)
		call(http.MethodPost, carriersPath+"/read", object{}).Refused(t, http.StatusUnprocessableEntity, "carriers.one_number")
		many := make([]string, 101)
		for i := range many {
			many[i] = strconv.Itoa(i + 1)
		}
		call(http.MethodPost, carriersPath+"/read", object{"usdots": many[:60], "dockets": many[:41]}).Refused(t, http.StatusUnprocessableEntity, "carriers.one_number")

		other := a.NewCompany(t)
		require.Equal(t, "[]", a.Call(t, other.Token, http.MethodPost, carriersPath+"/read", object{"uuids": []string{one.Get("uuid").String()}}).OK(t).Get("data").Raw)
		edited := call(http.MethodPut, two.Header.Get("Location"), object{"legal_name": "Two and a half"}).OK(t)
		require.Equal(t, "MC-990002", edited.Get("docket").String())
		call(http.MethodPost, carriersPath, object{"legal_name": "Again", "usdot": "9900001"}).Refused(t, http.StatusConflict, "carriers.carrier_taken")
	})
}

func TestValidate_BlocksCarriersThatTheRegulatorDoesNotHave(t *testing.T) {
	t.Parallel()
	eachDesk(t, noon, func(t *testing.T, call func(string, string, any) moduletest.Response, _ *moduletest.App) {
		t.Helper()
		judge := func(change object) moduletest.Response {
			body := sample("9900018")
			maps.Copy(body, change)
			made := call(http.MethodPost, carriersPath, body).OK(t).Get("uuid").String()
			got := call(http.MethodPut, carriersPath+"/validate", object{"carrier_uuid": made}).OK(t)
			call(http.MethodDelete, carriersPath+"/"+made, nil).OK(t)

			return got
		}
		unknown := judge(object{"usdot": "1234567", "legal_name": "Fast Haul LLC"})
		require.False(t, unknown.Get("eligible").Bool())
		require.Equal(t, `["not_in_registry"]`, codesIn(unknown, "blockers"))
		require.Contains(t, codesIn(judge(object{"usdot": nil, "docket": "MC-1"}), "blockers"), "not_in_registry")
		require.Equal(t, `["no_number"]`, codesIn(judge(object{"usdot": nil}), "blockers"))

		other := judge(object{"legal_name": "Sandbox 18"})
		require.Contains(t, codesIn(other, "warnings"), "name_differs")
		differs := other.Get(`warnings.#(code=="name_differs").evidence`)
		require.Equal(t, "Sandbox 18", differs.Get("value").String())
		require.Equal(t, "Granite Car Carriers 018 LLC", differs.Get("needed").String())
		require.NotContains(t, codesIn(judge(object{"legal_name": "GRANITE CAR CARRIERS 018, L.L.C."}), "warnings"), "name_differs")
	})
}

func TestValidate_BlocksInactiveCarriers(t *testing.T) {
	t.Parallel()
	eachDesk(t, noon, func(t *testing.T, call func(string, string, any) moduletest.Response, _ *moduletest.App) {
		t.Helper()
		at := call(http.MethodPost, carriersPath, sample("9900001")).OK(t).Header.Get("Location")
		call(http.MethodPost, at+"/deactivate", nil).OK(t)
		require.Equal(t, `["inactive"]`, codesIn(call(http.MethodPut, carriersPath+"/validate", object{"usdot": "9900001"}).OK(t), "blockers"))
	})
}
