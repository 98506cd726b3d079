package sharing

import (
	"context"
	"net/http"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/companies/companiesapi"
	"github.com/dispatchd/dispatchd/modules/loads/internal/signing"
	"github.com/dispatchd/dispatchd/modules/loads/internal/store"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/link"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/share"
	"github.com/dispatchd/dispatchd/platform/web"
)

// signable implements signing.Loads.
type signable struct {
	loads  *resource.Resource[store.Load]
	links  *Links
	brands companiesapi.Brands
	clock  clock.Clock
}

// NewSignable returns the loads that customers sign.
func NewSignable(loads *resource.Resource[store.Load], s *Links, b companiesapi.Brands, c clock.Clock) signing.Loads {
	return signable{loads, s, b, c}
}

// Signer has customers sign on the pages of their loads.
type Signer struct {
	page *Page
	desk *signing.Desk
}

// NewSigner returns a Signer.
func NewSigner(s *Page, d *signing.Desk) Signer { return Signer{s, d} }

// SignRoutes are the operations by which customers sign.
func SignRoutes(r *web.Router, s Signer) {
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/shared/{link}/sign", ID: "sign_shared_load", Access: web.Public, Summary: "Sign what has changed of a load by a link",
		Description: "What was shown, of a load that was signed before. Signing twice is signing once.",
		Errors:      append(append([]*errs.Error{errNoShare}, signing.LinkErrors()...), link.Refusals...), TakesForm: true, Page: s.page.pages.After,
	}, func(ctx context.Context, in *signing.LinkInput) (*sharedOutput, error) {
		if err := s.desk.ByLink(ctx, in); err != nil {
			return nil, err
		}

		return s.page.read(ctx, &readSharedInput{Link: in.Link})
	})
}

// Sign implements signing.Loads.
func (s signable) Sign(ctx context.Context, id uuid.UUID, match web.IfMatch, key *string, by signing.Signature) error {
	_, err := s.loads.Change(ctx, id, match, store.VerbSign, func(_ context.Context, l *store.Load) error {
		switch changes := l.ChangeOrder.V.Changes; {
		case key != nil && l.Signature == signing.Signed:
			return nil // by a double click, or what was changed is what it was
		case !store.Signs(l) || l.Signature == signing.Signed || key != nil && l.Signature != signing.Changed:
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
	given, err := s.links.give(ctx, id)
	if err != nil {
		return given, err
	}
	now := s.clock.Now()
	l, err := s.loads.Change(ctx, id, web.IfMatch{}, store.VerbAsk, func(_ context.Context, l *store.Load) error {
		if !store.Signs(l) || l.Signature != signing.Changed {
			return signing.ErrNothing
		}
		l.ChangeOrder.V.SentAt = &now

		return nil
	})
	brand, failed := s.brands.Brand(ctx)
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
	return s.links.enter(ctx, text)
}
