package offers

import (
	"context"
	"errors"
	"slices"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/dispatches/internal/loadview"
	"github.com/dispatchd/dispatchd/modules/dispatches/internal/preferences"
	"github.com/dispatchd/dispatchd/modules/dispatches/internal/store"
	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/money"
	"github.com/dispatchd/dispatchd/platform/settings"
)

// Views finds what the carriers of offers are shown.
type Views struct {
	loads    loadsapi.Views
	settings *settings.Settings[preferences.Preferences]
}

// NewViews returns Views.
func NewViews(loads loadsapi.Views, kept *settings.Settings[preferences.Preferences]) *Views {
	return &Views{loads, kept}
}

// View is what carriers are shown at one time. It reads each load once for each carrier and amount, and the settings once.
type View struct {
	loads    loadsapi.Views
	settings *settings.Settings[preferences.Preferences]
	read     map[viewKey]BidderView
	terms    *preferences.Preferences
}

type viewKey struct {
	load, carrier uuid.UUID
	amount        money.Amount
}

// BidderView is a load as a carrier sees it that may be going to have it.
type BidderView = loadsapi.Shown[loadsapi.BidderView]

// Now returns a View that has read nothing yet.
func (v *Views) Now() *View {
	return &View{loads: v.loads, settings: v.settings, read: map[viewKey]BidderView{}}
}

// Load returns the load of an offer as its carrier sees it: for the current amount, with the payments that are agreed on with it. If the load cannot be
// accepted at that amount, it is as the load has it. Error: loads.load_not_found.
func (v *View) Load(ctx context.Context, o store.Offer) (BidderView, error) {
	key := viewKey{o.Load, o.Carrier, o.Amount}
	if read, there := v.read[key]; there {
		return read, nil
	}
	seen, err := v.loads.Proposed(ctx, o.Load.String(), o.Carrier.String(), string(o.Amount))
	if errs.IsRefusal(err) && err != nil && !errors.Is(err, loadsapi.ErrNotFound) {
		seen, err = v.loads.Bidder(ctx, o.Load.String())
	}
	if err == nil {
		v.read[key] = seen
	}

	return seen, err
}

// Facts returns what the carrier of an offer is shown. Error: loads.load_not_found.
func (v *View) Facts(ctx context.Context, o store.Offer) (loadview.Facts, error) {
	if v.terms == nil {
		kept, err := v.settings.Read(ctx)
		if err != nil {
			return nil, err
		}
		v.terms = &kept.Now
	}
	seen, err := v.Load(ctx, o)
	if err != nil {
		return nil, err
	}

	return loadview.FactsOf(seen.JSON, o.Terms(v.terms.Terms))
}

// CheckShown refuses an answer to an offer, which is held as its load is, if the carrier was shown another load or other terms than there are now.
// A carrier that names a key has seen what the key stands for. One that does not has seen the last transaction.
func (v *Views) CheckShown(ctx context.Context, o store.Offer, p store.Proposal) error {
	facts, err := v.Now().Facts(ctx, o)
	if err != nil {
		return err
	}
	key := p.Key
	if key == "" {
		key = o.ShownKey
	}
	if fields := facts.Differences(key); len(fields) > 0 {
		return &staleError{o.Load, store.ErrTermsChanged.WithDetail("fields", fields)}
	}

	return nil
}

// CheckAmount refuses an amount at which the load of an offer cannot be accepted. Errors: loadsapi.ErrPlanFixed, loadsapi.ErrPayBelowCharges.
func (v *Views) CheckAmount(ctx context.Context, o store.Offer, amount money.Amount) error {
	carrier := ""
	if o.Carrier != uuid.Nil {
		carrier = o.Carrier.String()
	}
	_, err := v.loads.Proposed(ctx, o.Load.String(), carrier, string(amount))

	return err
}

// CheckAgreed refuses what the company accepts of a carrier's own answer, a counter or a late response, if the load is not what the carrier
// answered to. Anything else that a carrier has agreed to, such as on the phone, is the company's word.
func (v *Views) CheckAgreed(ctx context.Context, o store.Offer) error {
	if o.Turn != store.Broker && o.LateAt == nil {
		return nil
	}
	changes := o.ChangesSinceAnswer()
	if o.ShownKey != "" {
		facts, err := v.Now().Facts(ctx, o)
		if err != nil {
			return err
		}
		changes = append(changes, facts.ChangesFrom(o.Shown.V)...)
	}
	if len(changes) == 0 {
		return nil
	}
	fields := loadview.FieldsOf(changes)
	slices.Sort(fields)

	return store.ErrTermsChanged.WithDetail("fields", slices.Compact(fields)).WithMessage(
		"The load has changed since the carrier answered: see details.fields. Counter, or reactivate the offer, so that the carrier answers anew.")
}

// staleError is the refusal of an answer to what a load was before.
type staleError struct {
	load uuid.UUID
	why  *errs.Error
}

// Error implements error.
func (s *staleError) Error() string { return s.why.Error() }

// Unwrap returns the refusal.
func (s *staleError) Unwrap() error { return s.why }
