package collections_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/modules/collections"
	"github.com/dispatchd/dispatchd/modules/drivers"
	"github.com/dispatchd/dispatchd/modules/fleets"
	"github.com/dispatchd/dispatchd/modules/tasks"
	"github.com/dispatchd/dispatchd/modules/trucks"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/identity"
	"github.com/dispatchd/dispatchd/platform/module"
	"github.com/dispatchd/dispatchd/platform/moduletest"
	"github.com/dispatchd/dispatchd/platform/principal"
)

const (
	truckItem   = "trucks.truck"
	driversPath = "/drivers/api/v1/drivers"
)

// eachCrew runs test with the fleet Texas, Ann Lee, and two drivers who are both called Max.
func eachCrew(t *testing.T, test func(t *testing.T, y yard)) {
	t.Helper()
	modules := []module.Module{collections.Module, drivers.Module, fleets.Module, tasks.Module, trucks.Module}
	moduletest.BootEach(t, modules, func(t *testing.T, a *moduletest.App) {
		t.Helper()
		y := yard{App: a, lots: truckItem}
		y.post(t, "/fleets/api/v1/fleets", object{"name": "Texas"}).OK(t)
		y.post(t, driversPath, object{"name": "Ann Lee", "email": "ann@example.com", "phone": "202-555-0143"}).OK(t)
		for range 2 {
			y.post(t, driversPath, object{"name": "Max"}).OK(t)
		}
		test(t, y)
	})
}

// labelled is a collection as CSV for people, without the times.
func (y yard) labelled(t *testing.T, token, name, fields string) string {
	t.Helper()

	return string(y.Call(t, token, http.MethodGet, collectionsPath+"/"+name+"/export?labels=true&fields="+fields, nil).OK(t).Body)
}

func TestImports_OfAResourceFindWhatCellsNameOtherwiseThanByTheirUUIDs(t *testing.T) {
	t.Parallel()
	eachCrew(t, func(t *testing.T, y yard) {
		t.Helper()
		id := y.send(t, y.Owner.Token, truckItem, "Unit,Driver,Fleet\n1,Ann Lee,Texas\n2,Ann@Example.com,\n3,(202) 555-0143,Texas\n4,,\n"+
			"5,Max,\n6,Zoë,\n7,"+uuid.NewString()+",\n8,,Ohio\n")
		done := y.do(t, y.Owner.Token, id, "start")
		require.EqualValues(t, 4, done.Get("progress.created").Int(), string(done.Body))
		require.Equal(t, "Unit,Driver,Fleet\n1,Ann Lee,Texas\n2,Ann Lee,\n3,Ann Lee,Texas\n4,,\n",
			y.labelled(t, y.Owner.Token, truckItem, "unit,driver_uuid,fleet_uuid"))
		failed := string(y.get(t, importsPath+"/"+id+"/errors").OK(t).Body)
		for _, line := range []string{
			`"row 6, Driver: ""Max"" is ambiguous: 2 have it; such as `,
			`"row 7, Driver: ""Zoë"" names nothing that the column may refer to: `,
			`"" does not belong to any driver."`,
			`"row 9, Fleet: ""Ohio"" names nothing that the column may refer to: `,
		} {
			require.Contains(t, failed, line)
		}
	})
}

func TestImports_FindWhatIsUniqueWithoutRegardToCaseAndAccentsSo(t *testing.T) {
	t.Parallel()
	eachPort(t, func(t *testing.T, y yard) {
		t.Helper()
		y.gate(t, object{"name": "Nórth"})
		id := y.send(t, y.Owner.Token, berth1, "Name,Gate\n1,NORTH\n2,nórth\n3,South\n")
		done := y.do(t, y.Owner.Token, id, "start")
		require.EqualValues(t, 2, done.Get("progress.created").Int(), string(done.Body))
		require.Equal(t, "Name,Gate\n1,Nórth\n2,Nórth\n", y.labelled(t, y.Owner.Token, berth1, "name,gate_uuid"))
	})
}

func TestImports_FindOnlyWhatTheCallerMayRead(t *testing.T) {
	t.Parallel()
	eachCrew(t, func(t *testing.T, y yard) {
		t.Helper()
		const file = "Unit,Driver\n1,Ann Lee\n"
		for who, token := range map[string]string{
			"without the scope of drivers": y.Token(t, y.Owner, "collections:*", "trucks:*"),
			"of another company":           y.NewCompany(t).Token,
		} {
			id := y.send(t, token, truckItem, file)
			sent := y.Call(t, token, http.MethodGet, importsPath+"/"+id, nil).OK(t)
			require.Contains(t, sent.Get("warnings.0").String(), "None of its first cells", who)
			y.Call(t, token, http.MethodPatch, importsPath+"/"+id, object{"mapping": object{"Driver": "driver_uuid"}}).OK(t)
			tried := y.do(t, token, id, "dry_run")
			require.Contains(t, tried.Get("dry_run.problems.0.problem").String(), "names nothing", "%s: %s", who, tried.Body)
		}
		y.do(t, y.Owner.Token, y.send(t, y.Owner.Token, truckItem, file), "start")
		blind := y.Token(t, y.Owner, "collections:*", "trucks:*")
		require.NotContains(t, y.labelled(t, blind, truckItem, "unit,driver_uuid"), "Ann")
	})
}

func TestImports_LookUpWhatCellsNameTogether(t *testing.T) {
	t.Parallel()
	eachCrew(t, func(t *testing.T, y yard) {
		t.Helper()
		file := strings.Builder{}
		file.WriteString("Unit,Driver\n")
		for i := range 40 {
			y.post(t, driversPath, object{"name": fmt.Sprintf("Driver %d", i)}).OK(t)
			fmt.Fprintf(&file, "%d,Driver %d\n", i, i)
		}
		id := y.send(t, y.Owner.Token, truckItem, file.String())
		var lookups atomic.Int64
		y.OnStatement(func(ctx context.Context, s database.Statement) {
			who, _ := principal.From(ctx)
			if who.Company == y.Owner.ID && strings.Contains(s.SQL, "FROM drivers_drivers") && strings.Contains(s.SQL, " IN ") {
				lookups.Add(1)
			}
		})
		done := y.do(t, y.Owner.Token, id, "start")
		require.EqualValues(t, 40, done.Get("progress.created").Int(), string(done.Body))
		require.LessOrEqual(t, lookups.Load(), int64(3), "by the title, e-mail addresses and phone numbers")
	})
}

func TestImports_FindTheUsersOfAResourceByTheirAddresses(t *testing.T) {
	t.Parallel()
	eachCrew(t, func(t *testing.T, y yard) {
		t.Helper()
		_, err := y.Identity.CreateUser(t.Context(), identity.NewUser{Company: y.Owner.ID, Name: "Pat Doe", Email: "pat@example.com", Role: identity.Dispatcher})
		require.NoError(t, err)
		id := y.send(t, y.Owner.Token, "tasks.task", "Title,Assignee,Priority\nCall,PAT@example.com,High\nWrite,nobody@example.com,\n")
		done := y.do(t, y.Owner.Token, id, "start")
		require.EqualValues(t, 1, done.Get("progress.created").Int(), string(done.Body))
		require.Contains(t, string(y.get(t, importsPath+"/"+id+"/errors").OK(t).Body), `""nobody@example.com"" is no user's e-mail address or name`)

		driver := y.get(t, driversPath+"?filter[email]=ann@example.com").OK(t).Get("data.0.uuid").String()
		task := y.get(t, "/tasks/api/v1/tasks").OK(t).Get("data.0.uuid").String()
		y.Call(t, y.Owner.Token, http.MethodPatch, "/tasks/api/v1/tasks/"+task, object{"item": object{"type": "drivers.driver", "uuid": driver}}).OK(t)
		require.Equal(t, "Title,Item,Assignee,Priority\nCall,Ann Lee,Pat Doe,High\n",
			y.labelled(t, y.Owner.Token, "tasks.task", "title,item,assignee_uuid,priority"))
	})
}
