package collections_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// gatesWithBays are the UUIDs of new gates, each with a value of the own field bay.
func (y yard) gatesWithBays(t *testing.T, n int) []string {
	t.Helper()
	items, ids := make([]object, n), make([]string, n)
	for i := range items {
		items[i] = making(object{"name": fmt.Sprintf("%d of %d", i, n), "custom": object{"bay": i}})
	}
	for i, id := range y.bulk(t, y.Owner.Token, gate1, true, items...).OK(t).Get("data.#.record.uuid").Array() {
		ids[i] = id.String()
	}

	return ids
}

func TestOwnFields_OfManyRowsAreReadTogether(t *testing.T) {
	t.Parallel()
	eachExtended(t, func(t *testing.T, y yard) {
		t.Helper()
		const few, many, more = 5, 40, 3
		y.addOwnField(t, object{"key": "bay", "type": "integer"})
		did := map[string]map[int]int64{"changes": {}, "import": {}, "undo": {}, "deletes": {}}
		for _, n := range []int{few, many} {
			reading := func(what string, fn func()) {
				did[what][n] = y.counting("(?s)^SELECT.* FROM .?custom_modules_records", fn)
			}
			ids := y.gatesWithBays(t, n)
			items, file := make([]object, n), strings.Builder{}
			file.WriteString("name,custom.bay\n")
			for i, id := range ids {
				items[i] = object{"do": "update", "uuid": id, "payload": object{"custom": object{"bay": i + 1}}}
				fmt.Fprintf(&file, "%d of %d,%d\n", i, n, i+2)
			}
			reading("changes", func() { y.bulk(t, y.Owner.Token, gate1, true, items...).OK(t) })
			id := y.send(t, y.Owner.Token, gate1, file.String())
			y.by(t, id)
			reading("import", func() {
				require.EqualValues(t, n, y.do(t, y.Owner.Token, id, "start").Get("progress.updated").Int())
			})
			reading("undo", func() {
				require.EqualValues(t, n, y.do(t, y.Owner.Token, id, "undo").Get("progress.undone").Int())
			})
			require.EqualValues(t, 1, y.get(t, gates+"/"+ids[0]).OK(t).Get("custom.bay").Int())
			for i, id := range ids {
				items[i] = object{"do": "delete", "uuid": id}
			}
			reading("deletes", func() { y.bulk(t, y.Owner.Token, gate1, true, items...).OK(t) })
		}
		for what, took := range did {
			require.Positive(t, took[few], what)
			require.LessOrEqual(t, took[many], took[few]+more, "%s: %d take %d statements, %d take %d", what, few, took[few], many, took[many])
		}
	})
}

func TestOwnFields_ATransactionKeepsWhichItemsHaveThem(t *testing.T) {
	t.Parallel()
	eachExtended(t, func(t *testing.T, y yard) {
		t.Helper()
		y.addOwnField(t, object{"key": "bay", "type": "integer"}) // everybody forgets what was known
		require.LessOrEqual(t, y.counting("item_type <> ''", func() {
			for n := range 5 {
				y.gatesWithBays(t, n+1)
			}
		}), int64(2), "the news of the first field may come meanwhile")
	})
}
