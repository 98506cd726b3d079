package collections_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/moduletest"
)

// computed adds a formula to gates and returns its path.
func (y yard) computed(t *testing.T, key, formula, result string) string {
	t.Helper()

	return y.addOwnField(t, object{"key": key, "type": "formula", "indexed": true, "options": object{"formula": formula, "result": result}})
}

// shows requires a value of an own field of a gate, and that lists find the gate by it.
func (y yard) shows(t *testing.T, gate, key, value string) {
	t.Helper()
	require.Equal(t, value, y.get(t, gates+"/"+gate).OK(t).Get("custom."+key).String())
	found := y.get(t, gates+"?filter[uuid]="+gate+"&filter[custom."+key+"]="+value).OK(t)
	require.Len(t, found.Get("data").Array(), 1, value)
}

func TestOwnFormulas_ReadTheFieldsOfTheStructWhateverChangesThem(t *testing.T) {
	t.Parallel()
	eachExtended(t, func(t *testing.T, y yard) {
		t.Helper()
		y.addOwnField(t, object{"key": "width", "type": "decimal"})
		y.computed(t, "area", "lanes * (custom.width ?? 1)", "integer")
		y.computed(t, "called", "name + '-' + kind", "text")
		a := y.gate(t, object{"name": "A", "lanes": 3})
		y.shows(t, a, "area", "3")
		y.shows(t, a, "called", "A-entry")
		y.patch(t, gates+"/"+a, object{"custom": object{"width": "2"}}).OK(t)
		y.shows(t, a, "area", "6")
		y.patch(t, gates+"/"+a, object{"lanes": 4}).OK(t)
		y.shows(t, a, "area", "8")
		trail := y.get(t, "/audit/api/v1/entries?sort=-uuid&filter[item_uuid]="+a).OK(t).Get("data.0.changes").Raw
		require.Contains(t, trail, `"custom.area"`)
		require.NotContains(t, trail, `"custom.lanes"`)

		some := y.bulk(t, y.Owner.Token, gate1, true, making(object{"name": "B", "lanes": 5}),
			object{"do": "update", "uuid": a, "payload": object{"lanes": 5}}).OK(t)
		b := some.Get("data.0.record.uuid").String()
		require.Equal(t, "5", some.Get("data.0.record.custom.area").String())
		y.shows(t, b, "area", "5")
		y.shows(t, a, "area", "10")

		id := y.send(t, y.Owner.Token, gate1, "name,lanes\nA,6\nB,7\nC,8\n")
		y.by(t, id)
		y.do(t, y.Owner.Token, id, "start")
		y.shows(t, a, "area", "12")
		y.shows(t, b, "area", "7")
		require.Equal(t, "name,custom.area\nA,12\nB,7\nC,8\n", y.exported(t, y.Owner.Token, "name,custom.area"))
		y.do(t, y.Owner.Token, id, "undo")
		y.shows(t, a, "area", "10")
		y.shows(t, b, "area", "5")

		items := collectionsPath + "/" + gate1 + "/items/" + a
		require.Equal(t, "3", y.get(t, items+"/history/1").OK(t).Get("custom.area").String())
		y.Call(t, y.Owner.Token, http.MethodPost, items+"/revert", object{"version": 2, "fields": []string{"lanes"}}).OK(t)
		y.shows(t, a, "area", "6")
		y.Call(t, y.Owner.Token, http.MethodDelete, gates+"/"+a, nil).OK(t)
		y.Call(t, y.Owner.Token, http.MethodPost, gates+"/"+a+"/restore", nil).OK(t)
		y.shows(t, a, "area", "6")
	})
}

func TestOwnFormulas_AreComputedForTheRowsThatAreThere(t *testing.T) {
	t.Parallel()
	eachExtended(t, func(t *testing.T, y yard) {
		t.Helper()
		a := y.gate(t, object{"name": "A", "lanes": 3})
		gone := y.gate(t, object{"name": "B", "lanes": 4})
		y.Call(t, y.Owner.Token, http.MethodDelete, gates+"/"+gone, nil).OK(t)
		field := y.computed(t, "twice", "lanes * 2", "integer")
		ready := func() bool { return y.get(t, field).OK(t).Get("index_state").String() == "ready" }
		y.Eventually(t, ready, "the rows are computed")
		y.shows(t, a, "twice", "6")
		require.EqualValues(t, 1, y.get(t, gates+"/"+a).OK(t).Get("version").Int(), "nobody has changed the row")
		y.Call(t, y.Owner.Token, http.MethodPost, gates+"/"+gone+"/restore", nil).OK(t)
		y.shows(t, gone, "twice", "8")

		y.patch(t, field, object{"options": object{"formula": "lanes * 3 + len(serial ?? '')"}}).OK(t)
		y.Eventually(t, ready, "the rows are computed anew")
		y.shows(t, a, "twice", "9")
		y.shows(t, gone, "twice", "12")
	})
}

func TestOwnFormulas_SayWhichOfTwoFieldsTheyMean(t *testing.T) {
	t.Parallel()
	eachExtended(t, func(t *testing.T, y yard) {
		t.Helper()
		formula := func(key, text string) moduletest.Response {
			return y.Call(t, y.Owner.Token, http.MethodPost, ownFields, object{"key": key, "type": "formula", "options": object{"formula": text, "result": "integer"}})
		}
		refused := formula("most", "lains * 2")
		invalid(t, refused, "custom_modules.invalid_definition", "options.formula")
		require.Contains(t, refused.Get("errors").Raw, "lanes", "the fields that there are")
		require.Contains(t, formula("near", "nearest_uuid").Get("errors").Raw, "cannot stand in a formula")
		formula("most", "lanes * 2").OK(t)
		refused = y.Call(t, y.Owner.Token, http.MethodPost, ownFields, object{"key": "lanes", "type": "integer"})
		invalid(t, refused, "custom_modules.invalid_definition", "formulas.most")
		require.Contains(t, refused.Get("errors").Raw, "custom.lanes")

		lanes := y.addOwnField(t, object{"key": "ways", "type": "integer"})
		sum := formula("sum", "lanes + custom.ways + ways").OK(t).Header.Get("Location")
		a := y.gate(t, object{"name": "A", "lanes": 3, "custom": object{"ways": 10}})
		require.EqualValues(t, 23, y.get(t, gates+"/"+a).OK(t).Get("custom.sum").Int())
		invalid(t, y.patch(t, lanes, object{"key": "lanes"}), "custom_modules.invalid_definition", "formulas.most")
		y.patch(t, lanes, object{"key": "tracks"}).OK(t)
		require.Equal(t, "lanes + custom.tracks + tracks", y.get(t, sum).OK(t).Get("options.formula").String())
		y.Call(t, y.Owner.Token, http.MethodDelete, lanes, nil).Refused(t, http.StatusConflict, "custom_modules.field_in_use")

		modules := y.Call(t, y.Owner.Token, http.MethodPost, modulesPath, object{"name": "Lots", "fields": []object{
			{"key": "size", "type": "integer"}, {"key": "twice", "type": "formula", "options": object{"formula": "custom.size * 2", "result": "integer"}},
		}})
		require.Equal(t, http.StatusUnprocessableEntity, modules.Status, "a module has no own fields beside others: %s", modules.Body)
	})
}

func TestOwnFormulas_ThatReadWhatIsSensitiveAreSensitive(t *testing.T) {
	t.Parallel()
	eachExtended(t, func(t *testing.T, y yard) {
		t.Helper()
		open := object{"key": "hint", "type": "formula", "options": object{"formula": "code + '!'", "result": "text"}}
		invalid(t, y.Call(t, y.Owner.Token, http.MethodPost, ownFields, open), "custom_modules.invalid_definition", "options.formula")
		open["sensitive"] = true
		blind := y.Token(t, y.Owner, "port:read", "collections:*", "custom_modules:*")
		refused := y.Call(t, blind, http.MethodPost, ownFields, open)
		invalid(t, refused, "custom_modules.invalid_definition", "options.formula")
		require.Contains(t, refused.Get("errors").Raw, "port:sensitive")
		y.addOwnField(t, open)
		a := y.gate(t, object{"name": "A", "code": "tulip"})
		require.Equal(t, "tulip!", y.get(t, gates+"/"+a).OK(t).Get("custom.hint").String())
		reader := y.Token(t, y.Owner, "port:read", "port:write", "collections:*")
		y.Call(t, reader, http.MethodPatch, gates+"/"+a, object{"lanes": 3}).OK(t)
		for _, path := range []string{gates, collectionsPath + "/" + gate1, collectionsPath + "/" + gate1 + "/items/" + a + "/history"} {
			require.NotContains(t, string(y.Call(t, reader, http.MethodGet, path, nil).OK(t).Body), "tulip", path)
		}
		require.Equal(t, "tulip!", y.get(t, gates+"/"+a).OK(t).Get("custom.hint").String())
	})
}

func TestOwnFormulas_ReadMoneyAndTheNumbersOfNewRows(t *testing.T) {
	t.Parallel()
	eachExtended(t, func(t *testing.T, y yard) {
		t.Helper()
		adding := func(item, formula, result string) {
			y.Call(t, y.Owner.Token, http.MethodPost, collectionsPath+"/"+item+"/fields", object{
				"key": "made", "type": "formula", "indexed": true, "options": object{"formula": formula, "result": result},
			}).OK(t)
		}
		adding("port.permit", "fee * 2", "decimal")
		made := y.Call(t, y.Owner.Token, http.MethodPost, "/port/api/v1/permits", object{"name": "A", "fee": "12.50"}).OK(t)
		require.Equal(t, "25.00", made.Get("custom.made").String())
		adding(berth1, "'No. ' + number", "text")
		made = y.Call(t, y.Owner.Token, http.MethodPost, "/port/api/v1/berths", object{"name": "A"}).OK(t)
		require.Equal(t, "No. B-0001", made.Get("custom.made").String())
		some := y.bulk(t, y.Owner.Token, berth1, true, making(object{"name": "B"}), making(object{"name": "C"})).OK(t)
		require.Equal(t, `["No. B-0002","No. B-0003"]`, some.Get("data.#.record.custom.made").Raw)
		trail := y.get(t, "/audit/api/v1/entries?filter[item_uuid]="+made.Get("uuid").String()).OK(t)
		require.Equal(t, "No. B-0001", trail.Get(`data.0.changes.custom\.made.after`).String(), string(trail.Body))
	})
}
