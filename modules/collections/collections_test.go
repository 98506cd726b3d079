package collections_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/modules/collections"
	"github.com/dispatchd/dispatchd/modules/custommodules"
	"github.com/dispatchd/dispatchd/platform/module"
	"github.com/dispatchd/dispatchd/platform/moduletest"
)

const (
	modulesPath     = "/custom_modules/api/v1/modules"
	collectionsPath = "/collections/api/v1/collections"
	importsPath     = "/collections/api/v1/imports"
)

type object = map[string]any

// yard is a company with a module of lots.
type yard struct {
	*moduletest.App

	lots string
}

func eachYard(t *testing.T, test func(t *testing.T, y yard)) {
	t.Helper()
	modules := []module.Module{collections.Module, custommodules.Module}
	moduletest.BootEach(t, modules, func(t *testing.T, a *moduletest.App) {
		t.Helper()
		test(t, yard{a, newLots(t, a, a.Owner.Token)})
	})
}

// newLots makes a module and returns its id.
func newLots(t *testing.T, a *moduletest.App, token string) string {
	t.Helper()

	return a.Call(t, token, http.MethodPost, modulesPath, object{"name": "Lots", "fields": []object{
		{"key": "code", "label": "Lot code", "type": "text", "required": true, "unique": true, "indexed": true},
		{"key": "price", "type": "decimal"},
		{"key": "gate_code", "type": "text", "sensitive": true},
	}}).OK(t).Get("uuid").String()
}

func (y yard) get(t *testing.T, path string) moduletest.Response {
	t.Helper()

	return y.Call(t, y.Owner.Token, http.MethodGet, path, nil)
}

// send uploads a file to a collection and returns the id of the import.
func (y yard) send(t *testing.T, token, name, file string) string {
	t.Helper()

	return y.Call(t, token, http.MethodPost, collectionsPath+"/"+name+"/imports", file, "Content-Type", "text/csv").OK(t).Get("uuid").String()
}

// do takes a step with an import, and waits until nobody works on it any more.
func (y yard) do(t *testing.T, token, id, verb string) moduletest.Response {
	t.Helper()
	y.Call(t, token, http.MethodPost, importsPath+"/"+id+"/"+verb, nil).OK(t)
	var r moduletest.Response
	y.Eventually(t, func() bool {
		r = y.Call(t, token, http.MethodGet, importsPath+"/"+id, nil).OK(t)
		state := r.Get("state").String()

		return state != "checking" && state != "running" && state != "undoing"
	}, "the import settles")

	return r
}

// export is a collection as CSV, without uuids, versions and times.
func (y yard) export(t *testing.T, token, name string) string {
	t.Helper()
	text := y.Call(t, token, http.MethodGet, collectionsPath+"/"+name+"/export?fields=payload&sort=code", nil).OK(t)
	var lines []string
	for line := range strings.Lines(string(text.Body)) {
		_, rest, _ := strings.Cut(line, ",")
		lines = append(lines, rest)
	}

	return strings.Join(lines, "")
}

func TestCollections_AreDescribedAsTheirCallerSeesThem(t *testing.T) {
	t.Parallel()
	eachYard(t, func(t *testing.T, y yard) {
		t.Helper()
		all := y.get(t, collectionsPath).OK(t)
		require.JSONEq(t, `[{"name": "`+y.lots+`", "area": "custom_modules", "title": "Lots"}]`, all.Get("data").Raw)

		lots := y.get(t, collectionsPath+"/"+y.lots).OK(t)
		require.Equal(t, "Lots", lots.Get("title").String())
		require.Equal(t, "payload", lots.Get("under").String())
		require.True(t, lots.Get("writable").Bool())
		require.Equal(t, `["code","price","gate_code"]`, lots.Get("fields.#.key").Raw)
		require.True(t, lots.Get("fields.0.unique").Bool())
		require.True(t, lots.Get("fields.2.sensitive").Bool())
		require.Equal(t, `["code"]`, lots.Get("schema.required").Raw)

		reader := y.Token(t, y.Owner, "collections:*", "custom_modules:read")
		seen := y.Call(t, reader, http.MethodGet, collectionsPath+"/"+y.lots, nil).OK(t)
		require.Equal(t, `["code","price"]`, seen.Get("fields.#.key").Raw, "what is sensitive takes a scope")
		require.False(t, seen.Get("writable").Bool())

		y.Call(t, y.Owner.Token, http.MethodPost, modulesPath+"/"+y.lots+"/archive", nil).OK(t)
		require.False(t, y.get(t, collectionsPath+"/"+y.lots).OK(t).Get("writable").Bool())
	})
}

func TestCollections_TakeTheScopesOfTheirAreas(t *testing.T) {
	t.Parallel()
	eachYard(t, func(t *testing.T, y yard) {
		t.Helper()
		one, file := collectionsPath+"/"+y.lots, "Lot code\nA\n"
		stranger := y.Token(t, y.Owner, "collections:*")
		require.Empty(t, y.Call(t, stranger, http.MethodGet, collectionsPath, nil).OK(t).Get("data").Array())
		for _, path := range []string{one, one + "/export", one + "/imports"} {
			y.Call(t, stranger, http.MethodGet, path, nil).Refused(t, http.StatusForbidden, "web.scope_missing")
		}
		reader := y.Token(t, y.Owner, "collections:*", "custom_modules:read")
		y.Call(t, reader, http.MethodPost, one+"/imports", file, "Content-Type", "text/csv").
			Refused(t, http.StatusForbidden, "web.scope_missing")
		id := y.send(t, y.Owner.Token, y.lots, file)
		y.Call(t, reader, http.MethodGet, importsPath+"/"+id, nil).Refused(t, http.StatusForbidden, "web.scope_missing")

		other := y.NewCompany(t).Token
		for _, name := range []string{y.lots, uuid.NewString(), "loads.load", "nothing"} {
			for path, token := range map[string]string{"": other, "/export": other, "/imports": other} {
				y.Call(t, token, http.MethodGet, collectionsPath+"/"+name+path, nil).Refused(t, http.StatusNotFound, "collection.not_found")
			}
		}
		y.Call(t, other, http.MethodGet, importsPath+"/"+id, nil).Refused(t, http.StatusNotFound, "collection.import_not_found")
	})
}

func TestImports_GoIntoAnotherCompanyAndAreUndone(t *testing.T) {
	t.Parallel()
	eachYard(t, func(t *testing.T, y yard) {
		t.Helper()
		file := "Lot code,Price\nA,1.50\nB,\n,3\nC,dear\n"
		id := y.send(t, y.Owner.Token, y.lots, file)
		tried := y.do(t, y.Owner.Token, id, "dry_run")
		require.EqualValues(t, 2, tried.Get("dry_run.created").Int(), string(tried.Body))
		require.EqualValues(t, 2, tried.Get("dry_run.failed").Int())
		require.Equal(t, y.lots, tried.Get("collection").String())
		require.Equal(t, "code,price,gate_code\n", y.export(t, y.Owner.Token, y.lots), "a dry run writes nothing")

		y.do(t, y.Owner.Token, id, "start")
		const want = "code,price,gate_code\nA,1.50,\nB,,\n"
		require.Equal(t, want, y.export(t, y.Owner.Token, y.lots))
		failed := y.get(t, importsPath+"/"+id+"/errors").OK(t)
		require.Contains(t, string(failed.Body), "3,4,\"row 4, Lot code: The Lot code is required.\",,3\n")

		other := y.NewCompany(t)
		theirs := newLots(t, y.App, other.Token)
		out := y.get(t, collectionsPath+"/"+y.lots+"/export?fields=payload").OK(t)
		copied := y.send(t, other.Token, theirs, string(out.Body))
		require.EqualValues(t, 2, y.do(t, other.Token, copied, "start").Get("progress.created").Int())
		require.Equal(t, want, y.export(t, other.Token, theirs))

		require.EqualValues(t, 2, y.do(t, y.Owner.Token, id, "undo").Get("progress.undone").Int())
		require.Equal(t, "code,price,gate_code\n", y.export(t, y.Owner.Token, y.lots))
		require.Equal(t, want, y.export(t, other.Token, theirs))
	})
}

// What was sent by the paths of custom modules is there by these too, and the other way round: it is the same import.
func TestImports_AreThoseOfTheArea(t *testing.T) {
	t.Parallel()
	eachYard(t, func(t *testing.T, y yard) {
		t.Helper()
		id := y.send(t, y.Owner.Token, y.lots, "Lot code\nA\n")
		theirs := y.get(t, "/custom_modules/api/v1/imports/"+id).OK(t)
		require.Equal(t, y.lots, theirs.Get("module_uuid").String())
		require.False(t, theirs.Get("collection").Exists())
		y.Call(t, y.Owner.Token, http.MethodPatch, "/custom_modules/api/v1/imports/"+id, object{"mapping": object{"Price": nil}}).
			Refused(t, http.StatusUnprocessableEntity, "custom_modules.import_mapping")
		y.Call(t, y.Owner.Token, http.MethodPatch, importsPath+"/"+id, object{"mapping": object{"Price": nil}}).
			Refused(t, http.StatusUnprocessableEntity, "collection.import_mapping")
		y.Call(t, y.Owner.Token, http.MethodDelete, "/custom_modules/api/v1/imports/"+id, nil).OK(t)
		require.Empty(t, y.get(t, collectionsPath+"/"+y.lots+"/imports").OK(t).Get("data").Array())
	})
}

func TestChanges_AreToldToThoseWhoSeeThem(t *testing.T) {
	t.Parallel()
	eachYard(t, func(t *testing.T, y yard) {
		t.Helper()
		path := collectionsPath + "/" + y.lots + "/changes?follow=false&include=record"
		listen := func(token, after string) string {
			return string(y.Call(t, token, http.MethodGet, path, nil, "Last-Event-ID", after).OK(t).Body)
		}
		begun := listen(y.Owner.Token, "")
		require.Contains(t, begun, "event: ready")
		after, _, _ := strings.Cut(strings.TrimPrefix(begun[strings.Index(begun, "id: "):], "id: "), "\n")

		made := y.Call(t, y.Owner.Token, http.MethodPost, modulesPath+"/"+y.lots+"/records", object{
			"payload": object{"code": "A", "gate_code": "4711"},
		}).OK(t).Get("uuid").String()
		told := ""
		y.Eventually(t, func() bool { // what others are writing on the server may hold an event back for a moment
			told = listen(y.Owner.Token, after)

			return strings.Contains(told, "event: created")
		}, "the change is told")
		require.Contains(t, told, `"collection":"`+y.lots+`","uuid":"`+made+`","version":1`)
		require.Contains(t, told, `"gate_code":"4711"`)

		reader := y.Token(t, y.Owner, "collections:read", "custom_modules:read")
		require.Contains(t, listen(reader, after), `"code":"A"`)
		require.NotContains(t, listen(reader, after), `"4711"`, "what is sensitive takes a scope")

		y.Call(t, y.Owner.Token, http.MethodGet, path, nil, "Last-Event-ID", "no id").
			Refused(t, http.StatusUnprocessableEntity, "collection.unknown_event")
		y.Call(t, y.Token(t, y.Owner, "collections:read"), http.MethodGet, path, nil).Refused(t, http.StatusForbidden, "web.scope_missing")
		y.Call(t, y.NewCompany(t).Token, http.MethodGet, path, nil).Refused(t, http.StatusNotFound, "collection.not_found")
	})
}
