package feature

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/google/uuid"
)

// Plan is what a change does to a company's set.
type Plan struct {
	Company uuid.UUID `json:"company_uuid"`
	// On and Off are the areas that come and go, all that follows from the change among them.
	On  []string `json:"on" nullable:"false" doc:"Areas that the change switches on."`
	Off []string `json:"off" nullable:"false" doc:"Areas that the change switches off."`
	// NeededBy says by area that goes off, which others go off with it though the change does not
	// say so; Needs by area that is to come on, what it lacks. Apply refuses a plan that has either.
	NeededBy map[string][]string `json:"needed_by" nullable:"false" doc:"By area to switch off: areas that need it and that the change does not name. The change is refused."`
	Needs    map[string][]string `json:"needs" nullable:"false" doc:"By area to switch on: areas that it needs and that are off. The change is refused."`
	Refused  bool                `json:"refused" doc:"Whether the change is refused as it is."`
	// Silent says more about each area of Off.
	Silent []Silent `json:"silent" nullable:"false" doc:"What stops for each area that is switched off."`

	before set
	rows   []row // what Apply writes
}

// SchemaName is the name of the plan in the OpenAPI document.
func (Plan) SchemaName() string { return "FeaturePlan" }

// Silent is what an area no longer does for a company that does not use it.
type Silent struct {
	Area string `json:"area"`
	// Operations answer 403, Hooks and Subscriptions are left out.
	Operations    int `json:"operations" doc:"Number of operations that answer 403."`
	Hooks         int `json:"hooks" doc:"Number of hooks that no longer run."`
	Subscriptions int `json:"subscriptions" doc:"Number of events that it no longer listens to."`
	// Schedules belong to no company: each asks for those it works for.
	Schedules int `json:"schedules" doc:"Number of schedules that skip the company."`
	// WaitingJobs are put off until the area is back.
	WaitingJobs int64 `json:"waiting_jobs" doc:"Number of its jobs that wait or run; they resume when the area is switched on again."`
	// WaitingEvents are lost to the area.
	WaitingEvents int64 `json:"waiting_events" doc:"Number of undelivered events, which the area will not receive."`
	// HeardBy are the areas which listen to it and which the company goes on using.
	HeardBy []string `json:"heard_by" nullable:"false" doc:"Areas still in use that no longer receive its events."`
	// DataKept is true: what goes off loses nothing.
	DataKept bool `json:"data_kept" doc:"Whether its data is kept; it always is."`
}

// SchemaName is the name of the area's silence in the OpenAPI document.
func (Silent) SchemaName() string { return "FeatureSilence" }

// Counts count for plans what other parts of the platform know.
type Counts struct {
	// Operations of an area.
	Operations func(area string) int
	// Jobs and Events that wait for an area, of the caller's company.
	Jobs, Events func(ctx context.Context, area string) (int64, error)
}

// Count gives the sets what they count by. Without it, plans count nothing.
func (s *Sets) Count(c Counts) { s.counts = c }

// Plan says what a change would do to a company that exists, and does nothing: a dry run. A plan
// that Apply would refuse is none of the errors: feature.invalid, feature.not_found for a caller of
// another company.
func (s *Sets) Plan(ctx context.Context, company uuid.UUID, c Change) (Plan, error) {
	ctx, err := actingFor(ctx, company)
	if err != nil {
		return Plan{}, err
	}
	p, err := s.plan(ctx, company, c)
	if err != nil {
		return Plan{}, err
	}
	for i := range p.Silent {
		if err := s.count(ctx, &p.Silent[i]); err != nil {
			return Plan{}, fmt.Errorf("features of company %s: %w", company, err)
		}
	}

	return p, nil
}

func (s *Sets) plan(ctx context.Context, company uuid.UUID, c Change) (Plan, error) {
	if err := s.areas.check(c); err != nil {
		return Plan{}, err
	}
	said, err := s.rows.decisions(ctx)
	if err != nil {
		return Plan{}, fmt.Errorf("features of company %s: %w", company, err)
	}
	p := s.areas.plan(said, c)
	p.Company = company

	return p, nil
}

func (as Areas) plan(said map[string]row, c Change) Plan {
	before := as.resolveSet(said)
	decisions := as.decisions(before, c)
	wanted := maps.Clone(said)
	p := Plan{before: before, On: []string{}, Off: []string{}, NeededBy: map[string][]string{}, Needs: map[string][]string{}, Silent: []Silent{}}
	for _, id := range slices.Sorted(maps.Keys(decisions)) {
		on := decisions[id]
		if old, decided := said[id]; !as.isEssential(id) && (!decided || old.Enabled != on) {
			wanted[id] = row{Area: id, Enabled: on}
			p.rows = append(p.rows, wanted[id])
		}
	}
	after := as.resolveSet(wanted)
	for _, a := range as.enabled {
		on, decided := decisions[a.id]
		switch {
		case decided && on && !after[a.id]:
			p.Needs[a.id] = after.lacks(a.needs)
		case !decided && before[a.id] && !after[a.id]:
			for _, need := range after.lacks(a.needs) {
				p.NeededBy[need] = append(p.NeededBy[need], a.id)
			}
		}
		switch {
		case before[a.id] && !after[a.id]:
			p.Off = append(p.Off, a.id)
			p.Silent = append(p.Silent, as.silent(a, after))
		case after[a.id] && !before[a.id]:
			p.On = append(p.On, a.id)
		}
	}
	p.Refused = len(p.Needs)+len(p.NeededBy) > 0

	return p
}

// lacks returns those of the ids that are not in the set.
func (s set) lacks(ids []string) []string {
	var lacking []string
	for _, id := range ids {
		if !s[id] {
			lacking = append(lacking, id)
		}
	}

	return lacking
}

// silent is what an area no longer does, as far as the manifests say.
func (as Areas) silent(gone area, after set) Silent {
	s := Silent{
		Area: gone.id, Hooks: gone.lines["on hook"], Subscriptions: gone.lines["on event"],
		Schedules: gone.lines["schedule"], HeardBy: []string{}, DataKept: true,
	}
	for _, a := range as.enabled {
		if after[a.id] && slices.Contains(a.listens, gone.id) {
			s.HeardBy = append(s.HeardBy, a.id)
		}
	}

	return s
}

func (s *Sets) count(ctx context.Context, gone *Silent) (err error) {
	if s.counts.Operations == nil {
		return nil
	}
	gone.Operations = s.counts.Operations(gone.Area)
	if gone.WaitingJobs, err = s.counts.Jobs(ctx, gone.Area); err != nil {
		return err
	}
	gone.WaitingEvents, err = s.counts.Events(ctx, gone.Area)

	return err
}

// Refusal says why Apply refuses the plan, nil if it is not.
func (p Plan) Refusal() error {
	switch {
	case len(p.Needs) > 0:
		return errNeeds.WithMessage("%s. Switch on the areas that it needs too, or send cascade.", sentence(p.Needs, "needs")).
			WithDetail("needs", p.Needs)
	case len(p.NeededBy) > 0:
		return errNeededBy.WithMessage("%s. Switch off the areas that need it too, or send cascade.", sentence(p.NeededBy, "is needed by")).
			WithDetail("needed_by", p.NeededBy)
	default:
		return nil
	}
}

// sentence says what stands to what: "sms is needed by carriers, loads; …".
func sentence(areas map[string][]string, verb string) string {
	parts := make([]string, 0, len(areas))
	for _, id := range slices.Sorted(maps.Keys(areas)) {
		parts = append(parts, id+" "+verb+" "+strings.Join(areas[id], ", "))
	}

	return strings.Join(parts, "; ")
}
