package feature

import (
	"maps"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/module"
)

// trade is: audit (essential), files, loads <- esign (with files) <- archive, sms hears of loads.
func trade(standard bool) Areas {
	modules := []module.Module{
		module.New("archive", "Archive").Needs("esign"),
		module.New("audit", "Audit", module.Essential()),
		module.New("esign", "Signatures").Needs("loads", "files"),
		module.New("files", "Files"),
		module.New("loads", "Loads"),
		module.New("sms", "Messages").Listens("loads"),
	}

	return NewAreas(Settings{Default: standard}, append(modules, module.New("tolls", "Tolls")), modules)
}

func rowsOf(decisions map[string]bool) map[string]row {
	rows := map[string]row{}
	for id, on := range decisions {
		rows[id] = row{Area: id, Enabled: on}
	}

	return rows
}

func TestOf_NothingSaidIsTheDefaultAndEssentialIsAlwaysOn(t *testing.T) {
	t.Parallel()
	require.Equal(t, []string{"archive", "audit", "esign", "files", "loads", "sms"}, ids(trade(true).resolveSet(nil)))
	require.Equal(t, []string{"audit"}, ids(trade(false).resolveSet(rowsOf(map[string]bool{"audit": false}))))
	require.Equal(t, []string{"audit", "files"}, ids(trade(false).resolveSet(rowsOf(map[string]bool{"files": true, "esign": true}))),
		"what lacks something is outside, whatever was said")
}

func TestPlan_SaysWhatFollowsAndWhatIsRefused(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name     string
		now      map[string]bool
		change   Change
		on, off  []string
		needed   map[string][]string
		needs    map[string][]string
		decisive map[string]bool
	}{
		{
			name: "one that nobody needs", change: Change{Areas: map[string]bool{"sms": false}},
			off: []string{"sms"}, decisive: map[string]bool{"sms": false},
		},
		{
			name: "one that others need, and others need those", change: Change{Areas: map[string]bool{"loads": false}},
			off:      []string{"archive", "esign", "loads"},
			needed:   map[string][]string{"loads": {"esign"}, "esign": {"archive"}},
			decisive: map[string]bool{"loads": false},
		},
		{
			name: "the same with those", change: Change{Areas: map[string]bool{"loads": false, "esign": false, "archive": false}},
			off:      []string{"archive", "esign", "loads"},
			decisive: map[string]bool{"loads": false, "esign": false, "archive": false},
		},
		{
			name: "the same with cascade", change: Change{Areas: map[string]bool{"loads": false}, Cascade: true},
			off:      []string{"archive", "esign", "loads"},
			decisive: map[string]bool{"loads": false, "esign": false, "archive": false},
		},
		{
			name: "cascade does not touch what is named", change: Change{Areas: map[string]bool{"loads": false, "archive": true}, Cascade: true},
			off:      []string{"archive", "esign", "loads"},
			needs:    map[string][]string{"archive": {"esign"}},
			decisive: map[string]bool{"loads": false, "esign": false, "archive": true},
		},
		{
			name: "one whose needs are off", now: map[string]bool{"loads": false, "esign": false, "archive": false},
			change: Change{Areas: map[string]bool{"esign": true}},
			needs:  map[string][]string{"esign": {"loads"}}, decisive: map[string]bool{"esign": true},
		},
		{
			name: "the same with cascade", now: map[string]bool{"loads": false, "esign": false, "archive": false},
			change: Change{Areas: map[string]bool{"archive": true}, Cascade: true},
			on:     []string{"archive", "esign", "loads"}, decisive: map[string]bool{"archive": true, "esign": true, "loads": true},
		},
		{
			name: "one that waited for its need", now: map[string]bool{"loads": false},
			change: Change{Areas: map[string]bool{"loads": true}},
			on:     []string{"archive", "esign", "loads"}, decisive: map[string]bool{"loads": true},
		},
		{name: "an essential one", change: Change{Areas: map[string]bool{"audit": true}}},
		{name: "what is so already", now: map[string]bool{"sms": false}, change: Change{Areas: map[string]bool{"sms": false}}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			p := trade(true).plan(rowsOf(test.now), test.change)
			require.Equal(t, append([]string{}, test.on...), p.On)
			require.Equal(t, append([]string{}, test.off...), p.Off)
			require.Equal(t, orEmpty(test.needed), p.NeededBy)
			require.Equal(t, orEmpty(test.needs), p.Needs)
			require.Equal(t, len(test.needed)+len(test.needs) > 0, p.Refused)
			require.Equal(t, p.Refused, p.Refusal() != nil)
			decided := map[string]bool{}
			for _, r := range p.rows {
				decided[r.Area] = r.Enabled
			}
			require.Len(t, decided, len(test.decisive))
			for id, on := range test.decisive {
				require.Equal(t, on, decided[id], id)
			}
		})
	}
}

func TestPlan_SaysWhoWillHearNothing(t *testing.T) {
	t.Parallel()
	p := trade(true).plan(rowsOf(nil), Change{Areas: map[string]bool{"loads": false}, Cascade: true})
	heard := map[string][]string{}
	for _, s := range p.Silent {
		heard[s.Area] = s.HeardBy
		require.True(t, s.DataKept)
	}
	require.Equal(t, map[string][]string{"archive": {}, "esign": {}, "loads": {"sms"}}, heard)
}

func TestRefusal_NamesTheAreas(t *testing.T) {
	t.Parallel()
	err := trade(true).plan(rowsOf(nil), Change{Areas: map[string]bool{"loads": false}}).Refusal()
	require.ErrorIs(t, err, errNeededBy)
	require.ErrorContains(t, err, "esign is needed by archive; loads is needed by esign.")
	require.Equal(t, errs.Conflict, errs.KindOf(err))
	err = trade(false).plan(rowsOf(nil), Change{Areas: map[string]bool{"esign": true}}).Refusal()
	require.ErrorIs(t, err, errNeeds)
	require.ErrorContains(t, err, "esign needs loads, files.")
}

func TestCheck_NamesTheNearestAndWhatIsOffInTheDeployment(t *testing.T) {
	t.Parallel()
	err := trade(true).check(Change{Areas: map[string]bool{"lods": true, "tolls": true, "audit": false, "sms": false}})
	var invalid *errs.Error
	require.ErrorAs(t, err, &invalid)
	require.Equal(t, errs.Invalid, invalid.Kind)
	require.Equal(t, map[string][]string{
		"areas.lods":  {"There is no such area; the nearest is loads."},
		"areas.tolls": {"The area tolls is off in this deployment."},
		"areas.audit": {"Every company uses the area audit. It cannot be switched off."},
	}, invalid.Fields)
	require.ErrorIs(t, trade(true).check(Change{}), errInvalid)
	require.NoError(t, trade(true).check(Change{Areas: map[string]bool{"audit": true}}))
}

// deployments draws one in which areas need each other in every way, in circles too.
func deployments(t *rapid.T) Areas {
	modules := make([]module.Module, rapid.IntRange(2, 8).Draw(t, "areas"))
	for i := range modules {
		modules[i] = module.New("a"+strconv.Itoa(i), "")
		for j := range modules {
			if j != i && rapid.IntRange(0, 3).Draw(t, "needs") == 0 {
				modules[i] = modules[i].Needs("a" + strconv.Itoa(j))
			}
		}
	}
	modules[0] = module.New("a0", "", module.Essential())

	return NewAreas(Settings{Default: rapid.Bool().Draw(t, "default")}, modules, modules)
}

func changes(t *rapid.T, areas Areas) Change {
	change := Change{Areas: map[string]bool{}, Cascade: rapid.Bool().Draw(t, "cascade")}
	for range rapid.IntRange(1, 3).Draw(t, "named") {
		change.Areas["a"+strconv.Itoa(rapid.IntRange(1, len(areas.enabled)-1).Draw(t, "area"))] = rapid.Bool().Draw(t, "on")
	}

	return change
}

func TestSet_NeverHasAnAreaWhoseNeedsAreOutsideIt(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		areas, rows := deployments(t), map[string]row{}
		for range 10 {
			change, before := changes(t, areas), areas.resolveSet(rows)
			p := areas.plan(rows, change)
			if !p.Refused {
				for _, one := range p.rows {
					rows[one.Area] = one
				}
			}
			after := areas.resolveSet(rows)
			require.True(t, after["a0"], "the essential area is on")
			for id := range after {
				a, _ := areas.find(id)
				require.Truef(t, after.has(a.needs), "%s needs %v, there is %v", id, a.needs, ids(after))
			}
			if p.Refused {
				require.Equal(t, before, after)

				continue
			}
			for id, on := range change.Areas {
				require.Equalf(t, on, after[id], "%s is as the change says", id)
			}
			require.Equal(t, ids(after), applied(before, p), "the plan says what happens")
		}
	})
}

// applied is what a plan says that a set becomes.
func applied(before set, p Plan) []string {
	after := maps.Clone(before)
	for _, id := range p.On {
		after[id] = true
	}
	for _, id := range p.Off {
		delete(after, id)
	}

	return ids(after)
}

func ids(s set) []string { return slices.Sorted(maps.Keys(s)) }

func orEmpty(m map[string][]string) map[string][]string {
	if m == nil {
		return map[string][]string{}
	}

	return m
}
