package sharing

import (
	"context"
	"slices"
	"strings"

	"github.com/dispatchd/dispatchd/modules/loads/internal/route"
	"github.com/dispatchd/dispatchd/modules/loads/internal/signing"
	"github.com/dispatchd/dispatchd/modules/loads/internal/store"
	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/money"
	"github.com/dispatchd/dispatchd/platform/state"
	"github.com/dispatchd/dispatchd/platform/web"
)

var errPrice = errs.New(errs.Conflict, "loads.price_changed", "The price has changed in the meantime. Look at it again.")

// errShown is for a load that is no longer what its customer was shown.
var errShown = errs.New(errs.Conflict, "loads.load_changed", "The transport has changed in the meantime. Look at it again. See details.fields.")

// bookingErrors are those of a booking by a link.
var bookingErrors = []*errs.Error{store.ErrInvalid, errPrice, errShown, store.ErrOnHold, store.ErrNotBookable, loadsapi.ErrNotForSale}

type bookInput struct {
	Link string `path:"link" maxLength:"200" doc:"Text of the link."`
	Body struct {
		Tariff        money.Amount  `json:"tariff" doc:"The price that was shown."`
		Shown         string        `json:"shown_key" maxLength:"100" doc:"The shown_key of what was shown."`
		Name          string        `json:"name" maxLength:"200" doc:"Who orders the transport."`
		Accepted      bool          `json:"accepted" doc:"Whether the price is accepted."`
		AvailableFrom field.Date    `json:"available_from,omitempty" doc:"The first day for the pickup; required if the load has none."`
		Pickup        route.Meeting `json:"pickup,omitzero"`
		Delivery      route.Meeting `json:"delivery,omitzero"`
	}
}

// book books a load for the customer who has the link. Booking twice is booking once.
func (s *Page) book(ctx context.Context, in *bookInput) (*sharedOutput, error) {
	ctx, id, err := s.links.enter(ctx, in.Link)
	if err != nil {
		return nil, err
	}
	b, wrong := in.Body, store.ErrInvalid
	if strings.TrimSpace(b.Name) == "" {
		wrong = wrong.WithField("name", "The name is required.")
	}
	if !b.Accepted {
		wrong = wrong.WithField("accepted", "Accept the price to order the transport.")
	}
	if today, err := s.loads.Today(ctx); err != nil {
		return nil, err
	} else if b.AvailableFrom != "" && b.AvailableFrom < today {
		wrong = wrong.WithField("available_from", "The first day for the pickup must not be in the past.")
	}
	if len(wrong.Fields) > 0 {
		return nil, wrong
	}
	_, err = s.loads.Change(ctx, id, web.IfMatch{}, store.VerbBook, func(ctx context.Context, l *store.Load) error {
		switch {
		case l.State == loadsapi.Booked || l.State == loadsapi.Ready:
			return nil // by a double click, or by somebody else
		case store.CheckForSale(l) != nil:
			return store.CheckForSale(l)
		case b.Tariff != l.Tariff:
			return errPrice
		case len(l.Snapshot().Differences(b.Shown)) > 0:
			return errShown.WithDetail("fields", l.Snapshot().Differences(b.Shown))
		case b.AvailableFrom == "" && l.AvailableFrom == "":
			return store.ErrInvalid.WithField("available_from", "The first day for the pickup is required.")
		}
		if b.AvailableFrom != "" {
			l.AvailableFrom = b.AvailableFrom
		}
		if n := len(l.Stops.V); n > 1 {
			l.Stops.V = slices.Clone(l.Stops.V)
			b.Pickup.At(&l.Stops.V[0])
			b.Delivery.At(&l.Stops.V[n-1])
		}

		l.Signing = &signing.Signature{Name: strings.TrimSpace(b.Name), Method: signing.Link, Address: web.ClientIP(ctx)}

		return s.loads.Step(ctx, l, state.Move{Verb: string(store.VerbBook), Reason: "Booked by a link by " + strings.TrimSpace(b.Name) + " from " + web.ClientIP(ctx) + ".", Party: store.Customer})
	})
	if err != nil {
		return nil, err
	}

	return s.read(ctx, &readSharedInput{Link: in.Link})
}
