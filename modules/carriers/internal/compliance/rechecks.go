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
		var changes []store.VerdictChange
		for i, made := range verdicts {
			v := made.verdict
			if err := r.stored.KeepVerdict(ctx, carriers[i].ID, string(v.Status), strings.Join(codesOf(v), " "), v.CheckedAt); err != nil {
				return err
			}
			if change, is := changeOf(&carriers[i], v); is {
				changes = append(changes, change)
			}
		}
		if err := r.stored.KeepChanges(ctx, changes); err != nil {
			return err
		}

		return r.bus.Publish(ctx, reportsOf(changes)...)
	})
}

// changeOf is the change of the verdict on a carrier, if its status is another one than before.
func changeOf(c *store.Carrier, v verdict.Verdict) (change store.VerdictChange, is bool) {
	from := c.LastVerdict()

	return store.VerdictChange{
		ID: database.NewID(), CarrierID: c.ID, At: v.CheckedAt, FromStatus: string(from), ToStatus: string(v.Status), Codes: strings.Join(codesOf(v), " "),
	}, from != v.Status
}

// reportsOf are the events of changes.
func reportsOf(changes []store.VerdictChange) (all []events.Event) {
	for _, c := range changes {
		all = append(all, carriersapi.ComplianceChanged{
			Carrier: c.CarrierID.String(), From: c.FromStatus, To: c.ToStatus, Codes: append([]string{}, strings.Fields(c.Codes)...),
		})
	}

	return all
}

// codesOf returns the codes of blockers and warnings.
func codesOf(v verdict.Verdict) []string {
	codes := []string{}
	for _, f := range slices.Concat(v.Blockers, v.Warnings) {
		codes = append(codes, f.Code)
	}

	return codes
}
