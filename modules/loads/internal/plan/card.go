package plan

import (
	"slices"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/money"
)

// Report is what is known of a card payment, a refund or a dispute: in all, its source has moved so many units from the customer to the broker, negative for
// what went back.
type Report struct {
	Source string
	Units  int64
	// Of is the source of the payment that is refunded or disputed, "" for a payment itself.
	Of string
}

// Apply notes what a report adds to what is noted of its source already: nothing, if it was noted before. More is for what the customer has yet to pay the
// broker, first for a line of just that; what is more than the plan asks for is noted all the same. Less is taken back from where it was noted. by is the
// payment but for its line and amount.
func Apply(r Report, by Payment, lines []Line, all []Payment, in money.Currency, id func() uuid.UUID) []Payment {
	all = slices.Clip(all)
	more := r.Units - sumBy(all, r.Source, in)
	note := func(line uuid.UUID, units int64) {
		p := by
		p.UUID, p.Line, p.From, p.To, p.Source, p.Amount = id(), line, Customer, Broker, r.Source, money.OfUnits(units, in).Amount
		all = append(all, p)
		more -= units
	}
	last := uuid.Nil
	for _, line := range order(r, more, lines, all, in) {
		if last = line.id; more > 0 && line.left > 0 {
			note(line.id, min(more, line.left))
		} else if more < 0 && line.left > 0 {
			note(line.id, max(more, -line.left))
		}
	}
	if more != 0 {
		if last == uuid.Nil {
			last = id() // no line asks for it
		}
		note(last, more)
	}

	return all
}

// slot is a line, and how many units can be noted on it.
type slot struct {
	id   uuid.UUID
	left int64
}

// order returns the lines for more or less units, the best first.
func order(r Report, more int64, lines []Line, all []Payment, in money.Currency) (slots []slot) {
	if more < 0 {
		for _, p := range slices.Backward(all) {
			if known := slices.ContainsFunc(slots, func(s slot) bool { return s.id == p.Line }); !known && (p.Source == r.Source || r.Of != "" && p.Source == r.Of) {
				slots = append(slots, slot{p.Line, max(0, paidOn(p.Line, all, in))})
			}
		}

		return slots
	}
	for _, l := range lines {
		if l.From == Customer && l.To == Broker {
			n, _ := Units(l.Amount, in)
			slots = append(slots, slot{l.UUID, n - paidOn(l.UUID, all, in)})
		}
	}
	slices.SortStableFunc(slots, func(a, b slot) int {
		exact := func(s slot) int {
			if s.left == more {
				return 0
			}

			return 1
		}

		return exact(a) - exact(b)
	})

	return slots
}

func sumBy(all []Payment, source string, in money.Currency) (sum int64) {
	for _, p := range all {
		if p.Source == source {
			n, _ := Units(p.Amount, in) // checked when it was noted
			sum += n
		}
	}

	return sum
}

// Left is what is left to pay of a line, in units. It is false for one that the plan does not have.
func Left(id uuid.UUID, lines []Line, all []Payment, in money.Currency) (Line, int64, bool) {
	i := slices.IndexFunc(lines, func(l Line) bool { return l.UUID == id })
	if i < 0 {
		return Line{}, 0, false
	}
	n, _ := Units(lines[i].Amount, in)

	return lines[i], n - paidOn(id, all, in), true
}
