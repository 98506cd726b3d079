package plan

import "slices"

// Agreed is what a payer and a carrier have agreed on with the company, whatever the template of a plan says; nil and false is as the template has it.
type Agreed struct {
	// NetDays is within how many days the payer pays an invoice, CarrierDays after how many days the carrier is paid.
	NetDays, CarrierDays *int64
	// AtPickup says that the carrier collects what the customer pays it at the pickup.
	AtPickup bool
}

// KeepTerms has the lines of a template be due as they were before, where keeps says so. It reports whether others are left that what was agreed concerns.
func KeepTerms(lines, before []Line, keeps func(Line) bool) (left []*Line) {
	for i := range lines {
		l := &lines[i]
		at := slices.IndexFunc(before, l.like)
		switch {
		case at >= 0 && keeps(before[at]):
			old := before[at]
			l.Kind, l.Method, l.Event, l.Days, l.BusinessDays = old.Kind, old.Method, old.Event, old.Days, old.BusinessDays
		case l.From == Broker, l.Invoiced(), l.From == Customer && l.Kind == onDelivery:
			left = append(left, l)
		}
	}

	return left
}

const (
	invoiced   = "invoice"
	onDelivery = "cod"
	onPickup   = "cop"
)

// Invoiced reports whether the customer pays a line by an invoice.
func (p *Line) Invoiced() bool { return p.From == Customer && p.To == Broker && p.Event == invoiced }

// Apply has a line of a template be due as was agreed.
func (a Agreed) Apply(l *Line) {
	switch {
	case l.From == Broker && a.CarrierDays != nil:
		l.Days, l.BusinessDays = *a.CarrierDays, false
	case l.Invoiced() && a.NetDays != nil:
		l.Days = *a.NetDays
	case l.From == Customer && l.Kind == onDelivery && a.AtPickup:
		l.Kind, l.Event = onPickup, "pickup"
	}
}

// TemplateFor is the template of a new plan for a customer that pays as the terms of a shipper say: by invoice, cod, cop or prepaid. Where the one that the
// company has by default suits, it is that one; without terms, too.
func TemplateFor(terms, usual string) string {
	suits := byTerms[terms]
	if len(suits) == 0 || slices.Contains(suits, usual) {
		return usual
	}

	return suits[0]
}

var byTerms = map[string][]string{
	"invoice": {Account}, "cod": {DepositCOD, CarrierPays}, "cop": {DepositCOD, CarrierPays}, "prepaid": {FullPay},
}
