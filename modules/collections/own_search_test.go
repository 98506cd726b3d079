package collections_test

import (
	"context"
	"net/http"
	"net/url"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
)

// finds are the names of the gates that a query of their list finds.
func (y yard) finds(t *testing.T, q string) string {
	t.Helper()

	return y.get(t, gates+"?q="+url.QueryEscape(q)).OK(t).Get("data.#.name").Raw
}

func TestOwnFields_AreFoundByTheirTexts(t *testing.T) {
	t.Parallel()
	eachExtended(t, func(t *testing.T, y yard) {
		t.Helper()
		y.addOwnField(t, object{"key": "bay", "type": "integer"})
		y.addOwnField(t, object{"key": "road", "type": "text", "searchable": true})
		y.addOwnField(t, object{"key": "desk", "type": "phone", "searchable": true})
		a := y.gate(t, object{"name": "North", "custom": object{"road": "Côte d'Azur", "desk": "+12025550143"}})
		y.gate(t, object{"name": "South"})
		for _, q := range []string{"cote", "ZÚR", "north azur", "(202) 555-0143", "5550143"} {
			require.Equal(t, `["North"]`, y.finds(t, q), q)
		}
		require.Equal(t, "port.gate North (custom.road)", y.search(t, y.Owner.Token, "azur"))
		require.Equal(t, "port.gate North (custom.desk)", y.search(t, y.Owner.Token, "555-0143"))
		require.Equal(t, "Côte d'Azur", y.get(t, searchPath+"?q=azur").OK(t).Get("data.0.snippet").String())
		require.Empty(t, y.search(t, y.NewCompany(t).Token, "azur"))

		y.patch(t, gates+"/"+a, object{"name": "East"}).OK(t)
		require.Equal(t, `["East"]`, y.finds(t, "azur east"), "what it is found by beside its name stays")
		y.patch(t, gates+"/"+a, object{"custom": object{"road": "Quai"}}).OK(t)
		require.Equal(t, `["East"]`, y.finds(t, "quai east"))
		require.Equal(t, "[]", y.finds(t, "azur"))
		id := y.send(t, y.Owner.Token, gate1, "name,custom.road\nEast,Mole\nWest,Mole\n")
		y.by(t, id)
		y.do(t, y.Owner.Token, id, "start")
		require.Equal(t, `["East","West"]`, y.finds(t, "mole"))
		y.do(t, y.Owner.Token, id, "undo")
		require.Equal(t, "[]", y.finds(t, "mole"))
		require.Equal(t, `["East"]`, y.finds(t, "quai"))
		y.bulk(t, y.Owner.Token, gate1, true, object{"do": "update", "uuid": a, "payload": object{"custom": object{"road": "Pier"}}}).OK(t)
		require.Equal(t, `["East"]`, y.finds(t, "pier"))
		y.Call(t, y.Owner.Token, http.MethodDelete, gates+"/"+a, nil).OK(t)
		require.Equal(t, "[]", y.finds(t, "pier"))
		require.Empty(t, y.search(t, y.Owner.Token, "pier"))
		require.Len(t, y.get(t, gates+"?deleted=true&q=pier").OK(t).Get("data").Array(), 1)
		y.Call(t, y.Owner.Token, http.MethodPost, gates+"/"+a+"/restore", nil).OK(t)
		require.Equal(t, `["East"]`, y.finds(t, "pier"))

		for _, sql := range []string{"DELETE FROM resource_search", "UPDATE resource_search_states SET complete = false, after_id = '" + uuid.Nil.String() + "'"} {
			require.NoError(t, y.DB.InTx(t.Context(), func(ctx context.Context) error { return y.DB.Raw(ctx, "test").Exec(sql).Error }))
		}
		require.NoError(t, y.Resources.Reindex(t.Context(), gate1))
		require.Equal(t, `["East"]`, y.finds(t, "pier"), "a release that looks into other fields of the struct enters all rows anew")
	})
}

func TestOwnFields_AreFoundWhenTheyBecomeSearchableAndNotWhenTheyAreGone(t *testing.T) {
	t.Parallel()
	eachExtended(t, func(t *testing.T, y yard) {
		t.Helper()
		field := y.addOwnField(t, object{"key": "road", "type": "text"})
		for _, name := range []string{"North", "South"} {
			y.gate(t, object{"name": name, "custom": object{"road": "Azur"}})
		}
		ready := func(path string) func() bool {
			return func() bool { return y.get(t, path).OK(t).Get("search_state").String() == "ready" }
		}
		require.Equal(t, "[]", y.finds(t, "azur"))
		y.patch(t, field, object{"searchable": true}).OK(t)
		y.Eventually(t, ready(field), "the rows are entered")
		require.Equal(t, `["North","South"]`, y.finds(t, "azur"))
		y.patch(t, field, object{"key": "street"}).OK(t)
		require.Contains(t, y.search(t, y.Owner.Token, "azur"), "port.gate North (custom.street)")

		applied := func(change object, more object) {
			more["plan_uuid"] = y.Call(t, y.Owner.Token, http.MethodPost, field+"/plan", change).OK(t).Get("uuid").String()
			y.Call(t, y.Owner.Token, http.MethodPost, field+"/apply", more).OK(t)
		}
		applied(object{"change": "type", "type": "text", "options": object{"max_length": 50}}, object{})
		y.Eventually(t, func() bool {
			now := y.get(t, ownFields).OK(t).Get("data.0")
			field = ownFields + "/" + now.Get("uuid").String()

			return now.Get("options.max_length").Int() == 50 && ready(field)()
		}, "the values are converted, and entered")
		require.Equal(t, `["North","South"]`, y.finds(t, "azur"))
		require.Contains(t, y.search(t, y.Owner.Token, "azur"), "port.gate North (custom.street)")
		applied(object{"change": "unique"}, object{"on_failure": "clear"})
		y.Eventually(t, func() bool { return y.finds(t, "azur") == `["North"]` }, "the other one has lost the value")
		y.Call(t, y.Owner.Token, http.MethodDelete, field, nil).OK(t)
		y.Eventually(t, func() bool { return y.finds(t, "azur") == "[]" }, "nobody is found by a field that is gone")
	})
}

func TestOwnFields_AreFoundInACollectionOfWhichNothingElseIs(t *testing.T) {
	t.Parallel()
	eachSea(t, func(t *testing.T, y yard) {
		t.Helper()
		y.get(t, buoys+"?q=zoe").Refused(t, http.StatusUnprocessableEntity, "list.invalid_query")
		y.Call(t, y.Owner.Token, http.MethodPost, collectionsPath+"/sea.buoy/fields", object{"key": "keeper", "type": "text", "searchable": true}).OK(t)
		y.Call(t, y.Owner.Token, http.MethodPost, buoys, object{"depth": 7, "custom": object{"keeper": "Zoë"}}).OK(t)
		y.Call(t, y.Owner.Token, http.MethodPost, buoys, object{"depth": 8}).OK(t)
		require.Equal(t, `[7]`, y.get(t, buoys+"?q=zoe").OK(t).Get("data.#.depth").Raw)
		require.Equal(t, "sea.buoy  (custom.keeper)", y.search(t, y.Owner.Token, "zoe"))
	})
}
