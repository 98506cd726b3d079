// Package admission asks whether carriers may have loads.
package admission

import (
	"context"
	"errors"
	"slices"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/loads/internal/record"
	"github.com/dispatchd/dispatchd/modules/loads/internal/signing"
	"github.com/dispatchd/dispatchd/modules/loads/internal/store"
	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/platform/hook"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/principal"
)

// Admission asks whether carriers may have loads.
type Admission struct {
	items *item.Registry
	hooks *hook.Bus
}

// New returns an Admission.
func New(items *item.Registry, hooks *hook.Bus) *Admission { return &Admission{items, hooks} }

// Admit asks whether the carrier of a load may have it.
func (s *Admission) Admit(ctx context.Context, l *store.Load) error {
	if err := s.checkCarrier(ctx, *l.Carrier); err != nil {
		return err
	}
	about := loadsapi.Covering{Load: l.ID.String(), Carrier: l.Carrier.String(), Declared: l.Declared(), Delivery: l.DeliveryDay()}
	if err := hook.Run(ctx, s.hooks, &about); err != nil {
		return err
	}
	carrier, err := uuid.Parse(about.Carrier)
	if err != nil {
		return err
	}
	l.Carrier = &carrier
	refused, err := s.Choose(ctx, l, about.Carrier)
	if err != nil {
		return err
	}

	return refused[about.Carrier]
}

// checkCarrier refuses a carrier that the company does not have.
func (s *Admission) checkCarrier(ctx context.Context, id uuid.UUID) error {
	missing, err := s.items.Exists(ctx, item.Ref{Type: record.CarrierItem, UUID: id})
	if len(missing) > 0 || errors.Is(err, item.ErrUnknownType) {
		return store.ErrInvalid.WithField("carrier_uuid", "There is no such carrier.")
	}

	return err
}

// Choose returns why some carriers may not have a load, by carrier, as its customer and payer want it.
func (s *Admission) Choose(ctx context.Context, l *store.Load, carriers ...string) (map[string]error, error) {
	about := loadsapi.ChoosingCarriers{Load: l.ID.String(), Carriers: carriers, Refused: map[string]error{}}
	for _, id := range []*uuid.UUID{l.Customer, l.Payer()} {
		if id != nil && !slices.Contains(about.Contacts, id.String()) {
			about.Contacts = append(about.Contacts, id.String())
		}
	}
	if len(about.Contacts) == 0 || len(carriers) == 0 {
		return nil, nil //nolint:nilnil // nobody is refused
	}
	err := hook.Run(ctx, s.hooks, &about)

	return about.Refused, err
}

// MayGo refuses a load to a carrier whose changes are not signed, unless somebody overrides that with a reason.
func MayGo(ctx context.Context, l *store.Load, reason string) error {
	if who, _ := principal.From(ctx); l.Signature != signing.Changed || reason != "" && who.Allows(loadsapi.Area+":"+store.OverrideScope) {
		return nil
	}

	return signing.ErrUnsigned.WithDetail("fields", l.ChangeOrder.V.Fields)
}
