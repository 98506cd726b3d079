package carriers_test

import (
	"context"
	"net/http"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/fx"

	"github.com/dispatchd/dispatchd/modules/carriers/carriersapi"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/hook"
	"github.com/dispatchd/dispatchd/platform/module"
	"github.com/dispatchd/dispatchd/platform/moduletest"
	"github.com/dispatchd/dispatchd/platform/web"
)

func TestCarrier_FollowsTheMergeOfItsContact(t *testing.T) {
	t.Parallel()
	moduletest.BootEach(t, modules(), func(t *testing.T, a *moduletest.App) {
		t.Helper()
		call := func(method, path string, body any) moduletest.Response {
			return a.Call(t, a.Owner.Token, method, path, body)
		}
		contact := func(name string) string {
			return call(http.MethodPost, "/contacts/api/v1/contacts", object{"name": name, "kind": "company"}).OK(t).Get("uuid").String()
		}
		one, two := contact("One LLC"), contact("One")
		at := call(http.MethodPost, carriersPath, object{"legal_name": "One", "contact_uuid": two}).OK(t).Header.Get("Location")
		call(http.MethodPost, "/contacts/api/v1/contacts/merge", object{"into": one, "from": []string{two}}).OK(t)
		require.Equal(t, one, call(http.MethodGet, at, nil).OK(t).Get("contact_uuid").String())
		call(http.MethodPost, "/contacts/api/v1/contacts/"+two+"/unmerge", nil).OK(t)
		require.Equal(t, two, call(http.MethodGet, at, nil).OK(t).Get("contact_uuid").String())
	})
}

func TestCarrier_HasItsDocumentsAndTheLastDigitsOfItsTaxID(t *testing.T) {
	t.Parallel()
	moduletest.BootEach(t, modules(), func(t *testing.T, a *moduletest.App) {
		t.Helper()
		call := func(method, path string, body any) moduletest.Response {
			return a.Call(t, a.Owner.Token, method, path, body)
		}
		w9 := uploaded(t, a, "w9.pdf")
		body := sample("9900001")
		body["w9_file_uuid"], body["tin_last4"], body["agreement_file_uuid"] = w9, "6789", uploaded(t, a, "agreement.pdf")
		made := call(http.MethodPost, carriersPath, body).OK(t)
		require.Equal(t, w9, made.Get("w9_file_uuid").String())
		at := made.Header.Get("Location")
		call(http.MethodPatch, at, object{"tin_last4": "123456789"}).Refused(t, http.StatusUnprocessableEntity, "web.invalid")
		refused := call(http.MethodPatch, at, object{"w9_received": nil}).Refused(t, http.StatusUnprocessableEntity, "carriers.invalid_carrier")
		require.NotEmpty(t, refused.Get("errors.w9_received.0").String())
		call(http.MethodPatch, at, object{"w9_file_uuid": made.Get("uuid").String()}).Refused(t, http.StatusUnprocessableEntity, "carriers.invalid_carrier")
		call(http.MethodPatch, at, object{"w9_received": nil, "tin_last4": "", "w9_file_uuid": nil}).OK(t)
		require.Contains(t, codesIn(call(http.MethodPut, carriersPath+"/validate", object{"usdot": "9900001"}).OK(t), "warnings"), "w9_missing")
	}, moduletest.Set(sandbox))
}

func TestSaved_SearchesSavesReadsAndRemembersWhatAUserUsed(t *testing.T) {
	t.Parallel()
	moduletest.BootEach(t, modules(), func(t *testing.T, a *moduletest.App) {
		t.Helper()
		call := func(method, path string, body any) moduletest.Response {
			return a.Call(t, a.Owner.Token, method, path, body)
		}
		path := area + "/saved"
		mine := call(http.MethodPost, carriersPath, sample("9900001")).OK(t).Get("uuid").String()
		one := call(http.MethodPost, path, object{"carrier_uuid": mine, "note": "Runs to Florida"}).OK(t)
		require.Equal(t, []string{"Sample Auto Lines 001", "9900001"}, []string{one.Get("name").String(), one.Get("usdot").String()})
		two := call(http.MethodPost, path, object{"usdot": "USDOT 9900002"}).OK(t)
		require.Equal(t, "Cedar Auto Lines 002 LLC", two.Get("name").String(), "the regulator's record names it")
		call(http.MethodPost, path, object{"usdot": "9900001"}).Refused(t, http.StatusConflict, "carriers.saved_taken")
		call(http.MethodPost, path, object{"note": "Nobody"}).Refused(t, http.StatusUnprocessableEntity, "carriers.invalid_saved")
		call(http.MethodPost, path, object{"usdot": "acme"}).Refused(t, http.StatusUnprocessableEntity, "carriers.invalid_number")
		require.Equal(t, one.Get("uuid").String(), call(http.MethodGet, path+"?q=florida", nil).OK(t).Get("data.0.uuid").String())
		edited := call(http.MethodPut, two.Header.Get("Location"), object{"note": "Enclosed"}).OK(t)
		require.Equal(t, "Enclosed", edited.Get("note").String())

		recently := func(token string) string {
			return a.Call(t, token, http.MethodGet, path+"/recently", nil).OK(t).Get("data.#.usdot").Raw
		}
		require.Equal(t, `["9900002","9900001"]`, recently(a.Owner.Token))
		call(http.MethodGet, one.Header.Get("Location"), nil).OK(t)
		require.Equal(t, `["9900001","9900002"]`, recently(a.Owner.Token), "reading one uses it")
		require.Equal(t, "[]", recently(a.Token(t, a.Owner, "carriers:read")), "a program has no saved carriers of its own")
		other := a.NewCompany(t)
		require.Equal(t, "[]", recently(other.Token))
		a.Call(t, other.Token, http.MethodGet, one.Header.Get("Location"), nil).Refused(t, http.StatusNotFound, "carriers.saved_not_found")
		a.Call(t, other.Token, http.MethodPost, path, object{"carrier_uuid": mine}).Refused(t, http.StatusUnprocessableEntity, "carriers.invalid_saved")
		call(http.MethodDelete, one.Header.Get("Location"), nil).OK(t)
		require.Equal(t, `["9900002"]`, recently(a.Owner.Token))
	}, moduletest.Set(sandbox))
}

func TestIncident_OfACheatBansTheCarrierInTheSameTransaction(t *testing.T) {
	t.Parallel()
	eachDesk(t, noon, func(t *testing.T, call func(string, string, any) moduletest.Response, a *moduletest.App) {
		t.Helper()
		at := call(http.MethodPost, carriersPath, sample("9900001")).OK(t).Header.Get("Location")
		report := func(kind string) string {
			return call(http.MethodPost, at+"/incidents", object{"kind": kind, "title": "What happened"}).OK(t).Header.Get("Location")
		}
		verdict := func() moduletest.Response {
			return call(http.MethodPut, carriersPath+"/validate", object{"usdot": "9900001"}).OK(t)
		}
		damage := report("damage")
		require.Equal(t, "2026-11-24", call(http.MethodGet, damage, nil).OK(t).Get("happened_on").String())
		require.Contains(t, codesIn(verdict(), "warnings"), "incident_open")
		call(http.MethodPost, damage+"/confirm", nil).OK(t)
		require.Equal(t, "active", call(http.MethodGet, at, nil).OK(t).Get("status").String())
		require.NotContains(t, codesIn(verdict(), "warnings"), "incident_open")
		for range 3 {
			call(http.MethodPost, report("no_show")+"/confirm", nil).OK(t)
		}
		require.Contains(t, codesIn(verdict(), "warnings"), "bounces_often")
		dismissed := report("fraud")
		call(http.MethodPost, dismissed+"/dismiss", object{"reason": "It was another carrier."}).OK(t)
		require.Equal(t, "active", call(http.MethodGet, at, nil).OK(t).Get("status").String())

		call(http.MethodPost, report("double_brokered")+"/confirm", nil).OK(t)
		require.Equal(t, "do_not_use", call(http.MethodGet, at, nil).OK(t).Get("status").String())
		require.Contains(t, codesIn(verdict(), "blockers"), "do_not_use")
		call(http.MethodPost, dismissed+"/close", nil).OK(t)
		history := call(http.MethodGet, at+"/history", nil).OK(t)
		require.JSONEq(t, `{"open_incidents": 0, "confirmed_incidents": 5, "bounces": 3}`, history.Get("record").Raw)
		require.Equal(t, int64(6), history.Get("incidents.#").Int())
		a.Eventually(t, func() bool {
			return call(http.MethodGet, at+"/history", nil).OK(t).Get("verdict_changes.0.to").String() == "blocked"
		}, "the verdict changes")
		call(http.MethodDelete, at, nil).Refused(t, http.StatusConflict, "carriers.carrier_in_use")
		call(http.MethodPost, at+"/incidents", object{"kind": "late", "title": "Late", "happened_on": "2026-11-25"}).
			Refused(t, http.StatusUnprocessableEntity, "carriers.invalid_incident")
		require.Equal(t, 12, count(a.EventNames(t, a.Owner), "carriers.carrier.incident"))
		other := a.NewCompany(t)
		a.Call(t, other.Token, http.MethodPost, at+"/incidents", object{"kind": "late", "title": "Late"}).Refused(t, http.StatusNotFound, "carriers.carrier_not_found")
		a.Call(t, other.Token, http.MethodGet, at+"/history", nil).Refused(t, http.StatusNotFound, "carriers.carrier_not_found")
		require.Equal(t, "[]", a.Call(t, other.Token, http.MethodGet, area+"/incidents", nil).OK(t).Get("data").Raw)
	})
}

func TestBan_IsNotUndoneByDeleting(t *testing.T) {
	t.Parallel()
	moduletest.BootEach(t, modules(), func(t *testing.T, a *moduletest.App) {
		t.Helper()
		writer := a.Token(t, a.Owner, "carriers:read", "carriers:write")
		call := func(method, path string, body any) moduletest.Response { return a.Call(t, writer, method, path, body) }
		at := call(http.MethodPost, carriersPath, sample("9900001")).OK(t).Header.Get("Location")
		fraud := call(http.MethodPost, at+"/incidents", object{"kind": "fraud", "title": "What happened"}).OK(t).Header.Get("Location")
		call(http.MethodPost, fraud+"/confirm", nil).OK(t)
		call(http.MethodDelete, fraud, nil).Refused(t, http.StatusForbidden, "web.scope_missing")
		call(http.MethodPatch, at, object{"usdot": nil}).Refused(t, http.StatusForbidden, "web.scope_missing")
		call(http.MethodPatch, at, object{"notes": "Do not call"}).OK(t)
		a.Call(t, a.Owner.Token, http.MethodDelete, fraud, nil).OK(t)
		call(http.MethodDelete, at, nil).Refused(t, http.StatusForbidden, "web.scope_missing")
		a.Call(t, a.Owner.Token, http.MethodDelete, at, nil).OK(t)
	})
}

func count(all []string, one string) (n int) {
	for _, name := range all {
		if name == one {
			n++
		}
	}

	return n
}

func TestSuggestions_RankTheCompanysCarriersByTwoStatements(t *testing.T) {
	t.Parallel()
	eachDesk(t, noon, func(t *testing.T, call func(string, string, any) moduletest.Response, a *moduletest.App) {
		t.Helper()
		create := func(usdot, name string, change func(object)) string {
			body := sample(usdot)
			body["legal_name"] = name
			body["lanes"] = []object{{"from": []string{"TX"}, "to": []string{"FL"}}}
			body["equipment"] = []object{{"kind": "open", "slots": 9}}
			change(body)

			return call(http.MethodPost, carriersPath, body).OK(t).Header.Get("Location")
		}
		create("9900001", "Preferred", func(o object) { o["preferred"] = true })
		create("9900011", "Plain", func(object) {})
		create("9900021", "Elsewhere", func(o object) { o["lanes"] = []object{} })
		banned := create("9900031", "Banned", func(object) {})
		call(http.MethodPost, banned+"/ban", object{"reason": "Held a load hostage."}).OK(t)
		ask := object{"from": object{"state": "tx", "zip": "75201"}, "to": object{"state": "FL"}, "vehicles": 3, "delivery": "2026-12-09", "declared_value": "86000.00"}
		var got moduletest.Response
		require.LessOrEqual(t, a.Sent(func() { got = call(http.MethodPost, area+"/suggestions", ask).OK(t) }), int64(8))
		require.Equal(t, `["Preferred","Plain","Elsewhere"]`, got.Get("data.#.legal_name").Raw)
		require.Equal(t, "Runs TX to FL", got.Get(`data.0.reasons.#(code=="lane").text`).String())
		ask["declared_value"] = "250000.01"
		require.Contains(t, call(http.MethodPost, area+"/suggestions", ask).OK(t).Get("data.0.reasons.#.code").Raw, "cover_low")
		call(http.MethodPost, area+"/suggestions", object{"from": object{}, "to": object{"state": "FL"}}).
			Refused(t, http.StatusUnprocessableEntity, "carriers.invalid_suggestion")
		other := a.NewCompany(t)
		require.Equal(t, "[]", a.Call(t, other.Token, http.MethodPost, area+"/suggestions", ask).OK(t).Get("data").Raw)
	})
}

// dispatcher is an area that uses carriers.
type dispatcher struct {
	carriers  carriersapi.Carriers
	verdicts  carriersapi.Verdicts
	incidents carriersapi.Incidents
	db        *database.DB
}

func (*dispatcher) refuse(context.Context, *carriersapi.Removing) error { return carriersapi.ErrUsed }

type askInput struct {
	UUID string `path:"uuid"`
}

type askOutput struct {
	Body struct {
		Carrier carriersapi.Carrier `json:"carrier"`
		Reach   carriersapi.Reach   `json:"reach"`
		Verdict carriersapi.Verdict `json:"verdict"`
		Reports []string            `json:"reports"`
	}
}

func (d *dispatcher) ask(ctx context.Context, in *askInput) (out *askOutput, err error) {
	out = &askOutput{}
	found, err := d.carriers.Find(ctx, in.UUID, "nonsense")
	if err != nil {
		return nil, err
	}
	out.Body.Carrier = found[in.UUID]
	if out.Body.Reach, err = d.carriers.Reach(ctx, in.UUID, carriersapi.Billing); err != nil {
		return nil, err
	}
	if out.Body.Verdict, err = d.verdicts.Verdict(ctx, in.UUID, carriersapi.Load{Declared: "250000.01", Delivery: "2026-12-09"}); err != nil {
		return nil, err
	}

	return out, d.db.InTx(ctx, func(ctx context.Context) error {
		for range 2 {
			id, err := d.incidents.Report(ctx, carriersapi.Report{
				Area: "dispatcher", Key: in.UUID, Carrier: in.UUID, Kind: "bounce", Title: "Gave the load back",
			})
			if err != nil {
				return err
			}
			out.Body.Reports = append(out.Body.Reports, id)
		}

		return nil
	})
}

func dispatching() module.Module {
	return module.New("dispatcher", "Uses carriers",
		fx.Provide(func(c carriersapi.Carriers, v carriersapi.Verdicts, i carriersapi.Incidents, db *database.DB) *dispatcher {
			return &dispatcher{c, v, i, db}
		}, fx.Private),
		hook.On((*dispatcher).refuse),
		web.Routes(func(r *web.Router, d *dispatcher) {
			web.Register(r, web.Operation{
				Method: http.MethodPost, Path: "/ask/{uuid}", ID: "ask", Access: web.Write, Summary: "Ask",
				Errors: []*errs.Error{errs.New(errs.NotFound, "carriers.carrier_not_found", "There is no such carrier.")},
			}, d.ask)
		}),
	).Needs(carriersapi.Area)
}

func TestContract_FindsReachesJudgesAndTakesReports(t *testing.T) {
	t.Parallel()
	moduletest.BootEach(t, append(modules(), dispatching()), func(t *testing.T, a *moduletest.App) {
		t.Helper()
		body := sample("9900001")
		body["phone"], body["email"] = "+12025550100", "office@example.com"
		body["people"] = []object{{"name": "Bo", "role": "billing", "email": "bills@example.com"}, {"name": "Ann", "role": "owner", "phone": "+12025550101"}}
		made := a.Call(t, a.Owner.Token, http.MethodPost, carriersPath, body).OK(t)
		id := made.Get("uuid").String()
		got := a.Call(t, a.Owner.Token, http.MethodPost, "/dispatcher/api/v1/ask/"+id, nil).OK(t)
		require.Equal(t, []string{"Sample Auto Lines 001", "9900001", "active"},
			[]string{got.Get("carrier.Name").String(), got.Get("carrier.USDOT").String(), got.Get("carrier.Status").String()})
		require.JSONEq(t, `{"Name": "Bo", "Email": "bills@example.com", "SMS": "+12025550100", "Call": "+12025550100"}`, got.Get("reach").Raw)
		require.False(t, got.Get("verdict.Eligible").Bool())
		require.Equal(t, `["cargo_low"]`, got.Get("verdict.Blockers.#.code").Raw)
		reports := got.Get("reports").Array()
		require.Equal(t, reports[0].String(), reports[1].String(), "the same report is kept once")
		require.Equal(t, "dispatcher", a.Call(t, a.Owner.Token, http.MethodGet, area+"/incidents/"+reports[0].String(), nil).OK(t).Get("reporter").String())
		a.Call(t, a.NewCompany(t).Token, http.MethodPost, "/dispatcher/api/v1/ask/"+id, nil).Refused(t, http.StatusNotFound, "carriers.carrier_not_found")

		unused := a.Call(t, a.Owner.Token, http.MethodPost, carriersPath, object{"legal_name": "Other"}).OK(t).Header.Get("Location")
		a.Call(t, a.Owner.Token, http.MethodDelete, unused, nil).Refused(t, http.StatusConflict, "carriers.used")
		require.True(t, slices.Contains(a.EventNames(t, a.Owner), "carriers.carrier.incident"))
	}, moduletest.Set(sandbox))
}
