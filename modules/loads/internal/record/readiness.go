package record

import (
	"context"
	"slices"

	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
)

type need struct {
	What string `json:"what" enum:"delivered,customer,tariff,payment_plan,custody,bill_of_lading"`
	Why  string `json:"why"`
	How  string `json:"how" doc:"What mends it."`
}

// SchemaName is the name of the body in the OpenAPI document.
func (need) SchemaName() string { return "BillingNeed" }

type readinessOutput struct {
	Body struct {
		Ready   bool   `json:"ready"`
		Missing []need `json:"missing" nullable:"false"`
	}
}

func (s *Recorder) readiness(ctx context.Context, in *readInput) (*readinessOutput, error) {
	l, err := s.loads.ToRecord(ctx, in.UUID)
	if err != nil {
		return nil, err
	}
	known, err := s.recorded(ctx, Load{ID: in.UUID})
	if err != nil {
		return nil, err
	}
	unsigned := slices.ContainsFunc(known.Bills, func(b loadsapi.Bill) bool { return !b.Delivered })
	out := &readinessOutput{}
	out.Body.Missing = []need{}
	for _, n := range []struct {
		met  bool
		need need
	}{
		{l.Delivered, need{"delivered", "The load is not delivered.", "Say of each vehicle that it was delivered."}},
		{l.Undelivered == 0, need{"custody", "Some vehicles are not delivered.", "Deliver them, or take them off the load."}},
		{!unsigned, need{"bill_of_lading", "A bill of lading is not signed at the delivery.", "Have the receiver sign it, or void it."}},
		{l.BillTo != nil, need{"customer", "The load has no customer to invoice.", "Name the customer."}},
		{l.Priced, need{"tariff", "The load has no price.", "Price its vehicles, or add a charge."}},
		{len(l.BrokerPayers)+len(l.FreightPayers) > 0, need{"payment_plan", "It is not said who pays what.", "Propose a payment plan by a template."}},
	} {
		if !n.met {
			out.Body.Missing = append(out.Body.Missing, n.need)
		}
	}
	out.Body.Ready = len(out.Body.Missing) == 0

	return out, nil
}
