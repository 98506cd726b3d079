//go:build soak

package main_test

import (
	"bytes"
	"context"
	"database/sql"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"

	"github.com/dispatchd/dispatchd/modules/esign/esigntest"
	"github.com/dispatchd/dispatchd/platform/database/databasetest"
	"github.com/dispatchd/dispatchd/platform/inbound/verify"
)

const connectKey = "connect-key-A"

// connected gives a company an account that takes notifications which are signed, and envelopes that were handed over.
func connected(t *testing.T, db *sql.DB, p *process, token string, envelopes int) (path string) {
	t.Helper()
	account, endpoint, now := uuid.New(), uuid.New(), time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)
	var company string
	require.NoError(t, db.QueryRowContext(t.Context(), "SELECT id FROM identity_companies").Scan(&company))
	_, err := db.ExecContext(t.Context(), `INSERT INTO esign_accounts (company_id, id, name, provider, environment, external_id,
base_url, credentials, is_default, health, problem, endpoint_id, verification, version, created_at, updated_at)
VALUES ($1, $2, 'Main', 'docusign', 'demo', 'a1', '', '', true, 'unchecked', '', $3, 'hmac', 1, $4, $4)`, company, account, endpoint, now)
	require.NoError(t, err)
	for i := range envelopes {
		_, err := db.ExecContext(t.Context(), `INSERT INTO esign_envelopes (company_id, id, account_id, external_id, origin, subject, message,
item_type, source, content, state, reason, code, detail, attempts, heard_status, heard, documents, documents_problem, version, created_at, updated_at)
VALUES ($1, $2, $3, $4, 'here', '', '', '', '', $6, 'sending', '', '', '', 0, '', $6, '', '', 1, $5, $5)`,
			company, uuid.New(), account, fmt.Sprintf("e%d", i), now, []byte("{}"))
		require.NoError(t, err)
	}
	p.ok(t, token, http.MethodPost, "/esign/api/v1/accounts/"+account.String()+"/keys", map[string]any{"name": "A", "secret": connectKey})

	return "/esign/api/v1/connection/callback/" + endpoint.String()
}

// notifier sends each notification until it is acknowledged, as DocuSign does, wherever the service is by then.
type notifier struct {
	path         string
	base         atomic.Pointer[string]
	acknowledged atomic.Int64
}

func (n *notifier) send(ctx context.Context, body string) error {
	for retry := 0; ; retry++ {
		text := strings.Replace(body, `"retryCount":0`, fmt.Sprintf(`"retryCount":%d`, retry), 1)
		request, err := http.NewRequestWithContext(ctx, http.MethodPost, *n.base.Load()+n.path, bytes.NewReader([]byte(text)))
		if err != nil {
			return err
		}
		request.Header.Set("Content-Type", "application/json")
		request.Header.Set("X-DocuSign-Signature-1", verify.SignDocuSign([]byte(connectKey), []byte(text)))
		response, err := http.DefaultClient.Do(request)
		if err == nil {
			a, err := readAnswer(response)
			if err == nil && a.status == http.StatusOK {
				n.acknowledged.Add(1)

				return nil
			}
		}
		select {
		case <-time.After(5 * time.Millisecond):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// TestKill_NoNotificationThatWasAcknowledgedIsLost kills the service several times while it takes notifications and
// processes them.
func TestKill_NoNotificationThatWasAcknowledgedIsLost(t *testing.T) {
	t.Parallel()
	databasetest.Each(t, func(t *testing.T, url string) {
		dir, environ := t.TempDir(), []string{"DISPATCHD_DATABASE__URL=" + url, "DISPATCHD_JOBS__TAKE_OVER=3s", "DISPATCHD_JOBS__RETRY_DELAY=100ms"}
		token := company(t, dir, environ...)
		p := start(t, dir, environ...)
		db := databasetest.Open(t, url).SQL()
		const envelopes, senders = 150, 6
		n := &notifier{path: connected(t, db, p, token, envelopes)}
		n.base.Store(&p.base)

		steps := []string{"sent", "delivered", "completed"}
		bodies := make(chan string)
		var all sync.WaitGroup
		for range senders {
			all.Go(func() {
				for body := range bodies {
					if err := n.send(t.Context(), body); err != nil {
						t.Error(err)
					}
				}
			})
		}
		all.Go(func() {
			defer close(bodies)
			for i := range envelopes * len(steps) {
				step := steps[(i+i/len(steps))%len(steps)] // in every order
				at := time.Date(2026, 11, 2, 10, 0, (i+i/len(steps))%len(steps), 0, time.UTC).Format(time.RFC3339)
				bodies <- fmt.Sprintf(`{"event":"envelope-%s","retryCount":0,"generatedDateTime":"%s","data":{"accountId":"a1","envelopeId":"e%d",
"envelopeSummary":{"status":"%s","statusChangedDateTime":"%s"}}}`, step, at, i/len(steps), step, at)
			}
		})
		for _, until := range []int64{60, 180, 300} {
			require.Eventually(t, func() bool { return n.acknowledged.Load() >= until }, time.Minute, time.Millisecond)
			p.kill(t)
			p = start(t, dir, environ...)
			n.base.Store(&p.base)
		}
		all.Wait()
		require.Equal(t, int64(envelopes*len(steps)), n.acknowledged.Load())

		count := func(query string) (found int) {
			require.NoError(t, db.QueryRowContext(t.Context(), query).Scan(&found))

			return found
		}
		require.Eventually(t, func() bool { return count("SELECT count(*) FROM inbound_deliveries WHERE state = 'received'") == 0 },
			90*time.Second, 200*time.Millisecond, "everything is processed")
		require.Equal(t, envelopes*len(steps), count("SELECT count(*) FROM inbound_deliveries WHERE state = 'processed'"), "each once")
		require.Equal(t, envelopes, count("SELECT count(*) FROM esign_envelopes WHERE state = 'completed'"))
		require.Equal(t, envelopes*len(steps), count("SELECT count(*) FROM esign_happenings"))
		require.Equal(t, envelopes, count("SELECT count(*) FROM events_log WHERE name = 'esign.envelope.completed'"), "raised once")
		p.interrupt(t)
	})
}

// slowly is a vendor that takes its time over an envelope, and loses some answers.
type slowly struct {
	*esigntest.DocuSign

	creates atomic.Int64
}

// ServeHTTP implements http.Handler.
func (s *slowly) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost || !strings.HasSuffix(r.URL.Path, "/envelopes") {
		s.DocuSign.ServeHTTP(w, r)

		return
	}
	select {
	case <-time.After(30 * time.Millisecond):
	case <-r.Context().Done():
	}
	if s.creates.Add(1)%10 == 5 { // it made the envelope, and says that it is broken
		s.DocuSign.ServeHTTP(httptest.NewRecorder(), r)
		http.Error(w, "oops", http.StatusInternalServerError)

		return
	}
	s.DocuSign.ServeHTTP(w, r)
}

// countCreated counts the envelopes that the vendor made, by their subjects.
func (s *slowly) countCreated() map[string]int {
	counts := map[string]int{}
	for _, e := range s.Envelopes() {
		counts[fmt.Sprint(e.Definition["emailSubject"])]++
	}

	return counts
}

// TestKill_NoEnvelopeIsMadeTwiceAndNoneIsLost kills the service several times while it hands envelopes to a vendor.
func TestKill_NoEnvelopeIsMadeTwiceAndNoneIsLost(t *testing.T) {
	t.Parallel()
	databasetest.Each(t, func(t *testing.T, database string) {
		double, err := esigntest.NewDocuSign()
		require.NoError(t, err)
		vendor := &slowly{DocuSign: double}
		server := httptest.NewServer(vendor)
		t.Cleanup(server.Close)
		dir, environ := t.TempDir(), []string{
			"DISPATCHD_DATABASE__URL=" + database, "DISPATCHD_JOBS__TAKE_OVER=3s", "DISPATCHD_OUTBOUND__ALLOW_HTTP=true",
			"DISPATCHD_OUTBOUND__ALLOW_NETWORKS=127.0.0.0/8", "DISPATCHD_OUTBOUND__BREAKER_FAILURES=0", "DISPATCHD_MODULES__ESIGN__CALL_TIMEOUT=1s", "DISPATCHD_MODULES__ESIGN__ASK_AGAIN_FOR=15s",
			"DISPATCHD_MODULES__ESIGN__DOCUSIGN__DEMO_AUTH_URL=" + server.URL, "DISPATCHD_MODULES__ESIGN__DOCUSIGN__API_HOSTS=127.0.0.1",
		}
		token := company(t, dir, environ...)
		p := start(t, dir, environ...)
		const envelopes = 80
		p.sendEnvelopes(t, token, vendor, envelopes)
		for _, until := range []int{10, 30, 50} {
			require.Eventually(t, func() bool { return len(vendor.Envelopes()) >= until }, time.Minute, time.Millisecond)
			p.kill(t)
			p = start(t, dir, environ...)
		}
		var states map[string]string
		require.Eventually(t, func() bool {
			states = p.sentEnvelopes(t, token)

			return len(states) == envelopes
		}, 90*time.Second, 200*time.Millisecond, "none is lost")

		made, doubtful := vendor.countCreated(), 0
		for subject, state := range states {
			require.LessOrEqual(t, made[subject], 1, subject)
			if state == "sent" {
				require.Equal(t, 1, made[subject], subject)
			} else {
				doubtful++
			}
		}
		t.Log("in doubt:", doubtful)
		require.Less(t, doubtful, envelopes/2)
		p.interrupt(t)
	})
}

// sendEnvelopes queues envelopes from the vendor's first template, each with a subject of its own.
func (p *process) sendEnvelopes(t *testing.T, token string, vendor *slowly, n int) {
	t.Helper()
	const esign = "/esign/api/v1"
	p.ok(t, token, http.MethodPost, esign+"/accounts", map[string]any{"name": "DocuSign", "provider": "docusign", "credentials": vendor.Credentials()})
	a, err := p.call(t.Context(), token, http.MethodPost, esign+"/templates/sync", map[string]any{})
	require.NoError(t, err)
	require.Equal(t, http.StatusAccepted, a.status, string(a.body))
	var template gjson.Result
	require.Eventually(t, func() bool {
		for _, one := range p.ok(t, token, http.MethodGet, esign+"/templates", nil).get("data").Array() {
			template = gjson.ParseBytes(p.ok(t, token, http.MethodGet, esign+"/templates/"+one.Get("uuid").String(), nil).body)
			if len(template.Get("roles").Array()) > 0 {
				return true
			}
		}

		return false
	}, time.Minute, 20*time.Millisecond)
	var recipients []map[string]any
	for _, role := range template.Get("roles").Array() {
		tabs := map[string]string{}
		for _, tab := range role.Get("tabs").Array() {
			if tab.Get("required").Bool() && tab.Get("fillable").Bool() && tab.Get("type").String() == "text" {
				tabs[tab.Get("label").String()] = "1"
			}
		}
		recipients = append(recipients, map[string]any{"role": role.Get("name").String(), "name": "Ann", "email": "ann@example.org", "tabs": tabs})
	}
	for i := range n {
		p.ok(t, token, http.MethodPost, esign+"/envelopes", map[string]any{
			"template_uuid": template.Get("uuid").String(), "subject": fmt.Sprintf("Order %d", i), "recipients": recipients,
		})
	}
}

// sentEnvelopes returns the states of the envelopes that wait for nothing but a person or the vendor, by their subjects.
func (p *process) sentEnvelopes(t *testing.T, token string) map[string]string {
	t.Helper()
	a, err := p.call(context.WithoutCancel(t.Context()), token, http.MethodGet, "/esign/api/v1/envelopes?per_page=200", nil)
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, a.status, string(a.body))
	found := map[string]string{}
	for _, e := range a.get("data").Array() {
		if state := e.Get("state").String(); state == "sent" || state == "unknown" {
			found[e.Get("subject").String()] = state
		}
	}

	return found
}
