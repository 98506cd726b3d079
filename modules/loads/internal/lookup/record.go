package lookup

import (
	"context"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/loads/internal/plan"
	"github.com/dispatchd/dispatchd/modules/loads/internal/rates"
	"github.com/dispatchd/dispatchd/modules/loads/internal/record"
	"github.com/dispatchd/dispatchd/modules/loads/internal/similar"
	"github.com/dispatchd/dispatchd/modules/loads/internal/store"
	"github.com/dispatchd/dispatchd/platform/resource"
)

// recordable implements record.Loads, similar.Loads and rates.Loads.
type recordable struct {
	loads *resource.Resource[store.Load]
}

// NewRecordable returns what records, similar loads and rates read of loads.
func NewRecordable(loads *resource.Resource[store.Load]) (record.Loads, similar.Loads, rates.Loads) {
	return recordable{loads}, recordable{loads}, recordable{loads}
}

// ToRecord implements record.Loads.
func (s recordable) ToRecord(ctx context.Context, id uuid.UUID) (record.Load, error) {
	l, err := s.loads.Find(ctx, id)

	return toRecord(&l), err
}

// ToCompare implements similar.Loads.
func (s recordable) ToCompare(ctx context.Context, id uuid.UUID) (similar.Load, error) {
	l, err := s.loads.Find(ctx, id)
	of := similar.Load{ID: l.ID, VINs: store.VinsOf(&l), FromZIP3: l.OriginZIP3, ToZIP3: l.DestZIP3, CreatedAt: l.CreatedAt}
	if l.Customer != nil {
		of.Customers = []uuid.UUID{*l.Customer}
	}

	return of, err
}

// ToRate implements rates.Loads.
func (s recordable) ToRate(ctx context.Context, id uuid.UUID) (rates.Load, error) {
	l, err := s.loads.Find(ctx, id)

	return rates.Load{ID: l.ID, Currency: l.Currency, FromZIP3: l.OriginZIP3, ToZIP3: l.DestZIP3, OriginState: l.OriginState, DestState: l.DestState}, err
}

// toRecord has who pays what. What the broker is paid for other services is no compensation for brokerage. Of a load that the company carries itself, the
// customer pays the carrier.
func toRecord(l *store.Load) record.Load {
	of := record.Load{
		ID: l.ID, Number: l.Number, Currency: l.Currency, Freight: l.CarrierPay, Services: []record.Service{}, BrokerPayers: []string{}, FreightPayers: []string{},
		Consignor: l.Shipper, Carrier: l.Carrier, BillTo: l.BillTo, Delivered: l.DeliveredAt != nil, Undelivered: l.Waiting + l.OnBoard, CreatedAt: l.CreatedAt,
	}
	if tariff, _ := l.Units(l.Tariff); tariff > 0 {
		of.Priced = true
	}
	var collected int64
	for _, p := range l.Payments.V {
		n, _ := plan.Units(p.Amount, l.Currency) // checked when it was recorded
		if p.From == store.Customer && p.To == store.Broker {
			collected += n
		}
		if (p.To == store.Carrier || l.CarriedByCompany() && p.From == store.Customer) && n > 0 && (of.PaidAt == nil || of.PaidAt.Before(p.At)) {
			of.PaidAt = &p.At
		}
	}
	of.Collected = l.AmountOf(collected)
	if owed := l.Balance(); owed.Carrier > 0 || l.CarriedByCompany() && owed.Customer > 0 {
		of.PaidAt = nil
	}
	if of.BillTo == nil {
		of.BillTo = l.Customer
	}
	if of.Consignor == nil {
		of.Consignor = l.Customer
	}
	fee, _ := plan.Units(l.BrokerFee, l.Currency) // checked before
	for _, c := range l.Charges.V {
		if amount, _ := l.Units(c.Amount); c.Payer == store.Customer && c.Payee == store.Broker && c.Kind != plan.Discount && c.Kind != "tax" {
			of.Services = append(of.Services, record.Service{Description: strings.TrimSpace(c.Kind + " " + c.Description), Amount: c.Amount, Payer: store.Customer})
			fee -= amount
		}
	}
	if l.BrokerFee != "" {
		of.Compensation = l.AmountOf(fee)
	}
	for _, p := range l.Plan.V {
		payers := &of.FreightPayers
		if p.To == store.Broker && !l.CarriedByCompany() {
			payers = &of.BrokerPayers
		}
		if !slices.Contains(*payers, p.From) {
			*payers = append(*payers, p.From)
		}
	}
	if len(l.Stops.V) > 0 {
		v := l.Stops.V[0].Venue
		of.Address = strings.Join(slices.DeleteFunc([]string{v.Line1, v.Line2, v.City, strings.TrimSpace(v.State + " " + v.PostalCode)}, func(t string) bool { return t == "" }), ", ")
	}

	return of
}
