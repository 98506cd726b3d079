package tasks

import (
	"context"
	"maps"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/events"
	"github.com/dispatchd/dispatchd/platform/list"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/state"
	"github.com/dispatchd/dispatchd/platform/web"
)

// task is a row of tasks_tasks.
type task struct {
	resource.Row

	Title       string                 `json:"title" field:"required,max=200,sort,search,title" example:"Call the shipper"`
	Description string                 `json:"description" field:"max=10000,search"`
	Item        resource.Item          `json:"item" gorm:"embedded;embeddedPrefix:item_" doc:"The item concerned; null for none."`
	Assignee    *uuid.UUID             `json:"assignee_uuid" gorm:"column:assignee_id" field:"user" doc:"The user who is to do it."`
	DueAt       *time.Time             `json:"due_at" field:"sort" doc:"When it is due."`
	Priority    string                 `json:"priority" field:"default=normal" enum:"low,normal,high,urgent"`
	Checklist   resource.JSON[[]entry] `json:"checklist" field:"max=100"`
	Recurrence  string                 `json:"recurrence" field:"max=500" doc:"An RRULE of RFC 5545 by which the task recurs when it is done, in the company's time zone: FREQ (DAILY, WEEKLY, MONTHLY or YEARLY) with INTERVAL, COUNT, UNTIL, BYDAY, BYMONTHDAY, BYMONTH, BYSETPOS and WKST." example:"FREQ=MONTHLY;BYDAY=-1FR"`
	RecursFrom  *time.Time             `json:"recurs_from" field:"readonly,nofilter" doc:"When the first task of the series was due; the recurrence counts from it."`
	Remind      *int64                 `json:"remind_before_minutes" gorm:"column:remind_before_minutes" field:"min=0,max=527040" doc:"How long before it is due the event tasks.task.reminded is raised; null for never."`
	Snoozed     *time.Time             `json:"snoozed_until" gorm:"column:snoozed_until" field:"readonly" doc:"Time until which it is left out of /mine."`
	State       status                 `json:"state"`
	CompletedAt *time.Time             `json:"completed_at" field:"readonly,sort"`
	Next        *uuid.UUID             `json:"next_uuid" gorm:"column:next_id" field:"readonly,item=tasks.task,on_delete=clear" doc:"The next task of the series, created when this one was completed."`
}

// TableName implements GORM's naming.
func (task) TableName() string { return "tasks_tasks" }

type entry struct {
	Text string `json:"text" minLength:"1" maxLength:"500"`
	Done bool   `json:"done,omitempty"`
}

type status string

const (
	statusOpen status = "open"
	inProgress status = "in_progress"
	done       status = "done"
	cancelled  status = "cancelled"
)

// pending reports whether a task is still to be done.
func (t task) pending() bool { return t.State == statusOpen || t.State == inProgress }

// Verbs that change more than the state.
const (
	complete resource.Verb = "complete"
	cancel   resource.Verb = "cancel"
	reopen   resource.Verb = "reopen"
	snooze   resource.Verb = "snoozed"
	wake     resource.Verb = "woken"
)

func rules() resource.Rules[task] {
	return resource.Rules[task]{
		Item: "tasks.task", Sort: []string{"due_at"}, About: "Something to do, optionally about an item of any area.",
		Life: resource.LifeOf(state.Machine[status]{
			Item: "tasks.task", Initial: statusOpen,
			Steps: []state.Step[status]{
				{From: []status{statusOpen}, Verb: "start", To: inProgress},
				{From: []status{statusOpen, inProgress}, Verb: string(complete), To: done},
				{From: []status{statusOpen, inProgress}, Verb: string(cancel), To: cancelled},
				{From: []status{done, cancelled}, Verb: string(reopen), To: statusOpen},
			},
		}, func(t *task) *status { return &t.State }),
		Events: resource.Events[task]{
			complete: func(t task) events.Event { return taskCompleted{t.ID, t.Next} },
		},
	}
}

// taskAssigned is published when a task gets another assignee.
type taskAssigned struct {
	Task     uuid.UUID `json:"task_uuid"`
	Assignee uuid.UUID `json:"assignee_uuid"`
}

func (taskAssigned) EventName() string { return "tasks.task.assigned" }

type taskCompleted struct {
	Task uuid.UUID  `json:"task_uuid"`
	Next *uuid.UUID `json:"next_uuid"`
}

func (taskCompleted) EventName() string { return "tasks.task.completed" }

// taskReminded is published some time before a task is due, and when it is snoozed no longer.
type taskReminded struct {
	Task     uuid.UUID  `json:"task_uuid"`
	Assignee *uuid.UUID `json:"assignee_uuid"`
	DueAt    *time.Time `json:"due_at"`
}

func (taskReminded) EventName() string { return "tasks.task.reminded" }

var (
	errNoUser     = errs.New(errs.Conflict, "tasks.no_user", "Service tokens have no tasks of their own. Use filter[assignee_uuid] of /tasks.")
	errSnooze     = errs.New(errs.Invalid, "tasks.invalid_snooze", "The given data was invalid.")
	errNotPending = errs.New(errs.Conflict, "tasks.not_pending", "The task is done or cancelled, and cannot be snoozed. Reopen it first.")
)

type snoozeInput struct {
	web.IfMatch

	UUID uuid.UUID `path:"uuid" format:"uuid"`
	Body struct {
		Until *time.Time `json:"until" doc:"When it returns to /mine and reminds; null for now."`
	}
}

func routes(r *web.Router, s *service) {
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/tasks/{uuid}/snooze", ID: "snooze_task", Access: web.Write, Summary: "Snooze a task",
		Errors: []*errs.Error{s.tasks.NotFound(), s.tasks.Invalid(), errSnooze, errNotPending},
	}, s.snooze)
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/mine", ID: "list_my_tasks", Access: web.Read, Summary: "List the caller's tasks",
		Description: "Lists tasks that are assigned to the caller, open or in progress, and not snoozed. They are " +
			"sorted by due time, overdue tasks first and tasks without a due time last. Use filters of state and " +
			"snoozed_until for others. All parameters of the task list are supported.",
		Errors: append(list.Errors, errNoUser),
	}, s.mine)
}

func (s *service) mine(ctx context.Context, in *list.Input) (*list.Output[task], error) {
	me := principal.UserOf(ctx)
	if me == nil {
		return nil, errNoUser
	}

	return s.tasks.Listed(ctx, in.WithQuery(func(asked url.Values) url.Values {
		query := url.Values{"filter[state][in]": {string(statusOpen) + "," + string(inProgress)}, "filter[snoozed_until][null]": {"true"}}
		for key := range asked {
			switch {
			case strings.HasPrefix(key, "filter[state]"):
				query.Del("filter[state][in]")
			case strings.HasPrefix(key, "filter[snoozed_until]"):
				query.Del("filter[snoozed_until][null]")
			}
		}
		maps.Copy(query, asked)
		query.Set("filter[assignee_uuid]", me.String())

		return query
	}), false)
}
