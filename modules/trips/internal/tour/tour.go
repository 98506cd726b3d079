// Package tour finds the shortest order of stops in which each vehicle is picked up before it is delivered.
package tour

import (
	"math"
	"slices"
)

// Exact is up to how many stops the order is the shortest there is; of more, it is a good one.
const Exact = 12

// Problem is a tour to find.
type Problem struct {
	// Stops is how many there are.
	Stops int
	// Miles are those from one stop to another; from -1 they are those from where the truck is, 0 if that is not known.
	Miles func(from, to int) float64
	// Before has the stops that come before each stop.
	Before [][]int
	// Fits reports whether the truck holds what is on it after the stops in a set have been visited; nil for a truck that holds everything.
	Fits func(visited func(stop int) bool) bool
}

// Find returns the stops in the order in which they are best driven. Where the truck cannot hold it all in any order, that is left out of account.
func Find(p Problem) []int {
	p.Miles = asTable(p)
	if p.Stops <= Exact {
		if order, found := p.exact(); found {
			return order
		}
		p.Fits = nil
		order, _ := p.exact()

		return order
	}

	best, now := p.improved(p.inserted()), make([]int, p.Stops)
	for i := range now {
		now[i] = i
	}
	if p.allowed(now) { // what stands is never made worse
		if now = p.improved(now); !p.allowed(best) || p.length(now) < p.length(best) {
			best = now
		}
	}

	return best
}

// asTable asks for the miles between all stops once.
func asTable(p Problem) func(from, to int) float64 {
	all := make([]float64, (p.Stops+1)*p.Stops)
	for from := -1; from < p.Stops; from++ {
		for to := range p.Stops {
			all[(from+1)*p.Stops+to] = p.Miles(from, to)
		}
	}

	return func(from, to int) float64 { return all[(from+1)*p.Stops+to] }
}

// exact tries all orders, by the Held-Karp recursion over sets of stops that were visited: it finds the shortest way to each set and last stop.
func (p Problem) exact() ([]int, bool) {
	n, all := p.Stops, 1<<p.Stops
	best, last := make([]float64, all*n), make([]int8, all*n)
	for i := range best {
		best[i], last[i] = math.Inf(1), -1
	}
	fits := make([]bool, all)
	for set := range all {
		fits[set] = p.Fits == nil || p.Fits(func(stop int) bool { return set>>stop&1 == 1 })
	}
	for set := range all {
		for next := range n {
			with := set | 1<<next
			if set == with || !fits[with] || !allIn(set, p.Before[next]) {
				continue
			}
			if set == 0 {
				best[with*n+next] = p.Miles(-1, next)

				continue
			}
			for from := range n {
				if miles := best[set*n+from] + p.Miles(from, next); miles < best[with*n+next] {
					best[with*n+next], last[with*n+next] = miles, int8(from)
				}
			}
		}
	}
	end, set := 0, all-1
	for i := range n {
		if best[set*n+i] < best[set*n+end] {
			end = i
		}
	}
	if n == 0 || math.IsInf(best[set*n+end], 1) {
		return nil, n == 0
	}
	order := make([]int, 0, n)
	for at := end; at >= 0; {
		order = append(order, at)
		set, at = set&^(1<<at), int(last[set*n+at])
	}
	slices.Reverse(order)

	return order, true
}

func allIn(set int, stops []int) bool {
	for _, s := range stops {
		if set>>s&1 == 0 {
			return false
		}
	}

	return true
}

// inserted puts each stop where it costs least, those first that others wait for.
func (p Problem) inserted() []int {
	var order []int
	for len(order) < p.Stops {
		for stop := range p.Stops {
			if slices.Contains(order, stop) || slices.ContainsFunc(p.Before[stop], func(b int) bool { return !slices.Contains(order, b) }) {
				continue
			}
			order = p.insert(order, stop)
		}
	}

	return order
}

// insert puts a stop where it costs least.
func (p Problem) insert(order []int, stop int) []int {
	var best []int
	for at := range len(order) + 1 {
		if tried := slices.Insert(slices.Clone(order), at, stop); p.allowed(tried) && (best == nil || p.length(tried) < p.length(best)) {
			best = tried
		}
	}
	if best == nil {
		return append(order, stop) // the truck does not hold it wherever it is put
	}

	return best
}

// improved moves stops, and turns parts of the tour round, for as long as that shortens it.
func (p Problem) improved(order []int) []int {
	for shorter := true; shorter; {
		shorter = false
		for i := range order {
			for j := range order {
				moved := slices.Insert(slices.Delete(slices.Clone(order), i, i+1), j, order[i])
				turned := slices.Clone(order)
				slices.Reverse(turned[min(i, j) : max(i, j)+1])
				for _, tried := range [][]int{moved, turned} {
					const least = 1e-6
					if p.length(tried) < p.length(order)-least && p.allowed(tried) {
						order, shorter = tried, true
					}
				}
			}
		}
	}

	return order
}

// allowed reports whether each stop of an order comes after those that it waits for, and the truck holds what is on it.
func (p Problem) allowed(order []int) bool {
	visited := make([]bool, p.Stops)
	for _, stop := range order {
		for _, b := range p.Before[stop] {
			if !visited[b] {
				return false
			}
		}
		visited[stop] = true
		if p.Fits != nil && !p.Fits(func(s int) bool { return visited[s] }) {
			return false
		}
	}

	return true
}

// length is how many miles an order takes.
func (p Problem) length(order []int) (miles float64) {
	from := -1
	for _, stop := range order {
		miles += p.Miles(from, stop)
		from = stop
	}

	return miles
}
