package main_test

import (
	"bytes"
	"context"
	"database/sql"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

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
item_type, source, content, state, reason, code, heard_status, heard, documents, version, created_at, updated_at)
VALUES ($1, $2, $3, $4, 'here', '', '', '', '', $6, 'sending', '', '', '', $6, '', 1, $5, $5)`,
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
			require.Eventually(t, func() bool { return n.acknowledged.Load() >= until }, 60*time.Second, time.Millisecond)
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
