package custommodules_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/dispatchd/dispatchd/platform/identity"
	"github.com/dispatchd/dispatchd/platform/moduletest"
)

// planted is what sensitive values, and the records of hidden modules, have in them, and nothing else has.
const planted = "424242424242"

// plant makes a value of a type in which planted is.
func plant(t *rapid.T, typ string) any {
	n := rapid.IntRange(10, 99).Draw(t, "n")
	switch typ {
	case "text", "long_text":
		return fmt.Sprintf("x%s%d", planted, n)
	case "integer":
		return json.Number(fmt.Sprintf("%s%d", planted, n))
	case "decimal":
		return fmt.Sprintf("%s%d.50", planted, n)
	case "email":
		return fmt.Sprintf("a%s%d@example.com", planted, n)
	default:
		return object{"deep": []any{planted, n}}
	}
}

// secrecyField is a field of a random module.
type secrecyField struct {
	key, typ                   string
	sensitive, unique, indexed bool
}

func (f secrecyField) definition() object {
	return object{"key": f.key, "type": f.typ, "sensitive": f.sensitive, "unique": f.unique, "indexed": f.indexed}
}

func randomFields(t *rapid.T) []secrecyField {
	count := rapid.IntRange(2, 6).Draw(t, "fields")
	fields := make([]secrecyField, count)
	for i := range fields {
		typ := rapid.SampledFrom([]string{"text", "long_text", "integer", "decimal", "email", "json"}).Draw(t, "type")
		slotted := typ != "json" && typ != "long_text"
		fields[i] = secrecyField{
			key: fmt.Sprintf("f%c", 'a'+i), typ: typ, sensitive: i == 0 || rapid.Bool().Draw(t, "sensitive"),
			unique: slotted && rapid.Bool().Draw(t, "unique"), indexed: slotted && rapid.Bool().Draw(t, "indexed"),
		}
	}

	return fields
}

// open is a value of a type without what is planted.
func open(typ string) any {
	switch typ {
	case "integer":
		return 7
	case "decimal":
		return "7.00"
	case "email":
		return "b@example.com"
	case "json":
		return object{"b": 1}
	default:
		return "open"
	}
}

// TestPermissions_NoAnswerHasWhatTheCallerMayNotSee makes random modules in which sensitive values are
// planted, throws every operation at them as callers who may not see those, and looks through all answers.
func TestPermissions_NoAnswerHasWhatTheCallerMayNotSee(t *testing.T) {
	t.Parallel()
	eachApp(t, func(t *testing.T, a *moduletest.App) {
		t.Helper()
		callers := map[string]string{
			"dispatcher": as(t, a, identity.Dispatcher), "viewer": as(t, a, identity.Viewer),
			"program": a.Token(t, a.Owner, "custom_modules:read", "custom_modules:write", "custom_modules:define"),
		}
		round := 0
		rapid.Check(t, func(rt *rapid.T) {
			round++
			probe := secrecy{App: a, fields: randomFields(rt), hidden: rapid.Bool().Draw(rt, "hidden")}
			probe.createRecords(t, rt, round)
			for _, name := range slices.Sorted(maps.Keys(callers)) {
				for range 6 {
					probe.try(t, rt, name, callers[name])
				}
			}
		})
	})
}

// secrecy is a random module with two versions of a record and another one.
type secrecy struct {
	*moduletest.App

	fields         []secrecyField
	hidden         bool
	module, record string
	values         object
}

func (s *secrecy) createRecords(t *testing.T, rt *rapid.T, round int) {
	t.Helper()
	body := object{"name": fmt.Sprintf("Module %d", round)}
	var fields []object
	for _, f := range s.fields {
		fields = append(fields, f.definition())
	}
	if first := s.fields[0]; first.typ == "text" {
		fields = append(fields, object{"key": "made", "type": "formula", "sensitive": true, "options": object{"formula": first.key + ` + "!"`, "result": "text"}})
	}
	body["fields"] = fields
	if s.hidden {
		body["permissions"] = object{"read": []string{"accountant"}}
	}
	owner := s.Owner.Token
	s.module = s.Call(t, owner, http.MethodPost, modulesPath, body).OK(t).Get("uuid").String()
	for range 2 {
		s.values = object{}
		for _, f := range s.fields {
			if s.values[f.key] = plant(rt, f.typ); !f.sensitive && !s.hidden {
				s.values[f.key] = open(f.typ)
			}
		}
		made := s.Call(t, owner, http.MethodPost, recordsPath, object{"module_uuid": s.module, "payload": s.values})
		if made.Status == http.StatusOK { // else by chance a unique value was made twice
			s.record = made.Get("uuid").String()
		}
	}
	s.Call(t, owner, http.MethodPatch, recordsPath+"/"+s.record, object{"payload": object{s.fields[0].key: plant(rt, s.fields[0].typ)}})
}

// try calls an operation in a random way.
func (s *secrecy) try(t *testing.T, rt *rapid.T, who, token string) {
	t.Helper()
	f := rapid.SampledFrom(s.fields).Draw(rt, "field")
	value := rapid.SampledFrom([]any{s.values[f.key], open(f.typ), nil, []any{1}}).Draw(rt, "value")
	text := strings.Trim(fmt.Sprint(open(f.typ)), `"`)
	list := recordsPath + "?module_uuid=" + s.module
	record, module := recordsPath+"/"+s.record, modulesPath+"/"+s.module
	patch := object{"payload": object{f.key: value}}
	calls := []struct {
		method, path string
		body         any
	}{
		{http.MethodGet, record, nil},
		{http.MethodGet, record + "?version=1", nil},
		{http.MethodGet, record + "/history", nil},
		{http.MethodGet, list, nil},
		{http.MethodGet, list + "&sort=-" + f.key, nil},
		{http.MethodGet, list + "&fields=payload." + f.key, nil},
		{http.MethodGet, list + "&filter[" + f.key + "][ne]=" + url.QueryEscape(text), nil},
		{http.MethodGet, list + "&expand=" + f.key, nil},
		{http.MethodGet, list + "&q=x", nil},
		{http.MethodGet, module, nil},
		{http.MethodGet, modulesPath, nil},
		{http.MethodGet, record + "/links", nil},
		{http.MethodPost, recordsPath, object{"module_uuid": s.module, "payload": object{f.key: open(f.typ)}}},
		{http.MethodPatch, record, object{"payload": object{f.key: open(f.typ)}}},
		{http.MethodPatch, record, patch},
		{http.MethodPost, record + "/revert", object{"version": 1}},
		{http.MethodPost, record + "/revert", object{"version": 1, "fields": []string{f.key}}},
		{http.MethodPost, recordsPath + "/bulk", object{"module_uuid": s.module, "atomic": false, "items": []object{
			{"do": "upsert", "by": f.key, "payload": object{f.key: value}},
			{"do": "update", "uuid": s.record, "payload": object{f.key: value}},
			{"do": "create", "payload": object{f.key: value}},
			{"do": "delete", "uuid": s.record, "version": 99},
		}}},
	}
	call := rapid.SampledFrom(calls).Draw(rt, "call")
	headers := []string{}
	if rapid.Bool().Draw(rt, "stale") {
		headers = []string{"If-Match", `"1"`}
	}
	answer := s.Call(t, token, call.method, call.path, call.body, headers...)
	require.Lessf(t, answer.Status, http.StatusInternalServerError, "%s: %s %s: %s", who, call.method, call.path, answer.Body)
	if !strings.Contains(fmt.Sprint(call.body), planted) { // what the caller sent himself may come back to him
		require.NotContainsf(t, string(answer.Body), planted, "%s: %s %s", who, call.method, call.path)
	}
}
