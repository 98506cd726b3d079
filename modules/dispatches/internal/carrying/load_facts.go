package carrying

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/dispatchd/dispatchd/modules/carriers/carriersapi"
	"github.com/dispatchd/dispatchd/modules/dispatches/internal/preferences"
	"github.com/dispatchd/dispatchd/modules/dispatches/internal/store"
	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/platform/item"
)

// LoadFacts says of loads what their dispatches know.
type LoadFacts struct {
	rows     *store.Repository
	carriers carriersapi.Carriers
	settings *preferences.Reader
}

// NewLoadFacts returns a LoadFacts.
func NewLoadFacts(rows *store.Repository, carriers carriersapi.Carriers, kept *preferences.Reader) *LoadFacts {
	return &LoadFacts{rows, carriers, kept}
}

// AddHaulers adds who has carried a load to the record of the transaction: the originating carrier is the first one.
func (l *LoadFacts) AddHaulers(ctx context.Context, r *loadsapi.Recording) error {
	rows, err := l.rows.Hauls(ctx, item.ID(r.Load))
	var all []loadsapi.Hauler
	add := func(h loadsapi.Hauler) {
		if !slices.ContainsFunc(all, func(one loadsapi.Hauler) bool { return one.Carrier == h.Carrier && h.EndPay == "" }) {
			all = append(all, h)
		}
	}
	for _, row := range rows {
		h := loadsapi.Hauler{Carrier: row.Carrier.String(), EndPay: string(row.EndPay)}
		if row.EndPaidAt != nil {
			h.EndPaidAt = *row.EndPaidAt
		}
		add(h)
	}
	for _, h := range r.Carriers {
		add(h)
	}
	r.Carriers = all

	return err
}

// AddProgress adds who comes for a load, and when, for its customer.
func (l *LoadFacts) AddProgress(ctx context.Context, f *loadsapi.Following) error {
	terms, err := l.settings.Read(ctx)
	if err != nil {
		return err
	}
	f.Phone = terms.Phone
	row, err := l.rows.LiveDispatch(ctx, item.ID(f.Load))
	if errors.Is(err, store.ErrNone) {
		return nil
	}
	if err != nil {
		return err
	}
	known, err := l.carriers.Find(ctx, row.Carrier.String())
	if err != nil {
		return err
	}
	who := known[row.Carrier.String()]
	f.Carrier, f.PickupDate, f.DeliveryDate = cmp.Or(who.DBA, who.Name), string(row.PickupDate), string(row.DeliveryDate)
	if names := strings.Fields(row.DriverName); len(names) > 0 {
		f.Driver = names[0]
	}
	if row.ETAPickup != nil {
		f.ETAPickup = *row.ETAPickup
	}
	if row.ETADelivery != nil {
		f.ETADelivery = *row.ETADelivery
	}

	return nil
}
