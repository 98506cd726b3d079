package carriers

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/carriers/carriersapi"
	"github.com/dispatchd/dispatchd/modules/carriers/internal/packet"
	"github.com/dispatchd/dispatchd/modules/carriers/internal/registry"
	"github.com/dispatchd/dispatchd/modules/carriers/internal/verdict"
	"github.com/dispatchd/dispatchd/modules/regulator/regulatorapi"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/events"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/jobs"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/resource"
)

const (
	// recheckEvery is how often the verdicts of all carriers are checked again: certificates expire, and the regulator's data change.
	recheckEvery = 24 * time.Hour
	// mostConfirmations is how many identity confirmations are kept per carrier.
	mostConfirmations = 20
	// recheckBatch is how many carriers a job checks.
	recheckBatch = 200
)

// judge computes verdicts and stores their results with the carriers.
type judge struct {
	carriers *resource.Resource[carrier]
	remits   *resource.Resource[remitChange]
	packets  *resource.Resource[packet.Packet]
	stored   *repository
	registry *registry.Registry
	book     *book
	db       *database.DB
	bus      *events.Bus
	queue    *jobs.Queue
	clock    clock.Clock
	// defaults are the rules of a company without rules of its own.
	defaults *verdict.Rules
}

func newJudge(
	carriers *resource.Resource[carrier], remits *resource.Resource[remitChange], packets *resource.Resource[packet.Packet], stored *repository, registry *registry.Registry, b *book,
	bus *events.Bus, queue *jobs.Queue, c clock.Clock,
) (*judge, error) {
	defaults, err := verdict.Compile(verdict.Defaults)

	return &judge{
		carriers: carriers, remits: remits, packets: packets, stored: stored, registry: registry, book: b, db: stored.db, bus: bus, queue: queue, clock: c,
		defaults: defaults,
	}, err
}

// rules returns the compiled rules of the caller's company.
func (j *judge) rules(ctx context.Context) (*verdict.Rules, error) {
	own, err := j.book.own(ctx)
	if err != nil || len(own) == 0 {
		return j.defaults, err
	}

	return verdict.Compile(effective(own))
}

// facts returns the regulator's facts about a carrier.
func (j *judge) facts(ctx context.Context, c *carrier) (regulatorapi.Facts, error) {
	return j.registry.Of(ctx, c.USDOT, c.Docket)
}

// judged is a verdict and the facts that it is based on.
type judged struct {
	verdict verdict.Verdict
	facts   regulatorapi.Facts
}

// verdicts returns the verdicts of carriers of the caller's company for a load, or for none if it is nil.
func (j *judge) verdicts(ctx context.Context, load *verdict.Load, carriers ...carrier) ([]judged, error) {
	rules, err := j.rules(ctx)
	if err != nil {
		return nil, err
	}
	today, err := j.carriers.Today(ctx)
	if err != nil {
		return nil, err
	}
	ids := make([]uuid.UUID, len(carriers))
	for i := range carriers {
		ids[i] = carriers[i].ID
	}
	overrides, err := j.book.overridden(ctx, today, ids...)
	if err != nil {
		return nil, err
	}
	remitTos, err := j.remitTos(ctx, ids...)
	if err != nil {
		return nil, err
	}
	records, err := j.records(ctx, today, ids...)
	if err != nil {
		return nil, err
	}
	asked, err := packet.Contacts(ctx, j.packets, ids...)
	if err != nil {
		return nil, err
	}
	all := make([]judged, len(carriers))
	for i := range carriers {
		f, err := j.facts(ctx, &carriers[i])
		if err != nil {
			return nil, err
		}
		own := carriers[i].own()
		own.Cargo = carriers[i].cargo(dayOf(load, today))
		remitTos[carriers[i].ID].facts(&own)
		records[carriers[i].ID].facts(&own)
		addContacts(&own, asked[carriers[i].ID])
		all[i] = judged{rules.Judge(verdict.Subject{Facts: f, Own: own, Load: load, Day: today, At: j.clock.Now()}, overrides[carriers[i].ID]), f}
	}

	return all, nil
}

// stranger returns the verdict of a carrier that the company does not have.
func (j *judge) stranger(ctx context.Context, f regulatorapi.Facts, load *verdict.Load) (verdict.Verdict, error) {
	rules, err := j.rules(ctx)
	if err != nil {
		return verdict.Verdict{}, err
	}
	today, err := j.carriers.Today(ctx)

	return rules.Judge(verdict.Subject{Facts: f, Load: load, Day: today, At: j.clock.Now()}, nil), err
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
func (j *judge) afterChange(ctx context.Context, all []*resource.Change[carrier]) error {
	var ids []uuid.UUID
	for _, c := range all {
		if c.Verb != resource.Delete {
			ids = append(ids, c.After.ID)
		}
	}

	return j.enqueue(ctx, ids)
}

// reportBans publishes which carriers are do_not_use from now on, by whichever change.
func (j *judge) reportBans(ctx context.Context, all []*resource.Change[carrier]) error {
	var banned []events.Event
	for _, c := range all {
		if c.After.Status == doNotUse && c.Verb != resource.Delete && (c.Before == nil || c.Before.Status != doNotUse) {
			banned = append(banned, carriersapi.Banned{Carrier: c.After.ID.String()})
		}
	}

	return j.bus.Publish(ctx, banned...)
}

// afterOverride has the verdicts of carriers checked again whose overrides changed.
func (j *judge) afterOverride(ctx context.Context, all []*resource.Change[override]) error {
	ids := make([]uuid.UUID, len(all))
	for i, c := range all {
		ids[i] = c.After.Carrier
	}

	return j.enqueue(ctx, distinct(ids))
}

// afterRule has the verdicts of all carriers of the company checked again.
func (j *judge) afterRule(ctx context.Context, _ []*resource.Change[rule]) error {
	return j.queue.Enqueue(ctx, recheckCompany{}, jobs.Unique())
}

func (j *judge) enqueue(ctx context.Context, ids []uuid.UUID) error {
	var batch []jobs.Job
	for some := range slices.Chunk(ids, recheckBatch) {
		batch = append(batch, jobs.Job{Args: recheck{some}})
	}

	return j.queue.EnqueueMany(ctx, batch...)
}

// recheckCompany is the job that has the verdicts of all carriers of its company checked again.
type recheckCompany struct{}

// Kind implements jobs.Args.
func (recheckCompany) Kind() string { return "carriers.recheck_company" }

func (j *judge) recheckCompany(ctx context.Context, _ recheckCompany) error {
	ids, err := j.stored.ids(ctx)
	if err != nil {
		return err
	}

	return j.db.InTx(ctx, func(ctx context.Context) error { return j.enqueue(ctx, ids) })
}

func (j *judge) recheckAll(ctx context.Context, _ recheckAll) error {
	companies, err := j.stored.companies(ctx)
	if err != nil {
		return err
	}
	for _, company := range companies {
		ctx := principal.AsCompany(ctx, company)
		if err := j.db.InTx(ctx, func(ctx context.Context) error {
			return j.queue.Enqueue(ctx, recheckCompany{}, jobs.Unique(), jobs.Background())
		}); err != nil {
			return err
		}
	}

	return nil
}

func (j *judge) recheck(ctx context.Context, args recheck) error {
	return j.db.InTx(ctx, func(ctx context.Context) error {
		carriers, err := j.holdSome(ctx, args.Carriers)
		if err != nil || len(carriers) == 0 {
			return err
		}
		verdicts, err := j.verdicts(ctx, nil, carriers...)
		if err != nil {
			return err
		}
		var told []events.Event
		var changes []verdictRow
		for i, made := range verdicts {
			v := made.verdict
			codes := codesOf(v)
			if err := j.stored.keepVerdict(ctx, carriers[i].ID, string(v.Status), strings.Join(codes, " "), v.CheckedAt); err != nil {
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

		if err := j.stored.keepChanges(ctx, changes); err != nil {
			return err
		}

		return j.bus.Publish(ctx, told...)
	})
}

// holdSome returns the existing carriers among some, and locks them until the transaction ends.
func (j *judge) holdSome(ctx context.Context, ids []uuid.UUID) ([]carrier, error) {
	rows, err := j.carriers.FindSome(ctx, ids)
	if err != nil {
		return nil, err
	}
	there := make([]uuid.UUID, len(rows))
	for i := range rows {
		there[i] = rows[i].ID
	}
	if err := j.carriers.Hold(ctx, there...); err != nil {
		return nil, err
	}

	return j.carriers.FindSome(ctx, there)
}

// codesOf returns the codes of blockers and warnings.
func codesOf(v verdict.Verdict) []string {
	codes := []string{}
	for _, f := range slices.Concat(v.Blockers, v.Warnings) {
		codes = append(codes, f.Code)
	}

	return codes
}

// confirm stores that the carrier was reached by a channel of the regulator's record.
func (j *judge) confirm(ctx context.Context, in *confirmInput) (row carrier, err error) {
	return j.carriers.Change(ctx, in.UUID, in.IfMatch, confirmIdentity, func(ctx context.Context, c *carrier) error {
		f, err := j.facts(ctx, c)
		if err != nil {
			return err
		}
		record := []string{f.Identity.Phone, f.Identity.CellPhone, f.Identity.Email}
		channel := normalChannel(in.Body.Channel)
		if channel == "" || !slices.Contains(record, channel) {
			return errNotOnRecord
		}
		all := append(slices.Clone(c.Identity.V), confirmation{Channel: channel, By: principal.UserOf(ctx), At: j.clock.Now().UTC(), Note: in.Body.Note})
		c.Identity.V, c.Prospect = all[max(0, len(all)-mostConfirmations):], false

		return nil
	})
}

// normalChannel returns a phone in E.164 or an e-mail in lower case, as in the regulator's record, or "".
func normalChannel(text string) string {
	raw, err := json.Marshal(text)
	if err != nil {
		return ""
	}
	var phone field.Phone
	var email field.Email
	if phone.UnmarshalJSON(raw) == nil {
		return string(phone)
	}
	if email.UnmarshalJSON(raw) == nil {
		return string(email)
	}

	return ""
}
