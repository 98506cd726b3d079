package custommodules_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// modelItem is an item as the model has it.
type modelItem struct {
	location, claim, state string
	amount                 int
	gone                   bool
}

// TestRollup_IsWhatAModelComputes changes items at random and compares the claims with what a loop over all of
// them comes to.
func TestRollup_IsWhatAModelComputes(t *testing.T) {
	t.Parallel()
	eachYard(t, func(t *testing.T, y yard) {
		c := y.claims(t)
		for _, f := range []object{
			c.rollup("n", "count"), c.rollup("total", "sum"), c.rollup("most", "max"),
			c.rollup("open_total", "sum", object{"where_field_uuid": c.state, "where_in": []string{"open"}}),
		} {
			c.addRollup(t, f)
		}
		for seed := range uint64(5) {
			r := rand.New(rand.NewPCG(seed, 7))
			var all []*modelItem
			parents := []string{}
			for range 3 {
				parents = append(parents, y.create(t, c.claims, object{"name": "c"}).OK(t).Get("uuid").String())
			}
			for range 15 {
				c.step(t, r, parents, &all)
			}
			for _, parent := range parents {
				require.Equalf(t, modelOf(all, parent), c.rolled(t, parent), "seed %d", seed)
			}
		}
	})
}

// step changes something.
func (c claims) step(t *testing.T, r *rand.Rand, parents []string, all *[]*modelItem) {
	t.Helper()
	claim := parents[r.IntN(len(parents))]
	state := []string{"open", "closed"}[r.IntN(2)]
	amount := r.IntN(1_000) - 500
	payload := object{"claim": object{"record_uuid": claim}, "amount": fmt.Sprintf("%d.00", amount), "state": state}
	if len(*all) == 0 || r.IntN(3) == 0 {
		made := c.create(t, c.items, payload).OK(t)
		*all = append(*all, &modelItem{location: made.Header.Get("Location"), claim: claim, state: state, amount: amount})

		return
	}
	item := (*all)[r.IntN(len(*all))]
	switch {
	case item.gone:
		c.post(t, item.location+"/restore", nil).OK(t)
		item.gone = false
	case r.IntN(2) == 0:
		c.remove(t, item.location).OK(t)
		item.gone = true
	default:
		c.patch(t, item.location, payload).OK(t)
		item.claim, item.state, item.amount = claim, state, amount
	}
}

// modelOf is what a claim should say of its items.
func modelOf(all []*modelItem, claim string) string {
	n, total, open, most := 0, 0, 0, ""
	best := 0
	for _, item := range all {
		if item.gone || item.claim != claim {
			continue
		}
		if n == 0 || item.amount > best {
			best = item.amount
			most = fmt.Sprintf("%d.00", best)
		}
		n++
		total += item.amount
		if item.state == "open" {
			open += item.amount
		}
	}

	return fmt.Sprintf("%d %d.00 %s %d.00", n, total, most, open)
}

func (c claims) rolled(t *testing.T, claim string) string {
	t.Helper()
	p := c.fresh(t, recordsPath+"/"+claim).Get("payload")

	return fmt.Sprintf("%s %s %s %s", p.Get("n"), p.Get("total"), p.Get("most"), p.Get("open_total"))
}
