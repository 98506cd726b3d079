package sms_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/clock"
)

// quietNow makes it quiet in Washington, from an hour ago to in an hour.
func (d desk) quietNow(t *testing.T, policy string) {
	t.Helper()
	there, err := time.LoadLocation("America/New_York")
	require.NoError(t, err)
	now := clock.System{}.Now().In(there)
	d.Call(t, d.Owner.Token, http.MethodPatch, base+"/settings", map[string]any{
		"quiet_from": now.Add(-time.Hour).Format("15:04"), "quiet_to": now.Add(time.Hour).Format("15:04"), "quiet_policy": policy,
	}).OK(t)
}

func TestQuietHours_RefuseSaysUntilWhenAndStoresNothing(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d desk) {
		d.quietNow(t, "refuse")
		hi := map[string]any{"to": "+12025550130", "body": "Hi", "from_uuid": d.number}
		refused := d.post(t, "/messages", hi).Refused(t, http.StatusConflict, "sms.quiet_hours")
		until, err := time.Parse(time.RFC3339, refused.Get("details.until").String())
		require.NoError(t, err)
		require.WithinDuration(t, clock.System{}.Now().Add(time.Hour), until, 2*time.Minute)
		d.post(t, "/messages/bulk", map[string]any{"items": []any{hi}}).Refused(t, http.StatusConflict, "sms.quiet_hours")
		require.Zero(t, d.get(t, "/messages").OK(t).Get("data.#").Int())
		require.Empty(t, d.EventNames(t, d.Owner))

		hi["send_at"] = clock.System{}.Now().Add(3 * time.Hour).Format(time.RFC3339)
		d.post(t, "/messages", hi).OK(t) // it is due when it is not quiet
		delete(hi, "send_at")
		hi["ignore_quiet_hours"] = true
		sent := d.post(t, "/messages", hi).OK(t)
		d.until(t, strings.TrimPrefix(sent.Header.Get("Location"), base), "state", "delivered")
	})
}

func TestQuietHours_DeferSaysWhenItGoes(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d desk) {
		d.quietNow(t, "defer")
		sent := d.post(t, "/messages", map[string]any{"to": "+12025550130", "body": "Hi", "from_uuid": d.number}).OK(t)
		path := strings.TrimPrefix(sent.Header.Get("Location"), base)
		d.Eventually(t, func() bool {
			due, err := time.Parse(time.RFC3339, d.get(t, path).OK(t).Get("due_at").String())
			require.NoError(t, err)

			return due.After(clock.System{}.Now().Add(50 * time.Minute))
		}, "it waits for the end of the quiet hours")
		require.Equal(t, "queued", d.get(t, path).OK(t).Get("state").String())
		d.post(t, path+"/cancel", nil).OK(t)
		require.Equal(t, []string{"sms.message.queued"}, d.EventNames(t, d.Owner))
	})
}

func TestBulk_NamesTheVariablesThatEachMessageLacks(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d desk) {
		made := d.post(t, "/templates", `{"name": "Pickup", "body": "{{ name }} at {{ place }}"}`).OK(t).Get("uuid").String()
		full, lacking := map[string]any{"name": "Ann", "place": "Bonn"}, map[string]any{"name": "Bob"}
		body := func(atomic bool) map[string]any {
			of := func(to string, variables map[string]any) map[string]any {
				return map[string]any{"to": to, "template_uuid": made, "from_uuid": d.number, "variables": variables}
			}

			return map[string]any{"atomic": atomic, "items": []any{of("+12025550130", full), of("+12025550131", lacking)}}
		}
		refused := d.post(t, "/messages/bulk", body(true)).Refused(t, http.StatusUnprocessableEntity, "sms.missing_variables")
		require.Contains(t, string(refused.Body), "items.1.variables.place")
		require.Zero(t, d.get(t, "/messages").OK(t).Get("data.#").Int())
		some := d.post(t, "/messages/bulk", body(false)).OK(t)
		require.Equal(t, "Ann at Bonn", some.Get("data.0.message.body").String())
		require.Equal(t, "sms.missing_variables", some.Get("data.1.error.code").String())
		require.Equal(t, "place", some.Get("data.1.error.details.missing.0").String())
	})
}

func TestPreview_CountsToTheEdgeOfASegment(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d desk) {
		tests := map[string]struct {
			body           string
			encoding       string
			segments, left int64
		}{
			"160 of GSM-7":                {strings.Repeat("x", 160), "GSM-7", 1, 0},
			"161 of GSM-7":                {strings.Repeat("x", 161), "GSM-7", 2, 145},
			"two for the euro":            {strings.Repeat("x", 158) + "€", "GSM-7", 1, 0},
			"a euro over the edge":        {strings.Repeat("x", 159) + "€", "GSM-7", 2, 145},
			"70 with an emoji":            {strings.Repeat("x", 68) + "🚚", "UCS-2", 1, 0},
			"71 with an emoji":            {strings.Repeat("x", 69) + "🚚", "UCS-2", 2, 63},
			"an emoji that is not parted": {strings.Repeat("x", 66) + "🚚" + strings.Repeat("x", 10), "UCS-2", 2, 55},
		}
		for name, test := range tests {
			shown := d.post(t, "/messages/preview", map[string]any{"body": test.body}).OK(t)
			require.Equal(t, test.encoding, shown.Get("encoding").String(), name)
			require.Equal(t, test.segments, shown.Get("segments").Int(), name)
			require.Equal(t, test.left, shown.Get("left").Int(), name)
		}
		d.post(t, "/messages/preview", map[string]any{"body": strings.Repeat("x", 10001)}).Refused(t, http.StatusUnprocessableEntity, "web.invalid")
		require.Equal(t, int64(0), d.post(t, "/messages/preview", map[string]any{"body": ""}).OK(t).Get("characters").Int())
	})
}

func TestMessages_AnUnknownIDIs404WhateverIsAskedOfIt(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d desk) {
		nowhere := "/messages/0190d0c0-0000-7000-8000-0000000000ff"
		d.get(t, nowhere).Refused(t, http.StatusNotFound, "sms.message_not_found")
		d.get(t, nowhere+"/transitions").Refused(t, http.StatusNotFound, "sms.message_not_found")
		for _, verb := range []string{"cancel", "resend", "give_up"} {
			d.post(t, nowhere+"/"+verb, nil).Refused(t, http.StatusNotFound, "sms.message_not_found")
		}
		sent := d.post(t, "/messages", map[string]any{"to": "+12025550130", "body": "Hi", "from_uuid": d.number}).OK(t)
		other := d.NewCompany(t)
		d.Call(t, other.Token, http.MethodGet, sent.Header.Get("Location"), nil).Refused(t, http.StatusNotFound, "sms.message_not_found")
		d.Call(t, other.Token, http.MethodPost, sent.Header.Get("Location")+"/cancel", nil).Refused(t, http.StatusNotFound, "sms.message_not_found")
		require.Equal(t, http.StatusUnprocessableEntity, d.get(t, "/messages/none").Status)
	})
}
