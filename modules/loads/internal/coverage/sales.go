package coverage

import (
	"context"

	"github.com/dispatchd/dispatchd/modules/loads/internal/signing"
	"github.com/dispatchd/dispatchd/modules/loads/internal/store"
	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/state"
	"github.com/dispatchd/dispatchd/platform/web"
)

// sales implements loadsapi.Sales.
type sales struct {
	loads *resource.Resource[store.Load]
}

// NewSales implements how loads are sold.
func NewSales(loads *resource.Resource[store.Load]) loadsapi.Sales { return sales{loads} }

// ForSale implements loadsapi.Sales.
func (s sales) ForSale(ctx context.Context, id string) (loadsapi.Snapshot, error) {
	l, err := store.Held(ctx, s.loads, id)
	if err == nil {
		err = store.CheckForSale(&l)
	}

	return l.Snapshot(), err
}

// Quote implements loadsapi.Sales.
func (s sales) Quote(ctx context.Context, id string, p loadsapi.Prices) error {
	return s.sell(ctx, id, store.VerbQuote, loadsapi.Sale{Prices: p, Note: "A quote was sent."})
}

// Sell implements loadsapi.Sales.
func (s sales) Sell(ctx context.Context, id string, of loadsapi.Sale) error {
	return s.sell(ctx, id, store.VerbBook, of)
}

func (s sales) sell(ctx context.Context, id string, verb resource.Verb, of loadsapi.Sale) error {
	_, err := s.loads.Change(ctx, item.ID(id), web.IfMatch{}, verb, func(ctx context.Context, l *store.Load) error {
		if err := store.CheckForSale(l); err != nil {
			return err
		}
		if of.AvailableFrom != "" {
			l.AvailableFrom = field.Date(of.AvailableFrom)
		}
		if of.Expedited {
			l.PromisePickup(of.Within)
		}
		if of.SignedBy != "" {
			l.Signing = &signing.Signature{Name: of.SignedBy, Method: signing.Link, Address: of.SignedFrom}
		}
		was := *l
		l.PriceBy(of.Prices)
		if wrong := l.CheckMoney(&was, l.CheckVehicles(store.ErrInvalid)); len(wrong.Fields) > 0 { // the guard of the step looks at the totals
			return wrong
		}
		if err := l.FollowAll(); err != nil {
			return store.Concealed(ctx, err)
		}
		l.Count()

		return s.loads.Step(ctx, l, state.Move{Verb: string(verb), Reason: of.Note, Party: of.Party})
	})

	return err
}

// Written implements loadsapi.Sales.
func (s sales) Written(ctx context.Context, id string, all []loadsapi.Prices) ([][]loadsapi.Payment, error) {
	l, err := s.loads.Find(ctx, item.ID(id))
	if err != nil || !l.PlanWritten() {
		return nil, err
	}
	made := make([][]loadsapi.Payment, len(all))
	for i, prices := range all {
		priced := l
		priced.PriceBy(prices)
		if wrong := priced.CheckMoney(&l, priced.CheckVehicles(store.ErrInvalid)); len(wrong.Fields) > 0 {
			return nil, wrong
		}
		if err := priced.FollowAll(); err != nil {
			return nil, err
		}
		if i == 0 {
			l.Plan.V = priced.Plan.V
		}
		for _, p := range priced.Plan.V {
			if p.From == store.Customer {
				made[i] = append(made[i], loadsapi.Payment{
					To: p.To, Amount: string(p.Amount), Method: p.Method, Event: p.Event, Days: p.Days, BusinessDays: p.BusinessDays,
				})
			}
		}
	}

	return made, nil
}
