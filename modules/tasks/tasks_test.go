package tasks_test

import (
	"fmt"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"

	"github.com/dispatchd/dispatchd/modules/collections"
	"github.com/dispatchd/dispatchd/modules/tasks"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/identity"
	"github.com/dispatchd/dispatchd/platform/module"
	"github.com/dispatchd/dispatchd/platform/moduletest"
)

const base = "/tasks/api/v1/tasks"

type object = map[string]any

func each(t *testing.T, test func(t *testing.T, a *moduletest.App)) {
	t.Helper()
	moduletest.BootEach(t, []module.Module{collections.Module, tasks.Module}, test)
}

func post(t *testing.T, a *moduletest.App, path string, body any) moduletest.Response {
	t.Helper()

	return a.Call(t, a.Owner.Token, http.MethodPost, path, body)
}

// newTask returns the path of a new task.
func newTask(t *testing.T, a *moduletest.App, body object) string {
	t.Helper()
	if body["title"] == nil {
		body["title"] = "Call the shipper"
	}

	return post(t, a, base, body).OK(t).Header.Get("Location")
}

func read(t *testing.T, a *moduletest.App, path string) gjson.Result {
	t.Helper()

	return gjson.ParseBytes(a.Call(t, a.Owner.Token, http.MethodGet, path, nil).OK(t).Body)
}

func in(d time.Duration) string { return clock.System{}.Now().Add(d).Format(time.RFC3339Nano) }

func me(t *testing.T, a *moduletest.App) string {
	t.Helper()

	return read(t, a, newTask(t, a, object{})).Get("created_by").String()
}

func count(names []string, name string) (n int) {
	for _, one := range names {
		if one == name {
			n++
		}
	}

	return n
}

func TestTask_IsDoneAndReopened(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, a *moduletest.App) {
		t.Helper()
		at := newTask(t, a, object{"checklist": []object{{"text": "Gate code"}}, "due_at": "2030-01-07T09:00:00-06:00"})
		require.Equal(t, "2030-01-07T15:00:00Z", read(t, a, at).Get("due_at").String())
		post(t, a, at+"/start", nil).OK(t)
		made := post(t, a, at+"/complete", nil).OK(t)
		require.Equal(t, "done", made.Get("state").String())
		require.NotEmpty(t, made.Get("completed_at").String())
		post(t, a, at+"/complete", nil).Refused(t, http.StatusConflict, "state.not_allowed")
		post(t, a, at+"/snooze", object{"until": in(time.Hour)}).Refused(t, http.StatusConflict, "tasks.not_pending")
		require.Equal(t, "null", post(t, a, at+"/reopen", nil).OK(t).Get("completed_at").Raw)
		require.Equal(t, "cancelled", post(t, a, at+"/cancel", nil).OK(t).Get("state").String())
		require.Equal(t, []string{"tasks.task.completed"}, a.EventNames(t, a.Owner))
	})
}

func TestTask_ComesAgainOnceWhenItIsDone(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, a *moduletest.App) {
		t.Helper()
		at := newTask(t, a, object{
			"due_at": "2030-01-07T15:00:00Z", "recurrence": "rrule:freq=weekly;count=2", "checklist": []object{{"text": "Gate code", "done": true}},
		})
		require.Equal(t, "FREQ=WEEKLY;COUNT=2", read(t, a, at).Get("recurrence").String())
		next := base + "/" + post(t, a, at+"/complete", nil).OK(t).Get("next_uuid").String()
		made := read(t, a, next)
		require.Equal(t, "2030-01-14T15:00:00Z", made.Get("due_at").String())
		require.Equal(t, "open", made.Get("state").String())
		require.False(t, made.Get("checklist.0.done").Bool())
		post(t, a, at+"/reopen", nil).OK(t)
		post(t, a, at+"/complete", nil).OK(t)
		require.Equal(t, int64(2), read(t, a, base).Get("data.#").Int(), "completed twice, there is one next")
		require.Equal(t, "null", post(t, a, next+"/complete", nil).OK(t).Get("next_uuid").Raw, "the series is over")
	})
}

func TestTask_RecursByTheCalendarOfTheCompany(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, a *moduletest.App) {
		t.Helper()
		company, err := a.Identity.Company(t.Context(), a.Owner.ID)
		require.NoError(t, err)
		company.TimeZone = "America/Chicago"
		_, err = a.Identity.UpdateCompany(t.Context(), company)
		require.NoError(t, err)
		for _, series := range []struct {
			rule string
			due  []string
		}{
			{"FREQ=MONTHLY;BYMONTHDAY=31", []string{"2031-01-31T18:00:00Z", "2031-03-31T17:00:00Z", "2031-05-31T17:00:00Z"}},
			{"FREQ=DAILY", []string{"2031-03-08T08:30:00Z", "2031-03-09T08:30:00Z", "2031-03-10T07:30:00Z"}}, // 2:30, which the 9th does not have
		} {
			at := newTask(t, a, object{"due_at": series.due[0], "recurrence": series.rule, "remind_before_minutes": 0})
			for _, due := range series.due[1:] {
				next := base + "/" + post(t, a, at+"/complete", nil).OK(t).Get("next_uuid").String()
				post(t, a, at+"/complete", nil).Refused(t, http.StatusConflict, "state.not_allowed")
				post(t, a, at+"/reopen", nil).OK(t)
				require.Equal(t, next, base+"/"+post(t, a, at+"/complete", nil).OK(t).Get("next_uuid").String(), "completed twice, there is one next")
				at = next
				require.Equal(t, due, read(t, a, at).Get("due_at").String(), series.rule)
				require.EqualValues(t, 0, read(t, a, at).Get("remind_before_minutes").Int(), "it reminds when it is due")
			}
		}
	})
}

func TestTasks_WrittenTogetherRecurRemindAndTellTheirAssignees(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, a *moduletest.App) {
		t.Helper()
		values := object{
			"title": "Send the statement", "due_at": in(time.Hour), "recurrence": "freq=monthly", "remind_before_minutes": 60, "assignee_uuid": me(t, a),
		}
		took := map[int]int64{}
		for _, n := range []int{10, 100} {
			items := make([]object, n)
			for i := range items {
				items[i] = object{"do": "create", "payload": values}
			}
			items[n-1] = object{"do": "create", "payload": object{"title": "Never due", "recurrence": "freq=monthly"}}
			took[n] = a.Sent(func() {
				made := post(t, a, "/collections/api/v1/collections/tasks.task/bulk", object{"atomic": false, "items": items}).OK(t)
				require.EqualValues(t, n-1, made.Get("meta.succeeded").Int())
				require.True(t, made.Get(fmt.Sprintf(`data.%d.error.errors.payload\.due_at`, n-1)).Exists())
				require.Equal(t, "FREQ=MONTHLY", made.Get("data.0.record.recurrence").String())
			})
		}
		require.Less(t, took[100], took[10]+30, "%v", took)
		require.Equal(t, 9+99, count(a.EventNames(t, a.Owner), "tasks.task.assigned"))
		a.Eventually(t, func() bool { return count(a.EventNames(t, a.Owner), "tasks.task.reminded") == 9+99 }, "each reminds at once")
	})
}

func TestTask_RefusesARecurrenceThatIsNone(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, a *moduletest.App) {
		t.Helper()
		for recurrence, due := range map[string]any{
			"weekly": "2030-01-07T15:00:00Z", "FREQ=HOURLY": "2030-01-07T15:00:00Z", "FREQ=DAILY;BYHOUR=3": "2030-01-07T15:00:00Z",
			"FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30": "2030-01-07T15:00:00Z", "FREQ=DAILY;INTERVAL=100000": "2030-01-07T15:00:00Z",
			"FREQ=DAILY;BYMONTH=13": "2030-01-07T15:00:00Z", "FREQ=DAILY": nil, "FREQ=WEEKLY": "0001-01-07T15:00:00Z",
			"FREQ=DAILY;COUNT=1": "2030-01-07T15:00:00Z", "DTSTART:20300107T150000Z\nRRULE:FREQ=DAILY": "2030-01-07T15:00:00Z",
		} {
			refused := post(t, a, base, object{"title": "x", "recurrence": recurrence, "due_at": due})
			require.Equal(t, http.StatusUnprocessableEntity, refused.Status, recurrence)
			require.Equal(t, "tasks.invalid_task", refused.Get("code").String(), "%s: %s", recurrence, refused.Body)
		}
	})
}

func TestTask_TellsWhoItIsAssignedTo(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, a *moduletest.App) {
		t.Helper()
		bob, err := a.Identity.CreateUser(t.Context(), identity.NewUser{Company: a.Owner.ID, Name: "Bob", Email: "bob@example.com", Role: identity.Dispatcher})
		require.NoError(t, err)
		at := newTask(t, a, object{"assignee_uuid": me(t, a)})
		a.Call(t, a.Owner.Token, http.MethodPatch, at, object{"assignee_uuid": bob.ID}).OK(t)
		a.Call(t, a.Owner.Token, http.MethodPatch, at, object{"title": "Another title"}).OK(t)
		require.Equal(t, []string{"tasks.task.assigned", "tasks.task.assigned"}, a.EventNames(t, a.Owner))
		require.Equal(t, bob.ID.String(), a.Events(t, a.Owner)[1].Get("assignee_uuid").String())
		post(t, a, base, object{"title": "x", "assignee_uuid": uuid.New()}).Refused(t, http.StatusUnprocessableEntity, "tasks.invalid_task")
	})
}

func TestTask_RemindsBeforeItIsDue(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, a *moduletest.App) {
		t.Helper()
		reminded := func() int { return count(a.EventNames(t, a.Owner), "tasks.task.reminded") }
		at := newTask(t, a, object{"due_at": in(time.Hour)})
		moved := newTask(t, a, object{"due_at": in(59*time.Minute + 500*time.Millisecond), "remind_before_minutes": 59})
		a.Call(t, a.Owner.Token, http.MethodPatch, moved, object{"due_at": in(24 * time.Hour)}).OK(t)
		a.Call(t, a.Owner.Token, http.MethodPatch, at, object{"remind_before_minutes": 60}).OK(t)
		a.Eventually(t, func() bool { return reminded() > 0 }, "it reminds")
		newTask(t, a, object{"due_at": in(time.Second), "remind_before_minutes": 0})
		a.Eventually(t, func() bool { return reminded() > 1 }, "another one reminds")
		require.Equal(t, 2, reminded(), "the one that was moved does not")
	})
}

func TestMine_ListsWhatTheCallerIsToDoByWhenItIsDue(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, a *moduletest.App) {
		t.Helper()
		user := me(t, a)
		for title, due := range map[string]any{"Whenever": nil, "Next year": in(9000 * time.Hour), "Overdue": in(-time.Hour), "Done": in(time.Hour), "Snoozed": in(time.Hour)} {
			at := newTask(t, a, object{"title": title, "due_at": due, "assignee_uuid": user})
			switch title {
			case "Done":
				post(t, a, at+"/complete", nil).OK(t)
			case "Snoozed":
				post(t, a, at+"/snooze", object{"until": in(time.Hour)}).OK(t)
			}
		}
		const mine = "/tasks/api/v1/mine"
		require.JSONEq(t, `["Overdue", "Next year", "Whenever"]`, read(t, a, mine).Get("data.#.title").Raw)
		page := read(t, a, mine+"?per_page=1")
		require.JSONEq(t, `["Next year"]`, read(t, a, mine+"?per_page=1&cursor="+page.Get("meta.next_cursor").String()).Get("data.#.title").Raw)
		require.JSONEq(t, `["Done"]`, read(t, a, mine+"?filter[state]=done").Get("data.#.title").Raw)
		require.JSONEq(t, `["Snoozed"]`, read(t, a, mine+"?filter[snoozed_until][null]=false").Get("data.#.title").Raw)
		require.Zero(t, read(t, a, mine+"?filter[assignee_uuid]="+uuid.NewString()).Get("data.#").Int()-3, "it is always the caller")
		a.Call(t, a.Token(t, a.Owner, "tasks:read"), http.MethodGet, mine, nil).Refused(t, http.StatusConflict, "tasks.no_user")
	})
}

func TestSnooze_EndsByItselfAndReminds(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, a *moduletest.App) {
		t.Helper()
		at := newTask(t, a, object{})
		post(t, a, at+"/snooze", object{"until": in(-time.Hour)}).Refused(t, http.StatusUnprocessableEntity, "tasks.invalid_snooze")
		post(t, a, at+"/snooze", object{"until": in(time.Hour)}).OK(t)
		require.Equal(t, "null", post(t, a, at+"/snooze", object{"until": nil}).OK(t).Get("snoozed_until").Raw)
		post(t, a, at+"/snooze", object{"until": in(300 * time.Millisecond)}).OK(t)
		a.Eventually(t, func() bool { return slices.Contains(a.EventNames(t, a.Owner), "tasks.task.reminded") }, "it is back")
		require.Equal(t, "null", read(t, a, at).Get("snoozed_until").Raw)
	})
}
