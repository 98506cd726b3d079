package suggest_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/modules/carriers/internal/suggest"
)

// good is a carrier that nothing stands against.
func good(name string, change func(c *suggest.Carrier)) suggest.Carrier {
	c := suggest.Carrier{
		ID: name, Name: name, Compliance: "eligible", Agreement: true, CargoCover: "250000.00", CargoExpires: "2027-06-01",
		Equipment: []suggest.Equipment{{Slots: 9}}, Lanes: []suggest.Lane{{From: []string{"TX"}, To: []string{"FL", "GA"}}},
	}
	if change != nil {
		change(&c)
	}

	return c
}

func TestRank_PrefersWhoRunsTheLaneWithEquipmentThatFits(t *testing.T) {
	t.Parallel()
	ask := suggest.Ask{
		From: suggest.Place{State: "TX", ZIP: "75201"}, To: suggest.Place{State: "FL", ZIP: "33101"}, Vehicles: 3, Delivery: "2026-12-09",
		Covered: func(cover string) bool { return cover >= "200000.00" },
	}
	two := int64(2)
	got := suggest.Rank(ask, []suggest.Carrier{
		good("State", nil),
		good("ZIP", func(c *suggest.Carrier) { c.Lanes[0] = suggest.Lane{From: []string{"TX", "752"}, To: []string{"331"}} }),
		good("Back", func(c *suggest.Carrier) {
			c.Lanes = []suggest.Lane{{From: []string{"FL"}, To: []string{"TX"}}}
		}),
		good("Elsewhere", func(c *suggest.Carrier) { c.Lanes = nil }),
		good("From", func(c *suggest.Carrier) { c.Lanes[0].To = []string{"CA"} }),
		good("Small", func(c *suggest.Carrier) { c.Equipment[0].Slots = 2 }),
		good("Blocked", func(c *suggest.Carrier) { c.Compliance = "blocked" }),
		good("Bounced", func(c *suggest.Carrier) { c.Bounces, c.Incidents = 2, 3 }),
		good("Rated", func(c *suggest.Carrier) { c.Rating = &two }),
		good("Lapsed", func(c *suggest.Carrier) { c.CargoExpires = "2026-12-08" }),
		good("Low", func(c *suggest.Carrier) { c.CargoCover = "100000.00" }),
	}, 20)
	var names []string
	for _, s := range got {
		names = append(names, s.Carrier.Name)
	}
	require.Equal(t, []string{"ZIP", "State", "Rated", "Small", "Bounced", "From", "Back", "Elsewhere", "Lapsed", "Low"}, names)
	require.Equal(t, suggest.Reason{Code: "lane", Text: "Runs 752 to 331", Points: 50}, got[0].Reasons[1])
	require.Len(t, suggest.Rank(ask, []suggest.Carrier{good("a", nil), good("b", nil)}, 1), 1)
}

func TestRank_LeavesOutEquipmentThatDoesNotFit(t *testing.T) {
	t.Parallel()
	ask := suggest.Ask{From: suggest.Place{State: "TX"}, To: suggest.Place{State: "FL"}, Enclosed: true, Delivery: "2026-12-09"}
	got := suggest.Rank(ask, []suggest.Carrier{
		good("Open", nil), good("Enclosed", func(c *suggest.Carrier) { c.Equipment[0].Enclosed = true }),
		good("Unknown", func(c *suggest.Carrier) { c.Equipment = nil }),
	}, 20)
	require.Len(t, got, 2)
	require.Equal(t, "Enclosed", got[0].Carrier.Name)
}
