package quick

import (
	"context"
	"strings"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/loads/internal/sharing"
	"github.com/dispatchd/dispatchd/modules/loads/internal/sources"
	"github.com/dispatchd/dispatchd/modules/loads/internal/store"
	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/intake"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/share"
)

// requests makes loads of requests that come from outside. It implements sources.Loads.
type requests struct {
	loads  *resource.Resource[store.Load]
	reader *Reader
	links  *sharing.Links
	db     *database.DB
}

// NewRequests returns what makes loads of requests.
func NewRequests(loads *resource.Resource[store.Load], r *Reader, s *sharing.Links, db *database.DB) sources.Loads {
	return requests{loads, r, s, db}
}

func madeOf(l store.Load) sources.Made {
	return sources.Made{ID: l.ID, Number: l.Number, State: l.State}
}

// Find implements sources.Loads.
func (s requests) Find(ctx context.Context, id uuid.UUID) (sources.Made, error) {
	l, err := s.loads.Find(ctx, id)

	return madeOf(l), err
}

// ByNumber implements sources.Loads.
func (s requests) ByNumber(ctx context.Context, number string) (sources.Made, bool, error) {
	found, err := s.loads.Where(ctx, "number = ?", number)
	if err != nil || len(found) == 0 {
		return sources.Made{}, false, err
	}

	return madeOf(found[0]), true, nil
}

// mostNote is how much of a request the notes of a load have, in characters.
const mostNote = 4000

// Make implements sources.Loads.
func (s requests) Make(ctx context.Context, r sources.Request) (sources.Made, error) {
	l := store.Load{
		Role: store.Broker, Priority: "normal", Transport: r.Transport, AvailableFrom: r.Day, Source: &r.Source,
		SourceKind: r.SourceKind, ReceivedAt: &r.At, Assigned: r.Assigned, State: loadsapi.Lead, Private: sources.Cut(r.Notes, mostNote),
	}
	if r.From != nil && r.To != nil {
		l.Stops.V = []store.Stop{{Kind: store.Pickup, Venue: venueOf(*r.From)}, {Kind: store.Delivery, Venue: venueOf(*r.To)}}
	}
	unsure, err := s.vehicles(ctx, r, &l)
	if err != nil {
		return sources.Made{}, err
	}
	if r.Name != "" && r.Email+r.Phone != "" {
		err := s.try(ctx, func(ctx context.Context) (err error) {
			l.Customer, _, err = s.reader.customer(ctx, newCustomer{Name: r.Name, Email: r.Email, Phone: r.Phone})

			return err
		})
		if err != nil && !errs.IsRefusal(err) {
			return sources.Made{}, err
		}
	}
	if l.Customer == nil || len(l.Stops.V) == 0 || len(l.Vehicles.V) == 0 || unsure != "" || r.Broken {
		makeDraft(&l, r.Original)
	}
	l.Private = strings.TrimSpace(unsure + "\n\n" + l.Private)
	var made store.Load
	store := func(ctx context.Context) (err error) {
		made, err = s.loads.Create(ctx, l)

		return err
	}
	problem := unsure
	err = s.try(ctx, store)
	for of := stopsAside; errs.IsRefusal(err) && of <= allAside; of++ { // something of it cannot be stored: people see what
		if of == stopsAside {
			why := sources.Problem(err)
			problem = strings.TrimSpace(problem + " " + why)
			l.Private = strings.TrimSpace(why + "\n\n" + l.Private)
		}
		if l.State != loadsapi.Draft {
			makeDraft(&l, r.Original)
		}
		leaveAside(&l, of, sources.Names(err, "stops.0."))
		err = s.try(ctx, store)
	}
	of := madeOf(made)
	of.Problem = problem

	return of, err
}

// vehicles gives a load the vehicles of a request, and says which of them people are to look at, "" for none: the type of an unknown model, and with it
// the price, would be a guess.
func (s requests) vehicles(ctx context.Context, r sources.Request, l *store.Load) (unsure string, err error) {
	for _, car := range r.Vehicles {
		made, listed, err := s.reader.vehicleOf(ctx, car)
		if err != nil {
			return "", err
		}
		l.Vehicles.V = append(l.Vehicles.V, made...)
		for _, one := range listed {
			if !one.Known && one.Make != "" && one.Confidence < r.Least {
				unsure = strings.TrimSpace(unsure + " " + ModelUnknown(one))
			}
		}
	}

	return sources.Cut(unsure, mostNote/2), nil //nolint:mnd // the rest is for the request
}

// try does what may be refused while the rest stands.
func (s requests) try(ctx context.Context, do func(ctx context.Context) error) error {
	return s.db.Savepoint(ctx, do)
}

// What of a request is left aside, one after the other, until a draft of the rest can be stored.
const (
	stopsAside = iota
	vehiclesAside
	allAside
)

// leaveAside leaves something aside: of the stops, the first one stays unless it is wrong.
func leaveAside(l *store.Load, aside int, first bool) {
	if l.Stops.V = l.Stops.V[:min(1, len(l.Stops.V))]; first || aside > stopsAside {
		l.Stops.V = nil
	}
	if aside >= vehiclesAside {
		l.Vehicles.V = nil
	}
	if aside == allAside {
		l.AvailableFrom, l.Assigned = "", nil
	}
}

// Allow implements sources.Loads.
func (s requests) Allow(ctx context.Context, source uuid.UUID) error {
	return s.links.Allow(ctx, source)
}

// Reply implements sources.Loads.
func (s requests) Reply(ctx context.Context, source, id uuid.UUID, to share.Recipient) error {
	return s.links.Reply(ctx, source, id, to)
}

// Says implements sources.Loads.
func (s requests) Says(ctx context.Context, id uuid.UUID) (map[intake.Field]string, error) {
	l, err := s.loads.Find(ctx, id)
	if err != nil {
		return nil, err
	}
	says := map[intake.Field]string{intake.Day: string(l.AvailableFrom)}
	if l.Customer != nil {
		c, err := s.reader.contact(ctx, *l.Customer)
		if err != nil {
			return nil, err
		}
		says[intake.Name], says[intake.Email], says[intake.Phone] = c.Name, c.Email, c.Phone
	}
	if n := len(l.Stops.V); n > 1 {
		from, to := l.Stops.V[0].Venue, l.Stops.V[n-1].Venue
		says[intake.OriginCity], says[intake.OriginState], says[intake.OriginZIP] = from.City, from.State, from.PostalCode
		says[intake.DestCity], says[intake.DestState], says[intake.DestZIP] = to.City, to.State, to.PostalCode
	}
	if len(l.Vehicles.V) > 0 {
		v := l.Vehicles.V[0]
		says["vin"], says["make"], says["model"] = v.VIN, v.Make, v.Model
	}

	return says, nil
}

// makeDraft has a load wait for somebody who reads what was sent.
func makeDraft(l *store.Load, original string) {
	l.State = loadsapi.Draft
	l.Private = sources.Cut(strings.TrimSpace(l.Private+"\n\n"+original), mostNote)
}

func venueOf(p intake.Place) store.Venue {
	return store.Venue{City: sources.Cut(p.City, 100), State: sources.Cut(p.State, 2), PostalCode: sources.Cut(p.ZIP, 10)} //nolint:mnd // as venues
}
