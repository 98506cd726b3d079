//go:build soak

package main_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"

	"github.com/dispatchd/dispatchd/modules/sms/smstest"
	"github.com/dispatchd/dispatchd/platform/database/databasetest"
)

const smsPath = "/sms/api/v1"

// moody is a vendor that takes messages, and at times refuses them, fails, or does not answer, having taken them or
// not.
type moody struct {
	*smstest.Twilio

	sends atomic.Int64
}

// ServeHTTP implements http.Handler.
func (m *moody) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost || !strings.HasSuffix(r.URL.Path, "/Messages.json") {
		m.Twilio.ServeHTTP(w, r)

		return
	}
	switch n := m.sends.Add(1); {
	case n%10 == 3:
		w.Header().Set("Retry-After", "1")
		http.Error(w, `{"code": 20429, "message": "Too many requests"}`, http.StatusTooManyRequests)
	case n%20 == 5: // it took the message, and says that it is broken
		m.Twilio.ServeHTTP(httptest.NewRecorder(), r)
		http.Error(w, "oops", http.StatusInternalServerError)
	case n%50 == 7: // it did not
		http.Error(w, "oops", http.StatusServiceUnavailable)
	case n%50 == 8: // it took the message, and never answers
		m.Twilio.ServeHTTP(httptest.NewRecorder(), r)
		<-r.Context().Done()
	default:
		select {
		case <-time.After(30 * time.Millisecond):
		case <-r.Context().Done():
		}
		m.Twilio.ServeHTTP(w, r)
	}
}

// countAccepted counts the messages that the vendor took, by their recipients.
func (m *moody) countAccepted() map[string]int {
	counts := map[string]int{}
	for _, one := range m.Messages() {
		counts[one.Form.Get("To")]++
	}

	return counts
}

// TestKill_NoMessageIsLostAndNoneIsSentTwice kills the service several times while it hands messages to a vendor.
func TestKill_NoMessageIsLostAndNoneIsSentTwice(t *testing.T) {
	t.Parallel()
	databasetest.Each(t, func(t *testing.T, database string) {
		vendor := &moody{Twilio: smstest.NewTwilio(7)}
		vendor.AddNumber("+12025550160")
		server := httptest.NewServer(vendor)
		t.Cleanup(server.Close)
		dir, environ := t.TempDir(), []string{
			"DISPATCHD_DATABASE__URL=" + database, "DISPATCHD_JOBS__TAKE_OVER=3s", "DISPATCHD_MODULES__SMS__PER_MINUTE=0",
			"DISPATCHD_MODULES__SMS__SEND_TIMEOUT=1s", "DISPATCHD_MODULES__SMS__ASK_AGAIN_FOR=1s",
			"DISPATCHD_MODULES__SMS__TWILIO__BASE_URL=" + server.URL + "/2010-04-01", "DISPATCHD_OUTBOUND__ALLOW_HTTP=true",
			"DISPATCHD_OUTBOUND__ALLOW_NETWORKS=127.0.0.0/8",
		}
		token := company(t, dir, environ...)
		p := start(t, dir, environ...)
		const messages = 300
		p.sendMany(t, token, vendor, messages)
		for _, until := range []int{30, 110, 190} {
			require.Eventually(t, func() bool { return len(vendor.Messages()) >= until }, time.Minute, time.Millisecond)
			p.kill(t)
			p = start(t, dir, environ...)
		}
		var ended map[string]gjson.Result
		require.Eventually(t, func() bool {
			ended = p.settled(t, token)

			return len(ended) == messages
		}, 90*time.Second, 200*time.Millisecond, "none is lost")

		taken, states := vendor.countAccepted(), map[string]int{}
		for to, message := range ended {
			states[message.Get("state").String()]++
			switch message.Get("state").String() {
			case "unknown": // its answer was lost
				require.LessOrEqual(t, taken[to], 1)
			case "failed":
				require.Zero(t, taken[to])
			default:
				require.Equal(t, 1, taken[to], message.Raw)
			}
		}
		t.Log(states)
		require.Less(t, states["unknown"]+states["failed"], messages/4)
		p.interrupt(t)
	})
}

// sendMany queues messages to as many numbers.
func (p *process) sendMany(t *testing.T, token string, vendor *moody, n int) {
	t.Helper()
	p.ok(t, token, http.MethodPost, smsPath+"/accounts", map[string]any{"name": "Twilio", "provider": "twilio", "credentials": vendor.Credentials()})
	p.ok(t, token, http.MethodPost, smsPath+"/numbers/import", map[string]any{})
	var number string
	require.Eventually(t, func() bool {
		number = p.ok(t, token, http.MethodGet, smsPath+"/numbers?filter[state]=active", nil).get("data.0.uuid").String()

		return number != ""
	}, time.Minute, 20*time.Millisecond)
	var all []map[string]any
	for i := range n {
		all = append(all, map[string]any{"to": fmt.Sprintf("+1202456%04d", i), "body": "Near", "from_uuid": number})
	}
	p.ok(t, token, http.MethodPost, smsPath+"/messages/bulk", map[string]any{"items": all})
}

// settled returns the messages that will change no more unless somebody does something, by their recipients: those
// that the vendor has, has not, or of which nobody knows.
func (p *process) settled(t *testing.T, token string) map[string]gjson.Result {
	t.Helper()
	found, cursor := map[string]gjson.Result{}, ""
	for {
		a, err := p.call(context.WithoutCancel(t.Context()), token, http.MethodGet, smsPath+"/messages?per_page=200"+cursor, nil)
		require.NoError(t, err)
		require.Equal(t, http.StatusOK, a.status, string(a.body))
		for _, m := range a.get("data").Array() {
			state := m.Get("state").String()
			if state == "unknown" || state == "failed" || m.Get("provider_id").String() != "" {
				found[m.Get("to").String()] = m
			}
		}
		next := a.get("meta.next_cursor").String()
		if next == "" {
			return found
		}
		cursor = "&cursor=" + next
	}
}
