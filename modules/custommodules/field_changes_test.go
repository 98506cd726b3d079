package custommodules_test

import (
	"fmt"
	"maps"
	"net/http"
	"path"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/moduletest"
)

// planned plans a change of a field as the owner, and returns the plan.
func (y yard) planned(t *testing.T, field string, change object) moduletest.Response {
	t.Helper()
	plan := y.post(t, field+"/plan", change).OK(t)
	require.Equal(t, "planned", plan.Get("state").String())

	return plan
}

// applied plans a change of a field and applies it, and returns it when it is over.
func (y yard) applied(t *testing.T, field string, change, decision object) moduletest.Response {
	t.Helper()
	body := object{"plan_uuid": y.planned(t, field, change).Get("uuid").String()}
	maps.Copy(body, decision)
	at := y.post(t, field+"/apply", body).OK(t).Header.Get("Location")
	var now moduletest.Response
	y.Eventually(t, func() bool {
		now = y.get(t, at).OK(t)

		return now.Get("state").String() != "applying"
	}, "the change is over")
	require.Equal(t, "applied", now.Get("state").String(), string(now.Body))

	return now
}

func TestFieldChange_TellsListenersToReadAgain(t *testing.T) {
	t.Parallel()
	eachYard(t, func(t *testing.T, y yard) {
		module := y.module(t, "Parts", object{"key": "size", "type": "text"})
		record := y.create(t, module, object{"size": "7"}).OK(t).Header.Get("Location")
		e := listen(t, y.App, y.Owner.Token, module, "?include=record")
		e.next(t, "ready")
		change := y.applied(t, y.field(t, module, "size"), object{"change": "type", "type": "integer"}, nil)
		reset := e.next(t, "reset")
		require.Equal(t, "field_change", reset.get("reason"))
		require.Equal(t, int64(7), y.get(t, record).Get("payload.size").Int())
		y.patch(t, record, object{"size": 8}).OK(t)
		require.Equal(t, "8", e.next(t, "updated").get("record.payload.size"), "it goes on after that")
		again := listen(t, y.App, y.Owner.Token, module, "", "Last-Event-ID", reset.id)
		require.Equal(t, "3", again.next(t, "updated").get("version"))

		var over []moduletest.Raised
		for _, raised := range y.Events(t, y.Owner) {
			if raised.Name == "custom_modules.module.records_changed" {
				over = append(over, raised)
			}
		}
		require.Len(t, over, 1)
		require.JSONEq(t, fmt.Sprintf(`{"module_uuid":%q,"field_change_uuid":%q,"field_uuid":%q,"new_field_uuid":%q,"change":"type","state":"applied","records":1}`,
			module, change.Get("uuid").String(), change.Get("field_uuid").String(), change.Get("new_field_uuid").String()), over[0].Payload)
		require.Subset(t, y.Audited(t, y.Owner), []string{"custom_modules.field_change.applying", "custom_modules.field_change.applied"})
	})
}

func TestFieldChange_MakesRollupsAnewThatAreMadeOfWhatItFills(t *testing.T) {
	t.Parallel()
	eachYard(t, func(t *testing.T, y yard) {
		c := y.claims(t)
		c.addRollup(t, c.rollup("total", "sum"))
		claim := y.create(t, c.claims, object{"name": "x"}).OK(t)
		y.create(t, c.items, object{"claim": object{"record_uuid": claim.Get("uuid").String()}}).OK(t)
		y.fresh(t, claim.Header.Get("Location"))
		y.applied(t, y.field(t, c.items, "amount"), object{"change": "required"}, object{"fill": "5.50"})
		require.Equal(t, "5.50", y.fresh(t, claim.Header.Get("Location")).Get("payload.total").String())
	})
}

func TestFieldChange_OfAStalePlanSaysSo(t *testing.T) {
	t.Parallel()
	eachYard(t, func(t *testing.T, y yard) {
		module := y.module(t, "Parts", object{"key": "size", "type": "text"})
		field := y.field(t, module, "size")
		plan := y.planned(t, field, object{"change": "type", "type": "integer"})
		y.change(t, field, object{"label": "Width"}).OK(t)
		stale := y.post(t, field+"/apply", object{"plan_uuid": plan.Get("uuid").String()})
		stale.Refused(t, http.StatusConflict, "custom_modules.field_change_stale")
		require.Contains(t, stale.Get("message").String(), "plan")
	})
}

func TestFieldChange_IsDecidedAndRunsAlone(t *testing.T) {
	t.Parallel()
	eachIdleYard(t, func(t *testing.T, y yard, work func()) {
		t.Helper()
		module := y.module(t, "Parts", object{"key": "size", "type": "text"})
		y.create(t, module, object{"size": "large"}).OK(t)
		field := y.field(t, module, "size")
		y.post(t, field+"/plan", object{"change": "type", "type": "text"}).
			Refused(t, http.StatusUnprocessableEntity, "custom_modules.invalid_field_change")
		body := object{"plan_uuid": y.planned(t, field, object{"change": "type", "type": "integer"}).Get("uuid").String()}
		refused := y.post(t, field+"/apply", body).Refused(t, http.StatusConflict, "custom_modules.field_change_undecided")
		require.EqualValues(t, 1, refused.Get("details.fails").Int())
		body["on_failure"] = "clear"
		change := y.post(t, field+"/apply", body).OK(t)
		require.Equal(t, "applying", change.Get("state").String())

		running := y.post(t, modulesPath+"/"+module+"/fields", object{"key": "more", "type": "text"}).
			Refused(t, http.StatusConflict, "custom_modules.field_change_running")
		require.Equal(t, change.Get("uuid").String(), running.Get("details.field_change_uuid").String())
		at := change.Header.Get("Location")
		work()
		y.Eventually(t, func() bool { return y.get(t, at).OK(t).Get("state").String() == "applied" }, "the change is over")
		ended := y.post(t, at+"/cancel", nil).Refused(t, http.StatusConflict, "custom_modules.field_change_state")
		require.Equal(t, "applied", ended.Get("details.state").String())
		y.post(t, modulesPath+"/"+module+"/fields", object{"key": "more", "type": "text"}).OK(t)
	})
}

// What a plan repeats of values is for those who may see them: also when the field became sensitive after that, and
// also when it is another field by then.
func TestFieldChange_ShowsNoSensitiveValueToWhoMayNotSeeIt(t *testing.T) {
	t.Parallel()
	eachYard(t, func(t *testing.T, y yard) {
		blind := y.Token(t, y.Owner, "custom_modules:read", "custom_modules:write", "custom_modules:define")
		module := y.module(t, "People", object{"key": "pin", "type": "text", "sensitive": true}, object{"key": "code", "type": "text"})
		for _, n := range []int{1, 1, 2} {
			y.create(t, module, object{"pin": fmt.Sprint("9", planted, n), "code": fmt.Sprint("9", planted, n)}).OK(t)
		}
		y.create(t, module, object{"pin": "x" + planted, "code": "x" + planted}).OK(t)
		pin, code := y.field(t, module, "pin"), y.field(t, module, "code")

		y.Call(t, blind, http.MethodPost, pin+"/plan", object{"change": "type", "type": "decimal"}).Refused(t, http.StatusForbidden, "web.scope_missing")
		for _, change := range []object{{"change": "type", "type": "decimal"}, {"change": "unique"}, {"change": "delete"}} {
			require.Contains(t, string(y.planned(t, pin, change).Body), planted)
		}
		change := y.applied(t, code, object{"change": "type", "type": "decimal"}, object{"on_failure": "clear"})
		require.Contains(t, string(change.Body), planted)
		made := path.Dir(code) + "/" + change.Get("new_field_uuid").String()
		y.change(t, made, object{"sensitive": true}).OK(t)
		list := modulesPath + "/" + module + "/field_changes"
		require.Contains(t, string(y.get(t, list).OK(t).Body), planted)
		seen := y.Call(t, blind, http.MethodGet, list, nil).OK(t)
		require.Len(t, seen.Get("data").Array(), 4)
		require.NotContains(t, string(seen.Body), planted)
		for _, id := range texts(seen, "data.#.uuid") {
			one := y.Call(t, blind, http.MethodGet, list+"/"+id, nil).OK(t)
			require.NotContains(t, string(one.Body), planted)
			require.Positive(t, one.Get("report.records").Int(), "what is counted is no value")
		}
		require.NotContains(t, y.Logged(), planted)
	})
}
