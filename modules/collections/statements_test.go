package collections_test

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/identity"
	"github.com/dispatchd/dispatchd/platform/principal"
)

// counted is how many statements the company's rows take, with all that is kept about them, while fn runs.
func (y yard) counted(fn func()) int64 {
	return y.counting("port_|resource_|numbering_|events_log|audit_entries|identity_users", fn)
}

// counting is how many statements for the company match an expression while fn runs.
func (y yard) counting(expression string, fn func()) int64 {
	about := regexp.MustCompile(expression)
	var n atomic.Int64
	y.OnStatement(func(ctx context.Context, s database.Statement) {
		if who, _ := principal.From(ctx); who.Company == y.Owner.ID && about.MatchString(s.SQL) {
			n.Add(1)
		}
	})
	fn()
	y.OnStatement(func(context.Context, database.Statement) {})

	return n.Load()
}

// Ten times the rows take hardly more statements: on SQLite, and for columns whose types nobody knows, one has 64 rows at
// most.
func TestRows_OfAResourceAreWrittenByAsManyStatementsHoweverManyTheyAre(t *testing.T) {
	t.Parallel()
	eachPort(t, func(t *testing.T, y yard) {
		t.Helper()
		const few, many, more = 10, 100, 30
		gate := y.gate(t, object{"name": "North"})
		keeper, err := y.Identity.CreateUser(t.Context(), identity.NewUser{Company: y.Owner.ID, Name: "Pat Doe", Email: "pat@example.com", Role: identity.Dispatcher})
		require.NoError(t, err)
		did := map[string]map[int]int64{"creates": {}, "changes": {}, "deletes": {}, "deletes of what others refer to": {}, "import": {}, "undo": {}}
		number := 0
		for _, n := range []int{few, many} {
			items := make([]object, n)
			for i := range items {
				items[i] = making(object{"name": fmt.Sprintf("%d of %d", i, n), "gate_uuid": gate, "keeper_uuid": keeper.ID})
			}
			var ids []string
			did["creates"][n] = y.counted(func() {
				for _, row := range y.bulk(t, y.Owner.Token, berth1, true, items...).OK(t).Get("data.#.record").Array() {
					ids = append(ids, row.Get("uuid").String())
					number++
					require.Equal(t, fmt.Sprintf("B-%04d", number), row.Get("number").String())
				}
			})
			did["changes"][n] = y.counted(func() {
				for i, id := range ids {
					items[i] = object{"do": "update", "uuid": id, "payload": object{"name": fmt.Sprintf("%d changed of %d", i, n)}}
				}
				y.bulk(t, y.Owner.Token, berth1, true, items...).OK(t)
			})

			file := strings.Builder{}
			file.WriteString("name,gate_uuid\n")
			for i := range n {
				fmt.Fprintf(&file, "%d changed of %d,\n%d new of %d,%s\n", i, n, i, n, gate)
			}
			id := y.send(t, y.Owner.Token, berth1, file.String())
			y.by(t, id)
			did["import"][n] = y.counted(func() {
				done := y.do(t, y.Owner.Token, id, "start")
				require.Equal(t, []int64{int64(n), int64(n)}, []int64{done.Get("progress.created").Int(), done.Get("progress.updated").Int()}, string(done.Body))
			})
			did["undo"][n] = y.counted(func() {
				number += n // of the rows that the import made
				undone := y.do(t, y.Owner.Token, id, "undo")
				require.EqualValues(t, 2*n, undone.Get("progress.undone").Int(), string(undone.Body))
			})
			require.EqualValues(t, n, y.get(t, "/port/api/v1/berths?count=exact&filter[gate_uuid]="+gate).OK(t).Get("meta.total").Int())

			did["deletes"][n] = y.counted(func() {
				for i, id := range ids {
					items[i] = object{"do": "delete", "uuid": id}
				}
				y.bulk(t, y.Owner.Token, berth1, true, items...).OK(t)
			})
		}
		for _, n := range []int{few, many} {
			gates, berths := make([]object, n), make([]object, n)
			for i := range gates {
				gates[i] = making(object{"name": fmt.Sprintf("%d of %d", i, n)})
			}
			for i, id := range y.bulk(t, y.Owner.Token, gate1, true, gates...).OK(t).Get("data.#.record.uuid").Array() {
				berths[i] = making(object{"name": fmt.Sprintf("%d of %d", i, n), "gate_uuid": id.String()})
				gates[i] = object{"do": "delete", "uuid": id.String()}
			}
			made := y.bulk(t, y.Owner.Token, berth1, true, berths...).OK(t)
			did["deletes of what others refer to"][n] = y.counted(func() { y.bulk(t, y.Owner.Token, gate1, true, gates...).OK(t) })
			first := "/items/" + made.Get("data.0.record.uuid").String()
			require.Equal(t, "cascade:"+gates[0]["uuid"].(string), y.get(t, collectionsPath+"/"+berth1+first+"/history").OK(t).Get("data.0.source").String())
		}
		require.Zero(t, y.get(t, "/port/api/v1/berths?count=exact&filter[gate_uuid][null]=false").OK(t).Get("meta.total").Int())
		for what, took := range did {
			require.LessOrEqual(t, took[many], took[few]+more, "%s: %d take %d statements, %d take %d", what, few, took[few], many, took[many])
		}
	})
}
