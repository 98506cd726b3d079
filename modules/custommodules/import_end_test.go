package custommodules_test

import (
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/fx"

	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/database/databasetest"
	"github.com/dispatchd/dispatchd/platform/identity"
	"github.com/dispatchd/dispatchd/platform/moduletest"
	"github.com/dispatchd/dispatchd/platform/principal"
)

func TestImport_StopsWhenTheTokenThatStartedItIsRefused(t *testing.T) {
	t.Parallel()
	databasetest.Each(t, func(t *testing.T, url string) {
		t.Helper()
		now := clock.NewFake(clock.System{}.Now())
		fake := moduletest.With(fx.Decorate(func(clock.Clock) clock.Clock { return now }))
		y := yard{App: moduletest.Boot(t, url, modules(), moduletest.Set("roles=api"), fake)}
		ctx := principal.With(t.Context(), principal.ForCompany(y.Owner.ID))
		user, err := y.Identity.CreateUser(ctx, identity.NewUser{Company: y.Owner.ID, Name: "Ann", Email: "ann@example.com", Role: identity.Owner})
		require.NoError(t, err)
		lots := y.lots(t)
		soon := now.Now().Add(time.Minute)
		starts := map[string]string{}
		for name, n := range map[string]identity.NewToken{
			"a session": {User: user.ID}, "a service": {}, "a session that expires": {User: user.ID, ExpiresAt: &soon}, "one that stays": {User: user.ID},
		} {
			n.Company, n.Name, n.Scopes = y.Owner.ID, name, []string{"*"}
			token, secret, err := y.Identity.IssueToken(ctx, n)
			require.NoError(t, err)
			id := y.upload(t, lots, strings.ReplaceAll(lotFile(1, 2, "1.00"), "L-", name))
			y.Call(t, secret, http.MethodPost, importsPath+"/"+id+"/start", nil).OK(t)
			starts[name] = id
			if n.ExpiresAt == nil && name != "one that stays" {
				require.NoError(t, y.Identity.RevokeToken(ctx, token.ID))
			}
		}
		now.Advance(time.Hour)
		moduletest.Boot(t, url, modules(), moduletest.Set("roles=worker", "jobs.poll=10ms", "jobs.retry_delay=10ms"), fake)
		require.Equal(t, "completed", y.settled(t, starts["one that stays"]).Get("state").String())
		for name, id := range starts {
			if name == "one that stays" {
				continue
			}
			stopped := y.settled(t, id)
			require.Equal(t, "stopped", stopped.Get("state").String(), name)
			require.Equal(t, "The token that started this was revoked or has expired, or its user logged out. Anybody who may write records can continue it.",
				stopped.Get("problem").String(), name)
			y.verb(t, id, "resume").OK(t)
			require.Equal(t, "completed", y.settled(t, id).Get("state").String(), name)
		}
		require.EqualValues(t, 8, y.records(t, lots))
	})
}

func TestImport_IsUndoneAfterChangesOfFieldsByTheService(t *testing.T) {
	t.Parallel()
	eachYard(t, func(t *testing.T, y yard) {
		t.Helper()
		lots := y.lots(t)
		old := y.create(t, lots, object{"code": "L-00001", "price": "7.00"}).OK(t).Header.Get("Location")
		id := y.upload(t, lots, lotFile(1, 3, "1.00"))
		y.configure(t, id, object{"mode": "upsert", "by": "code"}).OK(t)
		y.do(t, id, "start")
		y.applied(t, y.field(t, lots, "price"), object{"change": "type", "type": "text"}, nil)
		y.applied(t, y.field(t, lots, "notes"), object{"change": "required"}, object{"fill": "none"})

		history := y.get(t, old+"/history").OK(t)
		require.Contains(t, history.Get("data.#.source").Raw, `"field_change:`)
		undone := y.do(t, id, "undo")
		require.Equal(t, "undone", undone.Get("state").String())
		require.EqualValues(t, 0, undone.Get("progress.kept").Int(), y.failures(t, id, "undo"))
		require.EqualValues(t, 3, undone.Get("progress.undone").Int())
		require.EqualValues(t, 1, y.records(t, lots))
		require.JSONEq(t, `{"code":"L-00001","price":"7.00","notes":"none"}`, y.get(t, old).Get("payload").Raw)
	})
}

func TestImport_UndoDeletesRecordsThatReferToEachOther(t *testing.T) {
	t.Parallel()
	eachYard(t, func(t *testing.T, y yard) {
		t.Helper()
		parts := y.module(t, "Parts", object{"key": "name", "type": "text"})
		y.post(t, modulesPath+"/"+parts+"/fields", object{"key": "of", "type": "reference", "options": object{"module_uuid": parts}}).OK(t)
		users := y.module(t, "Users of parts", object{"key": "part", "type": "reference", "options": object{"module_uuid": parts}})
		ids := []string{"0198a000-0000-7000-8000-000000000001", "0198a000-0000-7000-8000-000000000002", "0198a000-0000-7000-8000-000000000003"}
		file := "uuid,name,of\n" + ids[0] + ",a,\n" + ids[1] + ",b," + ids[0] + "\n" + ids[2] + ",c," + ids[1] + "\n"
		first := y.upload(t, parts, file)
		require.Equal(t, []int64{3, 0, 0, 0}, counts(y.do(t, first, "start"), "progress"))
		undone := y.do(t, first, "undo")
		require.EqualValues(t, 3, undone.Get("progress.undone").Int(), y.failures(t, first, "undo"))
		require.Zero(t, y.records(t, parts))

		second := y.upload(t, parts, strings.ReplaceAll(file, "0198a", "0198b"))
		y.do(t, second, "start")
		y.create(t, users, object{"part": object{"record_uuid": strings.Replace(ids[1], "0198a", "0198b", 1)}}).OK(t)
		undone = y.do(t, second, "undo")
		require.EqualValues(t, 1, undone.Get("progress.undone").Int(), "c: b is referred to from outside, and refers to a")
		require.EqualValues(t, 2, undone.Get("progress.kept").Int())
		require.EqualValues(t, 2, y.records(t, parts))
	})
}

func TestImport_DoesNotMakeADeletedRecordAgain(t *testing.T) {
	t.Parallel()
	eachYard(t, func(t *testing.T, y yard) {
		t.Helper()
		lots := y.lots(t)
		made := y.create(t, lots, object{"code": "A"}).OK(t)
		y.Call(t, y.Owner.Token, http.MethodDelete, made.Header.Get("Location"), nil).OK(t)
		id := y.upload(t, lots, "uuid,code\n"+made.Get("uuid").String()+",B\n")
		require.EqualValues(t, 1, y.do(t, id, "start").Get("progress.failed").Int())
		require.Equal(t, "row 2: The record of this uuid was deleted. Restore it first, or leave the uuid empty to make a new one.", y.failures(t, id, "run")[1][2])
		require.Zero(t, y.records(t, lots))
	})
}

func TestBulk_DeletesInTheOrderOfTheItems(t *testing.T) {
	t.Parallel()
	eachYard(t, func(t *testing.T, y yard) {
		t.Helper()
		parts := y.module(t, "Parts", object{"key": "code", "type": "text", "unique": true})
		y.post(t, modulesPath+"/"+parts+"/fields", object{"key": "of", "type": "reference", "options": object{"module_uuid": parts}}).OK(t)
		put := func(code string, of any) string {
			payload := object{"code": code}
			if of != nil {
				payload["of"] = object{"record_uuid": of}
			}

			return y.create(t, parts, payload).OK(t).Get("uuid").String()
		}
		deleting := func(id string) object { return object{"do": "delete", "uuid": id} }
		a := put("a", nil)
		b, alone := put("b", a), put("alone", nil)
		done := y.bulk(t, parts, false, deleting(a), deleting(b), deleting(alone), deleting(alone),
			object{"do": "create", "payload": object{"code": "b"}}, object{"do": "create", "payload": object{"code": "x", "of": object{"record_uuid": a}}}, deleting(a)).OK(t)
		var codes []string
		for _, item := range done.Get("data").Array() {
			codes = append(codes, item.Get("error.code").String())
		}
		require.Equal(t, []string{
			"custom_modules.record_in_use", "", "", "custom_modules.record_not_found", "", "", "custom_modules.record_in_use",
		}, codes, string(done.Body))
		require.EqualValues(t, 3, y.records(t, parts))
	})
}

func TestFieldChange_GoesOnWithTheJobAtOnce(t *testing.T) {
	t.Parallel()
	eachIdleYard(t, func(t *testing.T, y yard, _ func()) {
		t.Helper()
		module := y.module(t, "Parts", object{"key": "size", "type": "text"})
		y.fill(t, module, 10_001)
		plan := y.post(t, y.field(t, module, "size")+"/plan", object{"change": "required"}).OK(t)
		require.Equal(t, "planning", plan.Get("state").String())
		require.EqualValues(t, 10_000, plan.Get("report.records").Int())
		var due int
		require.NoError(t, y.DB.SQL().QueryRowContext(t.Context(),
			"SELECT count(*) FROM river_job WHERE kind = 'custom_modules.plan_change' AND state = 'available'").Scan(&due))
		require.Equal(t, 1, due)
	})
}

// fill copies a record of a module so that it has some.
func (y yard) fill(t *testing.T, module string, records int) {
	t.Helper()
	made := y.create(t, module, object{"size": "1"}).OK(t).Get("uuid").String()
	id := "'" + made[:24] + "' || printf('%012x', i)"
	if y.DB.Dialect() == database.Postgres {
		id = "('" + made[:24] + "' || lpad(to_hex(i), 12, '0'))::uuid"
	}
	_, err := y.DB.SQL().ExecContext(t.Context(), `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < `+strconv.Itoa(records-1)+`)
		INSERT INTO custom_modules_records (company_id, module_id, id, version, schema_revision, data, created_at, updated_at)
		SELECT r.company_id, r.module_id, `+id+`, 1, r.schema_revision, r.data, r.created_at, r.updated_at FROM custom_modules_records AS r, n WHERE r.id = '`+made+"'")
	require.NoError(t, err)
}
