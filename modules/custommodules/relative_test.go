package custommodules_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/fx"

	"github.com/dispatchd/dispatchd/platform/calendar"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/identity"
	"github.com/dispatchd/dispatchd/platform/moduletest"
)

// beforeMidnight has the clocks of Chicago stand half an hour before the 23rd of September.
func beforeMidnight() moduletest.Option {
	return moduletest.With(fx.Decorate(func(clock.Clock) clock.Clock {
		return clock.NewFake(time.Date(2026, 9, 23, 4, 30, 0, 0, time.UTC))
	}))
}

// tasks is a module of a company in Chicago.
func (y yard) tasks(t *testing.T) string {
	t.Helper()
	company, err := y.Identity.Company(t.Context(), y.Owner.ID)
	require.NoError(t, err)
	company.TimeZone = "America/Chicago"
	_, err = y.Identity.UpdateCompany(t.Context(), company)
	require.NoError(t, err)

	return y.module(t, "Tasks",
		object{"key": "title", "type": "text"},
		object{"key": "due", "type": "date", "default": "today 07d"},
		object{"key": "opened", "type": "datetime", "default": "now"},
		object{"key": "starts", "type": "local_datetime", "default": "start_of_week+1w+8h"},
		object{"key": "owner", "type": "user", "default": "me"})
}

// titles are those of the records that a query finds, in their order.
func (y yard) titles(t *testing.T, module, query string) string {
	t.Helper()
	var titles []string
	for _, title := range y.get(t, recordsPath+"?module_uuid="+module+"&"+query).OK(t).Get("data.#.payload.title").Array() {
		titles = append(titles, title.String())
	}

	return strings.Join(titles, " ")
}

func TestDefaults_MayBeCountedFromThePresentAndBeWhoIsCalling(t *testing.T) {
	t.Parallel()
	eachYard(t, func(t *testing.T, y yard) {
		module := y.tasks(t)
		require.Equal(t, `["today+7d","now","start_of_week+1w+8h","me"]`,
			y.get(t, modulesPath+"/"+module).OK(t).Get(`fields.#(key!="title")#.default`).Raw)

		made := y.create(t, module, object{"title": "a"}).OK(t)
		me := made.Get("created_by").String()
		require.NotEmpty(t, me)
		require.Equal(t, me, made.Get("updated_by").String())
		require.JSONEq(t, `{"title":"a","due":"2026-09-29","opened":"2026-09-23T04:30:00Z","starts":"2026-09-28 08:00:00","owner":"`+me+`"}`,
			made.Get("payload").Raw)
		require.JSONEq(t, `{"title":"b","due":null,"opened":"2026-09-23T04:30:00Z","starts":"2026-09-28 08:00:00","owner":"`+me+`"}`,
			y.create(t, module, object{"title": "b", "due": nil}).OK(t).Get("payload").Raw)

		program := y.Token(t, y.Owner, "*")
		other := y.Call(t, program, http.MethodPost, recordsPath, object{"module_uuid": module, "payload": object{"title": "c"}}).OK(t)
		require.False(t, other.Get("payload.owner").Exists(), "a program is nobody")
		require.Equal(t, "null", other.Get("created_by").Raw)

		bulk := y.bulk(t, module, true, object{"do": "create", "payload": object{"title": "d"}}).OK(t)
		require.Equal(t, "2026-09-29", bulk.Get("data.0.record.payload.due").String(), string(bulk.Body))
	}, beforeMidnight())
}

func TestDefaults_RefuseWordsThatAreNone(t *testing.T) {
	t.Parallel()
	eachYard(t, func(t *testing.T, y yard) {
		fields := modulesPath + "/" + y.vehicles + "/fields"
		for _, c := range []struct{ typ, given, want string }{
			{"date", "tomorrow", "The default is neither a value of the type nor one of: " + calendar.Grammar + "."},
			{"datetime", "today+1m", "The default is neither a value of the type nor one of: " + calendar.Grammar + "."},
			{"date", "12/31/2026", "The default must be a date: YYYY-MM-DD."},
			{"text", "", ""},
			{"user", "you", "The default must be the UUID of a user."},
			{"time", "now", "The default must be a time: HH:MM:SS."},
		} {
			answer := y.post(t, fields, object{"key": "extra", "type": c.typ, "default": c.given})
			if c.want == "" {
				answer.OK(t)

				continue
			}
			refused(t, answer, "custom_modules.invalid_definition", map[string]string{"default": c.want})
		}
	})
}

func TestDefaults_KeepTheirWordWhereTheTypeChanges(t *testing.T) {
	t.Parallel()
	eachYard(t, func(t *testing.T, y yard) {
		y.tasks(t) // moves the company to Chicago
		y.create(t, y.vehicles, y.documented()).OK(t)
		y.post(t, modulesPath+"/"+y.vehicles+"/fields", object{"key": "due", "type": "date", "default": "today+7d"}).OK(t)
		y.applied(t, y.field(t, y.vehicles, "due"), object{"change": "type", "type": "datetime"}, object{})
		made := y.create(t, y.vehicles, y.documented()).OK(t)
		require.Equal(t, "2026-09-29T05:00:00Z", made.Get("payload.due").String(), "midnight in Chicago")
	}, beforeMidnight())
}

func TestRecords_AreFilteredByRelativeDatesAndByMe(t *testing.T) {
	t.Parallel()
	eachYard(t, func(t *testing.T, y yard) {
		module := y.tasks(t)
		for _, due := range []string{"2026-09-15", "2026-09-21", "2026-09-22", "2026-09-23"} {
			y.create(t, module, object{"title": due[8:], "due": due, "opened": due + "T12:00:00-05:00", "starts": due + " 12:00:00"}).OK(t)
		}
		program := y.Token(t, y.Owner, "*")
		y.Call(t, program, http.MethodPost, recordsPath, object{"module_uuid": module, "payload": object{"title": "robot", "due": nil, "opened": nil, "starts": nil}}).OK(t)
		for query, want := range map[string]string{
			"filter[due][gte]=today-7d&filter[due][lte]=today": "15 21 22",
			"filter[due]=today":             "22",
			"filter[due][lt]=start_of_week": "15",
			"filter[opened][gte]=today&filter[opened][lt]=today%2B1d&sort=title":     "22",
			"filter[starts][gte]=today-1d&sort=-title&filter[starts][lt]=today%2B1d": "22 21",
			"filter[created_at][gt]=now-2h&sort=created_at":                          "15 21 22 23 robot",
			"filter[owner]=me": "15 21 22 23",
			"filter[created_by]=me&sort=-created_by,-title":             "23 22 21 15",
			"filter[updated_by][null]=true":                             "robot",
			"sort=created_by&filter[due][null]=true":                    "robot",
			"filter[or][0][created_by][ne]=me&filter[or][1][due]=today": "22 robot",
		} {
			require.Equal(t, want, y.titles(t, module, query), query)
		}
		refused(t, y.get(t, recordsPath+"?module_uuid="+module+"&filter[due]=tomorrow"), "list.invalid_query", map[string]string{
			"filter[due]": `"tomorrow" is neither a date such as 2026-09-22 nor one of: ` + calendar.Grammar + ".",
		})
		refused(t, y.Call(t, program, http.MethodGet, recordsPath+"?module_uuid="+module+"&filter[created_by]=me", nil), "list.invalid_query", map[string]string{
			"filter[created_by]": "me is the calling user, but a service token has none: name a user by UUID.",
		})
	}, beforeMidnight())
}

func TestViews_KeepRelativeDatesAndMe(t *testing.T) {
	t.Parallel()
	eachYard(t, func(t *testing.T, y yard) {
		module := y.tasks(t)
		y.create(t, module, object{"title": "a", "due": "2026-09-22"}).OK(t)
		other, err := y.Identity.CreateUser(t.Context(), identity.NewUser{Company: y.Owner.ID, Name: "Ann", Email: "ann@example.com", Role: identity.Owner})
		require.NoError(t, err)
		_, ann, err := y.Identity.IssueToken(t.Context(), identity.NewToken{Company: y.Owner.ID, User: other.ID, Name: "ann", Scopes: []string{"*"}})
		require.NoError(t, err)
		y.Call(t, ann, http.MethodPost, recordsPath, object{"module_uuid": module, "payload": object{"title": "b", "due": "2026-09-22"}}).OK(t)

		view := y.post(t, modulesPath+"/"+module+"/views", object{
			"name": "Mine", "shared": true, "filter": []object{{"field": "due", "op": "eq", "value": "today"}, {"field": "created_by", "op": "eq", "value": "me"}},
			"sort": []object{{"field": "updated_by"}}, "columns": []string{"title", "created_by"},
		}).OK(t)
		require.Equal(t, `["today","me"]`, view.Get("filter.#.value").Raw)
		list := recordsPath + "?module_uuid=" + module + "&view=" + view.Get("uuid").String()
		require.Equal(t, `["a"]`, y.get(t, list).OK(t).Get("data.#.payload.title").Raw)
		hers := y.Call(t, ann, http.MethodGet, list, nil).OK(t)
		require.Equal(t, `["b"]`, hers.Get("data.#.payload.title").Raw)
		require.Equal(t, other.ID.String(), hers.Get("data.0.created_by").String())

		export := table(t, y.Call(t, ann, http.MethodGet, modulesPath+"/"+module+"/export?view="+view.Get("uuid").String(), nil))
		require.Equal(t, []string{"uuid", "title", "created_by"}, export[0])
		require.Equal(t, []string{"b", other.ID.String()}, export[1][1:])
		y.Call(t, y.Token(t, y.Owner, "*"), http.MethodPost, recordsPath, object{"module_uuid": module, "payload": object{"title": "robot"}}).OK(t)
		lines := y.get(t, modulesPath+"/"+module+"/export?format=jsonl&fields=updated_by&filter[created_by][null]=true")
		require.Contains(t, string(lines.Body), `"updated_by":null}`)
	}, beforeMidnight())
}
