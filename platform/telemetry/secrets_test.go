package telemetry_test

import (
	"fmt"
	"log/slog"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/database/databasetest"
	"github.com/dispatchd/dispatchd/platform/moduletest"
	"github.com/dispatchd/dispatchd/platform/secret"
)

// found lists which of the planted secrets, by name, occur where.
func found(planted, places map[string]string) []string {
	var all []string
	for name, value := range planted {
		for place, text := range places {
			if strings.Contains(text, value) {
				all = append(all, name+" in "+place)
			}
		}
	}

	return all
}

// withPassword puts a password into the URL of a database that has a place for one.
func withPassword(t *testing.T, place, password string) string {
	t.Helper()
	to, err := url.Parse(place)
	require.NoError(t, err)
	if to.Scheme != "postgres" {
		return place
	}
	to.User = url.UserPassword(to.User.Username(), password)

	return to.String()
}

func TestNothing_TellsASecret(t *testing.T) {
	t.Parallel()
	databasetest.Each(t, func(t *testing.T, place string) {
		planted := map[string]string{
			"master key": secret.NewKey(), "password of the database": "planted-database-password", "header of the collector": "planted-collector-header",
			"unknown token": "planted-unknown-token", "basic credentials": "cGxhbnRlZC1iYXNpYw==",
			"password": "planted-password", "idempotency key": "planted-idempotency-key", "query": "planted-query",
			"unknown link": "dsl_planted0unknown0link", "other header": "planted-api-key", "cookie": "planted-cookie",
		}
		o := bootObserved(t, withPassword(t, place, planted["password of the database"]), "secret.key="+planted["master key"],
			"traces.headers=authorization="+planted["header of the collector"])
		planted["token"] = o.Owner.Token
		answers := provoke(t, o, planted)
		_, metrics := o.adminCall(t, "GET", "/metrics", "")
		o.stop(t)

		places := map[string]string{"the log": o.log.String(), "spans": o.collector.text(), "metrics": metrics, "error answers": answers}
		require.Contains(t, places["the log"], `"msg":"request panicked"`)
		require.Contains(t, places["the log"], `"msg":"a job failed"`)
		require.Contains(t, places["the log"], `"level":"DEBUG"`)
		require.Contains(t, places["spans"], "yard_wreck")
		require.Contains(t, places["metrics"], `dispatchd_http_requests_total{operation="yard_explode",status="500"} 1`)
		require.Contains(t, places["error answers"], "web.internal")
		require.Empty(t, found(planted, places))

		// The search finds what is there.
		slog.New(slog.NewJSONHandler(o.log, nil)).Info("control", "note", "It is "+planted["password"]+".")
		require.Equal(t, []string{"password in the log"}, found(planted, map[string]string{"the log": o.log.String(), "spans": places["spans"]}))
	})
}

// provoke sends requests of all sorts with the secrets in them, and returns the error answers. The link
// that it is given is planted as well.
func provoke(t *testing.T, o *observed, planted map[string]string) string {
	t.Helper()
	var answers strings.Builder
	refused := func(status int, r moduletest.Response) {
		require.Equal(t, status, r.Status, string(r.Body))
		fmt.Fprintln(&answers, r.Header, string(r.Body))
	}
	token, body := o.Owner.Token, map[string]string{"name": "x", "password": planted["password"]}
	headers := []string{
		"Idempotency-Key", planted["idempotency key"], "X-Api-Key", planted["other header"], "Cookie", "session=" + planted["cookie"],
	}
	const base = "/yard/api/v1"
	made := o.Call(t, token, "POST", base+"/things", body, headers...).OK(t)
	planted["link"] = made.Get("link").String()
	<-o.tidied
	o.Call(t, token, "POST", base+"/links/"+planted["link"], nil, headers[2:]...).OK(t)
	refused(404, o.Call(t, token, "POST", base+"/links/"+planted["link"], nil))
	refused(404, o.Call(t, token, "POST", base+"/links/"+planted["unknown link"], nil))
	refused(401, o.Call(t, planted["unknown token"], "POST", base+"/things", body))
	refused(401, o.Call(t, "", "POST", base+"/things", body, "Authorization", "Basic "+planted["basic credentials"]))
	refused(422, o.Call(t, token, "POST", base+"/things?token="+planted["query"], body))
	refused(400, o.Call(t, token, "POST", base+"/things", `{"password":"`+planted["password"]+`", oops`))
	refused(422, o.Call(t, token, "POST", base+"/things", map[string]any{"name": 5, "password": []string{planted["password"]}}))
	refused(422, o.Call(t, token, "POST", base+"/things", map[string]any{"name": "x", "passwort": planted["password"]}))
	refused(500, o.Call(t, token, "POST", base+"/explosion", body))
	refused(500, o.Call(t, token, "POST", base+"/wreck", body))
	// The answer to a route that is not there repeats it, to who asked.
	require.Equal(t, 404, o.Call(t, token, "POST", "/nowhere/"+planted["unknown link"]+"?key="+planted["query"], body).Status)

	return answers.String()
}
