package store

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

// Subscription is a row of billing_subscriptions. A company has at most one that has not ended.
type Subscription struct {
	resource.Row

	Plan         uuid.UUID      `json:"plan_uuid" gorm:"column:plan_id" field:"readonly"`
	Code         string         `json:"plan_code" gorm:"column:plan_code" field:"readonly,sort,search,title"`
	PlanVersion  int64          `json:"plan_version" field:"readonly"`
	Interval     terms.Interval `json:"interval" gorm:"column:every" field:"readonly" enum:"month,year"`
	Price        money.Amount   `json:"price" field:"readonly" doc:"For an interval, without tax."`
	Currency     money.Currency `json:"currency" field:"readonly"`
	State        Status         `json:"state" field:"sort"`
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
func (Subscription) TableName() string { return "billing_subscriptions" }

// SchemaName implements web.SchemaNamer.
func (Subscription) SchemaName() string { return "Subscription" }

// Status is the state of a subscription.
type Status string

// The states of subscriptions.
const (
	Incomplete Status = "incomplete"
	Trialing   Status = "trialing"
	Active     Status = "active"
	PastDue    Status = "past_due"
	Unpaid     Status = "unpaid"
	Paused     Status = "paused"
	Canceled   Status = "canceled"
	Lapsed     Status = "incomplete_expired"
)

// Verbs of subscriptions. Those of the service's own are no operations.
const (
	VerbTrial    resource.Verb = "start_trial"
	VerbActivate resource.Verb = "activate"
	VerbFallDue  resource.Verb = "fall_due"
	VerbUnpaid   resource.Verb = "mark_unpaid"
	VerbLapse    resource.Verb = "lapse"
	VerbPause    resource.Verb = "pause"
	VerbResume   resource.Verb = "resume"
	VerbCancel   resource.Verb = "cancel"

	VerbPlan    resource.Verb = "change_plan"
	VerbMethod  resource.Verb = "change_payment_method"
	VerbAdvance resource.Verb = "advance"
	VerbCharge  resource.Verb = "charge"
)

// ended are the states of subscriptions that are over.
var ended = []Status{Canceled, Lapsed}

// SubscriptionRules are the rules of subscriptions.
func SubscriptionRules() resource.Rules[Subscription] {
	service := state.Who{Kinds: []principal.Kind{principal.System}}

	return resource.Rules[Subscription]{
		Item: "billing.subscription", Sort: []string{"-created_at"}, KeepDeleted: true,
		About: "The company's subscription to a plan.",
		Own: []resource.Verb{
			resource.Create, resource.Update, resource.Delete, resource.Restore, VerbPause, VerbResume, VerbCancel,
		},
		Life: resource.LifeOf(state.Machine[Status]{
			Item: "billing.subscription", Initial: Incomplete, Final: ended,
			Steps: []state.Step[Status]{
				{From: []Status{Incomplete}, Verb: string(VerbTrial), To: Trialing, Who: service},
				{From: []Status{Incomplete, Trialing, PastDue, Unpaid}, Verb: string(VerbActivate), To: Active, Who: service},
				{From: []Status{Active}, Verb: string(VerbFallDue), To: PastDue, Who: service},
				{From: []Status{PastDue}, Verb: string(VerbUnpaid), To: Unpaid, Who: service},
				{From: []Status{Incomplete}, Verb: string(VerbLapse), To: Lapsed, Who: service},
				{From: []Status{Active}, Verb: string(VerbPause), To: Paused},
				{From: []Status{Paused}, Verb: string(VerbResume), To: Active},
				{From: []Status{Incomplete, Trialing, Active, PastDue, Unpaid, Paused}, Verb: string(VerbCancel), To: Canceled},
			},
		}, func(s *Subscription) *Status { return &s.State }),
	}
}

// Open reports whether the subscription has not ended.
func (s *Subscription) Open() bool { return s.State != Canceled && s.State != Lapsed }

// Granted reports whether the company has the features of the plan in a state, and whether the state decides about features at all: a
// subscription that never became active changes none.
func Granted(s Status) (full, decides bool) {
	switch s {
	case Trialing, Active, PastDue:
		return true, true
	case Unpaid, Paused, Canceled:
		return false, true
	default:
		return false, false
	}
}

// Running is the current period.
func (s *Subscription) Running() terms.Running {
	units, _ := money.Money{Amount: s.Price, Currency: s.Currency}.Units()

	return terms.Running{Price: terms.Price{Units: units, Interval: s.Interval}, End: s.PeriodEnd, Days: s.PeriodDays}
}

// SetPlan gives the subscription a plan.
func (s *Subscription) SetPlan(p Plan) {
	s.Plan, s.Code, s.PlanVersion, s.Interval, s.Price, s.Currency, s.NextPlan = p.ID, p.Code, p.Version, p.Interval, p.Price, p.Currency, nil
}

// BeginPeriod begins a period on a day. A new anchor counts the periods from this day on.
func (s *Subscription) BeginPeriod(on field.Date, anchor bool) {
	if anchor || s.AnchorOn == "" {
		s.AnchorOn = on
	}
	s.PeriodStart, s.PeriodEnd = on, s.Interval.Next(s.AnchorOn, on)
	s.PeriodDays = terms.Days(s.PeriodStart, s.PeriodEnd)
}

// Pause keeps the days of the period that are left, the day of the pause among them.
func (s *Subscription) Pause(on field.Date) {
	s.PausedOn, s.DaysLeft = on, max(terms.Days(on, s.PeriodEnd), 0)
}

// Unpause continues the period with the days that were left. The next periods are counted from its end.
func (s *Subscription) Unpause(on field.Date) {
	s.PeriodStart, s.PeriodEnd = on, terms.AddDays(on, int(s.DaysLeft))
	s.AnchorOn, s.PausedOn, s.DaysLeft = s.PeriodEnd, "", 0
}

// Lengthened reports whether a pause has lengthened the current period: the next ones are counted from its end.
func (s *Subscription) Lengthened() bool { return s.AnchorOn == s.PeriodEnd }

// Overdue returns how far dunning is.
func (s *Subscription) Overdue() terms.Overdue {
	return terms.Overdue{Since: s.OverdueSince, Tried: s.TriedOn, Hard: s.Hard}
}

// Task is what the service does next with a subscription.
type Task string

// What the service does with subscriptions.
const (
	TaskNone   Task = ""
	TaskWarn   Task = "warn"
	TaskRenew  Task = "renew" // the trial or the period is over
	TaskCharge Task = "charge"
	TaskUnpaid Task = "unpaid"
	TaskCancel Task = "cancel"
	TaskLapse  Task = "lapse"
	// TaskCollect charges the invoice of a period that has begun.
	TaskCollect Task = "collect"
)

// NextTask decides what the service does next with a subscription, and on which day. An incomplete one lapses at a time of day, which
// is its NextAt.
func (s *Subscription) NextTask(noticeDays int) (Task, field.Date) {
	switch s.State {
	case Incomplete:
		return TaskLapse, ""
	case Trialing:
		if notice := terms.AddDays(s.TrialEndsOn, -noticeDays); !s.Warned && noticeDays > 0 {
			return TaskWarn, notice
		}

		return TaskRenew, s.TrialEndsOn
	case Active:
		if s.Uncollected {
			return TaskCollect, ""
		}

		return TaskRenew, s.PeriodEnd
	case PastDue:
		step, day := Dunning.Next(s.Overdue())
		if step == terms.StepCharge {
			return TaskCharge, day
		}

		return TaskUnpaid, day
	case Unpaid:
		return TaskCancel, Dunning.CancelOn(s.OverdueSince)
	default:
		return TaskNone, ""
	}
}

// Schedule sets when the service looks at the subscription again.
func (s *Subscription) Schedule(noticeDays int, zone *time.Location) {
	if s.State == Incomplete || s.State == Active && s.Uncollected {
		return // until its first payment, or its end, which is set; or it is due already
	}
	next, day := s.NextTask(noticeDays)
	if next == TaskNone {
		s.NextAt = nil

		return
	}
	s.NextAt = new(terms.Begin(day, zone))
}
