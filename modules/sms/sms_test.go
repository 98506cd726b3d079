package sms_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/modules/attachments"
	"github.com/dispatchd/dispatchd/modules/sms"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/module"
	"github.com/dispatchd/dispatchd/platform/moduletest"
)

const base = "/sms/api/v1"

func TestMain(m *testing.M) { moduletest.Main(m, sms.Module, modules()...) }

func modules() []module.Module { return []module.Module{attachments.Module, sms.Module} }

// desk is a company that can send.
type desk struct {
	*moduletest.App

	account, number string
}

// open gives a company a sandbox account and an active number.
func open(t *testing.T, a *moduletest.App) desk {
	t.Helper()
	d := desk{App: a}
	d.account = d.post(t, "/accounts", `{"name": "Sandbox", "provider": "sandbox", "credentials": {"token": "hunter2"}}`).OK(t).Get("uuid").String()
	d.number = d.buy(t, "+12025550160")

	return d
}

func (d desk) post(t *testing.T, path string, body any, headers ...string) moduletest.Response {
	t.Helper()

	return d.Call(t, d.Owner.Token, http.MethodPost, base+path, body, headers...)
}

func (d desk) get(t *testing.T, path string) moduletest.Response {
	t.Helper()

	return d.Call(t, d.Owner.Token, http.MethodGet, base+path, nil)
}

func (d desk) put(t *testing.T, path string, body any) moduletest.Response {
	t.Helper()

	return d.Call(t, d.Owner.Token, http.MethodPut, base+path, body)
}

// buy returns the id of a number once it is active.
func (d desk) buy(t *testing.T, number string) string {
	t.Helper()
	id := d.post(t, "/numbers", map[string]any{"number": number}).OK(t).Get("uuid").String()
	d.until(t, "/numbers/"+id, "state", "active")

	return id
}

func (d desk) until(t *testing.T, path, key, value string) {
	t.Helper()
	d.Eventually(t, func() bool { return d.get(t, path).OK(t).Get(key).String() == value }, path+" is "+value)
}

func each(t *testing.T, test func(t *testing.T, d desk), options ...moduletest.Option) {
	t.Helper()
	moduletest.BootEach(t, modules(), func(t *testing.T, a *moduletest.App) {
		t.Helper()
		test(t, open(t, a))
	}, options...)
}

func TestAccounts_NeverShowCredentials(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d desk) {
		read := d.get(t, "/accounts/"+d.account).OK(t)
		require.NotContains(t, string(read.Body), "hunter2")
		require.True(t, read.Get("default").Bool())
		require.Equal(t, "unchecked", read.Get("health").String())
		require.True(t, d.get(t, "/accounts/"+d.account+"/health").OK(t).Get("healthy").Bool())
		require.Equal(t, "connected", d.get(t, "/accounts/"+d.account).OK(t).Get("health").String())

		revoked := d.post(t, "/accounts", `{"name": "Revoked", "provider": "sandbox", "credentials": {"revoked": "yes"}}`).OK(t).Get("uuid").String()
		health := d.get(t, "/accounts/"+revoked+"/health").OK(t)
		require.False(t, health.Get("healthy").Bool())
		require.Equal(t, "auth", health.Get("reason").String())
		d.post(t, "/accounts", `{"name": "Revoked", "provider": "sandbox"}`).Refused(t, http.StatusConflict, "sms.name_taken")
		d.post(t, "/accounts", `{"name": "X", "provider": "pigeon"}`).Refused(t, http.StatusUnprocessableEntity, "sms.invalid")
		d.Call(t, d.Owner.Token, http.MethodDelete, base+"/accounts/"+d.account, nil).Refused(t, http.StatusConflict, "sms.account_used")
		d.post(t, "/accounts/"+revoked+"/make_default", nil).OK(t)
		require.False(t, d.get(t, "/accounts/"+d.account).OK(t).Get("default").Bool())
		require.NotContains(t, d.Logged(), "hunter2")
	})
}

func TestUserDefault_IsTheUsersThenTheCompanysThenA404ThatSaysHow(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d desk) {
		program := d.Token(t, d.Owner, "sms:read", "sms:send")
		asProgram := func() moduletest.Response {
			return d.Call(t, program, http.MethodGet, base+"/numbers/user/default", nil)
		}
		none := d.get(t, "/numbers/user/default").Refused(t, http.StatusNotFound, "sms.no_default_number")
		require.Contains(t, none.Get("message").String(), "PUT /sms/api/v1/numbers/user/default")
		asProgram().Refused(t, http.StatusNotFound, "sms.no_default_number")

		other := d.buy(t, "+12025550161")
		d.put(t, "/numbers/company/default", map[string]any{"number_uuid": other}).OK(t)
		require.Equal(t, "company", d.get(t, "/numbers/user/default").OK(t).Get("default_of").String())
		mine := d.put(t, "/numbers/user/default", map[string]any{"number_uuid": d.number}).OK(t)
		require.Equal(t, "user", mine.Get("default_of").String())
		require.Equal(t, "+12025550160", d.get(t, "/numbers/user/default").OK(t).Get("number").String())
		require.Equal(t, "+12025550161", asProgram().OK(t).Get("number").String())
		d.Call(t, program, http.MethodPut, base+"/numbers/user/default", map[string]any{"number_uuid": other}).Refused(t, http.StatusConflict, "sms.no_user")

		d.Call(t, d.Owner.Token, http.MethodDelete, base+"/numbers/user/default", nil).OK(t)
		require.Equal(t, "+12025550161", d.get(t, "/numbers/user/default").OK(t).Get("number").String())
		d.Call(t, d.Owner.Token, http.MethodDelete, base+"/numbers/company/default", nil).OK(t)
		d.get(t, "/numbers/company/default").Refused(t, http.StatusNotFound, "sms.no_default_number")
		d.put(t, "/numbers/user/default", map[string]any{"number_uuid": d.account}).Refused(t, http.StatusNotFound, "sms.number_not_found")
	})
}

func TestRelease_MakesTheNumberNobodysDefault(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d desk) {
		d.put(t, "/numbers/company/default", map[string]any{"number_uuid": d.number}).OK(t)
		d.put(t, "/numbers/user/default", map[string]any{"number_uuid": d.number}).OK(t)
		d.post(t, "/numbers/"+d.number+"/release", nil).OK(t)
		d.get(t, "/numbers/user/default").Refused(t, http.StatusNotFound, "sms.no_default_number")
		d.until(t, "/numbers/"+d.number, "state", "released")
		d.put(t, "/numbers/user/default", map[string]any{"number_uuid": d.number}).Refused(t, http.StatusConflict, "sms.number_not_active")
		d.buy(t, "+12025550160") // it can be bought again
	})
}

func TestAssign_TakesADefaultFromAllOthers(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d desk) {
		d.put(t, "/numbers/company/default", map[string]any{"number_uuid": d.number}).OK(t)
		path := base + "/numbers/" + d.number
		d.Call(t, d.Owner.Token, http.MethodPatch, path, `{"user_uuid": "0190d0c0-0000-7000-8000-0000000000ff"}`).
			Refused(t, http.StatusUnprocessableEntity, "sms.invalid")
		me := d.put(t, "/numbers/user/default", map[string]any{"number_uuid": d.number}).OK(t)
		require.Equal(t, "user", me.Get("default_of").String())
		user := d.post(t, "/messages", `{"to": "+12025550130", "body": "Hi"}`).OK(t).Get("created_by_uuid").String()
		d.Call(t, d.Owner.Token, http.MethodPatch, path, map[string]any{"user_uuid": user}).OK(t)
		require.Equal(t, "user", d.get(t, "/numbers/user/default").OK(t).Get("default_of").String(), "it is still its user's")
		d.get(t, "/numbers/company/default").Refused(t, http.StatusNotFound, "sms.no_default_number")
		d.put(t, "/numbers/company/default", map[string]any{"number_uuid": d.number}).Refused(t, http.StatusConflict, "sms.number_of_another")
	})
}

func TestNumbers_AreSearchedBoughtAndImported(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d desk) {
		found := d.get(t, "/numbers/available?area_code=303&contains=017&limit=3").OK(t)
		require.Equal(t, "+13035550170", found.Get("data.0.number").String())
		require.Equal(t, int64(3), found.Get("data.#").Int())
		failed := d.post(t, "/numbers", `{"number": "+13035550199"}`).OK(t).Get("uuid").String()
		d.until(t, "/numbers/"+failed, "problem", "number_not_available")
		failed = d.post(t, "/numbers", `{"number": "+13035550120"}`).OK(t).Get("uuid").String()
		d.until(t, "/numbers/"+failed, "problem", "number_not_available")
		d.post(t, "/numbers", `{"number": "+12025550160"}`).Refused(t, http.StatusConflict, "sms.number_taken")
		refused := d.get(t, "/numbers/available?area_code=12").Refused(t, http.StatusUnprocessableEntity, "web.invalid")
		require.Equal(t, "The area code must be three digits, the first of which is 2 to 9.", refused.Get("errors.area_code.0").String())
		refused = d.post(t, "/accounts", `{"name": "  ", "provider": "sandbox"}`).Refused(t, http.StatusUnprocessableEntity, "web.invalid")
		require.Equal(t, "The name must be text that can be seen.", refused.Get("errors.name.0").String())
		d.post(t, "/numbers", `{"number": "12"}`).Refused(t, http.StatusUnprocessableEntity, "sms.not_a_number")
		d.post(t, "/numbers/import", `{}`).OK(t)
		d.Eventually(t, func() bool {
			return d.get(t, "/numbers?filter[registration]=unregistered").OK(t).Get("data.0.number").String() == "+12025550151"
		}, "the numbers of the account are ours")
	})
}

func TestSend_GoesAllTheWay(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d desk) {
		body := map[string]any{"to": "(202) 555-0130", "body": "Your driver is near 🚚", "from_uuid": d.number}
		made := d.post(t, "/messages", body, "Idempotency-Key", "one").OK(t)
		again := d.post(t, "/messages", body, "Idempotency-Key", "one").OK(t)
		require.Equal(t, made.Get("uuid").String(), again.Get("uuid").String())
		require.Equal(t, "queued", made.Get("state").String())
		require.Equal(t, "+12025550130", made.Get("to").String())
		require.Equal(t, "UCS-2", made.Get("encoding").String())

		path := strings.TrimPrefix(made.Header.Get("Location"), base)
		d.until(t, path, "state", "delivered")
		read := d.get(t, path).OK(t)
		require.Equal(t, "0.0079", read.Get("cost").String())
		require.Equal(t, "taken", read.Get("attempts.0.outcome").String())
		require.Equal(t, []string{"hand_over", "report", "report"}, strs(read, "history.#.verb"))
		require.Equal(t, []string{"sms.message.queued", "sms.message.sent", "sms.message.delivered"}, d.EventNames(t, d.Owner))
		list := d.get(t, "/messages?filter[state]=delivered").OK(t)
		require.Equal(t, int64(1), list.Get("data.#").Int())
		d.get(t, "/messages/"+d.number).Refused(t, http.StatusNotFound, "sms.message_not_found")
		d.post(t, path+"/cancel", nil).Refused(t, http.StatusConflict, "state.not_allowed")
	})
}

func strs(r moduletest.Response, path string) []string {
	var all []string
	for _, v := range r.Get(path).Array() {
		all = append(all, v.String())
	}

	return all
}

func TestSend_NamesWhatIsWrongWithTheBodyAndTheTime(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d desk) {
		for _, blank := range []string{"", "   ", "\n", "\u200b\u200b", "\u2060 \ufeff"} {
			refused := d.post(t, "/messages", map[string]any{"to": "+12025550130", "body": blank, "from_uuid": d.number}).Refused(t, http.StatusUnprocessableEntity, "sms.invalid")
			require.Equal(t, "The body is required without media.", refused.Get("errors.body.0").String(), "%q", blank)
		}
		late := d.post(t, "/messages", map[string]any{"to": "+12025550130", "body": "Hi", "from_uuid": d.number, "send_at": "2099-01-01T00:00:00Z"})
		require.Equal(t, "`send_at` must be at most 366 days ahead.", late.Refused(t, http.StatusUnprocessableEntity, "sms.invalid").Get("errors.send_at.0").String())
	})
}

func TestSend_EndsAsItsMagicNumberSays(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d desk) {
		d.Call(t, d.Owner.Token, http.MethodPatch, base+"/numbers/"+d.number, `{"per_minute": 0}`).OK(t)
		tests := map[string]struct{ state, reason string }{
			"01": {"failed", "invalid_recipient"}, "02": {"failed", "not_mobile"}, "03": {"undelivered", "unreachable"},
			"04": {"undelivered", "filtered"}, "05": {"failed", "opted_out"}, "06": {"failed", "rate_limited"},
			"10": {"failed", "insufficient_funds"}, "11": {"undelivered", "unregistered_sender"}, "14": {"sent", ""},
			"15": {"delivered", ""}, "16": {"failed", "auth"},
		}
		paths := map[string]string{}
		for ending := range tests {
			made := d.post(t, "/messages", map[string]any{"to": "+120255501" + ending, "body": "Hi", "from_uuid": d.number}).OK(t)
			paths[ending] = strings.TrimPrefix(made.Header.Get("Location"), base)
		}
		for ending, want := range tests {
			d.until(t, paths[ending], "state", want.state)
			read := d.get(t, paths[ending]).OK(t)
			require.Equal(t, want.reason, read.Get("reason").String(), ending)
			require.Equal(t, want.reason != "", read.Get("explanation").String() != "", ending)
			require.NotContains(t, read.Get("explanation").String(), "Twilio", "the sandbox is no vendor's")
			if ending == "10" {
				require.Equal(t, "The provider account has no funds left.", read.Get("explanation").String())
			}
		}
		require.Equal(t, "failing", d.get(t, "/accounts/"+d.account).OK(t).Get("health").String())
		out := d.get(t, "/opt_outs").OK(t)
		require.Equal(t, "+12025550105", out.Get("data.0.number").String())
		require.Equal(t, "provider", out.Get("data.0.source").String())
	}, moduletest.Set("modules.sms.max_attempts=2"))
}

func TestSend_RefusesWhatCannotBeSent(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d desk) {
		d.post(t, "/messages", `{"to": "+12025550130", "body": "Hi"}`).Refused(t, http.StatusConflict, "sms.no_sender")
		d.put(t, "/numbers/company/default", map[string]any{"number_uuid": d.number}).OK(t)
		tests := map[string]struct {
			body string
			code string
		}{
			"not a number":      {`{"to": "hello", "body": "Hi"}`, "sms.not_a_number"},
			"a landline":        {`{"to": "+442079460018", "body": "Hi"}`, "sms.landline"},
			"premium":           {`{"to": "+19005550123", "body": "Hi"}`, "sms.premium_number"},
			"a short code":      {`{"to": "72645", "body": "Hi"}`, "sms.short_code"},
			"nothing":           {`{"to": "+12025550130"}`, "sms.invalid"},
			"an empty body":     {`{"to": "+12025550130", "body": ""}`, "sms.invalid"},
			"10,000 characters": {`{"to": "+12025550130", "body": "` + strings.Repeat("x", 10000) + `"}`, "sms.invalid"},
			"to ourselves":      {`{"to": "+12025550160", "body": "Hi"}`, "sms.invalid"},
			"a file":            {`{"to": "+12025550130", "media": ["file:///etc/passwd"]}`, "sms.invalid"},
			"plain http":        {`{"to": "+12025550130", "media": ["http://example.com/a.png"]}`, "sms.invalid"},
			"an unknown owner":  {`{"to": "+12025550130", "body": "Hi", "owner_type": "loads.load", "owner_uuid": "0190d0c0-0000-7000-8000-0000000000ff"}`, "item.unknown_type"},
			"far too late":      {`{"to": "+12025550130", "body": "Hi", "send_at": "2999-01-01T00:00:00Z"}`, "sms.invalid"},
		}
		for name, test := range tests {
			refused := d.post(t, "/messages", test.body)
			require.Equal(t, test.code, refused.Get("code").String(), name)
			require.Equal(t, http.StatusUnprocessableEntity, refused.Status, name)
		}
		nowhere := "0190d0c0-0000-7000-8000-0000000000ff"
		d.post(t, "/messages", `{"to": "+12025550130", "body": "Hi", "from_uuid": "`+nowhere+`"}`).Refused(t, http.StatusNotFound, "sms.number_not_found")
		d.post(t, "/messages", `{"to": "+12025550130", "template_uuid": "`+nowhere+`"}`).Refused(t, http.StatusNotFound, "sms.template_not_found")
		require.Empty(t, d.EventNames(t, d.Owner))
	})
}

func TestTemplates_NameMissingVariablesAndFillInTheItem(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d desk) {
		made := d.post(t, "/templates", `{"name": "Pickup", "body": "{{ name }}, pickup {{ day }} at {{ place.city }}"}`).OK(t).Get("uuid").String()
		missing := d.post(t, "/messages", map[string]any{"to": "+12025550130", "template_uuid": made, "from_uuid": d.number, "variables": map[string]any{"name": "Ann"}}).
			Refused(t, http.StatusUnprocessableEntity, "sms.missing_variables")
		require.Equal(t, []string{"day", "place.city"}, strs(missing, "details.missing"))
		full := map[string]any{"name": "Ann", "day": "Mon", "place": map[string]any{"city": "Bonn"}}
		sent := d.post(t, "/messages", map[string]any{"to": "+12025550130", "template_uuid": made, "from_uuid": d.number, "variables": full}).OK(t)
		require.Equal(t, "Ann, pickup Mon at Bonn", sent.Get("body").String())
		about := d.post(t, "/messages/preview", map[string]any{
			"template": "About {{ item.to }}", "owner_type": "sms.message", "owner_uuid": sent.Get("uuid").String(), "to": "202 555 0131",
		}).OK(t)
		require.Equal(t, "About +12025550130", about.Get("text").String())
		require.Equal(t, "+12025550131", about.Get("to").String())
		require.Equal(t, int64(1), about.Get("segments").Int())
		d.post(t, "/templates", `{"name": "Loop", "body": "{% for i in (1..9) %}{{ i }}{% endfor %}"}`).Refused(t, http.StatusUnprocessableEntity, "sms.invalid")
		d.post(t, "/templates", `{"name": "Pickup", "body": "x"}`).Refused(t, http.StatusConflict, "sms.name_taken")
		edge := d.post(t, "/messages/preview", map[string]any{"body": strings.Repeat("🚚", 36)}).OK(t)
		require.Equal(t, int64(2), edge.Get("segments").Int())
		require.Equal(t, "🚚", edge.Get("forcing_characters.0").String())
	})
}

func TestBulk_IsAllOrNothingUnlessSaidOtherwise(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d desk) {
		d.put(t, "/numbers/company/default", map[string]any{"number_uuid": d.number}).OK(t)
		body := `{"items": [{"to": "+12025550130", "body": "A"}, {"to": "nobody", "body": "B"}], "atomic": `
		refused := d.post(t, "/messages/bulk", body+`true}`).Refused(t, http.StatusUnprocessableEntity, "sms.not_a_number")
		require.True(t, refused.Get(`errors.items\.1\.to`).Exists())
		require.Zero(t, d.get(t, "/messages").OK(t).Get("data.#").Int())
		some := d.post(t, "/messages/bulk", body+`false}`).OK(t)
		require.Equal(t, int64(1), some.Get("meta.succeeded").Int())
		require.Equal(t, "sms.not_a_number", some.Get("data.1.error.code").String())
		require.Equal(t, int64(1), d.get(t, "/messages").OK(t).Get("data.#").Int())
	})
}

func TestSchedule_CanBeCanceled(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d desk) {
		made := d.post(t, "/messages", map[string]any{"to": "+12025550130", "body": "Later", "from_uuid": d.number, "send_at": d.inOneHour(t)}).OK(t)
		require.Equal(t, "scheduled", made.Get("state").String())
		path := strings.TrimPrefix(made.Header.Get("Location"), base)
		canceled := d.post(t, path+"/cancel", nil).OK(t)
		require.Equal(t, "canceled", canceled.Get("state").String())
	})
}

func TestSend_RefusesATimeThatIsPast(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d desk) {
		send := func(ago time.Duration) moduletest.Response {
			return d.post(t, "/messages", map[string]any{
				"to": "+12025550130", "body": "Hi", "from_uuid": d.number, "send_at": clock.System{}.Now().Add(-ago).Format(time.RFC3339),
			})
		}
		refused := send(6*time.Minute).Refused(t, http.StatusUnprocessableEntity, "sms.invalid")
		require.True(t, refused.Get("errors.send_at").Exists())
		require.Equal(t, "queued", send(4*time.Minute).OK(t).Get("state").String(), "clocks differ")
		require.Equal(t, int64(1), d.get(t, "/messages").OK(t).Get("data.#").Int())
	})
}

func TestTemplates_RefuseWhatIsNotClosedAndWhatGrows(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d desk) {
		refused := d.post(t, "/templates", `{"name": "Open", "body": "Hi {{ name"}`).Refused(t, http.StatusUnprocessableEntity, "sms.invalid")
		require.Equal(t, "The {{ at line 1, column 4 has no }} that closes it.", refused.Get("errors.body.0").String())
		for _, body := range []string{`{{ '2026-01-01' | date: '%1000000Y' }}`, `{{ '2026-01-01' | date: wide }}`, `{{ (1..100000000) | last }}`} {
			d.post(t, "/messages/preview", map[string]any{"template": strings.Repeat(body, 50), "variables": map[string]any{"wide": "%1000000Y"}}).
				Refused(t, http.StatusUnprocessableEntity, "sms.invalid")
		}
	})
}
