package contacts_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/fx"

	"github.com/dispatchd/dispatchd/modules/collections"
	"github.com/dispatchd/dispatchd/modules/companies"
	"github.com/dispatchd/dispatchd/modules/contacts"
	"github.com/dispatchd/dispatchd/modules/contacts/contactsapi"
	"github.com/dispatchd/dispatchd/modules/custommodules"
	"github.com/dispatchd/dispatchd/modules/history"
	"github.com/dispatchd/dispatchd/modules/notes"
	"github.com/dispatchd/dispatchd/modules/tags"
	"github.com/dispatchd/dispatchd/modules/tasks"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/hook"
	"github.com/dispatchd/dispatchd/platform/module"
	"github.com/dispatchd/dispatchd/platform/moduletest"
)

const (
	base = "/contacts/api/v1"
	path = base + "/contacts"
)

type object = map[string]any

// lawyer is an area that has contacts kept.
type lawyer struct{ keeps *string }

func (l lawyer) onErasing(_ context.Context, e *contactsapi.Erasing) error {
	if *l.keeps == e.Contact {
		return errs.New(errs.Conflict, "lawyer.has_balance", "It owes us.")
	}

	return nil
}

type caller func(method, path string, body any) moduletest.Response

func TestMain(m *testing.M) { moduletest.Main(m, contacts.Module, areas()...) }

func areas() []module.Module {
	return []module.Module{
		companies.Module, collections.Module, contacts.Module, custommodules.Module, history.Module, notes.Module, tags.Module, tasks.Module,
	}
}

func each(t *testing.T, test func(t *testing.T, a *moduletest.App, call caller), more ...module.Module) {
	t.Helper()
	moduletest.BootEach(t, append(areas(), more...), func(t *testing.T, a *moduletest.App) {
		t.Helper()
		test(t, a, func(method, path string, body any) moduletest.Response {
			return a.Call(t, a.Owner.Token, method, path, body)
		})
	})
}

func (c caller) create(t *testing.T, body object) (uuid string) {
	t.Helper()

	return c(http.MethodPost, path, body).OK(t).Get("uuid").String()
}

func TestContact_IsKeptInItsNormalForm(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, a *moduletest.App, call caller) {
		t.Helper()
		made := call(http.MethodPost, path, object{
			"first_name": "Jose\u0301", "last_name": "Lee", "language": "en-us", "time_zone": "America/Chicago",
			"emails": []object{{"address": "Jo.Lee@EXAMPLE.com"}, {"address": "main@example.com", "primary": true}},
			"phones": []object{{"number": "(214) 555-0143", "kind": "mobile"}},
		}).OK(t)
		require.Equal(t, "José Lee", made.Get("name").String())
		require.Equal(t, "Jo.Lee@example.com", made.Get("emails.0.address").String(), "the mailbox is kept as it is written")
		require.Equal(t, "main@example.com", made.Get("email").String())
		require.Equal(t, "+12145550143", made.Get("phones.0.e164").String())
		require.Equal(t, "(214) 555-0143", made.Get("phones.0.number").String())
		require.True(t, made.Get("phones.0.primary").Bool())
		require.Equal(t, "en-US", made.Get("language").String())
		at := made.Header.Get("Location")
		require.Equal(t, "Ann Lee", call(http.MethodPatch, at, object{"first_name": "Ann"}).OK(t).Get("name").String(), "the name follows its parts")
		call(http.MethodPatch, at, object{"name": "Annie"}).OK(t)
		require.Equal(t, "Annie", call(http.MethodPatch, at, object{"first_name": "Anna"}).OK(t).Get("name").String(), "unless it was given")
		require.Equal(t, []string{"contacts.contact.created", "contacts.contact.updated", "contacts.contact.updated", "contacts.contact.updated"},
			ofContacts(a.EventNames(t, a.Owner)))
	})
}

// ofContacts are the area's own events.
func ofContacts(names []string) (own []string) {
	for _, name := range names {
		if strings.HasPrefix(name, "contacts.") && !strings.HasSuffix(name, ".written") {
			own = append(own, name)
		}
	}

	return own
}

func TestContact_RefusesWhatIsNone(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, _ *moduletest.App, call caller) {
		t.Helper()
		for field, body := range map[string]object{
			"name":             {},
			"emails.0.address": {"name": "x", "emails": []object{{"address": "nobody"}}},
			"emails.1.primary": {"name": "x", "emails": []object{{"address": "a@example.com", "primary": true}, {"address": "b@example.com", "primary": true}}},
			"phones.0.number":  {"name": "x", "phones": []object{{"number": "214-555-0143 x12"}}},
			"phones.1.primary": {"name": "x", "phones": []object{{"number": "2145550143", "primary": true}, {"number": "2145550144", "primary": true}}},
			"receives.0":       {"name": "x", "receives": []string{"gossip"}},
			"time_zone":        {"name": "x", "time_zone": "Local"},
			"language":         {"name": "x", "language": "klingonese-"},
			"owner_user_uuid":  {"name": "x", "owner_user_uuid": "01900000-0000-7000-8000-000000000000"},
			"parent_uuid":      {"name": "x", "parent_uuid": "01900000-0000-7000-8000-000000000000"},
		} {
			refused := call(http.MethodPost, path, body)
			require.Equal(t, http.StatusUnprocessableEntity, refused.Status, "%s: %s", field, refused.Body)
			require.Contains(t, string(refused.Body), field)
		}
	})
}

func TestExists_FindsEveryFormAndDuplicatesStayDismissed(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, a *moduletest.App, call caller) {
		t.Helper()
		ann := call.create(t, object{"name": "Ann Lee", "phones": []object{{"number": "+12145550143"}}, "emails": []object{{"address": "ann.lee@gmail.com"}}})
		exists := func(body object) moduletest.Response { return call(http.MethodPost, base+"/exists", body).OK(t) }
		found := exists(object{"phones": []string{"(214) 555-0143"}})
		require.Equal(t, ann, found.Get("matches.0.uuid").String())
		require.Equal(t, "phone", found.Get("matches.0.by").String())
		require.GreaterOrEqual(t, found.Get("matches.0.score").Int(), int64(90))
		require.GreaterOrEqual(t, exists(object{"emails": []string{"ANN.LEE@gmail.com"}}).Get("matches.0.score").Int(), int64(90))
		require.Less(t, exists(object{"emails": []string{"annlee+cars@gmail.com"}}).Get("matches.0.score").Int(), int64(90), "dots are weaker")
		call(http.MethodPost, base+"/exists", object{"phones": []string{"nobody", "' OR 1=1"}}).Refused(t, http.StatusUnprocessableEntity, "contacts.invalid_question")
		call(http.MethodPost, base+"/exists", object{}).Refused(t, http.StatusUnprocessableEntity, "contacts.invalid_question")
		require.Empty(t, a.Call(t, a.NewCompany(t).Token, http.MethodPost, base+"/exists", object{"phones": []string{"2145550143"}}).OK(t).Get("matches").Array())

		twin := call(http.MethodPost, path, object{"name": "A. Lee", "phones": []object{{"number": "214.555.0143"}}}).OK(t)
		require.Equal(t, ann, twin.Get("duplicates.0.uuid").String(), "a warning, no error")
		require.False(t, call(http.MethodGet, twin.Header.Get("Location"), nil).OK(t).Get("duplicates").Exists())
		require.Len(t, call(http.MethodGet, base+"/duplicates", nil).OK(t).Get("data").Array(), 1)
		for range 2 {
			call(http.MethodPost, path+"/"+ann+"/not_duplicates", object{"others": []string{twin.Get("uuid").String()}}).OK(t)
		}
		require.Empty(t, call(http.MethodGet, base+"/duplicates", nil).OK(t).Get("data").Array())
		call(http.MethodPatch, twin.Header.Get("Location"), object{"phones": []object{}}).OK(t)
		require.Len(t, exists(object{"phones": []string{"2145550143"}}).Get("matches").Array(), 1)
		call(http.MethodDelete, path+"/"+ann, nil).OK(t)
		require.Empty(t, exists(object{"phones": []string{"2145550143"}}).Get("matches").Array(), "what is deleted is not there")
	})
}

func TestMerge_MovesWhatNamesTheContactAndUnmergeGivesItBack(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, a *moduletest.App, call caller) {
		t.Helper()
		ann := call.create(t, object{"name": "Ann Lee", "emails": []object{{"address": "ann@example.com"}}})
		twin := call.create(t, object{"name": "A. Lee", "title": "Owner", "customer": true, "emails": []object{{"address": "lee@example.com"}}})
		child := call.create(t, object{"name": "Bo", "parent_uuid": twin})
		about := func(uuid string) object { return object{"type": "contacts.contact", "uuid": uuid} }
		var todo []string
		for i := range 3 {
			todo = append(todo, call(http.MethodPost, "/tasks/api/v1/tasks", object{"title": fmt.Sprint("Call ", i), "item": about(twin)}).OK(t).Header.Get("Location"))
		}
		note := call(http.MethodPost, "/notes/api/v1/notes", object{"body": "Gate 7", "pinned": true, "item": about(twin)}).OK(t).Header.Get("Location")
		entry := call(http.MethodPost, "/history/api/v1/entries", object{"item": about(twin), "kind": "phone_call", "body": "Rang"}).OK(t).Header.Get("Location")
		tag := call(http.MethodPost, "/tags/api/v1/tags", object{"name": "VIP"}).OK(t).Get("uuid").String()
		call(http.MethodPost, "/tags/api/v1/assignments", object{"items": []object{about(ann), about(twin)}, "put": []string{tag}}).OK(t)
		item := func(at string) string { return call(http.MethodGet, at, nil).OK(t).Get("item.uuid").String() }

		kept := call(http.MethodPost, base+"/contacts/merge", object{"into": ann, "from": []string{twin}, "take": object{"name": twin}}).OK(t)
		require.Equal(t, "A. Lee", kept.Get("name").String())
		require.Equal(t, "Owner", kept.Get("title").String())
		require.True(t, kept.Get("customer").Bool())
		require.Len(t, kept.Get("emails").Array(), 2)
		for _, at := range append([]string{note, entry}, todo...) {
			require.Equal(t, ann, item(at))
		}
		require.Equal(t, ann, call(http.MethodGet, path+"/"+child, nil).OK(t).Get("parent_uuid").String())
		require.Equal(t, ann, call(http.MethodGet, path+"/"+twin, nil).OK(t).Get("merged_into_uuid").String())
		require.Len(t, call(http.MethodGet, path+"?filter[name]=A.%20Lee", nil).OK(t).Get("data").Array(), 1, "a list has it once")
		require.Len(t, call(http.MethodGet, path+"?filter[merged_into_uuid]="+ann, nil).OK(t).Get("data").Array(), 1)
		found := call(http.MethodPost, base+"/exists", object{"emails": []string{"lee@example.com"}}).OK(t)
		require.Equal(t, ann, found.Get("matches.0.uuid").String())
		call(http.MethodPatch, path+"/"+twin, object{"title": "x"}).Refused(t, http.StatusConflict, "contacts.merged")
		call(http.MethodPost, base+"/contacts/merge", object{"into": twin, "from": []string{ann}}).Refused(t, http.StatusConflict, "contacts.merge_cycle")
		call(http.MethodPost, base+"/contacts/merge", object{"into": ann, "from": []string{ann}}).Refused(t, http.StatusConflict, "contacts.merge_cycle")
		require.Equal(t, "A. Lee", call(http.MethodGet, todo[0]+"?expand=item", nil).OK(t).Get("expanded.item.title").String())

		// what is changed since stays unchanged
		call(http.MethodPatch, todo[0], object{"item": about(child)}).OK(t)
		call(http.MethodPatch, path+"/"+ann, object{"title": "Manager"}).OK(t)
		mine := call(http.MethodPost, "/tasks/api/v1/tasks", object{"title": "Mine", "item": about(ann)}).OK(t).Header.Get("Location")
		back := call(http.MethodPost, path+"/"+twin+"/unmerge", nil).OK(t)
		require.Equal(t, "null", back.Get("merged_into_uuid").Raw)
		require.Equal(t, child, item(todo[0]))
		require.Equal(t, ann, item(mine))
		for _, at := range append([]string{note, entry}, todo[1:]...) {
			require.Equal(t, twin, item(at))
		}
		require.Equal(t, twin, call(http.MethodGet, path+"/"+child, nil).OK(t).Get("parent_uuid").String())
		now := call(http.MethodGet, path+"/"+ann, nil).OK(t)
		require.Equal(t, []string{"Ann Lee", "Manager", "false"}, []string{now.Get("name").String(), now.Get("title").String(), now.Get("customer").Raw})
		require.Len(t, now.Get("emails").Array(), 1)
		call(http.MethodPost, path+"/"+twin+"/unmerge", nil).Refused(t, http.StatusConflict, "contacts.not_merged")
		require.Contains(t, a.EventNames(t, a.Owner), "contacts.contact.merged")
		require.Contains(t, a.EventNames(t, a.Owner), "contacts.contact.unmerged")
		require.Contains(t, a.Audited(t, a.Owner), "tasks.task.moved")
		require.Len(t, call(http.MethodGet, "/tags/api/v1/assignments?filter[item_uuid]="+twin, nil).OK(t).Get("data").Array(), 1)
	})
}

func TestMerge_OfMergedOnesIsTakenBackInItsOrder(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, _ *moduletest.App, call caller) {
		t.Helper()
		first, second, third := call.create(t, object{"name": "One"}), call.create(t, object{"name": "Two"}), call.create(t, object{"name": "Three"})
		merge := func(into, from string) moduletest.Response {
			return call(http.MethodPost, base+"/contacts/merge", object{"into": into, "from": []string{from}})
		}
		into := func(uuid string) string {
			return call(http.MethodGet, path+"/"+uuid, nil).OK(t).Get("merged_into_uuid").String()
		}
		merge(second, first).OK(t)
		merge(third, first).Refused(t, http.StatusConflict, "contacts.merged")
		merge(third, second).OK(t)
		require.Equal(t, third, into(first))
		merge(first, third).Refused(t, http.StatusConflict, "contacts.merge_cycle")
		call(http.MethodPost, path+"/"+first+"/unmerge", nil).Refused(t, http.StatusConflict, "contacts.unmerge_later_first")
		call(http.MethodPost, path+"/"+second+"/unmerge", nil).OK(t)
		require.Equal(t, second, into(first))
		call(http.MethodPost, path+"/"+first+"/unmerge", nil).OK(t)
		require.Empty(t, into(first))
	})
}

func TestUnmerge_IsPossibleForThirtyDays(t *testing.T) {
	t.Parallel()
	now := clock.NewFake(time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC))
	moduletest.BootEach(t, []module.Module{companies.Module, contacts.Module}, func(t *testing.T, a *moduletest.App) {
		t.Helper()
		call := caller(func(method, path string, body any) moduletest.Response {
			return a.Call(t, a.Owner.Token, method, path, body)
		})
		one, two := call.create(t, object{"name": "One"}), call.create(t, object{"name": "Two"})
		call(http.MethodPost, base+"/contacts/merge", object{"into": one, "from": []string{two}}).OK(t)
		now.Advance(31 * 24 * time.Hour)
		call(http.MethodPost, path+"/"+two+"/unmerge", nil).Refused(t, http.StatusConflict, "contacts.unmerge_expired")
	}, moduletest.With(fx.Decorate(func(clock.Clock) clock.Clock { return now })))
}

func TestErase_LeavesNothingPersonalUnlessSomebodyMustKeepIt(t *testing.T) {
	t.Parallel()
	var keeps string
	areas := module.New("lawyer", "Lawyer", fx.Supply(lawyer{&keeps}, fx.Private), hook.On(lawyer.onErasing)).Listens(contactsapi.Area)
	each(t, func(t *testing.T, a *moduletest.App, call caller) {
		t.Helper()
		call(http.MethodPost, "/collections/api/v1/collections/contacts.contact/fields", object{"key": "hobby", "label": "Hobby", "type": "text"}).OK(t)
		ann := call.create(t, object{
			"name": "Ann Secretive", "net_days": 30, "customer": true, "custom": object{"hobby": "Secretive chess"},
			"emails": []object{{"address": "secretive@example.com"}}, "phones": []object{{"number": "2145550143"}},
		})
		call(http.MethodPatch, path+"/"+ann, object{"last_name": "Secretive"}).OK(t)
		twin := call.create(t, object{"name": "A. Secretive"})
		call(http.MethodPost, base+"/contacts/merge", object{"into": ann, "from": []string{twin}}).OK(t)
		link := call(http.MethodPost, path+"/"+ann+"/shares", object{}).OK(t).Get("url").String()
		keeps = ann
		call(http.MethodPost, path+"/"+ann+"/erase", nil).Refused(t, http.StatusConflict, "lawyer.has_balance")
		keeps = ""
		erased := call(http.MethodPost, path+"/"+ann+"/erase", nil).OK(t)
		require.Equal(t, int64(30), erased.Get("net_days").Int(), "terms stay")
		require.True(t, erased.Get("customer").Bool())
		for _, at := range []string{
			path + "/" + ann, path + "/" + twin, "/collections/api/v1/collections/contacts.contact/rows/" + ann + "/versions", path + "?q=secretive",
			"/history/api/v1/entries?item_type=contacts.contact&item_uuid=" + ann, // the audit trail
		} {
			read := call(http.MethodGet, at, nil)
			require.NotContains(t, strings.ToLower(string(read.Body)), "secretive", at)
		}
		require.Empty(t, call(http.MethodPost, base+"/exists", object{"phones": []string{"2145550143"}}).OK(t).Get("matches").Array())
		a.Call(t, "", http.MethodGet, link, nil).Refused(t, http.StatusNotFound, "link.revoked")
		call(http.MethodPatch, path+"/"+ann, object{"name": "Ann"}).Refused(t, http.StatusConflict, "contacts.erased")
		call(http.MethodPost, path+"/"+twin+"/unmerge", nil).Refused(t, http.StatusConflict, "contacts.erased")
		require.Contains(t, a.Audited(t, a.Owner), "contacts.contact.erase")
		require.Contains(t, a.EventNames(t, a.Owner), "contacts.contact.erased")
	}, areas)
}

func TestPeople_PropertiesConsentsAndSummary(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, _ *moduletest.App, call caller) {
		t.Helper()
		firm := call.create(t, object{"kind": "company", "legal_name": "Lee Motors LLC"})
		at := path + "/" + firm
		call(http.MethodPost, at+"/sub_contacts", object{"name": "Bo", "title": "AP", "receives": []string{"invoices"}}).OK(t)
		people := call(http.MethodGet, at+"/sub_contacts", nil).OK(t).Get("data")
		require.Len(t, people.Array(), 1)
		require.Equal(t, firm, people.Get("0.parent_uuid").String())
		call(http.MethodPost, "/collections/api/v1/collections/contacts.contact/fields", object{"key": "gate_code", "label": "Gate code", "type": "text"}).OK(t)
		require.Equal(t, "null", call(http.MethodGet, at+"/properties", nil).OK(t).Get("data.0.value").Raw)
		require.Equal(t, "1942", call(http.MethodPut, at+"/properties", object{"gate_code": "1942"}).OK(t).Get("data.0.value").String())
		call(http.MethodPut, at+"/properties", object{"nothing": 1}).Refused(t, http.StatusUnprocessableEntity, "contacts.invalid_contact")
		require.Equal(t, "null", call(http.MethodPut, at+"/properties", object{}).OK(t).Get("data.0.value").Raw)
		call(http.MethodPut, at+"/consents", object{"consents": []object{{"channel": "sms", "purpose": "marketing", "state": "granted", "source": "form", "text": "I agree"}}}).OK(t)
		blocked := call(http.MethodPost, at+"/block", object{"reason": "Asked for it"}).OK(t)
		require.Equal(t, "refused", blocked.Get(`consents.#(channel=="sms").state`).String())
		call(http.MethodPost, "/tasks/api/v1/tasks", object{"title": "Call", "due_at": "2020-01-01T00:00:00Z", "item": object{"type": "contacts.contact", "uuid": firm}}).OK(t)
		sums := call(http.MethodGet, at+"/summary", nil).OK(t)
		require.Equal(t, "1", sums.Get("sections.tasks.overdue").Raw)
		require.Equal(t, "[]", sums.Get("sections.notes.pinned").Raw)
		require.False(t, sums.Get("sections.sms").Exists(), "the area is off")
	})
}

func TestPortal_ShowsAContactWhatIsKnownOfIt(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, a *moduletest.App, call caller) {
		t.Helper()
		ann, other := call.create(t, object{"name": "Ann Lee", "source": "Secret"}), call.create(t, object{"name": "Bo"})
		made := call(http.MethodPost, path+"/"+ann+"/shares", object{}).OK(t)
		seen := a.Call(t, "", http.MethodGet, made.Get("url").String(), nil).OK(t)
		require.Equal(t, "Ann Lee", seen.Get("contact.name").String())
		require.NotEmpty(t, seen.Get("brand.name").String())
		require.NotContains(t, string(seen.Body), "Secret")
		require.Len(t, call(http.MethodGet, path+"/"+ann+"/shares", nil).OK(t).Get("data").Array(), 1)
		access := "/shares/" + made.Get("uuid").String()
		call(http.MethodDelete, path+"/"+other+access, nil).Refused(t, http.StatusNotFound, "link.not_found")
		call(http.MethodPost, path+"/"+ann+"/shares", object{"expires_at": "2999-01-01T00:00:00Z"}).Refused(t, http.StatusUnprocessableEntity, "link.invalid")
		call(http.MethodDelete, path+"/"+ann+access, nil).OK(t)
		a.Call(t, "", http.MethodGet, made.Get("url").String(), nil).Refused(t, http.StatusNotFound, "link.revoked")
	})
}

func TestContact_BelongsToNoneOfItsOwn(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, _ *moduletest.App, call caller) {
		t.Helper()
		top := call.create(t, object{"name": "Top", "kind": "company"})
		middle := call.create(t, object{"name": "Middle", "kind": "company", "parent_uuid": top})
		low := call.create(t, object{"name": "Low", "parent_uuid": middle})
		for _, parent := range []string{top, middle, low} {
			refused := call(http.MethodPatch, path+"/"+top, object{"parent_uuid": parent}).Refused(t, http.StatusUnprocessableEntity, "contacts.invalid_contact")
			require.NotEmpty(t, refused.Get("errors.parent_uuid").Raw)
		}
		call(http.MethodPatch, path+"/"+low, object{"parent_uuid": top}).OK(t)
		call(http.MethodPatch, path+"/"+low, object{"credit_limit": "-5"}).Refused(t, http.StatusUnprocessableEntity, "contacts.invalid_contact")
	})
}

func TestExists_RefusesWhatIsNoKey(t *testing.T) {
	t.Parallel()
	moduletest.BootEach(t, []module.Module{companies.Module, contacts.Module}, func(t *testing.T, a *moduletest.App) {
		t.Helper()
		ask := func(body object) moduletest.Response {
			return a.Call(t, a.Owner.Token, http.MethodPost, base+"/exists", body)
		}
		refused := ask(object{"phones": []string{"+12145550143", "abc"}, "emails": []string{"ann"}}).Refused(t, http.StatusUnprocessableEntity, "contacts.invalid_question")
		require.Len(t, refused.Get("errors").Map(), 2)
		ask(object{"phones": []string{"(214) 555-0143", "+12145550143"}}).OK(t)
	})
}
