// Package suggest ranks the carriers of a company for a lane, and says why.
package suggest

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Place is an end of a lane.
type Place struct {
	State string // a state or province, in capitals
	ZIP   string // a ZIP code, or the beginning of one; "" if it is not known
}

// Lane is a lane that a carrier likes: its ends are states, or the beginnings of ZIP codes.
type Lane struct{ From, To []string }

// Equipment is what a carrier has.
type Equipment struct {
	Slots    int
	Enclosed bool
}

// Ask is what a carrier is looked for.
type Ask struct {
	From, To Place
	// Vehicles is how many there are, 0 if it is not known.
	Vehicles int
	Enclosed bool
	// Delivery is the day, as YYYY-MM-DD, that papers must be good on.
	Delivery string
	// Covered reports whether a cargo certificate covers the declared value.
	Covered func(cover string) bool
}

// Carrier is what the ranking knows of a carrier of the company.
type Carrier struct {
	ID        string
	Name      string
	Lanes     []Lane
	Equipment []Equipment
	// Compliance is the status of its last verdict.
	Compliance string
	// Agreement says that the agreement is signed, AgreementExpires and CargoExpires are days, "" for none.
	Agreement        bool
	AgreementExpires string
	CargoCover       string
	CargoExpires     string
	Rating           *int64
	Preferred        bool
	// Incidents are those of the last year that were not dismissed, Bounces those of them by which it gave a load back.
	Incidents, Bounces int
}

// Reason is what a carrier gets points for, or loses them.
type Reason struct {
	Code   string `json:"code" enum:"lane,lane_from,lane_to,lane_back,equipment,trips,no_equipment,eligible,warned,unjudged,agreement,no_agreement,insured,not_insured,cover_low,rating,preferred,bounces,incidents"`
	Text   string `json:"text" example:"Runs TX to FL"`
	Points int    `json:"points"`
}

// Suggestion is a carrier with its points.
type Suggestion struct {
	Carrier Carrier
	Score   int
	Reasons []Reason
}

// points of reasons. A lane counts most, and what makes a carrier unfit costs more than a lane brings.
const (
	forLane, forZIP, forEnd, forBack       = 40, 5, 12, 8
	forEquipment, forTrips                 = 20, 5
	forEligible, forWarned                 = 20, 10
	forAgreement, forInsurance             = 5, 10
	forNoInsurance, forLowCover            = -60, -60
	forRating, middleRating, forPreference = 5, 3, 15
	forBounce, forIncident, mostCounted    = -6, -10, 5
)

// Rank returns the carriers that can take a lane, the best first: of equal ones in the order of their names. Carriers that are
// blocked, and that have equipment of which none fits, are left out.
func Rank(a Ask, carriers []Carrier, limit int) []Suggestion {
	var all []Suggestion
	for _, c := range carriers {
		if s, fits := judge(a, c); fits {
			all = append(all, s)
		}
	}
	slices.SortFunc(all, func(a, b Suggestion) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Carrier.Name, b.Carrier.Name), cmp.Compare(a.Carrier.ID, b.Carrier.ID))
	})

	return all[:min(limit, len(all))]
}

func judge(a Ask, c Carrier) (Suggestion, bool) {
	s := Suggestion{Carrier: c}
	if c.Compliance == "blocked" || c.Compliance == "expired" || !s.equip(a, c) {
		return s, false
	}
	s.lane(a, c)
	switch c.Compliance {
	case "eligible":
		s.add("eligible", forEligible, "Nothing stands against it")
	case "warned":
		s.add("warned", forWarned, "Its last verdict warns")
	default:
		s.add("unjudged", 0, "The regulator's record was not read")
	}
	if c.Agreement && (c.AgreementExpires == "" || c.AgreementExpires >= a.Delivery) {
		s.add("agreement", forAgreement, "The agreement is signed")
	} else {
		s.add("no_agreement", 0, "There is no agreement that is good on the day")
	}
	s.insured(a, c)
	if c.Rating != nil {
		s.add("rating", int(*c.Rating-middleRating)*forRating, "Your rating is %d", *c.Rating)
	}
	if c.Preferred {
		s.add("preferred", forPreference, "You prefer it")
	}
	if c.Bounces > 0 {
		s.add("bounces", min(c.Bounces, mostCounted)*forBounce, "It gave %d %s back within a year", c.Bounces, plural(c.Bounces, "load"))
	}
	if others := c.Incidents - c.Bounces; others > 0 {
		s.add("incidents", min(others, mostCounted)*forIncident, "It had %d other %s within a year", others, plural(others, "incident"))
	}

	return s, true
}

func (s *Suggestion) add(code string, points int, text string, args ...any) {
	s.Reasons = append(s.Reasons, Reason{Code: code, Text: fmt.Sprintf(text, args...), Points: points})
	s.Score += points
}

func plural(n int, noun string) string {
	if n == 1 {
		return noun
	}

	return noun + "s"
}

// equip reports whether the equipment of a carrier fits; one that is not known may.
func (s *Suggestion) equip(a Ask, c Carrier) bool {
	if len(c.Equipment) == 0 {
		s.add("no_equipment", 0, "Its equipment is not known")

		return true
	}
	most := 0
	for _, e := range c.Equipment {
		if !a.Enclosed || e.Enclosed {
			most = max(most, e.Slots)
		}
	}
	switch {
	case most == 0:
		return false
	case most < a.Vehicles:
		s.add("trips", forTrips, "It carries %d of the %d vehicles at once", most, a.Vehicles)
	case a.Enclosed:
		s.add("equipment", forEquipment, "It has an enclosed carrier of %d", most)
	default:
		s.add("equipment", forEquipment, "It has a carrier of %d", most)
	}

	return true
}

// lane adds the best of the lanes that the carrier likes.
func (s *Suggestion) lane(a Ask, c Carrier) {
	best, text, code := 0, "", ""
	take := func(points int, what, why string) {
		if points > best {
			best, code, text = points, what, why
		}
	}
	for _, l := range c.Lanes {
		from, to := a.From.match(l.From), a.To.match(l.To)
		switch {
		case from != "" && to != "":
			take(forLane+a.From.exact(from)+a.To.exact(to), "lane", "Runs "+from+" to "+to)
		case from != "":
			take(forEnd, "lane_from", "Runs from "+from)
		case to != "":
			take(forEnd, "lane_to", "Runs to "+to)
		}
		if back, on := a.To.match(l.From), a.From.match(l.To); back != "" && on != "" {
			take(forBack, "lane_back", "Runs the lane the other way")
		}
	}
	if best > 0 {
		s.add(code, best, "%s", text)
	}
}

// match returns the end of a lane that has the place, the longest beginning of a ZIP code before a state; "" for none.
func (p Place) match(ends []string) string {
	best := ""
	for _, end := range ends {
		end = strings.ToUpper(strings.TrimSpace(end))
		if end != "" && (end == p.State && best == "" || zip(end) && strings.HasPrefix(p.ZIP, end) && (!zip(best) || len(end) > len(best))) {
			best = end
		}
	}

	return best
}

// exact returns the points of an end that is the beginning of the place's ZIP code.
func (Place) exact(end string) int {
	if zip(end) {
		return forZIP
	}

	return 0
}

// zip reports whether the end of a lane is the beginning of a ZIP code: it has a digit.
func zip(end string) bool { return strings.ContainsAny(end, "0123456789") }

// insured compares the cargo certificate with the day and the value.
func (s *Suggestion) insured(a Ask, c Carrier) {
	switch {
	case c.CargoExpires == "" || c.CargoExpires < a.Delivery:
		s.add("not_insured", forNoInsurance, "No verified cargo certificate is good on the day")
	case a.Covered != nil && !a.Covered(c.CargoCover):
		s.add("cover_low", forLowCover, "Its cargo cover of %s is below the declared value", c.CargoCover)
	default:
		s.add("insured", forInsurance, "Its cargo cover is good until %s", c.CargoExpires)
	}
}
