package custommodules_test

import (
	"fmt"
	"maps"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/moduletest"
)

// claims is a yard with claims, and items that refer to them.
type claims struct {
	yard

	claims, items, reference, amount, state string
}

func (y yard) claims(t *testing.T) claims {
	t.Helper()
	c := claims{yard: y}
	c.claims = y.module(t, "Claims", object{"key": "name", "type": "text"})
	c.items = y.module(t, "Items",
		object{"key": "claim", "type": "reference", "options": object{"module_uuid": c.claims, "on_delete": "cascade"}},
		object{"key": "amount", "type": "decimal"},
		object{"key": "state", "type": "text", "indexed": true},
		object{"key": "on", "type": "date"},
		object{"key": "note", "type": "text"},
	)
	fields := y.get(t, modulesPath+"/"+c.items).OK(t)
	c.reference, c.amount, c.state = fields.Get("fields.0.uuid").String(), fields.Get("fields.1.uuid").String(), fields.Get("fields.2.uuid").String()

	return c
}

// rollup is a rollup over the items.
func (c claims) rollup(key, function string, extra ...object) object {
	options := object{"function": function, "module_uuid": c.items, "reference_uuid": c.reference}
	if function != "count" {
		options["field_uuid"] = c.amount
	}
	for _, more := range extra {
		maps.Copy(options, more)
	}

	return object{"key": key, "type": "rollup", "options": options}
}

func (c claims) addRollup(t *testing.T, field object) string {
	t.Helper()

	return c.post(t, modulesPath+"/"+c.claims+"/fields", field).OK(t).Header.Get("Location")
}

func (c claims) item(t *testing.T, claim, amount, state string) string {
	t.Helper()

	return c.create(t, c.items, object{"claim": object{"record_uuid": claim}, "amount": amount, "state": state}).OK(t).Header.Get("Location")
}

// fresh waits until a record's rollups are computed, and returns it.
func (y yard) fresh(t *testing.T, record string) moduletest.Response {
	t.Helper()
	var read moduletest.Response
	require.Eventually(t, func() bool {
		read = y.get(t, record).OK(t)

		return !read.Get("rollups.stale").Bool()
	}, time.Minute, 5*time.Millisecond)

	return read
}

func TestRollup_FollowsTheRecordsThatRefer(t *testing.T) {
	t.Parallel()
	eachYard(t, func(t *testing.T, y yard) {
		c := y.claims(t)
		old := y.create(t, c.claims, object{"name": "before"}).OK(t)
		first := c.item(t, old.Get("uuid").String(), "2.25", "open")
		made := map[string]string{}
		for _, f := range []object{
			c.rollup("n", "count"), c.rollup("total", "sum"), c.rollup("least", "min"), c.rollup("most", "max"),
			c.rollup("mean", "average"), c.rollup("newest", "latest"),
			c.rollup("open_total", "sum", object{"where_field_uuid": c.state, "where_in": []string{"open", "filed"}}),
		} {
			f["indexed"] = true
			made[fmt.Sprint(f["key"])] = c.addRollup(t, f)
		}
		for _, f := range made {
			require.Eventually(t, func() bool {
				read := y.get(t, f)

				return read.Get("rollup_state").String() == "ready" && read.Get("index_state").String() == "ready"
			}, time.Minute, 5*time.Millisecond)
		}
		record := old.Header.Get("Location")
		require.JSONEq(t, `{"name":"before","n":1,"total":"2.25","least":"2.25","most":"2.25","mean":"2.25","newest":"2.25","open_total":"2.25"}`,
			y.fresh(t, record).Get("payload").Raw)

		fresh := y.create(t, c.claims, object{"name": "after"}).OK(t)
		require.JSONEq(t, `{"name":"after","n":0,"total":"0.00","open_total":"0.00"}`, fresh.Get("payload").Raw)
		id := fresh.Get("uuid").String()
		second := c.item(t, id, "10.10", "closed")
		c.item(t, id, "0.20", "open")
		now := y.fresh(t, fresh.Header.Get("Location"))
		require.JSONEq(t, `{"name":"after","n":2,"total":"10.30","least":"0.20","most":"10.10","mean":"5.15","newest":"0.20","open_total":"0.20"}`, now.Get("payload").Raw)
		require.Equal(t, int64(1), now.Get("version").Int(), "nobody changed the record")
		require.NotEmpty(t, now.Get("rollups.computed_at").String())

		y.patch(t, first, object{"claim": object{"record_uuid": id}}).OK(t)
		require.Equal(t, "0 0.00", y.fresh(t, record).Get("payload.n").String()+" "+y.fresh(t, record).Get("payload.total").String())
		require.Equal(t, "12.55", y.fresh(t, fresh.Header.Get("Location")).Get("payload.total").String())
		y.remove(t, second).OK(t)
		require.Equal(t, "2.45", y.fresh(t, fresh.Header.Get("Location")).Get("payload.total").String())
		y.post(t, second+"/restore", nil).OK(t)
		require.Equal(t, "12.55", y.fresh(t, fresh.Header.Get("Location")).Get("payload.total").String())
		require.Equal(t, []string{"after", "before"}, texts(y.get(t, recordsPath+"?module_uuid="+c.claims+"&sort=-total").OK(t), "data.#.payload.name"))
		require.Equal(t, int64(1), y.count(t, "module_uuid="+c.claims+"&filter[total][gte]=12.55&filter[n]=3"))
		require.False(t, y.get(t, recordsPath+"?module_uuid="+c.claims).Get("data.0.rollups.stale").Bool())

		y.remove(t, fresh.Header.Get("Location")).OK(t)
		y.post(t, fresh.Header.Get("Location")+"/restore", nil).OK(t)
		require.Equal(t, int64(3), y.fresh(t, fresh.Header.Get("Location")).Get("payload.n").Int(), "the items came back with it")
	})
}

func TestRollup_FeedsFormulasAndRollupsAbove(t *testing.T) {
	t.Parallel()
	eachYard(t, func(t *testing.T, y yard) {
		c := y.claims(t)
		shops := y.module(t, "Shops", object{"key": "name", "type": "text"})
		shop := y.create(t, shops, object{"name": "A"}).OK(t)
		reference := y.post(t, modulesPath+"/"+c.claims+"/fields", object{"key": "shop", "type": "reference", "options": object{"module_uuid": shops}}).OK(t)
		c.addRollup(t, c.rollup("total", "sum"))
		doubled := y.post(t, modulesPath+"/"+c.claims+"/fields", object{"key": "doubled", "type": "formula", "options": object{"formula": "total * 2", "result": "decimal"}}).OK(t)
		above := object{"key": "grand", "type": "rollup", "options": object{
			"function": "sum", "module_uuid": c.claims, "reference_uuid": reference.Get("uuid").String(), "field_uuid": doubled.Get("uuid").String(),
		}}
		grand := y.post(t, modulesPath+"/"+shops+"/fields", above).OK(t)
		claim := y.create(t, c.claims, object{"name": "x", "shop": object{"record_uuid": shop.Get("uuid").String()}}).OK(t)
		c.item(t, claim.Get("uuid").String(), "1.50", "open")
		require.Equal(t, "3.00", y.fresh(t, claim.Header.Get("Location")).Get("payload.doubled").String())
		require.Eventually(t, func() bool {
			return y.fresh(t, shop.Header.Get("Location")).Get("payload.grand").String() == "3.00"
		}, time.Minute, 5*time.Millisecond)

		y.remove(t, doubled.Header.Get("Location")).Refused(t, http.StatusConflict, "custom_modules.field_in_use")
		y.remove(t, modulesPath+"/"+c.items).Refused(t, http.StatusConflict, "custom_modules.module_in_use")
		y.remove(t, grand.Header.Get("Location")).OK(t)
		y.remove(t, doubled.Header.Get("Location")).OK(t)
	})
}

func TestRollup_SaysWhatIsWrongWithIt(t *testing.T) {
	t.Parallel()
	eachYard(t, func(t *testing.T, y yard) {
		c := y.claims(t)
		try := func(field object) moduletest.Response { return y.post(t, modulesPath+"/"+c.claims+"/fields", field) }
		for path, field := range map[string]object{
			"options.function":         c.rollup("a", "median"),
			"options.reference_uuid":   c.rollup("a", "count", object{"reference_uuid": c.amount}),
			"options.field_uuid":       c.rollup("a", "sum", object{"field_uuid": nil}),
			"options.where_in":         c.rollup("a", "sum", object{"where_in": []string{"x"}}),
			"options.where_field_uuid": c.rollup("a", "sum", object{"where_field_uuid": y.customers, "where_in": []string{"x"}}),
		} {
			r := try(field)
			r.Refused(t, http.StatusUnprocessableEntity, "custom_modules.invalid_definition")
			require.Contains(t, r.Get("errors").Map(), path)
		}
		refused(t, try(c.rollup("a", "sum", object{"field_uuid": c.state})), "custom_modules.invalid_definition",
			map[string]string{"options.function": "The function sum does not support fields of the type text."})
		total := c.addRollup(t, c.rollup("total", "sum"))
		refused(t, y.create(t, c.claims, object{"total": "1.00"}), "custom_modules.invalid_payload",
			map[string]string{"payload.total": "The total is computed and cannot be set."})
		y.change(t, total, object{"options": object{"function": "latest"}}).OK(t)
		refused(t, y.change(t, total, object{"options": object{"function": "count"}}), "custom_modules.invalid_definition",
			map[string]string{"options.function": "The values of the field cannot be converted."})

		tree := y.module(t, "Tree", object{"key": "own", "type": "integer"})
		parent := y.post(t, modulesPath+"/"+tree+"/fields", object{"key": "parent", "type": "reference", "options": object{"module_uuid": tree}}).OK(t).Get("uuid").String()
		own := y.get(t, modulesPath+"/"+tree).Get("fields.0.uuid").String()
		below := object{"function": "sum", "module_uuid": tree, "reference_uuid": parent, "field_uuid": own}
		sum := y.post(t, modulesPath+"/"+tree+"/fields", object{"key": "below", "type": "rollup", "options": below}).OK(t)
		refused(t, y.change(t, sum.Header.Get("Location"), object{"options": object{"field_uuid": sum.Get("uuid").String()}}),
			"custom_modules.invalid_definition", map[string]string{"options.field_uuid": "The rollup depends on itself."})
	})
}

func TestRollup_LosesNoChangeAmongMany(t *testing.T) {
	t.Parallel()
	eachYard(t, func(t *testing.T, y yard) {
		c := y.claims(t)
		c.addRollup(t, c.rollup("total", "sum"))
		c.addRollup(t, c.rollup("n", "count"))
		claim := y.create(t, c.claims, object{"name": "hot"}).OK(t)
		const writers, each = 6, 12
		var wg sync.WaitGroup
		failures := make(chan string, writers*each*2)
		for w := range writers {
			wg.Go(func() {
				for i := range each {
					made := y.create(t, c.items, object{"claim": object{"record_uuid": claim.Get("uuid").String()}, "amount": fmt.Sprintf("%d.01", w)})
					if made.Status != http.StatusOK {
						failures <- string(made.Body)
					}
					if i%4 == 0 {
						if changed := y.patch(t, claim.Header.Get("Location"), object{"name": fmt.Sprintf("%d-%d", w, i)}); changed.Status != http.StatusOK {
							failures <- string(changed.Body)
						}
					}
				}
			})
		}
		wg.Wait()
		close(failures)
		for failure := range failures {
			require.Empty(t, failure)
		}
		now := y.fresh(t, claim.Header.Get("Location"))
		require.Equal(t, "72 180.72", now.Get("payload.n").String()+" "+now.Get("payload.total").String())
	})
}

func TestShippedPacks_InstallPlanAndWork(t *testing.T) {
	t.Parallel()
	eachYard(t, func(t *testing.T, y yard) {
		for _, name := range texts(y.get(t, packsPath).OK(t), "data.#.name") {
			made := y.post(t, packsPath+"/import", object{"install": name}).OK(t)
			again := y.post(t, packsPath+"/plan", object{"install": name}).OK(t)
			require.Zero(t, again.Get("summary.create").Int()+again.Get("summary.change").Int()+again.Get("summary.conflict").Int(), again.Get("modules").Raw)
			pack := packOf(t, y.get(t, packsPath+"/"+name))
			for i, m := range made.Get("modules").Array() {
				read := y.get(t, modulesPath+"/"+m.Get("module_uuid").String()).OK(t)
				require.Equal(t, texts(moduletest.Response{Body: mustJSON(t, pack)}, fmt.Sprintf("modules.%d.fields.#.key", i)), texts(read, "fields.#.key"))
				require.Equal(t, "ready", read.Get(`fields.#(type=="rollup").rollup_state`).String()+map[bool]string{true: "ready"}[!read.Get(`fields.#(type=="rollup")`).Exists()])
			}
		}
		all := y.get(t, packsPath).OK(t)
		inspections, damages := all.Get(`data.#(name=="vehicle_inspection").modules.0.module_uuid`).String(), all.Get(`data.#(name=="vehicle_inspection").modules.1.module_uuid`).String()
		inspection := y.create(t, inspections, object{"kind": "pickup", "vin": "1HGCM82633A004352", "odometer": 41234}).OK(t)
		require.True(t, inspection.Get("payload.clean").Bool(), inspection.Get("payload").Raw)
		damage := y.create(t, damages, object{"inspection": object{"record_uuid": inspection.Get("uuid").String()}, "area": "14", "damage_type": "04", "severity": "2", "origin": "new"}).OK(t)
		require.Equal(t, "14042", damage.Get("payload.code").String())
		now := y.fresh(t, inspection.Header.Get("Location"))
		require.Equal(t, "1 1 2 false", fmt.Sprint(now.Get("payload.damage_count"), " ", now.Get("payload.new_damage_count"), " ", now.Get("payload.worst_severity"), " ", now.Get("payload.clean")))
	})
}
