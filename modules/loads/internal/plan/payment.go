package plan

import (
	"slices"
	"strconv"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/platform/cardnumber"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/money"
)

// The failures of payments.
var (
	ErrNoLine   = errs.New(errs.NotFound, "loads.payment_line_not_found", "The payment plan has no such line.")
	ErrLinePaid = errs.New(errs.Conflict, "loads.line_paid", "Something was paid on a line of the payment plan. Take it back first, or add another line.")
	ErrPaid     = errs.New(errs.Conflict, "loads.paid_already", "Nothing is left to pay on this line of the payment plan.")
)

// MostPayments is how many payments a load has at most.
const MostPayments = 200

// Payment is money that went from one party to another for a load. It is never changed: what did not clear, or was noted wrongly, is taken back
// by another one, whose amount is negative.
type Payment struct {
	UUID      uuid.UUID    `json:"uuid" seen:"customer carrier"`
	Line      uuid.UUID    `json:"line_uuid" doc:"The line of the payment plan that it was for." seen:"customer carrier"`
	From      string       `json:"from" enum:"customer,carrier,broker" seen:"customer carrier"`
	To        string       `json:"to" enum:"broker,carrier" seen:"customer carrier"`
	Amount    money.Amount `json:"amount" doc:"Negative for one that takes back what was noted before." example:"200.00" seen:"customer carrier"`
	Method    string       `json:"method" seen:"customer carrier"`
	At        time.Time    `json:"at" doc:"When it was paid." seen:"customer carrier"`
	Reference string       `json:"reference,omitempty" doc:"The number of the check or transfer." seen:"-"`
	Note      string       `json:"note,omitempty" seen:"-"`
	Source    string       `json:"source,omitempty" doc:"What recorded it automatically: cards.payment, cards.refund or cards.dispute with its uuid, such as cards.payment:0198…; absent for what people noted." seen:"-"`
	User      *uuid.UUID   `json:"user_uuid,omitempty" doc:"Who has noted it." seen:"-"`
}

// SchemaName is the name of the body in the OpenAPI document.
func (Payment) SchemaName() string { return "LoadPayment" }

// Concerns reports whether a payment is one of a party's.
func (p Payment) Concerns(party string) bool { return p.From == party || p.To == party }

// paidOn is what was paid on a line, in units.
func paidOn(line uuid.UUID, all []Payment, in money.Currency) (sum int64) {
	for _, p := range all {
		if p.Line == line {
			n, _ := Units(p.Amount, in) // checked when it was noted
			sum += n
		}
	}

	return sum
}

// lineOf is a line of a plan; of one that is not in the plan any more, but was paid on, what its payments say of it, so that they can be taken back.
func lineOf(id uuid.UUID, lines []Line, all []Payment) (l Line, known bool) {
	if i := slices.IndexFunc(lines, func(l Line) bool { return l.UUID == id }); i >= 0 {
		return lines[i], true
	}
	i := slices.IndexFunc(all, func(p Payment) bool { return p.Line == id })
	if i < 0 {
		return l, false
	}

	return Line{UUID: id, From: all[i].From, To: all[i].To, Method: all[i].Method}, true
}

// Note returns a payment as one of a line: by default with all that is left of it, by its method. Errors: ErrNoLine, ErrPaid, ErrLinePaid, and
// invalid where the amount is more than what is left, or takes back more than was paid.
func Note(p Payment, lines []Line, all []Payment, in money.Currency, invalid *errs.Error) (Payment, error) {
	line, known := lineOf(p.Line, lines, all)
	if !known {
		return p, ErrNoLine
	}
	whole, _ := Units(line.Amount, in) // checked before
	paid := paidOn(line.UUID, all, in)
	cards := invalid
	for name, text := range map[string]string{"reference": p.Reference, "note": p.Note} {
		if cardnumber.In([]byte(text)) {
			cards = cards.WithField(name, "The "+name+" contains what looks like a card number. Remove it.")
		}
	}
	if len(cards.Fields) > 0 {
		return p, cards
	}
	if p.Amount == "" {
		if paid >= whole {
			return p, ErrPaid
		}
		p.Amount = money.OfUnits(whole-paid, in).Amount
	}
	if p.Method == "" {
		p.Method = line.Method
	}
	p.From, p.To = line.From, line.To
	refuse := func(rule string) error { return invalid.WithField("amount", rule) }
	n, ok := Units(p.Amount, in)
	switch {
	case !ok || n == 0:
		return p, refuse("The amount must be other than 0, in " + string(in) + " " + in.Precision() + ".")
	case len(all) >= MostPayments:
		return p, refuse("A load has at most " + strconv.Itoa(MostPayments) + " payments.")
	case n > 0 && paid >= whole:
		return p, ErrPaid
	case n > whole-paid:
		return p, refuse("Of this line of the payment plan, " + string(money.OfUnits(whole-paid, in).Amount) + " is left to pay.")
	case n < 0 && -n > paid:
		return p, refuse("Of this line of the payment plan, " + string(money.OfUnits(paid, in).Amount) + " was paid.")
	}

	return p, nil
}

// ToCollect are the lines that a customer pays to the carrier, with what is left of each.
func ToCollect(lines []Line, all []Payment, in money.Currency) []Line {
	due := slices.DeleteFunc(slices.Clone(lines), func(l Line) bool { return l.From != Customer || l.To != Carrier })
	for i, l := range due {
		n, _ := Units(l.Amount, in) // checked before
		due[i].Amount = money.OfUnits(max(0, n-paidOn(l.UUID, all, in)), in).Amount
	}

	return due
}

// Collect are payments by which a carrier has collected an amount of the customer, of the lines for that in their order; "" is all that is left of them. Errors:
// loadsapi.ErrNothingToCollect, and invalid for an amount of more than what is left.
func Collect(amount money.Amount, by Payment, lines []Line, all []Payment, in money.Currency, invalid *errs.Error) ([]Payment, error) {
	var left, sum int64
	due := ToCollect(lines, all, in)
	for _, l := range due {
		n, _ := Units(l.Amount, in) // checked before
		left += n
	}
	sum, ok := Units(amount, in)
	if amount == "" {
		sum = left
	}
	switch {
	case left == 0:
		return nil, loadsapi.ErrNothingToCollect
	case !ok || sum <= 0 || sum > left:
		return nil, invalid.WithField("amount", "The amount must be more than 0, and at most "+string(money.OfUnits(left, in).Amount)+".")
	}
	var made []Payment
	for _, l := range due {
		n, _ := Units(l.Amount, in)
		if n = min(n, sum); n == 0 {
			continue
		}
		p := by
		p.Line, p.Amount, sum = l.UUID, money.OfUnits(n, in).Amount, sum-n
		if p.Method == "" {
			p.Method = l.Method
		}
		p.UUID, p.From, p.To = database.NewID(), l.From, l.To
		made = append(made, p)
	}

	return made, nil
}

// Paying are payments of all lines at a time.
func Paying(lines []Line, at time.Time) []Payment {
	all := make([]Payment, len(lines))
	for i, l := range lines {
		all[i] = Payment{UUID: database.NewID(), Line: l.UUID, From: l.From, To: l.To, Amount: l.Amount, Method: l.Method, At: at}
	}

	return all
}

// Keep refuses another plan where something was paid on a line that is no longer there, or is between others. Unless the plan just follows the totals by the
// template by which it was made, it refuses a line of less than what was paid too. Error: ErrLinePaid.
func Keep(before, lines []Line, all []Payment, in money.Currency, follows bool) error {
	for _, old := range before {
		paid := paidOn(old.UUID, all, in)
		if paid == 0 {
			continue
		}
		stays := slices.ContainsFunc(lines, func(l Line) bool {
			n, _ := Units(l.Amount, in)

			return l.UUID == old.UUID && l.From == old.From && l.To == old.To && (follows || n >= paid)
		})
		if !stays {
			return ErrLinePaid.WithDetail("line_uuid", old.UUID).WithDetail("paid", money.OfUnits(paid, in).Amount)
		}
	}

	return nil
}

// Balance is what is left to pay, in units; negative for what was paid too much.
type Balance struct {
	// Customer is what the customer owes to both, Carrier what the carrier is to get, less what it is to remit.
	Customer, Carrier int64
	// Paid is what the customer has paid.
	Paid int64
}

// Settled reports whether nothing is left to pay.
func (b Balance) Settled() bool { return b.Customer == 0 && b.Carrier == 0 }

// BalanceOf is what is left to pay of the totals, in units.
func BalanceOf(tariff, pay int64, all []Payment, in money.Currency) Balance {
	b := Balance{Customer: tariff, Carrier: pay}
	for _, p := range all {
		n, _ := Units(p.Amount, in) // checked when it was noted
		if p.From == Customer {
			b.Customer, b.Paid = b.Customer-n, b.Paid+n
		}
		switch Carrier {
		case p.To:
			b.Carrier -= n
		case p.From:
			b.Carrier += n
		}
	}

	return b
}

// Deposited reports whether the deposits of a plan are paid.
func Deposited(lines []Line, all []Payment, in money.Currency) bool {
	return !slices.ContainsFunc(lines, func(l Line) bool {
		n, _ := Units(l.Amount, in)

		return l.Kind == "deposit" && paidOn(l.UUID, all, in) < n
	})
}

// Due is until when the first payment of the customer is to be made that is not, nil for none. happened says when something happened that makes payments
// due, nil if it has not.
func Due(lines []Line, all []Payment, in money.Currency, happened func(event string) *time.Time) (first *time.Time) {
	for _, l := range lines {
		n, _ := Units(l.Amount, in)
		at := happened(l.Event)
		if l.From != Customer || at == nil || paidOn(l.UUID, all, in) >= n {
			continue
		}
		if due := l.after(*at); first == nil || due.Before(*first) {
			first = &due
		}
	}

	return first
}

// after is until when a line is to be paid by what made it due: for a day after its days. Of business days, Saturdays and Sundays are none.
func (p Line) after(at time.Time) time.Time {
	days := int(p.Days)
	for p.BusinessDays && days > 0 {
		if at = at.AddDate(0, 0, 1); at.Weekday() != time.Saturday && at.Weekday() != time.Sunday {
			days--
		}
	}

	return at.AddDate(0, 0, days+1)
}

// Billing is how the payments of the customer stand.
type Billing string

// How payments stand: nothing was paid, a part, all of it; and something should have been paid by now.
const (
	Unbilled Billing = "unbilled"
	Part     Billing = "part"
	Paid     Billing = "paid"
	Overdue  Billing = "overdue"
)

// BillingOf is how the payments of a customer stand who has paid some and still has to pay some, by a time at which the next one is due.
func BillingOf(b Balance, due *time.Time, now time.Time) Billing {
	switch {
	case b.Customer <= 0 && b.Paid > 0:
		return Paid
	case due != nil && due.Before(now):
		return Overdue
	case b.Paid > 0:
		return Part
	}

	return Unbilled
}

// PaidOn reports whether something was paid on a line.
func PaidOn(l Line, all []Payment, in money.Currency) bool { return paidOn(l.UUID, all, in) != 0 }

// OnCredit is what the customer has yet to pay to the broker of lines that are not due at the booking, in units: what the broker gives credit for.
func OnCredit(lines []Line, all []Payment, in money.Currency) (sum int64) {
	for _, l := range lines {
		n, _ := Units(l.Amount, in) // checked before
		if l.From == Customer && l.To == Broker && l.Event != "booking" {
			sum += max(0, n-paidOn(l.UUID, all, in))
		}
	}

	return sum
}
