package compliance

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/carriers/carriersapi"
	"github.com/dispatchd/dispatchd/modules/carriers/internal/store"
	"github.com/dispatchd/dispatchd/modules/carriers/internal/verdict"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/events"
	"github.com/dispatchd/dispatchd/platform/principal"
)

const (
	// RecheckEvery is how often the verdicts of all carriers are checked again: certificates expire, and the regulator's data change.
	RecheckEvery = 24 * time.Hour
	// recheckBatch is how many carriers a job checks.
	recheckBatch = 200
)

// Rechecks judge carriers again when something changed, and store the results with the carriers.
type Rechecks struct {
	roster *store.Roster
	judge  *Judge
	stored *store.Repository
	bus    *events.Bus
	again  *Scheduler
}

// NewRechecks returns a Rechecks.
func NewRechecks(r *store.Roster, j *Judge, stored *store.Repository, bus *events.Bus, again *Scheduler) *Rechecks {
	return &Rechecks{r, j, stored, bus, again}
}

// Recheck is the job that checks the verdicts of some carriers of a company again.
type Recheck struct {
	Carriers []uuid.UUID `json:"carriers"`
}

// Kind implements jobs.Args.
func (Recheck) Kind() string { return "carriers.recheck" }

// RecheckAll is the job that has the verdicts of all carriers of all companies checked again.
type RecheckAll struct{}

// Kind implements jobs.Args.
func (RecheckAll) Kind() string { return "carriers.recheck_all" }

// RecheckCompany is the job that has the verdicts of all carriers of its company checked again.
type RecheckCompany struct{}

// Kind implements jobs.Args.
func (RecheckCompany) Kind() string { return "carriers.recheck_company" }

// CheckCompany runs that job.
func (r *Rechecks) CheckCompany(ctx context.Context, _ RecheckCompany) error {
	ids, err := r.stored.IDs(ctx)
	if err != nil {
		return err
	}

	return r.roster.InTx(ctx, func(ctx context.Context) error { return r.again.Schedule(ctx, ids...) })
}

// CheckAll has the verdicts of all carriers of all companies checked again.
func (r *Rechecks) CheckAll(ctx context.Context, _ RecheckAll) error {
	companies, err := r.stored.Companies(ctx)
	if err != nil {
		return err
	}
	for _, company := range companies {
		ctx := principal.AsCompany(ctx, company)
		if err := r.roster.InTx(ctx, func(ctx context.Context) error {
			return r.again.scheduleCompany(ctx)
		}); err != nil {
			return err
		}
	}

	return nil
}

// Check checks the verdicts of some carriers of a company again, and stores and reports those that changed.
func (r *Rechecks) Check(ctx context.Context, args Recheck) error {
	return r.roster.InTx(ctx, func(ctx context.Context) error {
		carriers, err := r.roster.HoldSome(ctx, args.Carriers)
		if err != nil || len(carriers) == 0 {
			return err
		}
		verdicts, err := r.judge.verdicts(ctx, nil, carriers...)
		if err != nil {
			return err
		}
		var changed []events.Event
		var changes []store.VerdictChange
		for i, made := range verdicts {
			v := made.verdict
			codes := codesOf(v)
			if err := r.stored.KeepVerdict(ctx, carriers[i].ID, string(v.Status), strings.Join(codes, " "), v.CheckedAt); err != nil {
				return err
			}
			if from := carriers[i].LastVerdict(); from != v.Status {
				changes = append(changes, store.VerdictChange{
					ID: database.NewID(), CarrierID: carriers[i].ID, At: v.CheckedAt, FromStatus: string(from), ToStatus: string(v.Status),
					Codes: strings.Join(codes, " "),
				})
				changed = append(changed, carriersapi.ComplianceChanged{
					Carrier: carriers[i].ID.String(), From: string(from), To: string(v.Status), Codes: codes,
				})
			}
		}

		if err := r.stored.KeepChanges(ctx, changes); err != nil {
			return err
		}

		return r.bus.Publish(ctx, changed...)
	})
}

// codesOf returns the codes of blockers and warnings.
func codesOf(v verdict.Verdict) []string {
	codes := []string{}
	for _, f := range slices.Concat(v.Blockers, v.Warnings) {
		codes = append(codes, f.Code)
	}

	return codes
}
