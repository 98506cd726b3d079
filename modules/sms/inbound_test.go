package sms_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/moduletest"
)

// inOneHour is an hour from now.
func (d desk) inOneHour(t *testing.T) string {
	t.Helper()

	return clock.System{}.Now().Add(time.Hour).Format(time.RFC3339)
}

func (d desk) receive(t *testing.T, body, id string) string {
	t.Helper()

	return d.post(t, "/sandbox/inbound", map[string]any{"number_uuid": d.number, "from": "+12025550130", "body": body, "provider_id": id}).OK(t).Get("uuid").String()
}

func TestReceive_FillsAThreadOnceForEachMessage(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d desk) {
		first := d.receive(t, "Where are you?", "1")
		require.Equal(t, first, d.receive(t, "Where are you?", "1"))
		d.receive(t, "Hello?", "2")
		threads := d.get(t, "/threads").OK(t)
		require.Equal(t, int64(1), threads.Get("data.#").Int())
		require.Equal(t, int64(2), threads.Get("data.0.unread").Int())
		require.Equal(t, []string{"sms.message.received", "sms.message.received"}, d.EventNames(t, d.Owner))
		id := threads.Get("data.0.uuid").String()
		require.Zero(t, d.post(t, "/threads/"+id+"/read", nil).OK(t).Get("unread").Int())

		// Nobody has a default: the answer goes from the number that was written to.
		sent := d.post(t, "/messages", `{"to": "+12025550130", "body": "Near"}`).OK(t)
		require.Equal(t, "+12025550160", sent.Get("from").String())
		require.Equal(t, id, sent.Get("thread_uuid").String())
		require.Equal(t, int64(3), d.get(t, "/messages?filter[thread_uuid]="+id).OK(t).Get("data.#").Int())
		d.post(t, "/threads/"+d.number+"/read", nil).Refused(t, http.StatusNotFound, "sms.thread_not_found")
	})
}

func TestKeywords_OptOutAndInAndAreAnsweredOnce(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d desk) {
		waits := d.post(t, "/messages", map[string]any{"to": "+12025550130", "body": "Later", "from_uuid": d.number, "send_at": d.inOneHour(t)}).OK(t).Get("uuid").String()
		d.receive(t, " stop. ", "1")
		d.receive(t, "STOP", "2")
		refused := d.post(t, "/messages", map[string]any{"to": "+12025550130", "body": "Still there?", "from_uuid": d.number})
		refused.Refused(t, http.StatusConflict, "sms.opted_out")
		farewells := d.get(t, "/messages?filter[direction]=outbound&filter[state][ne]=scheduled").OK(t)
		require.Equal(t, int64(1), farewells.Get("data.#").Int(), "one answer to STOP")
		d.until(t, "/messages/"+farewells.Get("data.0.uuid").String(), "state", "delivered")
		require.Equal(t, "scheduled", d.get(t, "/messages/"+waits).OK(t).Get("state").String())

		d.receive(t, "please stop calling", "3")
		d.receive(t, "Unstop", "4")
		d.receive(t, "yes", "5")
		consents := d.get(t, "/consents?sort=created_at").OK(t)
		require.Equal(t, []string{"opt_out", "opt_out", "opt_in"}, strs(consents, "data.#.action"))
		require.Zero(t, d.get(t, "/opt_outs").OK(t).Get("data.#").Int())
		d.post(t, "/messages", map[string]any{"to": "+12025550130", "body": "Welcome back", "from_uuid": d.number}).OK(t)
		names := d.EventNames(t, d.Owner)
		require.Contains(t, names, "sms.opt_out.added")
		require.Contains(t, names, "sms.opt_out.removed")
	})
}

func TestOptOut_ByHandNeedsAReasonToEnd(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d desk) {
		made := d.post(t, "/opt_outs", `{"number": "202-555-0130"}`).OK(t)
		require.Equal(t, "+12025550130", made.Get("number").String())
		path := "/opt_outs/" + made.Get("uuid").String() + "/remove"
		require.Equal(t, http.StatusUnprocessableEntity, d.post(t, path, `{}`).Status)
		d.post(t, path, `{"reason": "Signed a form"}`).OK(t)
		d.post(t, path, `{"reason": "Signed a form"}`).Refused(t, http.StatusNotFound, "sms.opt_out_not_found")
	})
}

func TestKeywords_AreUnderstoodHoweverTheyAreWritten(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d desk) {
		for i, body := range []string{"opt-out", "“STOP”", "STOP 🛑", "st\u200bop", "ＳＴＯＰ", "STOP - John Smith", "stop texting me", "remove me", "ARRÊT", "СТОП", "停止"} {
			heard := d.get(t, "/messages/"+d.receive(t, body, body)).OK(t)
			require.Equal(t, "stop", heard.Get("keyword").String(), body)
			require.False(t, heard.Get("opt_out_review").Exists() && heard.Get("opt_out_review").String() != "")
			d.post(t, "/messages", map[string]any{"to": "+12025550130", "body": "Still there?", "from_uuid": d.number}).Refused(t, http.StatusConflict, "sms.opted_out")
			outs := d.get(t, "/opt_outs").OK(t)
			d.post(t, "/opt_outs/"+outs.Get("data.0.uuid").String()+"/remove", `{"reason": "For the next word"}`).OK(t)
			require.Len(t, strs(d.get(t, "/consents").OK(t), "data.#.uuid"), 2*(i+1))
		}
		d.receive(t, "don't stop by before 5", "chat")
		require.Zero(t, d.get(t, "/opt_outs").OK(t).Get("data.#").Int())
	})
}

func TestKeywords_OfTheCompanyOptOutAsWell(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d desk) {
		set := func(words ...string) moduletest.Response {
			return d.Call(t, d.Owner.Token, http.MethodPatch, base+"/settings", map[string]any{"stop_words": words})
		}
		require.Equal(t, []string{"No loads"}, strs(set("No loads").OK(t), "stop_words"))
		d.receive(t, "NO LOADS!", "1")
		require.Equal(t, int64(1), d.get(t, "/opt_outs").OK(t).Get("data.#").Int())
		require.Contains(t, string(set("Yes").Body), `"stop_words.0"`)
		require.Contains(t, string(set("ok", "…").Body), `"stop_words.1"`)
	})
}

func TestReview_OfAMessageThatMayBeAnOptOutIsAPersons(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d desk) {
		first, second := d.receive(t, "Stop, I am driving", "1"), d.receive(t, "stop it", "2")
		pending := d.get(t, "/messages?filter[opt_out_review]=pending&sort=created_at").OK(t)
		require.Equal(t, []string{first, second}, strs(pending, "data.#.uuid"))
		require.Contains(t, d.EventNames(t, d.Owner), "sms.opt_out.suspected")
		d.post(t, "/messages", map[string]any{"to": "+12025550130", "body": "Hi", "from_uuid": d.number}).OK(t)

		decided := d.post(t, "/messages/"+first+"/review_opt_out", `{"opt_out": false}`).OK(t)
		require.Equal(t, "dismissed", decided.Get("opt_out_review").String())
		d.post(t, "/messages/"+first+"/review_opt_out", `{"opt_out": true}`).Refused(t, http.StatusConflict, "sms.not_suspected")
		third := d.receive(t, "stop texting me after 8pm", "3")
		decided = d.post(t, "/messages/"+second+"/review_opt_out", `{"opt_out": true}`).OK(t)
		require.Equal(t, "opted_out", decided.Get("opt_out_review").String())
		require.Equal(t, "opted_out", d.get(t, "/messages/"+third).OK(t).Get("opt_out_review").String(), "it is settled with the other one")
		d.post(t, "/messages", map[string]any{"to": "+12025550130", "body": "Hi", "from_uuid": d.number}).Refused(t, http.StatusConflict, "sms.opted_out")
		consent := d.get(t, "/consents").OK(t).Get("data.0")
		require.Equal(t, second, consent.Get("message_uuid").String())
		require.Equal(t, "manual", consent.Get("source").String())
		d.receive(t, "stop it", "4")
		require.Zero(t, d.get(t, "/messages?filter[opt_out_review]=pending").OK(t).Get("data.#").Int(), "who is out is not suspected")
	})
}

func TestQuietHours_OfNoLengthAreRefused(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d desk) {
		refused := d.Call(t, d.Owner.Token, http.MethodPatch, base+"/settings", `{"quiet_from": "08:00", "quiet_to": "08:00"}`)
		refused.Refused(t, http.StatusUnprocessableEntity, "sms.invalid")
		require.Contains(t, string(refused.Body), `"quiet_to"`)
	})
}
