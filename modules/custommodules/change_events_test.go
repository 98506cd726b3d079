package custommodules_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestFieldChange_TellsItsProgressAsEvents(t *testing.T) {
	t.Parallel()
	eachYard(t, func(t *testing.T, y yard) {
		t.Helper()
		parts := y.module(t, "Parts", object{"key": "year", "type": "text"})
		for _, year := range []string{"2019", "2020"} {
			y.create(t, parts, object{"year": year}).OK(t)
		}
		field := y.field(t, parts, "year")
		plan := y.post(t, field+"/plan", object{"change": "type", "type": "integer"}).OK(t).Get("uuid").String()
		y.post(t, field+"/apply", object{"plan_uuid": plan}).OK(t)
		events := modulesPath + "/" + parts + "/field_changes/" + plan + "/events"
		heard := string(y.get(t, events).OK(t).Body)
		require.Contains(t, heard, `"state":"applied","total":2,"done":2,"changed":2,"failed":0,"problem":""`)
		require.Contains(t, heard, "event: stream.ended")
		last := heard[strings.LastIndex(heard, "id: ")+len("id: "):]
		last, _, _ = strings.Cut(last, "\n")
		again := y.Call(t, y.Owner.Token, http.MethodGet, events, nil, "Last-Event-ID", last)
		require.Equal(t, http.StatusNoContent, again.Status, "it is known already")

		y.get(t, strings.Replace(events, plan, y.customer, 1)).Refused(t, http.StatusNotFound, "custom_modules.field_change_not_found")
		y.Call(t, y.Token(t, y.Owner, "custom_modules:read"), http.MethodGet, events, nil).Refused(t, http.StatusForbidden, "web.scope_missing")
		y.Call(t, y.NewCompany(t).Token, http.MethodGet, events, nil).Refused(t, http.StatusNotFound, "custom_modules.module_not_found")
	})
}

func TestFieldChange_IsFollowedFromBeforeItIsApplied(t *testing.T) {
	t.Parallel()
	eachYard(t, func(t *testing.T, y yard) {
		t.Helper()
		parts := y.module(t, "Parts", object{"key": "year", "type": "text"})
		y.create(t, parts, object{"year": "2019"}).OK(t)
		field := y.field(t, parts, "year")
		plan := y.post(t, field+"/plan", object{"change": "type", "type": "integer"}).OK(t).Get("uuid").String()
		path := modulesPath + "/" + parts + "/field_changes/" + plan
		y.Eventually(t, func() bool { return y.get(t, path).Get("state").String() == "planned" }, "it is planned")
		heard := y.follow(t, path+"/events")
		require.Contains(t, heard.next(t), `"state":"planned"`)
		y.post(t, field+"/apply", object{"plan_uuid": plan}).OK(t)
		heard.until(t, `"state":"applied"`)
	})
}
