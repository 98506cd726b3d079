package collections_test

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"go.uber.org/fx"

	"github.com/dispatchd/dispatchd/modules/collections"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/migrate"
	"github.com/dispatchd/dispatchd/platform/module"
	"github.com/dispatchd/dispatchd/platform/moduletest"
	"github.com/dispatchd/dispatchd/platform/money"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/web"
)

const (
	gates  = "/port/api/v1/gates"
	gate1  = "port.gate"
	remark = "port.remark"
	berth1 = "port.berth"
	// vault is a spot of which those without the scope port:vaults do not know.
	vault = "0190d0c0-0000-7000-8000-00000000aaaa"
)

// gate is a row of port_gates.
type gate struct {
	resource.Row

	Name    string                  `json:"name" field:"required,max=20,unique=folded,sort,title"`
	Lanes   int64                   `json:"lanes" field:"min=1,max=9,default=2,sort"`
	Kind    string                  `json:"kind" field:"default=entry" enum:"entry,one_way"`
	Serial  string                  `json:"serial" field:"fixed,max=10"`
	Code    *string                 `json:"code" field:"sensitive,max=8"`
	Phone   field.Phone             `json:"phone"`
	Nearest *uuid.UUID              `json:"nearest_uuid" gorm:"column:nearest_id" field:"item=port.gate,on_delete=clear"`
	Notices resource.JSON[[]string] `json:"notices" field:"max=3"`
}

func (gate) TableName() string { return "port_gates" }

// berth is a row of port_berths, which have numbers and refer to gates.
type berth struct {
	resource.Row

	Name   string     `json:"name" field:"required,max=20,unique,sort,title"`
	Number string     `json:"number" field:"number=B-{seq:4},sort"`
	Gate   *uuid.UUID `json:"gate_uuid" gorm:"column:gate_id" field:"item=port.gate,on_delete=clear"`
	Keeper *uuid.UUID `json:"keeper_uuid" gorm:"column:keeper_id" field:"user"`
}

func (berth) TableName() string { return "port_berths" }

// note is a row of port_remarks, about an item of any type.
type note struct {
	resource.Row

	Words string        `json:"words" field:"required,title,sort"`
	About resource.Item `json:"about" gorm:"embedded;embeddedPrefix:about_"`
}

func (note) TableName() string { return "port_remarks" }

// permit is a row of port_permits, which take scopes of their own.
type permit struct {
	resource.Row

	Name string       `json:"name" field:"required,title,sort"`
	Fee  money.Amount `json:"fee" field:"nofilter"`
}

func (permit) TableName() string { return "port_permits" }

// visit is a row of port_visits, which the area alone makes.
type visit struct {
	resource.Row

	Name string `json:"name" field:"required,title,sort"`
}

func (visit) TableName() string { return "port_visits" }

type spots struct{}

func (*spots) describe(_ context.Context, ids []uuid.UUID) (map[uuid.UUID]item.Description, error) {
	found := map[uuid.UUID]item.Description{}
	for _, id := range ids {
		if id.String() == vault {
			found[id] = item.Description{Title: "Vault", Part: "vaults"}
		}
	}

	return found, nil
}

func (*spots) hidden(ctx context.Context) ([]string, error) {
	if who, _ := principal.From(ctx); who.Allows("port:vaults") {
		return nil, nil
	}

	return []string{"vaults"}, nil
}

// plainPort is what tests share a service of.
var plainPort = sync.OnceValue(func() []module.Module { return port() })

func port(more ...fx.Option) []module.Module {
	const row = `company_id uuid NOT NULL, id uuid NOT NULL, version bigint NOT NULL, created_at timestamptz NOT NULL, created_by uuid,
    updated_at timestamptz NOT NULL, updated_by uuid, deleted_at timestamptz, PRIMARY KEY (company_id, id)`
	tables := `-- +goose Up
CREATE TABLE port_gates (name text COLLATE "C" NOT NULL, name_key text COLLATE "C" NOT NULL, lanes bigint NOT NULL, kind text COLLATE "C" NOT NULL,
    serial text COLLATE "C" NOT NULL, code text COLLATE "C", phone text COLLATE "C", nearest_id uuid, notices jsonb NOT NULL, ROW);
CREATE UNIQUE INDEX port_gates_name ON port_gates (company_id, name_key) WHERE deleted_at IS NULL;
CREATE TABLE port_berths (name text COLLATE "C" NOT NULL, number text COLLATE "C" NOT NULL, gate_id uuid, keeper_id uuid, ROW);
CREATE UNIQUE INDEX port_berths_name ON port_berths (company_id, name) WHERE deleted_at IS NULL;
CREATE TABLE port_remarks (words text COLLATE "C" NOT NULL, about_type text COLLATE "C", about_id uuid, about_part text COLLATE "C" NOT NULL, ROW);
CREATE TABLE port_permits (name text COLLATE "C" NOT NULL, fee numeric, ROW);
CREATE TABLE port_visits (name text COLLATE "C" NOT NULL, ROW);
-- +goose Down
DROP TABLE port_visits;
DROP TABLE port_permits;
DROP TABLE port_remarks;
DROP TABLE port_berths;
DROP TABLE port_gates;
`

	return []module.Module{collections.Module, module.New("port", "Gates", append(more,
		resource.Of(resource.Rules[gate]{Item: gate1, Sort: []string{"name"}}),
		resource.Of(resource.Rules[note]{Item: remark}),
		resource.Of(resource.Rules[berth]{Item: berth1, Sort: []string{"number"}}),
		resource.Of(resource.Rules[permit]{Item: "port.permit", ReadAccess: web.Scope("guard"), WriteAccess: web.Scope("manage")}),
		resource.Of(resource.Rules[visit]{Item: "port.visit", Own: []resource.Verb{resource.Create}}),
		fx.Provide(func() *spots { return &spots{} }, fx.Private),
		item.Type("port.spot", "Spot", (*spots).describe, nil, nil),
		item.Hides((*spots).hidden),
		migrate.Files(fstest.MapFS{"00001_create_gates.sql": {Data: []byte(strings.ReplaceAll(tables, "ROW", row))}}),
	)...)}
}

func eachPort(t *testing.T, test func(t *testing.T, y yard), more ...fx.Option) {
	t.Helper()
	areas := plainPort()
	if len(more) > 0 {
		areas = port(more...)
	}
	moduletest.BootEach(t, areas, func(t *testing.T, a *moduletest.App) {
		t.Helper()
		test(t, yard{App: a, lots: gate1})
	})
}

func (y yard) gate(t *testing.T, body object) string {
	t.Helper()

	return y.Call(t, y.Owner.Token, http.MethodPost, gates, body).OK(t).Get("uuid").String()
}

// exported are some columns of gates.
func (y yard) exported(t *testing.T, token, columns string) string {
	t.Helper()
	text := string(y.Call(t, token, http.MethodGet, collectionsPath+"/"+gate1+"/export?fields="+columns, nil).OK(t).Body)
	var lines []string
	for line := range strings.Lines(text) {
		_, rest, _ := strings.Cut(line, ",")
		lines = append(lines, rest)
	}

	return strings.Join(lines, "")
}

// by has an import change the rows that its column name names.
func (y yard) by(t *testing.T, id string) {
	t.Helper()
	y.Call(t, y.Owner.Token, http.MethodPatch, importsPath+"/"+id, object{"mode": "upsert", "by": "name"}).OK(t)
}

func TestResources_AreCollectionsWithTheirFieldsAndTypes(t *testing.T) {
	t.Parallel()
	eachPort(t, func(t *testing.T, y yard) {
		t.Helper()
		require.Equal(t, `["port.berth","port.gate","port.permit","port.remark","port.visit"]`, y.get(t, collectionsPath).OK(t).Get("data.#.name").Raw)
		shown := y.get(t, collectionsPath+"/"+gate1).OK(t)
		require.Equal(t, "Gates", shown.Get("title").String())
		require.Empty(t, shown.Get("under").String())
		require.Equal(t, `["name","lanes","kind","serial","code","phone","nearest_uuid","notices"]`, shown.Get("fields.#.key").Raw)
		require.Equal(t, `["text","integer","select","text","text","phone","reference","json"]`, shown.Get("fields.#.type").Raw)
		require.Equal(t, "Nearest", shown.Get("fields.6.label").String())
		require.Equal(t, `["name"]`, shown.Get("schema.required").Raw)
		require.True(t, shown.Get("fields.0.unique").Bool())
		require.True(t, shown.Get("writable").Bool())
		visits := y.get(t, collectionsPath+"/port.visit").OK(t)
		require.False(t, visits.Get("writable").Bool(), "the area creates them by itself")
		y.Call(t, y.Owner.Token, http.MethodPost, collectionsPath+"/port.visit/imports", "name\nA\n", "Content-Type", "text/csv").
			Refused(t, http.StatusForbidden, "collection.own_operations")
	})
}

func TestImports_OfAResourceSayInTheErrorsFileWhatIsWrongAndWhoHasWhatIsTaken(t *testing.T) {
	t.Parallel()
	eachPort(t, func(t *testing.T, y yard) {
		t.Helper()
		y.gate(t, object{"name": "North"})
		id := y.send(t, y.Owner.Token, gate1, "Name,Lanes,Kind,Phone,Nearest\nnórth,3,,,\nSouth,10,,12,\nEast,,One way,202-555-0143,\nEAST,1,,,\n"+
			"West,2,exit,,\nHigh,,,,"+uuid.NewString()+"\n,1,,,\nLow,4,entry,,\n")
		tried := y.do(t, y.Owner.Token, id, "dry_run")
		require.EqualValues(t, 2, tried.Get("dry_run.created").Int(), string(tried.Body))
		require.EqualValues(t, 6, tried.Get("dry_run.failed").Int())
		require.Equal(t, "name\nNorth\n", y.exported(t, y.Owner.Token, "name"), "a dry run writes nothing")

		done := y.do(t, y.Owner.Token, id, "start")
		require.EqualValues(t, 2, done.Get("progress.created").Int(), string(done.Body))
		failed := string(y.get(t, importsPath+"/"+id+"/errors").OK(t).Body)
		for _, line := range []string{
			`1,2,"row 2, Name: ""nórth"" is taken by North.",nórth`,
			`2,3,"row 3, Lanes: ""10"" must be at most 9. Phone: ""12"" must be a phone number, such as +1 202 555 0143.",South`,
			`4,5,"row 5, Name: ""EAST"" is taken by East.",EAST`,
			`5,6,"row 6, Kind: ""exit"" must be one of: entry, one_way.",West`,
			`6,7,"row 7, Nearest: `,
			`7,8,"row 8, Name: The name is required.",`,
		} {
			require.Contains(t, failed, line)
		}
		require.Equal(t, "name,lanes,kind,phone,notices\nEast,2,one_way,'+12025550143,[]\nLow,4,entry,,[]\nNorth,2,entry,,[]\n",
			y.exported(t, y.Owner.Token, "name,lanes,kind,phone,notices"))
		undone := y.do(t, y.Owner.Token, id, "undo")
		require.EqualValues(t, 2, undone.Get("progress.undone").Int())
		require.Equal(t, "name\nNorth\n", y.exported(t, y.Owner.Token, "name"))
	})
}

func TestImports_OfAResourceAreUndoneButForRowsThatWereChangedSince(t *testing.T) {
	t.Parallel()
	eachPort(t, func(t *testing.T, y yard) {
		t.Helper()
		y.gate(t, object{"name": "Old", "lanes": 4, "phone": "202-555-0143", "serial": "S1"})
		id := y.send(t, y.Owner.Token, gate1, "name,lanes,phone,serial\nOld,5,,S1\nNew,1,,\nnew,2,,\nKept,3,,\n")
		y.by(t, id)
		done := y.do(t, y.Owner.Token, id, "start")
		require.EqualValues(t, 2, done.Get("progress.created").Int(), string(done.Body))
		require.EqualValues(t, 2, done.Get("progress.updated").Int(), "the third row is about the row that the second one made")
		require.Equal(t, "name,lanes,phone\nKept,3,\nOld,5,\nnew,2,\n", y.exported(t, y.Owner.Token, "name,lanes,phone"))

		kept := y.Call(t, y.Owner.Token, http.MethodGet, gates+"?filter[name]=Kept", nil).OK(t).Get("data.0.uuid").String()
		y.Call(t, y.Owner.Token, http.MethodPatch, gates+"/"+kept, object{"lanes": 9}).OK(t)
		undone := y.do(t, y.Owner.Token, id, "undo")
		require.EqualValues(t, 3, undone.Get("progress.undone").Int(), string(undone.Body))
		require.EqualValues(t, 1, undone.Get("progress.kept").Int())
		require.Equal(t, "name,lanes,phone\nKept,9,\nOld,4,'+12025550143\n", y.exported(t, y.Owner.Token, "name,lanes,phone"))
		require.Contains(t, string(y.get(t, importsPath+"/"+id+"/errors?of=undo").OK(t).Body), "4,5,The gate was changed after the import. It stays unchanged.,Kept")
	})
}

func TestImports_OfAResourceSayWhichRowsStayWhenAnotherImportChangedThem(t *testing.T) {
	t.Parallel()
	eachPort(t, func(t *testing.T, y yard) {
		t.Helper()
		run := func(file string) string {
			id := y.send(t, y.Owner.Token, gate1, file)
			y.by(t, id)
			require.Zero(t, y.do(t, y.Owner.Token, id, "start").Get("progress.failed").Int())

			return id
		}
		undone := func(id string) moduletest.Response { return y.do(t, y.Owner.Token, id, "undo") }
		const file = "name,lanes\nA,1\nB,1\nC,1\nD,1\n"

		made, changed := run(file), run("name,lanes\nA,2\nB,1\n")
		y.Call(t, y.Owner.Token, http.MethodDelete, gates+"/"+y.get(t, gates+"?filter[name]=D").OK(t).Get("data.0.uuid").String(), nil).OK(t)
		answer := undone(made)
		require.Equal(t, "[2,2]", "["+answer.Get("progress.undone").Raw+","+answer.Get("progress.kept").Raw+"]", string(answer.Body))
		report := string(y.get(t, importsPath+"/"+made+"/errors?of=undo").OK(t).Body)
		require.Contains(t, report, "1,2,The gate was changed after the import. It stays unchanged.,A")
		require.Contains(t, report, "4,5,The gate was deleted after the import.,D")
		require.Equal(t, "name,lanes\nA,2\n", y.exported(t, y.Owner.Token, "name,lanes"))

		made = run("name,lanes\nE,1\n")
		second := run("name,lanes\nE,3\n")
		undone(second)
		require.EqualValues(t, 1, undone(made).Get("progress.undone").Int(), "what changed it was undone")
		undone(changed)
		require.Equal(t, "name,lanes\nA,1\n", y.exported(t, y.Owner.Token, "name,lanes"))
	})
}

func TestImports_TakeAnExportedFileAsItIs(t *testing.T) {
	t.Parallel()
	eachPort(t, func(t *testing.T, y yard) {
		t.Helper()
		first := y.gate(t, object{"name": "North", "serial": "S1", "code": "=1", "notices": []string{"<b>", "ü"}})
		second := y.gate(t, object{"name": "South", "lanes": 3, "nearest_uuid": first})
		for format, media := range map[string]string{"csv": "text/csv", "jsonl": "application/jsonl"} {
			file := y.get(t, collectionsPath+"/"+gate1+"/export?format="+format).OK(t)
			sent := y.Call(t, y.Owner.Token, http.MethodPost, collectionsPath+"/"+gate1+"/imports", string(file.Body), "Content-Type", media).OK(t)
			id := sent.Get("uuid").String()
			require.Equal(t, "uuid", sent.Get("by").String())
			done := y.do(t, y.Owner.Token, id, "start")
			require.EqualValues(t, 2, done.Get("progress.unchanged").Int(), "%s: %s", file.Body, done.Body)
			changed := strings.ReplaceAll(strings.ReplaceAll(string(file.Body), "S1", "S2"), "South", "West")
			id = y.Call(t, y.Owner.Token, http.MethodPost, collectionsPath+"/"+gate1+"/imports", changed, "Content-Type", media).OK(t).Get("uuid").String()
			done = y.do(t, y.Owner.Token, id, "start")
			require.EqualValues(t, 1, done.Get("progress.updated").Int(), string(done.Body))
			require.Contains(t, string(y.get(t, importsPath+"/"+id+"/errors").OK(t).Body), "cannot be changed.")
			y.do(t, y.Owner.Token, id, "undo")
		}
		y.Call(t, y.Owner.Token, http.MethodDelete, gates+"/"+second, nil).OK(t)
		id := y.send(t, y.Owner.Token, gate1, "uuid,version,name\n"+second+",,South\n"+first+",7,North\n")
		y.Call(t, y.Owner.Token, http.MethodPatch, importsPath+"/"+id, object{"mapping": object{"version": "version"}}).OK(t)
		require.EqualValues(t, 2, y.do(t, y.Owner.Token, id, "start").Get("progress.failed").Int())
		failed := string(y.get(t, importsPath+"/"+id+"/errors").OK(t).Body)
		require.Contains(t, failed, "The gate of this uuid was deleted. Restore it first, or leave the uuid empty to make a new one.")
		require.Contains(t, failed, "This was changed since you read it: it is at version 1.")
	})
}

func TestResources_HideSensitiveFieldsFromThoseWithoutTheScope(t *testing.T) {
	t.Parallel()
	eachPort(t, func(t *testing.T, y yard) {
		t.Helper()
		y.gate(t, object{"name": "North", "code": "Q1234"})
		plain := y.Token(t, y.Owner, "collections:*", "port:read", "port:write")
		seen := y.Call(t, plain, http.MethodGet, collectionsPath+"/"+gate1, nil).OK(t)
		require.NotContains(t, seen.Get("fields.#.key").Raw, "code")
		require.False(t, seen.Get("schema.properties.code").Exists())
		require.NotContains(t, string(y.Call(t, plain, http.MethodGet, collectionsPath+"/"+gate1+"/export", nil).OK(t).Body), "Q1234")
		require.Contains(t, string(y.get(t, collectionsPath+"/"+gate1+"/export").OK(t).Body), "Q1234")

		file := "name,code\nNorth,4321\nSouth,1\n"
		id := y.send(t, y.Owner.Token, gate1, file)
		y.Call(t, plain, http.MethodGet, importsPath+"/"+id, nil).Refused(t, http.StatusNotFound, "collection.import_not_found")
		own := y.send(t, plain, gate1, file)
		y.Call(t, plain, http.MethodPatch, importsPath+"/"+own, object{"mapping": object{"code": "code"}}).
			Refused(t, http.StatusUnprocessableEntity, "collection.import_mapping")
		y.Call(t, plain, http.MethodPatch, importsPath+"/"+own, object{"mode": "upsert", "by": "name"}).OK(t)
		y.do(t, plain, own, "start")
		require.Equal(t, "name,code\nNorth,Q1234\nSouth,\n", y.exported(t, y.Owner.Token, "name,code"))
		y.by(t, id)
		y.do(t, y.Owner.Token, id, "start")
		require.Equal(t, "name,code\nNorth,4321\nSouth,1\n", y.exported(t, y.Owner.Token, "name,code"))
	})
}

func TestResources_TakeTheScopesOfTheirOperations(t *testing.T) {
	t.Parallel()
	eachPort(t, func(t *testing.T, y yard) {
		t.Helper()
		reader := y.Token(t, y.Owner, "collections:*", "port:read")
		require.False(t, y.Call(t, reader, http.MethodGet, collectionsPath+"/"+gate1, nil).OK(t).Get("writable").Bool())
		y.Call(t, reader, http.MethodPost, collectionsPath+"/"+gate1+"/imports", "name\nA\n", "Content-Type", "text/csv").
			Refused(t, http.StatusForbidden, "web.scope_missing")
		writer := y.Token(t, y.Owner, "collections:*", "port:read", "port:write")
		require.NotContains(t, string(y.Call(t, writer, http.MethodGet, collectionsPath, nil).OK(t).Body), "port.permit")
		y.Call(t, writer, http.MethodGet, collectionsPath+"/port.permit/export", nil).Refused(t, http.StatusForbidden, "web.scope_missing")

		guard := y.Token(t, y.Owner, "collections:*", "port:guard")
		y.Call(t, guard, http.MethodGet, collectionsPath+"/port.permit/export", nil).OK(t)
		y.Call(t, guard, http.MethodPost, collectionsPath+"/port.permit/imports", "name\nA\n", "Content-Type", "text/csv").
			Refused(t, http.StatusForbidden, "web.scope_missing")
		manager := y.Token(t, y.Owner, "collections:*", "port:guard", "port:manage")
		id := y.send(t, manager, "port.permit", "name\nA\n")
		require.EqualValues(t, 1, y.do(t, manager, id, "start").Get("progress.created").Int())
	})
}

func TestChanges_OfResourcesAreToldToThoseWhoMayKnowOfThem(t *testing.T) {
	t.Parallel()
	eachPort(t, func(t *testing.T, y yard) {
		t.Helper()
		listen := func(token, name, after string) string {
			path := collectionsPath + "/" + name + "/changes?follow=false&include=record"

			return string(y.Call(t, token, http.MethodGet, path, nil, "Last-Event-ID", after).OK(t).Body)
		}
		begun := listen(y.Owner.Token, gate1, "")
		after, _, _ := strings.Cut(strings.TrimPrefix(begun[strings.Index(begun, "id: "):], "id: "), "\n")
		made := y.gate(t, object{"name": "North", "code": "4711"})
		y.Call(t, y.Owner.Token, http.MethodPatch, gates+"/"+made, object{"lanes": 3, "code": "4712"}).OK(t)
		id := y.send(t, y.Owner.Token, gate1, "name\nImported\n")
		y.do(t, y.Owner.Token, id, "start")
		hidden := y.Call(t, y.Owner.Token, http.MethodPost, "/port/api/v1/remarks", object{"words": "Secret", "about": object{"type": "port.spot", "uuid": vault}}).OK(t)
		told := ""
		y.Eventually(t, func() bool { // what others are writing on the server may hold an event back for a moment
			told = listen(y.Owner.Token, gate1, after)

			return strings.Count(told, "event: created") == 2 && strings.Contains(listen(y.Owner.Token, remark, after), hidden.Get("uuid").String())
		}, "the changes are told")
		require.Contains(t, told, `"collection":"port.gate","uuid":"`+made+`","version":1`)
		require.Contains(t, told, `"changed":["code","lanes"]`)
		require.Contains(t, told, `"code":"4712"`)
		require.Contains(t, told, `"name":"Imported"`)

		plain := y.Token(t, y.Owner, "collections:read", "port:read")
		told = listen(plain, gate1, after)
		require.Contains(t, told, `"changed":["lanes"]`)
		require.NotContains(t, told, `"4712"`, "what is sensitive takes a scope")
		require.NotContains(t, listen(plain, remark, after), "event: created", "what is about an item that is hidden, is hidden")
		y.Call(t, y.Owner.Token, http.MethodDelete, gates+"/"+made, nil).OK(t)
		y.Eventually(t, func() bool { return strings.Contains(listen(plain, gate1, after), "event: deleted") }, "the deletion is told")
	})
}
