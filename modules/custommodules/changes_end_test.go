package custommodules_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/fx"

	"github.com/dispatchd/dispatchd/modules/custommodules"
	"github.com/dispatchd/dispatchd/modules/custommodules/custommodulesapi"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/database/databasetest"
	"github.com/dispatchd/dispatchd/platform/feature"
	"github.com/dispatchd/dispatchd/platform/module"
	"github.com/dispatchd/dispatchd/platform/moduletest"
	"github.com/dispatchd/dispatchd/platform/principal"
)

func TestChanges_BeginAnewForWhoMissedTooMuch(t *testing.T) {
	t.Parallel()
	databasetest.Each(t, func(t *testing.T, url string) {
		few := moduletest.Set("events.most_missed=2000")
		here, there := moduletest.Boot(t, url, modules(), few), moduletest.Boot(t, url, modules(), few)
		token := here.Owner.Token
		module := here.Call(t, token, http.MethodPost, modulesPath, object{"name": "Trucks", "fields": []object{{"key": "unit", "type": "text"}}}).
			OK(t).Get("uuid").String()
		create := func() {
			here.Call(t, token, http.MethodPost, recordsPath, object{"module_uuid": module, "payload": object{"unit": "1"}}).OK(t)
		}
		e := listen(t, here, token, module, "")
		e.next(t, "ready")
		create()
		last := e.next(t, "created").id
		e.close()
		id := "'" + last[:13] + "-7fff-bfff-' || printf('%012x', i)"
		if here.DB.Dialect() == database.Postgres {
			id = "('" + last[:13] + "-7fff-bfff-' || lpad(to_hex(i), 12, '0'))::uuid"
		}
		_, err := here.DB.SQL().ExecContext(t.Context(), `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000)
			INSERT INTO events_log (company_id, id, name, payload, actor, request_id, at)
			SELECT e.company_id, `+id+`, 'loads.moved', e.payload, e.actor, e.request_id, e.at FROM events_log AS e, n WHERE e.id = '`+last+"'")
		require.NoError(t, err)

		again := listen(t, there, token, module, "", "Last-Event-ID", last) // another process has not seen any of it
		again.next(t, "created")                                            // of the last minute
		require.Equal(t, "too_many", again.next(t, "reset").get("reason"))
		create()
		again.next(t, "created")
	})
}

func TestChanges_EndWithTheAreaOfTheCompany(t *testing.T) {
	t.Parallel()
	databasetest.Each(t, func(t *testing.T, url string) {
		var sets *feature.Sets
		probe := module.New("probe", "", fx.Invoke(func(s *feature.Sets) { sets = s }))
		a := moduletest.Boot(t, url, []module.Module{custommodules.Module, probe}, moduletest.Set("web.streams.recheck=20ms"))
		trucks := a.Call(t, a.Owner.Token, http.MethodPost, modulesPath, object{"name": "Trucks"}).OK(t).Get("uuid").String()
		e := listen(t, a, a.Owner.Token, trucks, "")
		e.next(t, "ready")
		ctx := principal.With(t.Context(), principal.ForCompany(a.Owner.ID))
		_, err := sets.Apply(ctx, a.Owner.ID, feature.Change{Areas: map[string]bool{custommodulesapi.Area: false}})
		require.NoError(t, err)
		require.Equal(t, "revoked", e.next(t, "stream.ended").get("reason"))
		e.ended(t)
		a.Call(t, a.Owner.Token, http.MethodGet, modulesPath+"/"+trucks+"/changes", nil).Refused(t, http.StatusForbidden, "web.area_off")
	})
}
