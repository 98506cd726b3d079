package loads

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/loads/internal/signing"
	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/link"
	"github.com/dispatchd/dispatchd/platform/page"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/share"
	"github.com/dispatchd/dispatchd/platform/web"
)

// signable implements signing.Loads.
type signable struct {
	shares *shares
	loads  *resource.Resource[load]
	clock  clock.Clock
}

func newSignable(s *shares, of *service) signing.Loads { return signable{s, s.loads, of.clock} }

// signer has customers sign on the pages of their loads.
type signer struct {
	shares *shares
	desk   *signing.Desk
}

func newSigner(s *shares, d *signing.Desk) signer { return signer{s, d} }

func signRoutes(r *web.Router, s signer) {
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/shared/{link}/sign", ID: "sign_shared_load", Access: web.Public, Summary: "Sign what has changed of a load by a link",
		Description: "What was shown, of a load that was signed before. Signing twice is signing once.",
		Errors:      append(append([]*errs.Error{errNoShare}, signing.LinkErrors()...), link.Refusals...), TakesForm: true, Page: s.shares.pages.After,
	}, func(ctx context.Context, in *signing.LinkInput) (*sharedOutput, error) {
		if err := s.desk.ByLink(ctx, in); err != nil {
			return nil, err
		}

		return s.shares.read(ctx, &readSharedInput{Link: in.Link})
	})
}

// signs reports whether a load can be signed: somebody has looked at it, and it is not over.
func signs(l *load) bool { return l.State != loadsapi.Draft && slices.Contains(openStates, l.State) }

// toSign are the changes that the customer has yet to sign, none of a load that was delivered or is over.
func (l *load) toSign() []signing.Line {
	if !signs(l) {
		return nil
	}

	return l.ChangeOrder.V.Changes
}

// Sign implements signing.Loads.
func (s signable) Sign(ctx context.Context, id uuid.UUID, match web.IfMatch, key *string, by signing.Signature) error {
	_, err := s.loads.Change(ctx, id, match, verbSign, func(_ context.Context, l *load) error {
		switch changes := l.ChangeOrder.V.Changes; {
		case key != nil && l.Signature == signing.Signed:
			return nil // by a double click, or what was changed is what it was
		case !signs(l) || l.Signature == signing.Signed || key != nil && l.Signature != signing.Changed:
			return signing.ErrNothing
		case key != nil && *key != signing.KeyOf(changes):
			return signing.ErrOutdated
		}
		l.Signing = &by

		return nil
	})

	return err
}

// Ask implements signing.Loads.
func (s signable) Ask(ctx context.Context, id uuid.UUID) (share.Given, error) {
	given, err := s.shares.give(ctx, id)
	if err != nil {
		return given, err
	}
	now := s.clock.Now()
	l, err := s.loads.Change(ctx, id, web.IfMatch{}, verbAsk, func(_ context.Context, l *load) error {
		if !signs(l) || l.Signature != signing.Changed {
			return signing.ErrNothing
		}
		l.ChangeOrder.V.SentAt = &now

		return nil
	})
	brand, failed := s.shares.brands.Brand(ctx)
	if err == nil {
		err = failed
	}
	given.Title, given.Text = "Please sign: your transport "+l.Number+" has changed", brand.Name+": your transport "+l.Number+" has changed. See what, and sign it here."

	return given, err
}

// Known implements signing.Loads.
func (s signable) Known(ctx context.Context, id uuid.UUID) (number, zone string, err error) {
	l, err := s.loads.Find(ctx, id)
	if len(l.Stops.V) > 0 {
		zone = l.Stops.V[0].Venue.TimeZone
	}

	return l.Number, zone, err
}

// Enter implements signing.Loads.
func (s signable) Enter(ctx context.Context, text string) (context.Context, uuid.UUID, error) {
	ctx, found, err := s.shares.links.Enter(ctx, sharing, text)

	return ctx, found.Subject.ID, err
}

// termsOf are what the customer of a load agrees to.
func termsOf(l *load) []signing.Term {
	at, due := map[string]int{}, map[string]int64{}
	for i, v := range l.Vehicles.V {
		at[v.UUID.String()] = i
	}
	for _, p := range l.Plan.V {
		if units, _ := l.units(p.Amount); p.From == customer { // checked before
			due[p.To] += units
		}
	}
	paid := func(units int64) string {
		if units == 0 {
			return "nothing"
		}

		return page.Amount(l.amountOf(units), l.Currency)
	}
	tariff, _ := l.units(l.Tariff)

	return signing.TermsOf(l.snapshot(), signing.Prices{Tariff: paid(tariff), ToCompany: paid(due[broker]), ToCarrier: paid(due[carrier])}, at)
}

// followSignature keeps what a customer signs, and compares what it has signed with the load as it is now.
func (s *service) followSignature(ctx context.Context, b *batch, c *resource.Change[load], now time.Time) error {
	l := c.After
	l.Signature = cmp.Or(l.Signature, signing.None)
	if !signs(l) {
		l.ChangeOrder.V.Needed = false // it is too late for one
	}
	if l.Signing == nil && l.SignedAt == nil {
		return nil
	}
	is, order := termsOf(l), &l.ChangeOrder.V
	if l.Signing != nil {
		b.signed = append(b.signed, signing.RowOf(l.ID, *l.Signing, now, is, order.Changes))
		l.Signature, l.SignedAt, l.SignedBy, l.SignedTerms.V, *order = signing.Signed, &now, l.Signing.Name, is, signing.ChangeOrder{}
		l.Signing = nil

		return nil
	}
	if !signs(l) {
		return nil
	}
	if len(l.SignedTerms.V) == 0 { // vehicles went from one load to another
		l.SignedTerms.V = is
	}
	changes := signing.Differences(l.SignedTerms.V, is, signing.Kinds())
	if len(changes) > 0 {
		kept, err := s.terms(ctx, b)
		if err != nil {
			return err
		}
		changes = signing.Differences(l.SignedTerms.V, is, kept.ChangeOrder)
	}
	if len(changes) == 0 {
		l.Signature, *order = signing.Signed, signing.ChangeOrder{}

		return nil
	}
	if key := signing.KeyOf(changes); key != signing.KeyOf(order.Changes) {
		*order = order.With(changes, now)
		b.told = append(b.told, loadsapi.ChangeOrderNeeded{About: l.about(), Fields: order.Fields})
	}
	order.Needed = true // of one that was reopened, too
	l.Signature = signing.Changed

	return nil
}

// mayGo refuses a load to a carrier whose changes are not signed, unless somebody overrides that with a reason.
func mayGo(ctx context.Context, l *load, reason string) error {
	if who, _ := principal.From(ctx); l.Signature != signing.Changed || reason != "" && who.Allows(loadsapi.Area+":"+overrideScope) {
		return nil
	}

	return signing.ErrUnsigned.WithDetail("fields", l.ChangeOrder.V.Fields)
}
