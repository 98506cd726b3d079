package history_test

import (
	"bytes"
	"maps"
	"mime/multipart"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/modules/attachments"
	"github.com/dispatchd/dispatchd/modules/audit"
	"github.com/dispatchd/dispatchd/modules/companies"
	"github.com/dispatchd/dispatchd/modules/custommodules"
	"github.com/dispatchd/dispatchd/modules/history"
	"github.com/dispatchd/dispatchd/modules/sms"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/feature"
	"github.com/dispatchd/dispatchd/platform/identity"
	"github.com/dispatchd/dispatchd/platform/module"
	"github.com/dispatchd/dispatchd/platform/moduletest"
)

type object = map[string]any

const (
	entries = "/history/api/v1/entries"
	journal = "/history/api/v1/log"
	records = "/custom_modules/api/v1/records"
	modules = "/custom_modules/api/v1/modules"
)

func TestMain(m *testing.M) { moduletest.Main(m, history.Module, areas()...) }

func areas() []module.Module {
	return []module.Module{attachments.Module, audit.Module, companies.Module, custommodules.Module, history.Module, sms.Module}
}

// load is a company with a record, which things happen to.
type load struct {
	*moduletest.App

	module, record string
}

func newLoad(t *testing.T, a *moduletest.App) *load {
	t.Helper()
	l := &load{App: a}
	l.module = l.post(t, modules, object{"name": "Loads", "fields": []object{
		{"key": "number", "type": "text"}, {"key": "price", "label": "Price of the load", "type": "integer"}, {"key": "pin", "label": "Gate PIN", "type": "text", "sensitive": true},
	}}).Get("uuid").String()
	l.record = l.post(t, records, object{"module_uuid": l.module, "payload": object{"number": "L-1", "price": 900}}).Get("uuid").String()

	return l
}

func (l *load) post(t *testing.T, path string, body any, headers ...string) moduletest.Response {
	t.Helper()

	return l.Call(t, l.Owner.Token, http.MethodPost, path, body, headers...).OK(t)
}

func (l *load) item() object { return object{"type": "custom_modules.record", "uuid": l.record} }

// index is the path of the record's timeline.
func (l *load) index(query ...string) string {
	return entries + "?item_type=custom_modules.record&item_uuid=" + l.record + strings.Join(append([]string{""}, query...), "&")
}

func (l *load) get(t *testing.T, token, path string) moduletest.Response {
	t.Helper()

	return l.Call(t, token, http.MethodGet, path, nil)
}

func kindsOf(r moduletest.Response) []string {
	var kinds []string
	for _, kind := range r.Get("data.#.kind").Array() {
		kinds = append(kinds, kind.String())
	}

	return kinds
}

// as returns the token of a new user of a role.
func (l *load) as(t *testing.T, email string, role identity.Role) string {
	t.Helper()
	user, err := l.Identity.CreateUser(t.Context(), identity.NewUser{Company: l.Owner.ID, Name: "x", Email: email, Role: role})
	require.NoError(t, err)
	_, token, err := l.Identity.IssueToken(t.Context(), identity.NewToken{Company: l.Owner.ID, User: user.ID, Name: "x", Scopes: []string{"*"}})
	require.NoError(t, err)

	return token
}

// fill has a message, a file, a change and an entry happen to the record.
func (l *load) fill(t *testing.T) {
	t.Helper()
	l.post(t, "/sms/api/v1/accounts", object{"name": "Sandbox", "provider": "sandbox"})
	number := l.post(t, "/sms/api/v1/numbers", object{"number": "+12025550160"}).Get("uuid").String()
	l.post(t, "/sms/api/v1/messages", object{
		"to": "+12025550130", "body": "Truck is on its way", "from_uuid": number, "owner_type": "custom_modules.record", "owner_uuid": l.record,
		"send_at": clock.System{}.Now().Add(24 * time.Hour).Format(time.RFC3339),
	})
	var form bytes.Buffer
	w := multipart.NewWriter(&form)
	require.NoError(t, w.WriteField("owner_type", "custom_modules.record"))
	require.NoError(t, w.WriteField("owner_uuid", l.record))
	part, err := w.CreateFormFile("file", "lading.txt")
	require.NoError(t, err)
	_, err = part.Write([]byte("Hello"))
	require.NoError(t, err)
	require.NoError(t, w.Close())
	l.post(t, "/attachments/api/v1/attachments", form.Bytes(), "Content-Type", w.FormDataContentType())
	l.Call(t, l.Owner.Token, http.MethodPatch, records+"/"+l.record, object{"payload": object{"price": 950, "pin": "4711"}}).OK(t)
	l.post(t, entries, object{"item": l.item(), "kind": "phone_call", "direction": "inbound", "contact_name": "Ann", "body": "Wants it earlier."})
}

func TestIndex_MergesWhatAllAreasKnow(t *testing.T) {
	t.Parallel()
	moduletest.BootEach(t, areas(), func(t *testing.T, a *moduletest.App) {
		l := newLoad(t, a)
		l.fill(t)

		page := l.get(t, a.Owner.Token, l.index()).OK(t)
		require.Equal(t, []string{"phone_call", "change", "file", "message", "change"}, kindsOf(page), string(page.Body))
		call := page.Get("data.0")
		require.Equal(t, "Phone call from Ann", call.Get("title").String())
		require.Equal(t, "Wants it earlier.", call.Get("text").String())
		require.Equal(t, "history", call.Get("source").String())
		require.NotEmpty(t, call.Get("actor.name").String())
		change := page.Get("data.1")
		require.Equal(t, "Record updated: Gate PIN, Price of the load", change.Get("title").String())
		require.Equal(t, "Price of the load", change.Get("changes.1.label").String())
		require.Equal(t, int64(900), change.Get("changes.1.before").Int())
		require.Equal(t, int64(950), change.Get("changes.1.after").Int())
		require.Equal(t, "L-1", call.Get("item.title").String())
		require.NotContains(t, string(page.Body), `"4711"`, "values of sensitive fields are in no trail")
		require.Equal(t, "File: lading.txt", page.Get("data.2.title").String())
		require.Equal(t, "attachments.attachment", page.Get("data.2.thing.type").String())
		require.Equal(t, "SMS to +12025550130", page.Get("data.3.title").String())
		require.Equal(t, "SMS to +12025550130", page.Get("data.3.thing.title").String())
		require.Equal(t, l.record, page.Get("data.3.item.uuid").String())

		message := page.Get("data.3.thing.uuid").String()
		l.post(t, "/sms/api/v1/messages/"+message+"/cancel", object{"reason": "Too late"})
		life := l.get(t, a.Owner.Token, entries+"?item_type=sms.message&item_uuid="+message).OK(t)
		require.Equal(t, "transition", life.Get("data.0.kind").String(), string(life.Body))
		require.Equal(t, "State changed from scheduled to canceled", life.Get("data.0.title").String())
		require.Equal(t, "Too late", life.Get("data.0.text").String())
		require.NotContains(t, string(life.Body), `"sms.message.cancel"`, "the trail's own entry of the transition is not there twice")

		file := page.Get("data.2.thing.uuid").String()
		l.Call(t, a.Owner.Token, http.MethodDelete, "/attachments/api/v1/attachments/"+file, nil).OK(t)
		page = l.get(t, a.Owner.Token, l.index("filter[kind][in]=event,file")).OK(t)
		require.Equal(t, []string{"event"}, kindsOf(page), string(page.Body))
		require.Equal(t, "Attachment deleted", page.Get("data.0.title").String())
		require.Equal(t, file, page.Get("data.0.details.payload.attachment_uuid").String())
		require.Equal(t, "user", page.Get("data.0.actor.kind").String())
	})
}

func TestIndex_PagesThroughEverySourceOnceBothWays(t *testing.T) {
	t.Parallel()
	moduletest.BootEach(t, areas(), func(t *testing.T, a *moduletest.App) {
		l := newLoad(t, a)
		l.fill(t)
		same := clock.System{}.Now().Add(-time.Hour).UTC().Truncate(time.Second).Format(time.RFC3339)
		for i := range 5 {
			l.post(t, entries, object{"item": l.item(), "kind": "visit", "body": "Visit " + strconv.Itoa(i), "happened_at": same})
		}
		for _, path := range []string{l.index(), journal + "?x"} {
			path = strings.TrimSuffix(path, "x")
			whole := l.get(t, a.Owner.Token, path+"&per_page=200").OK(t)
			var want []string
			for _, id := range whole.Get("data.#.uuid").Array() {
				want = append(want, id.String())
			}
			require.GreaterOrEqual(t, len(want), 10)
			var got []string
			var last moduletest.Response
			for cursor := ""; ; {
				last = l.get(t, a.Owner.Token, path+"&per_page=3&cursor="+cursor).OK(t)
				for _, id := range last.Get("data.#.uuid").Array() {
					got = append(got, id.String())
				}
				if cursor = last.Get("meta.next_cursor").String(); cursor == "" {
					break
				}
			}
			require.Equal(t, want, got)
			var back []string
			for cursor := last.Get("meta.prev_cursor").String(); cursor != ""; {
				page := l.get(t, a.Owner.Token, path+"&per_page=3&cursor="+cursor).OK(t)
				var ids []string
				for _, id := range page.Get("data.#.uuid").Array() {
					ids = append(ids, id.String())
				}
				back = append(ids, back...)
				cursor = page.Get("meta.prev_cursor").String()
			}
			require.Equal(t, want[:len(want)-int(last.Get("data.#").Int())], back)
		}
	})
}

func TestIndex_Filters(t *testing.T) {
	t.Parallel()
	moduletest.BootEach(t, areas(), func(t *testing.T, a *moduletest.App) {
		l := newLoad(t, a)
		l.fill(t)
		me := l.get(t, a.Owner.Token, l.index()).OK(t).Get("data.0.actor.user_uuid").String()
		at := l.get(t, a.Owner.Token, l.index("filter[kind]=file")).OK(t).Get("data.0.at").String()
		for query, want := range map[string][]string{
			"filter[kind]=file":                                        {"file"},
			"filter[kind][nin]=change,file":                            {"phone_call", "message"},
			"filter[kind][nin]=change&filter[kind][in]=change,file":    {"file"},
			"filter[actor_uuid]=" + me:                                 {"phone_call", "change", "file", "message", "change"},
			"filter[actor_uuid]=" + uuid.NewString():                   nil,
			"filter[at][lt]=" + at + "&filter[kind][nin]=change":       {"message"},
			"filter[at][lte]=" + at + "&filter[kind][nin]=change":      {"file", "message"},
			"filter[at][gt]=" + at:                                     {"phone_call", "change"},
			"filter[at][gte]=" + at:                                    {"phone_call", "change", "file"},
			"filter[at][gte]=1950-01-01T00:00:00Z&filter[kind]=change": {"change", "change"},
			"q=" + url.QueryEscape("WAY truck"):                        {"message"},
			"q=earlier":                                                {"phone_call"},
			"q=lading":                                                 {"file"},
			"q=100%25":                                                 nil,
		} {
			require.Equal(t, want, kindsOf(l.get(t, a.Owner.Token, l.index(query)).OK(t)), query)
		}
		for query, key := range map[string]string{
			"filter[kind]=calls": "filter[kind]", "sort=uuid": "sort", "count=exact": "count", "filter[or][0][kind]=file": "filter",
			"filter[text]=x": "filter[text]", "filter[at]=2026-01-01T00:00:00Z": "filter[at]",
		} {
			refused := l.get(t, a.Owner.Token, l.index(query))
			refused.Refused(t, http.StatusUnprocessableEntity, "list.invalid_query")
			require.Contains(t, string(refused.Body), `"`+key+`"`, query)
		}
		require.Contains(t, string(l.get(t, a.Owner.Token, l.index("filter[kind]=calls")).Body), "phone_call, transition")
		l.get(t, a.Owner.Token, l.index("filter[kind]=file", "cursor="+l.get(t, a.Owner.Token, l.index("per_page=1")).OK(t).Get("meta.next_cursor").String())).
			Refused(t, http.StatusUnprocessableEntity, "list.cursor_mismatch")
		l.get(t, a.Owner.Token, journal+"?q=x").Refused(t, http.StatusUnprocessableEntity, "list.invalid_query")
	})
}

func TestIndex_LeavesOutWhatTheCallerMayNotRead(t *testing.T) {
	t.Parallel()
	moduletest.BootEach(t, areas(), func(t *testing.T, a *moduletest.App) {
		l := newLoad(t, a)
		l.fill(t)
		token := func(scopes ...string) string { return a.Token(t, a.Owner, scopes...) }
		for _, test := range []struct {
			scopes []string
			want   []string
		}{
			{[]string{"history:read", "custom_modules:read"}, []string{"phone_call"}},
			{[]string{"history:read", "custom_modules:read", "sms:read"}, []string{"phone_call", "message"}},
			{[]string{"history:read", "custom_modules:read", "audit:read"}, []string{"phone_call", "change", "change"}},
			{[]string{"history:read", "custom_modules:read", "attachments:read"}, []string{"phone_call", "file"}},
		} {
			require.Equal(t, test.want, kindsOf(l.get(t, token(test.scopes...), l.index()).OK(t)), test.scopes)
		}
		l.get(t, token("history:read", "sms:read", "audit:read"), l.index()).Refused(t, http.StatusNotFound, "history.item_not_found")
		l.get(t, a.NewCompany(t).Token, l.index()).Refused(t, http.StatusNotFound, "history.item_not_found")
		l.get(t, a.Owner.Token, entries+"?item_type=custom_modules.record&item_uuid="+uuid.NewString()).Refused(t, http.StatusNotFound, "history.item_not_found")
		l.get(t, a.Owner.Token, entries+"?item_type=custom_modules.recrd&item_uuid="+l.record).Refused(t, http.StatusUnprocessableEntity, "item.unknown_type")

		seen := l.get(t, token("history:read", "audit:read", "sms:read"), journal+"?per_page=200").OK(t)
		require.NotContains(t, string(seen.Body), l.record, "the log shows nothing of the items of an area that the caller does not read")
		require.NotContains(t, string(seen.Body), "custom_modules.")
		require.Contains(t, kindsOf(seen), "change", "but what is of sms")

		_, err := a.Features.Apply(t.Context(), a.Owner.ID, feature.Change{Areas: map[string]bool{"sms": false}})
		require.NoError(t, err)
		off := l.get(t, a.Owner.Token, l.index()).OK(t)
		require.NotContains(t, kindsOf(off), "message", "an area that is off says nothing")
		require.NotContains(t, string(l.get(t, a.Owner.Token, journal+"?per_page=200").OK(t).Body), `"sms.`)
	})
}

func TestLog_ShowsTheWholeCompanyAndWhatIsGone(t *testing.T) {
	t.Parallel()
	moduletest.BootEach(t, areas(), func(t *testing.T, a *moduletest.App) {
		l := newLoad(t, a)
		l.fill(t)
		l.Call(t, a.Owner.Token, http.MethodDelete, records+"/"+l.record, nil).OK(t)
		l.get(t, a.Owner.Token, l.index()).Refused(t, http.StatusNotFound, "history.item_not_found")
		page := l.get(t, a.Owner.Token, journal+"?filter[item_type]=custom_modules.record").OK(t)
		require.Equal(t, []string{"change", "phone_call", "change", "file", "message", "change"}, kindsOf(page), string(page.Body))
		require.Equal(t, "Record deleted", page.Get("data.0.title").String())
		require.NotContains(t, string(l.get(t, a.Owner.Token, journal).OK(t).Body), "Entry created", "the entry itself says that")
		require.Equal(t, l.record, page.Get("data.1.item.uuid").String())
		require.False(t, page.Get("data.1.item.title").Exists() && page.Get("data.1.item.title").String() != "", "it is gone")
		require.Empty(t, kindsOf(l.get(t, a.NewCompany(t).Token, journal).OK(t)))
	})
}

func TestLog_KeepsClosedModulesHidden(t *testing.T) {
	t.Parallel()
	moduletest.BootEach(t, areas(), func(t *testing.T, a *moduletest.App) {
		l := newLoad(t, a)
		l.fill(t)
		file := l.get(t, a.Owner.Token, l.index("filter[kind]=file")).OK(t).Get("data.0.thing.uuid").String()
		l.Call(t, a.Owner.Token, http.MethodDelete, "/attachments/api/v1/attachments/"+file, nil).OK(t)
		require.Equal(t, []string{"event"}, kindsOf(l.get(t, a.Owner.Token, journal+"?filter[kind]=event").OK(t)))
		l.Call(t, a.Owner.Token, http.MethodPatch, modules+"/"+l.module, object{"permissions": object{"read": []string{}}}).OK(t)
		token := l.as(t, "accountant@example.com", identity.Accountant)
		l.get(t, token, l.index()).Refused(t, http.StatusNotFound, "history.item_not_found")
		whole := l.get(t, token, journal+"?per_page=200").OK(t)
		require.NotEmpty(t, kindsOf(whole))
		require.NotContains(t, string(whole.Body), l.record)
		require.NotContains(t, string(whole.Body), l.module)
		var ids []string
		for cursor := ""; ; {
			page := l.get(t, token, journal+"?per_page=1&cursor="+cursor).OK(t)
			for _, id := range page.Get("data.#.uuid").Array() {
				ids = append(ids, id.String())
			}
			if cursor = page.Get("meta.next_cursor").String(); cursor == "" {
				break
			}
		}
		require.Len(t, ids, len(kindsOf(whole)), "pages go on behind what is left out")
	})
}

func TestEntries_AreChangedByWhoWroteThem(t *testing.T) {
	t.Parallel()
	moduletest.BootEach(t, areas(), func(t *testing.T, a *moduletest.App) {
		l := newLoad(t, a)
		made := l.post(t, entries, object{"item": l.item(), "kind": "meeting", "body": "Met at the yard."}, "Idempotency-Key", "once")
		again := l.post(t, entries, object{"item": l.item(), "kind": "meeting", "body": "Met at the yard."}, "Idempotency-Key", "once")
		require.Equal(t, made.Get("uuid").String(), again.Get("uuid").String())
		require.Equal(t, "null", made.Get("direction").Raw)
		require.Contains(t, a.EventNames(t, a.Owner), "history.entry.created")
		path := made.Header.Get("Location")

		dispatcher := l.as(t, "dispatcher@example.com", identity.Dispatcher)
		l.Call(t, dispatcher, http.MethodPatch, path, object{"body": "No."}).Refused(t, http.StatusForbidden, "history.not_yours")
		l.Call(t, dispatcher, http.MethodDelete, path, nil).Refused(t, http.StatusForbidden, "history.not_yours")
		admin := l.as(t, "admin@example.com", identity.Admin)
		changed := l.Call(t, admin, http.MethodPatch, path, object{"outcome": " Agreed ", "body": nil}, "If-Match", `"1"`).OK(t)
		require.Equal(t, "Agreed", changed.Get("outcome").String())
		require.Empty(t, changed.Get("body").String())
		l.Call(t, a.Owner.Token, http.MethodPatch, path, object{"body": "Late."}, "If-Match", `"1"`).Refused(t, http.StatusPreconditionFailed, "web.stale")
		own := l.Call(t, dispatcher, http.MethodPost, entries, object{"item": l.item(), "kind": "email", "body": "Sent the papers."}).OK(t)
		l.Call(t, dispatcher, http.MethodPatch, own.Header.Get("Location"), object{"direction": "outbound"}).OK(t)

		l.Call(t, a.Owner.Token, http.MethodDelete, path, nil).OK(t)
		l.Call(t, a.Owner.Token, http.MethodGet, path, nil).Refused(t, http.StatusNotFound, "history.entry_not_found")
		require.Equal(t, []string{"email"}, kindsOf(l.get(t, a.Owner.Token, l.index("filter[kind][in]=meeting,email")).OK(t)))
		l.post(t, path+"/restore", nil)
		l.Call(t, a.Owner.Token, http.MethodGet, path, nil).OK(t)
		for _, action := range []string{"created", "updated", "deleted", "restored"} {
			require.Contains(t, a.Audited(t, a.Owner), "history.entry."+action)
		}
	})
}

func TestEntries_RefuseWhatTheyCannotBe(t *testing.T) {
	t.Parallel()
	moduletest.BootEach(t, areas(), func(t *testing.T, a *moduletest.App) {
		l := newLoad(t, a)
		good := func(change object) object {
			body := object{"item": l.item(), "kind": "other", "body": "x"}
			maps.Copy(body, change)

			return body
		}
		for _, test := range []struct {
			change object
			field  string
		}{
			{object{"kind": "fax"}, "kind"},
			{object{"direction": "sideways"}, "direction"},
			{object{"body": "  "}, "body"},
			{object{"body": strings.Repeat("ü", 10_001)}, "body"},
			{object{"outcome": strings.Repeat("x", 201)}, "outcome"},
			{object{"contact_name": strings.Repeat("x", 201)}, "contact_name"},
			{object{"happened_at": clock.System{}.Now().Add(time.Hour).Format(time.RFC3339)}, "happened_at"},
			{object{"item": object{"type": "custom_modules.recrod", "uuid": l.record}}, "item.type"},
			{object{"text": "x"}, "text"},
		} {
			refused := l.Call(t, a.Owner.Token, http.MethodPost, entries, good(test.change))
			require.Equal(t, http.StatusUnprocessableEntity, refused.Status, string(refused.Body))
			require.Contains(t, string(refused.Body), test.field)
		}
		l.Call(t, a.Owner.Token, http.MethodPost, entries, good(object{"item": object{"type": "custom_modules.record", "uuid": uuid.NewString()}})).
			Refused(t, http.StatusNotFound, "history.item_not_found")
		l.post(t, entries, good(object{"happened_at": clock.System{}.Now().Add(time.Minute).Format(time.RFC3339)}))
		made := l.post(t, entries, good(object{"body": strings.Repeat("ü", 10_000)}))
		l.Call(t, a.Owner.Token, http.MethodPatch, made.Header.Get("Location"), object{"body": ""}).Refused(t, http.StatusUnprocessableEntity, "history.invalid")
	})
}
