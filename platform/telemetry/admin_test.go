package telemetry_test

import (
	"context"
	"log/slog"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/database/databasetest"
	"github.com/dispatchd/dispatchd/platform/moduletest"
	"github.com/dispatchd/dispatchd/platform/telemetry"
)

// listen starts a server of metrics alone.
func listen(t *testing.T, log *slog.Logger) *observed {
	t.Helper()
	settings := telemetry.MetricsSettings{Address: "127.0.0.1:0"}
	metrics, err := telemetry.NewMetrics(settings, "v1.2.3")
	require.NoError(t, err)
	o := &observed{admin: telemetry.NewAdmin(settings, metrics, log)}
	require.NoError(t, o.admin.Start(t.Context()))
	t.Cleanup(func() { require.NoError(t, o.admin.Stop(context.WithoutCancel(t.Context()))) })

	return o
}

func TestAdmin_ChangesTheLevelOfTheLog(t *testing.T) {
	t.Parallel()
	log, out := jsonLogger()
	o := listen(t, log)
	telemetry.LevelOf(log).Set(slog.LevelWarn)
	log.Info("not this")
	status, body := o.adminCall(t, "GET", "/log/level", "")
	require.Equal(t, 200, status)
	require.JSONEq(t, `{"level":"warn"}`, body)
	status, body = o.adminCall(t, "PUT", "/log/level", `{"level":"debug"}`)
	require.Equal(t, 200, status)
	require.JSONEq(t, `{"level":"debug"}`, body)
	log.Debug("but this")
	require.NotContains(t, out.String(), "not this")
	require.Contains(t, out.String(), "the log level was changed")
	require.Contains(t, out.String(), "but this")
}

func TestAdmin_RefusesALevelThatIsNone(t *testing.T) {
	t.Parallel()
	log, _ := jsonLogger()
	o := listen(t, log)
	for _, body := range []string{`{"level":"loud"}`, `{"level":"INFO"}`, `{"lvl":"info"}`, `info`, ``} {
		status, _ := o.adminCall(t, "PUT", "/log/level", body)
		require.Equal(t, 422, status, body)
	}
	require.Equal(t, slog.LevelDebug, telemetry.LevelOf(log).Level())
	foreign := listen(t, slog.New(slog.DiscardHandler))
	status, _ := foreign.adminCall(t, "GET", "/log/level", "")
	require.Equal(t, 404, status)
}

func TestAdmin_TellsNothingOfTheCommandLineAndTakesNoPageOfAnother(t *testing.T) {
	t.Parallel()
	log, _ := jsonLogger()
	o := listen(t, log)
	for path, want := range map[string]int{
		"/metrics": 200, "/healthz": 200, "/debug/pprof/": 200, "/debug/pprof/heap": 200, "/debug/pprof/cmdline": 404, "/": 404,
	} {
		status, _ := o.adminCall(t, "GET", path, "")
		require.Equal(t, want, status, path)
	}
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPut, "http://"+o.admin.Address()+"/log/level", http.NoBody)
	require.NoError(t, err)
	request.Header.Set("Sec-Fetch-Site", "cross-site")
	response, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	require.Equal(t, 403, response.StatusCode)
}

func TestAdmin_SaysWhichAddressIsTaken(t *testing.T) {
	t.Parallel()
	log, _ := jsonLogger()
	taken := listen(t, log).admin.Address()
	second := telemetry.NewAdmin(telemetry.MetricsSettings{Address: taken}, &telemetry.Metrics{}, log)
	metrics, err := telemetry.NewMetrics(telemetry.MetricsSettings{Address: taken}, "")
	require.NoError(t, err)
	require.NotNil(t, metrics)
	require.ErrorContains(t, second.Start(t.Context()), "metrics.address "+taken)
	require.NoError(t, second.Stop(t.Context()))
}

func TestMetrics_OfAServiceAtWork(t *testing.T) {
	t.Parallel()
	databasetest.Each(t, func(t *testing.T, url string) {
		o := bootObserved(t, url)
		o.Call(t, o.Owner.Token, "POST", "/yard/api/v1/things", map[string]string{"name": "x", "password": "y"}).OK(t)
		<-o.tidied
		o.Call(t, "", "POST", "/yard/api/v1/things", nil)
		o.Call(t, "", "GET", "/some/where/"+o.Owner.ID.String(), nil)
		pool := "writer"
		if o.DB.Pool() != nil {
			pool = "postgres"
		}
		wants := []string{
			`dispatchd_http_requests_total{operation="yard_create_thing",status="200"} 1`,
			`dispatchd_http_requests_total{operation="yard_create_thing",status="401"} 1`,
			`dispatchd_http_requests_total{operation="other",status="404"} 1`,
			`dispatchd_http_request_seconds_count{operation="yard_create_thing"} 2`,
			`dispatchd_http_refusals_total{code="web.route_not_found"} 1`,
			"dispatchd_http_requests_in_flight 0", "dispatchd_event_lag_seconds 0", "dispatchd_queue_read_failures_total 0",
			`dispatchd_db_connections{pool="` + pool + `",state="in_use"}`, `dispatchd_queue_oldest_seconds{kind="yard.tidy"} `,
			`dispatchd_jobs_worked_total{kind="yard.tidy",outcome="given_up"} 1`, `dispatchd_job_seconds_count{kind="yard.tidy"} 1`,
			"dispatchd_build_info{", "go_goroutines ",
		}
		var text string
		require.Eventually(t, func() bool {
			_, text = o.adminCall(t, "GET", "/metrics", "")

			return len(missing(text, wants)) == 0
		}, waiting, waiting/500, "%v", wants)
		require.NotContains(t, text, o.Owner.ID.String(), "companies are too many")
	})
}

func TestMetrics_AreOffUnlessAsked(t *testing.T) {
	t.Parallel()
	databasetest.Each(t, func(t *testing.T, url string) {
		a := moduletest.Boot(t, url, nil)
		answer := a.Call(t, "", "GET", "/", nil, "Traceparent", "00-"+callersTrace+"-"+callersSpan+"-01").OK(t)
		require.Empty(t, answer.Header.Get("Traceresponse"))
	})
}
