package vehicles

import (
	"context"
	"errors"
	"slices"

	"github.com/dispatchd/dispatchd/modules/vehicles/internal/vpic"
	"github.com/dispatchd/dispatchd/modules/vehicles/internal/vpicapi"
	"github.com/dispatchd/dispatchd/modules/vehicles/vehiclesapi"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/jobs"
	"github.com/dispatchd/dispatchd/platform/outbound"
)

// supplement completes decoded VINs that the offline data lacks with details from vPIC's API, which jobs fetch.
type supplement struct {
	stored *repository
	queue  *jobs.Queue
	client *vpicapi.Client // nil if no provider is configured
	db     *database.DB
}

func newSupplement(s settings, stored *repository, queue *jobs.Queue, network *outbound.Network, db *database.DB) (*supplement, error) {
	if s.Provider != vpicProvider {
		return &supplement{}, nil
	}
	client, err := vpicapi.New(network, s.URL)

	return &supplement{stored, queue, client, db}, err
}

// fetchArgs are the arguments of the job that fetches the details of patterns.
type fetchArgs struct {
	Patterns []string `json:"patterns"`
}

// Kind implements jobs.Args.
func (fetchArgs) Kind() string { return "vehicles.fetch" }

// fetchAttempts is how often a fetch is tried, over some 80 minutes.
const fetchAttempts = 8

// complete adds stored facts to decoded VINs, and enqueues jobs for patterns without facts and with old ones.
func (s *supplement) complete(ctx context.Context, data *vpic.Data, all []vehiclesapi.Decoded) error {
	if s.client == nil {
		return nil
	}
	var patterns []string
	for _, d := range all {
		if lacking(d) {
			patterns = append(patterns, vpic.Pattern(d.VIN))
		}
	}
	if len(patterns) == 0 {
		return nil
	}
	slices.Sort(patterns)
	patterns = slices.Compact(patterns)
	known, err := s.stored.answers(ctx, patterns)
	if err != nil {
		return err
	}
	now, ages := s.stored.now(), s.stored.settings.ages()
	due := slices.DeleteFunc(patterns, func(p string) bool { return !ages.Due(now, known[p].FetchedAt, known[p].FailedAt) })
	for i := range all {
		if !lacking(all[i]) {
			continue
		}
		p := vpic.Pattern(all[i].VIN)
		_, all[i].Refreshing = slices.BinarySearch(due, p)
		if found := known[p]; found.FetchedAt != nil {
			add(data, &all[i], found)
		}
	}

	return s.enqueue(ctx, due)
}

func (s *supplement) enqueue(ctx context.Context, patterns []string) error {
	if len(patterns) == 0 {
		return nil
	}
	var all []jobs.Job
	for part := range slices.Chunk(patterns, vpicapi.MaxBatch) {
		all = append(all, jobs.Job{Args: fetchArgs{part}, Options: []jobs.Option{jobs.Unique(), jobs.Attempts(fetchAttempts)}})
	}

	return s.db.InTx(ctx, func(ctx context.Context) error { return s.queue.EnqueueMany(ctx, all...) })
}

// lacking reports whether the offline data has neither a make nor a model, nor candidates for them, for a complete VIN. With candidates the
// API would only choose one of them, from the same data.
func lacking(d vehiclesapi.Decoded) bool {
	return d.Valid && vpic.Pattern(d.VIN) != "" &&
		(d.Make == "" && len(d.PossibleMakes) == 0 || d.Model == "" && len(d.PossibleModels) == 0)
}

// add sets empty details.
func add(data *vpic.Data, d *vehiclesapi.Decoded, from answer) {
	f := from.Facts
	if f.Make == "" && f.Model == "" {
		return
	}
	f.Make = data.SpellMake(f.Make)
	if d.Make != "" && vpic.Key(d.Make) != vpic.Key(f.Make) {
		return // details of another make do not belong to this one
	}
	d.Source, d.FetchedAt = "vpic", from.FetchedAt
	for to, value := range map[*string]string{
		&d.Make: f.Make, &d.Model: f.Model, &d.Series: f.Series, &d.Trim: f.Trim, &d.BodyClass: f.BodyClass, &d.VehicleType: f.VehicleType,
		&d.Fuel: f.Fuel, &d.SecondFuel: f.SecondFuel, &d.EngineModel: f.EngineModel,
	} {
		if *to == "" {
			*to = value
		}
	}
	switch {
	case d.Year == nil && f.Year > 0:
		d.Year = &f.Year
	case d.YearUncertain && f.Year > 0 && !slices.Contains(d.PossibleYears, f.Year):
		d.PossibleYears = slices.Sorted(slices.Values(append(slices.Clone(d.PossibleYears), f.Year)))
	}
	if d.Doors == nil && f.Doors > 0 {
		d.Doors = &f.Doors
	}
	if d.Cylinders == nil && f.Cylinders > 0 {
		d.Cylinders = &f.Cylinders
	}
	if d.Displacement == nil && f.Displacement > 0 {
		d.Displacement = &f.Displacement
	}
	if t := data.TypeOf(f.BodyClass, f.VehicleType); t != vehiclesapi.Other && (d.Type == vehiclesapi.Other || d.Type == vehiclesapi.Car) {
		d.Type = t
	}
	d.Warnings = slices.DeleteFunc(d.Warnings, func(w vehiclesapi.Warning) bool {
		return w.Code == "unknown_manufacturer" || (w.Code == "no_details" && d.Model != "")
	})
}

// fetcher fetches the details of patterns, and completes vehicles of the book with them.
type fetcher struct {
	supplement *supplement
	book       *book
}

func newFetcher(s *supplement, b *book) *fetcher { return &fetcher{s, b} }

// fetch is the job of fetchArgs. After a failure the facts from before stay, and the job is tried again.
func (f *fetcher) fetch(ctx context.Context, args fetchArgs) error {
	s := f.supplement
	if s.client == nil {
		return nil // the provider is no longer configured
	}
	known, err := s.stored.answers(ctx, args.Patterns)
	if err != nil {
		return err
	}
	now, ages := s.stored.now(), s.stored.settings.ages()
	due := slices.DeleteFunc(slices.Clone(args.Patterns), func(p string) bool { return ages.Fresh(now, known[p].FetchedAt) })
	if len(due) > 0 {
		found, failure := s.client.Decode(ctx, due...)
		if err := ctx.Err(); err != nil {
			return errors.Join(err, failure)
		}
		rows := make([]answer, len(due))
		for i, p := range due {
			rows[i] = known[p]
			rows[i].Pattern, rows[i].AskedAt = p, s.stored.now()
			if rows[i].FailedAt = &rows[i].AskedAt; failure == nil {
				rows[i].Facts, rows[i].FetchedAt, rows[i].FailedAt = found[p], &rows[i].AskedAt, nil
			}
		}
		if err := errors.Join(failure, s.stored.put(ctx, rows)); err != nil {
			return err
		}
	}

	return f.book.completeAll(ctx, args.Patterns)
}
