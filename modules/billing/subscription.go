package billing

import (
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/billing/internal/terms"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/money"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/state"
)

// subscription is a row of billing_subscriptions. A company has at most one that has not ended.
type subscription struct {
	resource.Row

	Plan         uuid.UUID      `json:"plan_uuid" gorm:"column:plan_id" field:"readonly"`
	Code         string         `json:"plan_code" gorm:"column:plan_code" field:"readonly,sort,search,title"`
	PlanVersion  int64          `json:"plan_version" field:"readonly"`
	Interval     terms.Interval `json:"interval" gorm:"column:every" field:"readonly" enum:"month,year"`
	Price        money.Amount   `json:"price" field:"readonly" doc:"For an interval, without tax."`
	Currency     money.Currency `json:"currency" field:"readonly"`
	State        status         `json:"state" field:"sort"`
	StartedOn    field.Date     `json:"started_on" field:"readonly,sort"`
	TrialEndsOn  field.Date     `json:"trial_ends_on" field:"readonly,sort" doc:"The first day after the trial; null without one."`
	AnchorOn     field.Date     `json:"anchor_on" field:"readonly" doc:"The day from which periods are counted. A period begins on the same day of the month, or on the last one of a shorter month."`
	PeriodStart  field.Date     `json:"period_start" field:"readonly,sort"`
	PeriodEnd    field.Date     `json:"period_end" field:"readonly,sort" doc:"The first day of the next period."`
	PeriodDays   int64          `json:"period_days" field:"readonly,nofilter" doc:"How many days the price of the period is for."`
	Ending       bool           `json:"cancel_at_period_end" gorm:"column:ending" field:"readonly"`
	EndedAt      *time.Time     `json:"ended_at" field:"readonly,sort"`
	CancelReason string         `json:"cancel_reason" field:"readonly,nofilter"`
	NextPlan     *uuid.UUID     `json:"next_plan_uuid" gorm:"column:next_plan_id" field:"readonly" doc:"The plan from the next period on; null for the same."`
	PausedOn     field.Date     `json:"paused_on" field:"readonly"`
	DaysLeft     int64          `json:"days_left" field:"readonly,nofilter" doc:"Days of the period that were left when the subscription was paused."`
	// Pending are the lines of the next invoice, beside the plan.
	Pending resource.JSON[[]terms.Line] `json:"pending" field:"readonly" doc:"Lines of the next invoice, beside the plan: the proration of changes, and credits that are left."`
	Card    terms.CardsID               `json:"card_uuid" gorm:"column:card" field:"readonly" doc:"The card that is charged; null for none."`

	OverdueSince field.Date `json:"overdue_since" field:"readonly,sort" doc:"Since when an invoice could not be charged; null if none is overdue."`
	TriedOn      field.Date `json:"tried_on" field:"readonly" doc:"When it was last tried."`
	Hard         bool       `json:"card_refused" gorm:"column:card_refused" field:"readonly" doc:"Whether the card must not be charged again. Choose another payment method."`
	Warned       bool       `json:"-" field:"hidden"`
	Held         bool       `json:"-" field:"hidden"` // its renewal waits until the company is no longer suspended
	Uncollected  bool       `json:"-" field:"hidden"` // the invoice of its period is to be charged, now
	NextAt       *time.Time `json:"next_at" field:"readonly,sort" doc:"When the service next renews, charges or ends it; null if it does nothing."`
}

// TableName implements GORM's naming.
func (subscription) TableName() string { return "billing_subscriptions" }

// SchemaName implements web.SchemaNamer.
func (subscription) SchemaName() string { return "Subscription" }

type status string

const (
	incomplete status = "incomplete"
	trialing   status = "trialing"
	active     status = "active"
	pastDue    status = "past_due"
	unpaid     status = "unpaid"
	paused     status = "paused"
	canceled   status = "canceled"
	lapsed     status = "incomplete_expired"
)

// Verbs of subscriptions. Those of the service's own are no operations.
const (
	verbTrial    resource.Verb = "start_trial"
	verbActivate resource.Verb = "activate"
	verbFallDue  resource.Verb = "fall_due"
	verbUnpaid   resource.Verb = "mark_unpaid"
	verbLapse    resource.Verb = "lapse"
	verbPause    resource.Verb = "pause"
	verbResume   resource.Verb = "resume"
	verbCancel   resource.Verb = "cancel"

	verbPlan    resource.Verb = "change_plan"
	verbMethod  resource.Verb = "change_payment_method"
	verbAdvance resource.Verb = "advance"
	verbCharge  resource.Verb = "charge"
)

// ended are the states of subscriptions that are over.
var ended = []status{canceled, lapsed}

func subscriptionRules() resource.Rules[subscription] {
	service := state.Who{Kinds: []principal.Kind{principal.System}}

	return resource.Rules[subscription]{
		Item: "billing.subscription", Sort: []string{"-created_at"}, KeepDeleted: true,
		About: "The company's subscription to a plan.",
		Own: []resource.Verb{
			resource.Create, resource.Update, resource.Delete, resource.Restore, verbPause, verbResume, verbCancel,
		},
		Life: resource.LifeOf(state.Machine[status]{
			Item: "billing.subscription", Initial: incomplete, Final: ended,
			Steps: []state.Step[status]{
				{From: []status{incomplete}, Verb: string(verbTrial), To: trialing, Who: service},
				{From: []status{incomplete, trialing, pastDue, unpaid}, Verb: string(verbActivate), To: active, Who: service},
				{From: []status{active}, Verb: string(verbFallDue), To: pastDue, Who: service},
				{From: []status{pastDue}, Verb: string(verbUnpaid), To: unpaid, Who: service},
				{From: []status{incomplete}, Verb: string(verbLapse), To: lapsed, Who: service},
				{From: []status{active}, Verb: string(verbPause), To: paused},
				{From: []status{paused}, Verb: string(verbResume), To: active},
				{From: []status{incomplete, trialing, active, pastDue, unpaid, paused}, Verb: string(verbCancel), To: canceled},
			},
		}, func(s *subscription) *status { return &s.State }),
	}
}

// open reports whether the subscription has not ended.
func (s *subscription) open() bool { return s.State != canceled && s.State != lapsed }

// granted reports whether the company has the features of the plan in a state, and whether the state decides about features at all: a
// subscription that never became active changes none.
func granted(s status) (full, decides bool) {
	switch s {
	case trialing, active, pastDue:
		return true, true
	case unpaid, paused, canceled:
		return false, true
	default:
		return false, false
	}
}

// running is the current period.
func (s *subscription) running() terms.Running {
	units, _ := money.Money{Amount: s.Price, Currency: s.Currency}.Units()

	return terms.Running{Price: terms.Price{Units: units, Interval: s.Interval}, End: s.PeriodEnd, Days: s.PeriodDays}
}

// setPlan gives the subscription a plan.
func (s *subscription) setPlan(p plan) {
	s.Plan, s.Code, s.PlanVersion, s.Interval, s.Price, s.Currency, s.NextPlan = p.ID, p.Code, p.Version, p.Interval, p.Price, p.Currency, nil
}

// beginPeriod begins a period on a day. A new anchor counts the periods from this day on.
func (s *subscription) beginPeriod(on field.Date, anchor bool) {
	if anchor || s.AnchorOn == "" {
		s.AnchorOn = on
	}
	s.PeriodStart, s.PeriodEnd = on, s.Interval.Next(s.AnchorOn, on)
	s.PeriodDays = terms.Days(s.PeriodStart, s.PeriodEnd)
}

// pause keeps the days of the period that are left, the day of the pause among them.
func (s *subscription) pause(on field.Date) {
	s.PausedOn, s.DaysLeft = on, max(terms.Days(on, s.PeriodEnd), 0)
}

// unpause continues the period with the days that were left. The next periods are counted from its end.
func (s *subscription) unpause(on field.Date) {
	s.PeriodStart, s.PeriodEnd = on, terms.AddDays(on, int(s.DaysLeft))
	s.AnchorOn, s.PausedOn, s.DaysLeft = s.PeriodEnd, "", 0
}

// lengthened reports whether a pause has lengthened the current period: the next ones are counted from its end.
func (s *subscription) lengthened() bool { return s.AnchorOn == s.PeriodEnd }

// overdue returns how far dunning is.
func (s *subscription) overdue() terms.Overdue {
	return terms.Overdue{Since: s.OverdueSince, Tried: s.TriedOn, Hard: s.Hard}
}

// task is what the service does next with a subscription.
type task string

const (
	taskNone   task = ""
	taskWarn   task = "warn"
	taskRenew  task = "renew" // the trial or the period is over
	taskCharge task = "charge"
	taskUnpaid task = "unpaid"
	taskCancel task = "cancel"
	taskLapse  task = "lapse"
	// taskCollect charges the invoice of a period that has begun.
	taskCollect task = "collect"
)

// nextTask decides what the service does next with a subscription, and on which day. An incomplete one lapses at a time of day, which
// is its NextAt.
func (s *subscription) nextTask(noticeDays int) (task, field.Date) {
	switch s.State {
	case incomplete:
		return taskLapse, ""
	case trialing:
		if notice := terms.AddDays(s.TrialEndsOn, -noticeDays); !s.Warned && noticeDays > 0 {
			return taskWarn, notice
		}

		return taskRenew, s.TrialEndsOn
	case active:
		if s.Uncollected {
			return taskCollect, ""
		}

		return taskRenew, s.PeriodEnd
	case pastDue:
		step, day := dunning.Next(s.overdue())
		if step == terms.StepCharge {
			return taskCharge, day
		}

		return taskUnpaid, day
	case unpaid:
		return taskCancel, dunning.CancelOn(s.OverdueSince)
	default:
		return taskNone, ""
	}
}

// schedule sets when the service looks at the subscription again.
func (s *subscription) schedule(noticeDays int, zone *time.Location) {
	if s.State == incomplete || s.State == active && s.Uncollected {
		return // until its first payment, or its end, which is set; or it is due already
	}
	next, day := s.nextTask(noticeDays)
	if next == taskNone {
		s.NextAt = nil

		return
	}
	s.NextAt = new(terms.Begin(day, zone))
}
