package sms_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/modules/sms/smstest"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/inbound"
	"github.com/dispatchd/dispatchd/platform/inbound/verify"
	"github.com/dispatchd/dispatchd/platform/moduletest"
)

func TestTelnyx_SendsHearsAndObeys(t *testing.T) {
	t.Parallel()
	vendor := smstest.NewTelnyx([]byte(strings.Repeat("k", 32)))
	server := httptest.NewServer(vendor)
	t.Cleanup(server.Close)
	moduletest.BootEach(t, modules(), func(t *testing.T, a *moduletest.App) {
		t.Helper()
		l := &line{desk: desk{App: a}}
		made := l.post(t, "/accounts", map[string]any{"name": "Telnyx", "provider": "telnyx", "credentials": vendor.Credentials()}).OK(t)
		l.account = made.Get("uuid").String()
		require.Equal(t, made.Get("callbacks.status_url").String(), made.Get("callbacks.message_url").String())
		address := strings.TrimPrefix(made.Get("callbacks.message_url").String(), hooks)
		l.number = l.buy(t, ours)
		tell := func(target, event, id string, payload map[string]any, late time.Duration) moduletest.Response {
			body, err := json.Marshal(map[string]any{"data": map[string]any{"id": id, "event_type": event, "payload": payload}, "meta": map[string]any{"attempt": 1}})
			require.NoError(t, err)
			at := strconv.FormatInt(clock.System{}.Now().Add(-late).Unix(), 10)

			return l.Notify(t, target, body, "telnyx-timestamp", at, "telnyx-signature-ed25519", verify.SignTelnyx(vendor.Private, at, body))
		}
		id := l.post(t, "/messages", map[string]any{"to": driver, "body": "Near", "from_uuid": l.number}).OK(t).Get("uuid").String()
		l.Eventually(t, func() bool { return l.get(t, "/messages/"+id).OK(t).Get("provider_id").String() != "" }, "it was taken")
		var sent smstest.TelnyxMessage
		for _, m := range vendor.Messages() {
			if strings.HasPrefix(m.Webhook, hooks+address) {
				sent = m
			}
		}
		require.Equal(t, "Near", sent.Text)
		target := strings.TrimPrefix(sent.Webhook, hooks)
		tell(target, "message.finalized", "e1", sent.Resource("delivered"), 10*time.Minute).Refused(t, http.StatusUnauthorized, "inbound.not_verified")
		tell(target, "message.finalized", "e1", sent.Resource("delivered"), 0).OK(t)
		require.Equal(t, inbound.Processed, l.handled(t).State)
		require.Equal(t, "delivered", l.get(t, "/messages/"+id).OK(t).Get("state").String())
		require.Equal(t, "0.0045", l.get(t, "/messages/"+id).OK(t).Get("cost").String())

		stop := map[string]any{
			"id": "in1", "from": map[string]any{"phone_number": driver}, "to": []any{map[string]any{"phone_number": ours}}, "text": "Stop all",
			"media": []any{map[string]any{"url": "https://127.0.0.1:1/1.png", "size": 7}, map[string]any{"url": 7}},
		}
		tell(address, "message.received", "e2", stop, 0).OK(t)
		require.Equal(t, inbound.Processed, l.handled(t).State)
		l.post(t, "/messages", map[string]any{"to": driver, "body": "Hi", "from_uuid": l.number}).Refused(t, http.StatusConflict, "sms.opted_out")
		tell(address, "call.answered", "e3", map[string]any{"id": "c"}, 0).OK(t)
		require.Equal(t, inbound.Skipped, l.handled(t).State)
		require.Equal(t, []string{"https://127.0.0.1:1/1.png"}, strs(l.get(t, "/messages?filter[direction]=inbound").OK(t), "data.0.media"))
	}, moduletest.Set("modules.sms.telnyx.base_url="+server.URL+"/v2", "outbound.allow_http=true", "outbound.allow_networks=127.0.0.0/8",
		"web.services_url="+hooks, "modules.sms.status_wait=0s"))
}
