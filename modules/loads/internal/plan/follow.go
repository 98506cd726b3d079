package plan

import (
	"cmp"
	"math/bits"
	"slices"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/platform/money"
)

// Totals are what the customer pays and the carrier ends up with, in the smallest unit of a currency.
type Totals struct{ Tariff, Pay int64 }

// sums are the lines of a plan by who pays whom, in units.
type sums struct{ toBroker, toCarrier, paid, remitted int64 }

func sumsOf(lines []Line, in money.Currency) (s sums) {
	for _, p := range lines {
		n, _ := Units(p.Amount, in) // checked before
		switch {
		case p.From == Customer && p.To == Broker:
			s.toBroker += n
		case p.From == Customer:
			s.toCarrier += n
		case p.From == Broker:
			s.paid += n
		default:
			s.remitted += n
		}
	}

	return s
}

func (s sums) totals() Totals {
	return Totals{Tariff: s.toBroker + s.toCarrier, Pay: s.toCarrier + s.paid - s.remitted}
}

// TotalsOf are what the lines of a plan add up to.
func TotalsOf(lines []Line, in money.Currency) Totals { return sumsOf(lines, in).totals() }

// written is a plan that people wrote, while it follows other totals.
type written struct {
	lines []Line
	paid  []Payment
	in    money.Currency
}

// Follow has a plan that people wrote add up to other totals. What the customer pays stays: more of it is another line, and less is taken off what it still
// has to pay the broker. The carrier's difference goes to the lines between broker and carrier, or to a topup. Error: loadsapi.ErrPlanFixed.
func Follow(lines []Line, paid []Payment, to Totals, in money.Currency) ([]Line, error) {
	w := written{slices.Clone(lines), paid, in}
	was := TotalsOf(lines, in)
	rest := int64(0)
	switch more := to.Tariff - was.Tariff; {
	case more > 0:
		w.ask(more)
	case more < 0:
		rest = w.lower(-more, func(l Line) bool { return l.From == Customer && l.To == Broker })
	}
	switch more := to.Pay - was.Pay; {
	case more > 0:
		w.raise(w.lower(more, remits))
	case more < 0:
		if left := w.lower(-more, pays); left > 0 && !w.add(left, remits) {
			rest += left
		}
	}
	if rest > 0 {
		return lines, fixed(lines, to, in)
	}

	return w.lines, nil
}

func fixed(lines []Line, to Totals, in money.Currency) error {
	amount := func(units int64) money.Amount { return money.OfUnits(units, in).Amount }
	s := sumsOf(lines, in)

	return loadsapi.ErrPlanFixed.WithDetail("tariff", amount(to.Tariff)).WithDetail("carrier_pay", amount(to.Pay)).
		WithDetail("customer_to_broker", amount(s.toBroker)).WithDetail("customer_to_carrier", amount(s.toCarrier)).
		WithDetail("broker_to_carrier", amount(s.paid)).WithDetail("carrier_to_broker", amount(s.remitted))
}

// Between reports whether a payment is between broker and carrier.
func (p Line) Between() bool { return p.From != Customer }

// OfCustomer are the payments of the customer, which are all that there are of a load that the company carries itself.
func OfCustomer(lines []Line) []Line { return slices.DeleteFunc(slices.Clone(lines), Line.Between) }

func pays(l Line) bool   { return l.From == Broker }
func remits(l Line) bool { return l.From == Carrier }

// lower takes units off the lines of a kind, from the last to the first, but not below what was paid. It returns what it could not take.
func (w *written) lower(units int64, of func(l Line) bool) int64 {
	for i := len(w.lines) - 1; i >= 0 && units > 0; i-- {
		l := &w.lines[i]
		if !of(*l) {
			continue
		}
		n, _ := Units(l.Amount, w.in)
		paid := max(0, paidOn(l.UUID, w.paid, w.in))
		less := min(units, max(0, n-paid))
		units -= less
		if l.Amount = money.OfUnits(n-less, w.in).Amount; n == less {
			w.lines = slices.Delete(w.lines, i, i+1)
		}
	}

	return units
}

// add adds units to the last line of a kind. It reports whether there is one.
func (w *written) add(units int64, of func(l Line) bool) bool {
	for i := len(w.lines) - 1; i >= 0; i-- {
		if l := &w.lines[i]; of(*l) {
			n, _ := Units(l.Amount, w.in)
			l.Amount = money.OfUnits(n+units, w.in).Amount

			return true
		}
	}

	return false
}

// raise has the broker pay the carrier more, by a line for that or by a topup.
func (w *written) raise(units int64) {
	if units > 0 && !w.add(units, pays) {
		w.lines = append(w.lines, topUpOf(units, w.in))
	}
}

// ask has the customer pay the broker more: by a line of its own, in the way in which it pays the broker already.
func (w *written) ask(units int64) {
	extra := Line{From: Customer, To: Broker, Kind: "balance", Method: "other", Event: "delivery"}
	for _, l := range w.lines {
		if l.From == Customer && l.To == Broker {
			extra.Method = l.Method
		}
	}
	if w.add(units, func(l Line) bool { return l.sameTerms(extra) && paidOn(l.UUID, w.paid, w.in) == 0 }) {
		return
	}
	extra.Amount = money.OfUnits(units, w.in).Amount
	w.lines = append(w.lines, extra)
}

func (p Line) sameTerms(other Line) bool {
	return p.like(other) && p.Method == other.Method && p.Event == other.Event && p.Days == other.Days && p.BusinessDays == other.BusinessDays
}

func topUpOf(units int64, in money.Currency) Line {
	l := topUp(0, units).line
	l.Amount = money.OfUnits(units, in).Amount

	return l
}

// Standing is what is known of a load whose plan follows a template.
type Standing struct {
	Lines []Line
	Paid  []Payment
	// Agreed says that the customer has agreed on what it pays, Restart that the plan was made by another template before, or by hand.
	Agreed, Restart bool
	// Own reports whether the company carries the load itself, so that broker and carrier are one and pay each other nothing.
	Own bool
}

// Propose makes the lines of a template from the totals, in units. Lines of nothing are left out; the others keep the ids of those that were for the same,
// and are not less than what was paid on them where the other lines have room for that. What a customer has agreed on, or has begun to pay, stays while
// the tariff does.
func Propose(template string, to Totals, in money.Currency, now Standing) []Line {
	t := templated{in: in}
	left := slices.Clone(now.Lines)
	for _, of := range templates[template](to.Tariff, to.Pay) {
		if now.Own && of.line.Between() {
			continue
		}
		line, paid := of.line, int64(0)
		if at := slices.IndexFunc(left, line.like); at >= 0 {
			line.UUID = left[at].UUID
			paid = max(0, paidOn(line.UUID, now.Paid, in))
			left = slices.Delete(left, at, at+1)
		}
		t.parts = append(t.parts, share{part{max(0, of.units), line}, paid})
	}
	for _, l := range left { // such as a topup that balance added before
		if l.Between() && !now.Own {
			t.parts = append(t.parts, share{part{line: l}, max(0, paidOn(l.UUID, now.Paid, in))})
		}
	}
	if !t.keepCustomer(to, now) {
		t.coverPaid()
	}
	if !now.Own {
		t.balance(to.Pay)
	}

	return t.lines()
}

// share is a part of a plan, and what was paid of it.
type share struct {
	part

	paid int64
}

// templated is a plan that a template makes.
type templated struct {
	parts []share
	in    money.Currency
}

// keepCustomer keeps the amounts of what the customer pays, if that is agreed and the tariff is what it was. It reports whether it does.
func (t *templated) keepCustomer(to Totals, now Standing) bool {
	if now.Restart || TotalsOf(now.Lines, t.in).Tariff != to.Tariff || !now.Agreed && !slices.ContainsFunc(now.Paid, func(p Payment) bool { return p.From == Customer }) {
		return false
	}
	before := slices.DeleteFunc(slices.Clone(now.Lines), func(l Line) bool { return l.From != Customer })
	kept := slices.Clone(t.parts)
	for i := range kept {
		if kept[i].line.From == Customer {
			kept[i].units = 0
		}
	}
	for _, old := range before {
		i := slices.IndexFunc(kept, func(s share) bool { return s.line.UUID == old.UUID })
		if old.UUID == uuid.Nil || i < 0 {
			return false // it is another template, in which the customer pays otherwise
		}
		kept[i].units, _ = Units(old.Amount, t.in)
	}
	t.parts = kept

	return true
}

// coverPaid raises what the customer pays by a line to what was paid on it, and takes that off its other lines.
func (t *templated) coverPaid() {
	for i := range t.parts {
		for j := range t.parts {
			a, b := &t.parts[i], &t.parts[j]
			if i != j && a.line.From == Customer && b.line.From == Customer && a.units < a.paid && b.units > b.paid {
				more := min(a.paid-a.units, b.units-b.paid)
				a.units, b.units = a.units+more, b.units-more
			}
		}
	}
}

// balance has the lines between broker and carrier make up what the carrier is to get, which is pay, less what the customer pays it.
func (t *templated) balance(pay int64) {
	var paid, remitted int64
	net := pay
	for i := range t.parts {
		p := &t.parts[i]
		switch {
		case p.line.From == Customer && p.line.To == Carrier:
			net -= p.units
		case p.line.From == Broker:
			paid, p.units = paid+p.paid, 0
		case p.line.From == Carrier:
			remitted, p.units = remitted+p.paid, 0
		}
	}
	back := max(remitted, paid-net, -net)
	t.set(back+net, topUp(0, 0).line)
	t.set(back, Line{From: Carrier, To: Broker, Kind: "fee_remittance", Method: "ach", Event: "delivery", Days: remitDays})
}

// remitDays is within how many days a carrier remits the fee.
const remitDays = 5

// set gives units to the first line between the same parties, or to a new one.
func (t *templated) set(units int64, line Line) {
	i := slices.IndexFunc(t.parts, func(s share) bool { return s.line.From == line.From && s.line.To == line.To })
	if i < 0 {
		t.parts = append(t.parts, share{part: part{line: line}})
		i = len(t.parts) - 1
	}
	t.parts[i].units = units
}

func (t *templated) lines() []Line {
	lines := make([]Line, 0, len(t.parts))
	for _, p := range t.parts {
		if p.units > 0 {
			p.line.Amount = money.OfUnits(p.units, t.in).Amount
			lines = append(lines, p.line)
		}
	}

	return slices.Clip(lines)
}

// Split shares a plan that people wrote among two loads with totals, which together are those of the plan: each line by what the loads cost. It is false where
// that cannot be. The lines of the second one have no ids.
func Split(lines []Line, first, second Totals, in money.Currency) (a, b []Line, ok bool) {
	s := sumsOf(lines, in)
	if whole := s.totals(); whole.Tariff != first.Tariff+second.Tariff || whole.Pay != first.Pay+second.Pay || whole.Pay < 0 || whole.Tariff <= 0 ||
		whole.Pay == 0 && s.toCarrier+s.paid+s.remitted > 0 {
		return nil, nil, false
	}
	off := sums{toCarrier: portion(s.toCarrier, second.Pay, first.Pay+second.Pay), remitted: portion(s.remitted, second.Pay, first.Pay+second.Pay)}
	if s.paid == 0 {
		off.remitted = off.toCarrier - second.Pay
	}
	off.toBroker, off.paid = second.Tariff-off.toCarrier, second.Pay-off.toCarrier+off.remitted
	for _, part := range [][2]int64{{off.toBroker, s.toBroker}, {off.toCarrier, s.toCarrier}, {off.paid, s.paid}, {off.remitted, s.remitted}} {
		if part[0] < 0 || part[0] > part[1] {
			return nil, nil, false
		}
	}
	units := make([]int64, len(lines))
	take(lines, units, off.toBroker, s.toBroker, in, func(l Line) bool { return l.From == Customer && l.To == Broker })
	take(lines, units, off.toCarrier, s.toCarrier, in, func(l Line) bool { return l.From == Customer && l.To == Carrier })
	take(lines, units, off.paid, s.paid, in, pays)
	take(lines, units, off.remitted, s.remitted, in, remits)
	for i, l := range lines {
		n, _ := Units(l.Amount, in)
		if stays := n - units[i]; stays > 0 {
			l.Amount = money.OfUnits(stays, in).Amount
			a = append(a, l)
		}
		if units[i] > 0 {
			l.UUID, l.Amount = uuid.Nil, money.OfUnits(units[i], in).Amount
			b = append(b, l)
		}
	}

	return a, b, true
}

// OwnTotals are the totals of two loads into which one is split that the company carries itself, as its plan has them: of what the customer pays at the truck, each
// has its part.
func OwnTotals(lines []Line, first, second Totals, in money.Currency) (a, b Totals) {
	atTruck := sumsOf(lines, in).toCarrier
	second.Pay = portion(atTruck, second.Tariff, first.Tariff+second.Tariff)
	first.Pay = atTruck - second.Pay

	return first, second
}

// take shares units, which are a part of a whole, among the lines of a kind.
func take(lines []Line, units []int64, part, whole int64, in money.Currency, of func(l Line) bool) {
	left := part
	for i, l := range lines {
		if of(l) {
			n, _ := Units(l.Amount, in)
			units[i] = portion(n, part, whole)
			left -= units[i]
		}
	}
	for i, l := range lines { // what was lost by rounding down
		if of(l) && left > 0 {
			n, _ := Units(l.Amount, in)
			more := min(left, n-units[i])
			units[i], left = units[i]+more, left-more
		}
	}
}

// portion is n times part of whole, rounded down. None is negative, and part is at most whole.
func portion(n, part, whole int64) int64 {
	if whole == 0 {
		return 0
	}
	hi, lo := bits.Mul64(uint64(n), uint64(part))    //nolint:gosec // not negative
	quotient, _ := bits.Div64(hi, lo, uint64(whole)) //nolint:gosec // not negative

	return int64(quotient) //nolint:gosec // at most n
}

// Move has payments of lines that were in a plan, and are now less than what was paid on them, be payments of those of another load that are for the same, as far
// as these are not paid. What leaves is noted in both, with a note.
func Move(all []Payment, was, now, other []Line, in money.Currency, id func() uuid.UUID, note string) (stay, leave []Payment) {
	stay = slices.Clone(all)
	for _, into := range other {
		room, _ := Units(into.Amount, in)
		for _, l := range was {
			if !l.like(into) {
				continue
			}
			need := int64(0)
			if at := slices.IndexFunc(now, func(n Line) bool { return n.UUID == l.UUID }); at >= 0 {
				need, _ = Units(now[at].Amount, in)
			}
			for _, p := range slices.Backward(all) {
				units, _ := Units(p.Amount, in)
				part := min(room, units, paidOn(l.UUID, stay, in)-need)
				if p.Line != l.UUID || part <= 0 {
					continue
				}
				room -= part
				p.Source = "" // what is reported of it later is of the load that it was paid for
				taken := p
				p.UUID, p.Line, p.Amount, p.Note = id(), into.UUID, money.OfUnits(part, in).Amount, cmp.Or(p.Note, note)
				leave = append(leave, p)
				taken.UUID, taken.Amount, taken.Note = id(), money.OfUnits(-part, in).Amount, note
				stay = append(stay, taken)
			}
		}
	}

	return stay, leave
}

// Join adds the lines of another plan that people wrote to one, and has the payments of that other plan be payments of the lines that they are in.
func Join(lines, other []Line, paid []Payment, in money.Currency) ([]Line, []Payment) {
	lines, paid = slices.Clone(lines), slices.Clone(paid)
	for _, l := range other {
		at := slices.IndexFunc(lines, l.sameTerms)
		if at < 0 {
			lines = append(lines, l)

			continue
		}
		n, _ := Units(lines[at].Amount, in)
		more, _ := Units(l.Amount, in)
		lines[at].Amount = money.OfUnits(n+more, in).Amount
		for i := range paid {
			if paid[i].Line == l.UUID {
				paid[i].Line = lines[at].UUID
			}
		}
	}

	return lines, paid
}

// JoinLike is Join of plans by one template: the amounts follow from the totals.
func JoinLike(lines, other []Line, paid []Payment) ([]Line, []Payment) {
	lines, paid = slices.Clone(lines), slices.Clone(paid)
	for _, l := range other {
		at := slices.IndexFunc(lines, l.like)
		if at < 0 {
			lines = append(lines, l)

			continue
		}
		for i := range paid {
			if paid[i].Line == l.UUID {
				paid[i].Line = lines[at].UUID
			}
		}
	}

	return lines, paid
}
