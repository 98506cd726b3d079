package loads

import (
	"context"
	"strings"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/loads/internal/inquiry"
	"github.com/dispatchd/dispatchd/modules/loads/internal/intake"
	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/resource"
)

// requests makes loads of requests that come from outside. It implements intake.Loads.
type requests struct {
	loads *resource.Resource[load]
	quick *quick
}

func newRequests(loads *resource.Resource[load], q *quick) intake.Loads { return requests{loads, q} }

func (l load) made() intake.Made { return intake.Made{ID: l.ID, Number: l.Number, State: l.State} }

// Find implements intake.Loads.
func (s requests) Find(ctx context.Context, id uuid.UUID) (intake.Made, error) {
	l, err := s.loads.Find(ctx, id)

	return l.made(), err
}

// ByNumber implements intake.Loads.
func (s requests) ByNumber(ctx context.Context, number string) (intake.Made, bool, error) {
	found, err := s.loads.Where(ctx, "number = ?", number)
	if err != nil || len(found) == 0 {
		return intake.Made{}, false, err
	}

	return found[0].made(), true, nil
}

// mostNote is how much of a request the notes of a load have, in characters.
const mostNote = 4000

// Make implements intake.Loads.
func (s requests) Make(ctx context.Context, r intake.Request) (intake.Made, error) {
	l := load{
		Role: broker, Inspection: "standard", Priority: "normal", Currency: "USD", Transport: r.Transport, AvailableFrom: r.Day, Source: &r.Source,
		SourceKind: r.SourceKind, ReceivedAt: &r.At, Assigned: r.Assigned, State: loadsapi.Lead, Private: intake.Cut(r.Notes, mostNote),
	}
	if r.From != nil && r.To != nil {
		l.Stops.V = []stop{{Kind: pickup, Venue: venueOf(*r.From)}, {Kind: delivery, Venue: venueOf(*r.To)}}
	}
	for _, text := range r.Vehicles {
		made, _, err := s.quick.vehiclesOf(ctx, text)
		if err != nil {
			return intake.Made{}, err
		}
		l.Vehicles.V = append(l.Vehicles.V, made...)
	}
	if r.Name != "" && r.Email+r.Phone != "" {
		id, _, err := s.quick.customer(ctx, newCustomer{Name: r.Name, Email: r.Email, Phone: r.Phone})
		if err != nil && !errs.IsRefusal(err) {
			return intake.Made{}, err
		}
		l.Customer = id
	}
	if l.Customer == nil || len(l.Stops.V) == 0 || len(l.Vehicles.V) == 0 {
		l.draft(r.Original)
	}
	made, err := s.loads.Create(ctx, l)
	if err != nil && errs.IsRefusal(err) { // something of it cannot be stored: people see what
		bare := load{
			Role: l.Role, Inspection: l.Inspection, Priority: l.Priority, Currency: l.Currency, Transport: l.Transport, Customer: l.Customer, Source: l.Source,
			SourceKind: l.SourceKind, ReceivedAt: l.ReceivedAt, Assigned: l.Assigned, Private: intake.Cut(err.Error(), mostNote),
		}
		bare.draft(r.Original)
		made, err = s.loads.Create(ctx, bare)
	}

	return made.made(), err
}

// draft has a load wait for somebody who reads what was sent.
func (l *load) draft(original string) {
	l.State = loadsapi.Draft
	l.Private = intake.Cut(strings.TrimSpace(l.Private+"\n\n"+original), mostNote)
}

func venueOf(p inquiry.Place) venue {
	return venue{City: intake.Cut(p.City, 100), State: intake.Cut(p.State, 2), PostalCode: intake.Cut(p.ZIP, 10)} //nolint:mnd // as venues
}
