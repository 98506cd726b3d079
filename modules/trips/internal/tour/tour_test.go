package tour_test

import (
	"math"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/dispatchd/dispatchd/modules/trips/internal/tour"
)

// field is points on a plane, of which each even one is a pickup and the next one its delivery.
func field(x, y []int, room int) (p tour.Problem, length func(order []int) float64, allowed func(order []int) bool) {
	p = tour.Problem{Stops: len(x), Before: make([][]int, len(x))}
	p.Miles = func(from, to int) float64 {
		if from < 0 {
			return math.Hypot(float64(x[to]), float64(y[to]))
		}

		return math.Hypot(float64(x[from]-x[to]), float64(y[from]-y[to]))
	}
	for i := 1; i < len(x); i += 2 {
		p.Before[i] = []int{i - 1}
	}
	p.Fits = func(visited func(int) bool) bool {
		on := 0
		for i := range x {
			switch {
			case visited(i) && i%2 == 0:
				on++
			case visited(i):
				on--
			}
		}

		return on <= room
	}
	length = func(order []int) (miles float64) {
		from := -1
		for _, s := range order {
			miles += p.Miles(from, s)
			from = s
		}

		return miles
	}
	allowed = func(order []int) bool {
		on := map[int]bool{}
		for _, s := range order {
			if s%2 == 1 && !on[s-1] {
				return false
			}
			on[s] = true
			if !p.Fits(func(i int) bool { return on[i] }) {
				return false
			}
		}

		return len(on) == len(x)
	}

	return p, length, allowed
}

// orders calls do with every order of some numbers.
func orders(all []int, do func([]int)) {
	var permute func(n int)
	permute = func(n int) {
		if n == len(all) {
			do(all)

			return
		}
		for i := n; i < len(all); i++ {
			all[n], all[i] = all[i], all[n]
			permute(n + 1)
			all[n], all[i] = all[i], all[n]
		}
	}
	permute(0)
}

func TestFind_IsTheShortestOrderThatIsAllowed(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n := 2 * rapid.IntRange(1, 3).Draw(t, "vehicles")
		place := rapid.SliceOfN(rapid.IntRange(-50, 50), n, n)
		p, length, allowed := field(place.Draw(t, "x"), place.Draw(t, "y"), rapid.IntRange(1, 3).Draw(t, "room"))
		shortest := math.Inf(1)
		all := make([]int, n)
		for i := range all {
			all[i] = i
		}
		orders(all, func(order []int) {
			if allowed(order) {
				shortest = min(shortest, length(order))
			}
		})
		found := tour.Find(p)
		require.True(t, allowed(found))
		require.InDelta(t, shortest, length(found), 1e-6)
	})
}

func TestFind_OfManyStopsIsAllowedAndNoLongerThanWhatStands(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n := 2 * rapid.IntRange(7, 10).Draw(t, "vehicles")
		place := rapid.SliceOfN(rapid.IntRange(-50, 50), n, n)
		p, length, allowed := field(place.Draw(t, "x"), place.Draw(t, "y"), rapid.IntRange(1, 9).Draw(t, "room"))
		found, plain := tour.Find(p), make([]int, n)
		for i := range plain {
			plain[i] = i
		}
		require.True(t, allowed(found))
		require.Len(t, found, n)
		require.LessOrEqual(t, length(found), length(plain)+1e-6)
	})
}

func TestFind_DrivesAllTheSameWhatATruckCannotHold(t *testing.T) {
	t.Parallel()
	for _, n := range []int{2, 14} {
		x := make([]int, n)
		p, _, _ := field(x, x, 0)
		found := tour.Find(p)
		slices.Sort(found)
		require.Len(t, slices.Compact(found), n)
	}
	require.Empty(t, tour.Find(tour.Problem{}))
}

func BenchmarkFind(b *testing.B) {
	for _, n := range []int{tour.Exact, 60} {
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			x, y := make([]int, n), make([]int, n)
			for i := range x {
				x[i], y[i] = i*37%100, i*71%100
			}
			p, _, _ := field(x, y, 3)
			for b.Loop() {
				tour.Find(p)
			}
		})
	}
}
