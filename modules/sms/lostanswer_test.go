package sms_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"

	"github.com/dispatchd/dispatchd/platform/database/databasetest"
	"github.com/dispatchd/dispatchd/platform/moduletest"
)

func TestSend_IsDoneOnceThoughTheAnswerOfTheDatabaseIsLost(t *testing.T) {
	t.Parallel()
	databasetest.Each(t, func(t *testing.T, url string) {
		t.Helper()
		if !strings.HasPrefix(url, "postgres") {
			return // no network lies between
		}
		proxy := databasetest.NewProxy(t, url)
		near := open(t, moduletest.Boot(t, url, modules()))
		far := desk{App: moduletest.Boot(t, proxy.URL, modules(), moduletest.Set("roles=api")), number: near.number}
		far.Owner = near.Owner
		for i := range 20 {
			body := fmt.Sprintf("Only once, %d", i)
			proxy.LoseAnswer("commit\x00") // of whoever commits next
			answer := far.post(t, "/messages", map[string]any{"to": "+12025550130", "body": body, "from_uuid": near.number})
			sent := 0
			near.get(t, "/messages?per_page=100").OK(t).Get("data.#.body").ForEach(func(_, value gjson.Result) bool {
				if value.String() == body {
					sent++
				}

				return true
			})
			require.LessOrEqual(t, sent, 1)
			if answer.Status == http.StatusServiceUnavailable {
				answer.Refused(t, http.StatusServiceUnavailable, "database.outcome_unknown")
				require.Equal(t, 1, sent)
				require.Empty(t, answer.Header.Get("Retry-After"))

				return
			}
			answer.OK(t)
		}
		require.Fail(t, "no answer was lost")
	})
}
