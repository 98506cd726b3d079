package distance

import "math"

// Measured is a lane whose miles are known.
type Measured struct {
	From, To Point
	Miles    float64
}

// How far what is known of a way counts for others: their ends may be apart, together, by a share of the length of the way, within
// bounds in miles. Where they are apart by reach, half of the correction is used; beyond farthest times reach, nothing.
const (
	reachShare            = 0.15
	leastReach, mostReach = 5.0, 40.0
	farthest              = 2.0
	sameWay               = 0.01
)

// Reach returns within how many miles of the ends of a way the ends of others count for it.
func Reach(p, q Point) float64 {
	return farthest * min(mostReach, max(leastReach, reachShare*GreatCircle(p, q)))
}

// Correction is an estimate with what is known of ways nearby.
type Correction struct {
	Miles float64
	// Exact says that the way itself is known, Ways how many others counted.
	Exact bool
	Ways  int
}

// Correct returns the estimated miles by road, corrected by the known miles of ways nearby. The miles of a known way itself are exact:
// the correction is an interpolation between the known ways, weighted by the inverse square of how far they are, that fades to none. Of
// ways that are the same, the first counts.
func Correct(p, q Point, known []Measured) Correction {
	reach := Reach(p, q) / farthest
	weights, logs := 1.0, 0.0 // the estimate itself, as if it were known at a distance of reach
	c := Correction{}
	for _, k := range known {
		gap := min(GreatCircle(p, k.From)+GreatCircle(q, k.To), GreatCircle(p, k.To)+GreatCircle(q, k.From))
		if gap < sameWay {
			return Correction{Miles: max(k.Miles, GreatCircle(p, q)), Exact: true}
		}
		other := Road(k.From, k.To)
		if gap > farthest*reach || other == 0 || k.Miles <= 0 {
			continue
		}
		w := reach * reach / (gap * gap)
		weights += w
		logs += w * math.Log(k.Miles/other)
		c.Ways++
	}
	c.Miles = max(GreatCircle(p, q), Road(p, q)*math.Exp(logs/weights))

	return c
}
