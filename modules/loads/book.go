package loads

import (
	"context"
	"slices"
	"strings"

	"github.com/dispatchd/dispatchd/modules/loads/internal/route"
	"github.com/dispatchd/dispatchd/modules/loads/internal/signing"
	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/money"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/state"
	"github.com/dispatchd/dispatchd/platform/web"
)

var errPrice = errs.New(errs.Conflict, "loads.price_changed", "The price has changed in the meantime. Look at it again.")

// errShown is for a load that is no longer what its customer was shown.
var errShown = errs.New(errs.Conflict, "loads.load_changed", "The transport has changed in the meantime. Look at it again. See details.fields.")

// bookingErrors are those of a booking by a link.
var bookingErrors = []*errs.Error{errInvalid, errPrice, errShown, errOnHold, errNotBookable, loadsapi.ErrNotForSale}

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

// forSale reports whether a customer can book a load.
func (l *load) forSale() bool {
	tariff, _ := l.units(l.Tariff) // checked before

	return slices.Contains([]loadsapi.State{loadsapi.Lead, loadsapi.Quoted}, l.State) && tariff > 0 && l.HeldAt == nil
}

// book books a load for the customer who has the link. Booking twice is booking once.
func (s *shares) book(ctx context.Context, in *bookInput) (*sharedOutput, error) {
	ctx, found, err := s.links.Enter(ctx, sharing, in.Link)
	if err != nil {
		return nil, err
	}
	b, wrong := in.Body, errInvalid
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
	_, err = s.loads.Change(ctx, found.Subject.ID, web.IfMatch{}, verbBook, func(ctx context.Context, l *load) error {
		switch {
		case l.State == loadsapi.Booked || l.State == loadsapi.Ready:
			return nil // by a double click, or by somebody else
		case forSale(l) != nil:
			return forSale(l)
		case b.Tariff != l.Tariff:
			return errPrice
		case len(l.snapshot().Differences(b.Shown)) > 0:
			return errShown.WithDetail("fields", l.snapshot().Differences(b.Shown))
		case b.AvailableFrom == "" && l.AvailableFrom == "":
			return errInvalid.WithField("available_from", "The first day for the pickup is required.")
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

		return s.loads.Step(ctx, l, state.Move{Verb: string(verbBook), Reason: "Booked by a link by " + strings.TrimSpace(b.Name) + " from " + web.ClientIP(ctx) + ".", Party: customer})
	})
	if err != nil {
		return nil, err
	}

	return s.read(ctx, &readSharedInput{Link: in.Link})
}

// startBooked books a load that a user enters, where the settings say so and it has all that booking takes.
func (s *service) startBooked(ctx context.Context, b *batch, c *resource.Change[load]) error {
	l := c.After
	if c.Verb != resource.Create || l.State != loadsapi.Lead || l.Source != nil || l.Customer == nil || l.AvailableFrom == "" {
		return nil
	}
	now, err := s.terms(ctx, b)
	if err == nil && now.StartBooked {
		err = s.loads.Step(ctx, l, state.Move{Verb: string(verbBook)})
	}
	if errs.IsRefusal(err) {
		err = nil // it is a lead
	}

	return err
}
