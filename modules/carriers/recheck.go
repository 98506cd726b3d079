package carriers

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/carriers/carriersapi"
	"github.com/dispatchd/dispatchd/modules/carriers/internal/remit"
	"github.com/dispatchd/dispatchd/modules/carriers/internal/rulebook"
	"github.com/dispatchd/dispatchd/modules/carriers/internal/verdict"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/events"
	"github.com/dispatchd/dispatchd/platform/jobs"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/resource"
)

const (
	// recheckEvery is how often the verdicts of all carriers are checked again: certificates expire, and the regulator's data change.
	recheckEvery = 24 * time.Hour
	// recheckBatch is how many carriers a job checks.
	recheckBatch = 200
)

// rechecks judge carriers again when something changed, and store the results with the carriers.
type rechecks struct {
	roster *roster
	judge  *judge
	stored *repository
	bus    *events.Bus
	queue  *jobs.Queue
}

func newRechecks(r *roster, j *judge, stored *repository, bus *events.Bus, queue *jobs.Queue) *rechecks {
	return &rechecks{r, j, stored, bus, queue}
}

// recheck is the job that checks the verdicts of some carriers of a company again.
type recheck struct {
	Carriers []uuid.UUID `json:"carriers"`
}

// Kind implements jobs.Args.
func (recheck) Kind() string { return "carriers.recheck" }

// recheckAll is the job that has the verdicts of all carriers of all companies checked again.
type recheckAll struct{}

// Kind implements jobs.Args.
func (recheckAll) Kind() string { return "carriers.recheck_all" }

// afterChange has the verdicts of changed carriers checked again.
func (r *rechecks) afterChange(ctx context.Context, all []*resource.Change[carrier]) error {
	var ids []uuid.UUID
	for _, c := range all {
		if c.Verb != resource.Delete {
			ids = append(ids, c.After.ID)
		}
	}

	return r.enqueue(ctx, ids)
}

// reportBans publishes which carriers are do_not_use from now on, by whichever change.
func (r *rechecks) reportBans(ctx context.Context, all []*resource.Change[carrier]) error {
	var banned []events.Event
	for _, c := range all {
		if c.After.Status == doNotUse && c.Verb != resource.Delete && (c.Before == nil || c.Before.Status != doNotUse) {
			banned = append(banned, carriersapi.Banned{Carrier: c.After.ID.String()})
		}
	}

	return r.bus.Publish(ctx, banned...)
}

// afterOverride has the verdicts of carriers checked again whose overrides changed.
func (r *rechecks) afterOverride(ctx context.Context, all []*resource.Change[rulebook.Override]) error {
	ids := make([]uuid.UUID, len(all))
	for i, c := range all {
		ids[i] = c.After.Carrier
	}

	return r.enqueue(ctx, distinct(ids))
}

// afterRule has the verdicts of all carriers of the company checked again.
func (r *rechecks) afterRule(ctx context.Context, _ []*resource.Change[rulebook.Rule]) error {
	return r.queue.Enqueue(ctx, recheckCompany{}, jobs.Unique())
}

func (r *rechecks) enqueue(ctx context.Context, ids []uuid.UUID) error {
	var batch []jobs.Job
	for some := range slices.Chunk(ids, recheckBatch) {
		batch = append(batch, jobs.Job{Args: recheck{some}})
	}

	return r.queue.EnqueueMany(ctx, batch...)
}

// recheckCompany is the job that has the verdicts of all carriers of its company checked again.
type recheckCompany struct{}

// Kind implements jobs.Args.
func (recheckCompany) Kind() string { return "carriers.recheck_company" }

func (r *rechecks) recheckCompany(ctx context.Context, _ recheckCompany) error {
	ids, err := r.stored.ids(ctx)
	if err != nil {
		return err
	}

	return r.roster.inTx(ctx, func(ctx context.Context) error { return r.enqueue(ctx, ids) })
}

func (r *rechecks) recheckAll(ctx context.Context, _ recheckAll) error {
	companies, err := r.stored.companies(ctx)
	if err != nil {
		return err
	}
	for _, company := range companies {
		ctx := principal.AsCompany(ctx, company)
		if err := r.roster.inTx(ctx, func(ctx context.Context) error {
			return r.queue.Enqueue(ctx, recheckCompany{}, jobs.Unique(), jobs.Background())
		}); err != nil {
			return err
		}
	}

	return nil
}

func (r *rechecks) recheck(ctx context.Context, args recheck) error {
	return r.roster.inTx(ctx, func(ctx context.Context) error {
		carriers, err := r.roster.holdSome(ctx, args.Carriers)
		if err != nil || len(carriers) == 0 {
			return err
		}
		verdicts, err := r.judge.verdicts(ctx, nil, carriers...)
		if err != nil {
			return err
		}
		var told []events.Event
		var changes []verdictRow
		for i, made := range verdicts {
			v := made.verdict
			codes := codesOf(v)
			if err := r.stored.keepVerdict(ctx, carriers[i].ID, string(v.Status), strings.Join(codes, " "), v.CheckedAt); err != nil {
				return err
			}
			if from := carriers[i].compliance(); from != v.Status {
				changes = append(changes, verdictRow{
					ID: database.NewID(), CarrierID: carriers[i].ID, At: v.CheckedAt, FromStatus: string(from), ToStatus: string(v.Status),
					Codes: strings.Join(codes, " "),
				})
				told = append(told, carriersapi.ComplianceChanged{
					Carrier: carriers[i].ID.String(), From: string(from), To: string(v.Status), Codes: codes,
				})
			}
		}

		if err := r.stored.keepChanges(ctx, changes); err != nil {
			return err
		}

		return r.bus.Publish(ctx, told...)
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

// afterRemitTo has the verdicts of carriers checked again whose remit-to changes.
func (r *rechecks) afterRemitTo(ctx context.Context, all []*resource.Change[remit.Change]) error {
	ids := make([]uuid.UUID, len(all))
	for i, c := range all {
		ids[i] = c.After.Carrier
	}

	return r.enqueue(ctx, distinct(ids))
}

// distinct sorts ids and removes duplicates.
func distinct(ids []uuid.UUID) []uuid.UUID {
	slices.SortFunc(ids, func(a, b uuid.UUID) int { return slices.Compare(a[:], b[:]) })

	return slices.Compact(ids)
}
