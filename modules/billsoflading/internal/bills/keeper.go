package bills

import (
	"context"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/billsoflading/billsofladingapi"
	"github.com/dispatchd/dispatchd/modules/billsoflading/internal/inspecting"
	"github.com/dispatchd/dispatchd/modules/billsoflading/internal/store"
	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/link"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/state"
	"github.com/dispatchd/dispatchd/platform/web"
)

// Keeper takes bills of lading through their lives, one by one.
type Keeper struct {
	bols  *resource.Resource[store.Bol]
	rows  *store.Repository
	links *link.Service
	vins  *inspecting.VINChecks
	clock clock.Clock
}

// NewKeeper returns a Keeper.
func NewKeeper(bols *resource.Resource[store.Bol], rows *store.Repository, links *link.Service, vins *inspecting.VINChecks, c clock.Clock) *Keeper {
	return &Keeper{bols, rows, links, vins, c}
}

// make stores a bill of lading. With issue, it is issued if it is complete.
func (k *Keeper) make(ctx context.Context, b store.Bol, issue bool) error {
	made, err := k.bols.Create(ctx, b)
	if err != nil || !issue || made.Missing() != nil {
		return err
	}
	_, err = k.issue(ctx, made.ID, web.IfMatch{})

	return err
}

// issue makes a bill of lading ready to be signed. Error: bills_of_lading.missing_fields.
func (k *Keeper) issue(ctx context.Context, id uuid.UUID, match web.IfMatch) (store.Bol, error) {
	return k.bols.Change(ctx, id, match, store.VerbIssue, func(ctx context.Context, b *store.Bol) error {
		if wrong := b.Missing(); wrong != nil {
			return wrong
		}
		now := k.clock.Now()
		b.IssuedAt = &now

		return k.bols.Step(ctx, b, state.Move{Verb: string(store.VerbIssue)})
	})
}

// void ends a bill of lading before it is signed at the delivery.
func (k *Keeper) void(ctx context.Context, id uuid.UUID, match web.IfMatch, why string) (b store.Bol, err error) {
	err = k.rows.InTx(ctx, func(ctx context.Context) error {
		b, err = k.bols.Change(ctx, id, match, store.VerbVoid, func(ctx context.Context, b *store.Bol) error {
			if b.State == store.DeliverySigned || b.State == store.Closed {
				return store.ErrSigned
			}
			b.VoidReason = why

			return k.bols.Step(ctx, b, state.Move{Verb: string(store.VerbVoid), Reason: why})
		})
		if err != nil {
			return err
		}
		_, err = k.links.RevokeAll(ctx, store.Signing, link.Subject{Type: billsofladingapi.BOL, ID: id})

		return err
	})

	return b, err
}

// amend adds to what was signed.
func (k *Keeper) amend(ctx context.Context, id uuid.UUID, match web.IfMatch, text, why string) (store.Bol, error) {
	return k.bols.Change(ctx, id, match, store.VerbAmend, func(ctx context.Context, b *store.Bol) error {
		if b.State == store.Voided {
			return store.ErrVoid
		}
		b.Amendments.V = append(slices.Clone(b.Amendments.V), store.Amendment{
			At: k.clock.Now(), User: principal.UserOf(ctx), Text: strings.TrimSpace(text), Reason: strings.TrimSpace(why),
		})

		return nil
	})
}

// adapt makes a bill of lading without signatures say what the load says now. With issue, it is issued if it is complete then.
func (k *Keeper) adapt(ctx context.Context, b, now store.Bol, issue bool) error {
	if b.Signed() {
		return nil
	}
	if err := k.vins.Recompare(ctx, b.ID, now); err != nil || b.SaysSame(now) {
		return err
	}
	if some, err := k.rows.SignaturesOf(ctx, b.ID); err != nil || len(some) > 0 {
		return err // one side has signed already
	}
	b, err := k.bols.Change(ctx, b.ID, web.IfMatch{}, resource.Update, func(_ context.Context, b *store.Bol) error {
		b.Inspection, b.Carrier, b.Consignor, b.Consignee, b.Vehicles = now.Inspection, now.Carrier, now.Consignor, now.Consignee, now.Vehicles

		return nil
	})
	if err == nil && issue && b.State == store.Draft && b.Missing() == nil {
		_, err = k.issue(ctx, b.ID, web.IfMatch{})
	}

	return err
}

// transfer ends a bill of lading whose vehicles another carrier carries on. What was signed stays.
func (k *Keeper) transfer(ctx context.Context, b store.Bol, of loadsapi.Standing) error {
	if err := k.endDriverLinks(ctx, b, of); err != nil {
		return err
	}
	_, err := k.bols.Change(ctx, b.ID, web.IfMatch{}, store.VerbTransfer, func(ctx context.Context, b *store.Bol) error {
		return k.bols.Step(ctx, b, state.Move{Verb: string(store.VerbTransfer), Reason: "Another carrier carries the vehicles on."})
	})

	return err
}

// dismiss voids a bill of lading that the load should no longer have.
func (k *Keeper) dismiss(ctx context.Context, b store.Bol, of loadsapi.Standing) error {
	if err := k.endDriverLinks(ctx, b, of); err != nil {
		return err
	}
	_, err := k.void(ctx, b.ID, web.IfMatch{}, "The load has changed.")

	return err
}

// endDriverLinks revokes the links of the drivers of a carrier that no longer has the load.
func (k *Keeper) endDriverLinks(ctx context.Context, b store.Bol, of loadsapi.Standing) error {
	if of.Carrier == b.CarrierID.String() {
		return nil
	}
	_, err := k.links.RevokeAll(ctx, store.Driving, link.Subject{Type: loadsapi.Load, ID: b.Load})

	return err
}

// nameDispatch has a bill of lading name the dispatch that it belongs to.
func (k *Keeper) nameDispatch(ctx context.Context, b store.Bol, dispatch uuid.UUID) error {
	_, err := k.bols.Change(ctx, b.ID, web.IfMatch{}, store.VerbName, func(_ context.Context, b *store.Bol) error {
		b.Dispatch = &dispatch

		return nil
	})

	return err
}

// succeed has a bill of lading name the one that was voided for it.
func (k *Keeper) succeed(ctx context.Context, made, old store.Bol) error {
	_, err := k.bols.Change(ctx, made.ID, web.IfMatch{}, resource.Update, func(_ context.Context, made *store.Bol) error {
		made.Replaces, made.Dispatch = &old.ID, old.Dispatch

		return nil
	})

	return err
}
