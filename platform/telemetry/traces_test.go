package telemetry_test

import (
	"encoding/hex"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"

	"github.com/dispatchd/dispatchd/platform/database/databasetest"
)

const (
	callersTrace = "0af7651916cd43dd8448eb211c80319c"
	callersSpan  = "b7ad6b7169203331"
)

// tree is the spans of a trace by the path of their names.
func (r *receiver) tree(trace string) map[string]*tracepb.Span {
	r.mu.Lock()
	defer r.mu.Unlock()
	byID := map[string]*tracepb.Span{}
	for _, span := range r.spans {
		if hex.EncodeToString(span.GetTraceId()) == trace {
			byID[string(span.GetSpanId())] = span
		}
	}
	tree := map[string]*tracepb.Span{}
	for _, span := range byID {
		path := span.GetName()
		for parent := byID[string(span.GetParentSpanId())]; parent != nil; parent = byID[string(parent.GetParentSpanId())] {
			path = parent.GetName() + " > " + path
		}
		tree[path] = span
	}

	return tree
}

func attribute(span *tracepb.Span, key string) string {
	for _, a := range span.GetAttributes() {
		if a.GetKey() == key {
			return a.GetValue().GetStringValue() + strings.TrimPrefix(a.GetValue().String(), "string_value:")
		}
	}

	return ""
}

func TestTraces_GoFromTheRequestThroughSQLToItsJob(t *testing.T) {
	t.Parallel()
	databasetest.Each(t, func(t *testing.T, url string) {
		o := bootObserved(t, url)
		answer := o.Call(t, o.Owner.Token, "POST", "/yard/api/v1/things", map[string]string{"name": "x", "password": "y"},
			"Traceparent", "00-"+callersTrace+"-"+callersSpan+"-01").OK(t)
		<-o.tidied
		o.stop(t)

		tree := o.collector.tree(callersTrace)
		names := slices.Sorted(maps.Keys(tree))
		const request, job = "yard_create_thing", "yard_create_thing > transaction > enqueue > yard.tidy"
		for _, path := range []string{
			request, request + " > transaction", request + " > transaction > INSERT", request + " > transaction > COMMIT",
			request + " > transaction > enqueue", job, job + " > SELECT",
		} {
			require.Containsf(t, tree, path, "%v", names)
		}
		require.Equal(t, callersSpan, hex.EncodeToString(tree[request].GetParentSpanId()))
		require.Equal(t, "00-"+callersTrace+"-"+hex.EncodeToString(tree[request].GetSpanId())+"-01", answer.Header.Get("Traceresponse"))
		require.Contains(t, attribute(tree[request], "http.route"), "/yard/api/v1/things")
		require.Contains(t, attribute(tree[request], "http.response.status_code"), "200")
		require.Contains(t, attribute(tree[request], "dispatchd.company"), o.Owner.ID.String())
		require.Contains(t, attribute(tree[request+" > transaction > INSERT"], "db.query.text"), "INSERT INTO")
		require.Equal(t, tracepb.Span_SPAN_KIND_CONSUMER, tree[job].GetKind())
		require.Equal(t, tracepb.Status_STATUS_CODE_ERROR, tree[job].GetStatus().GetCode(), "the job fails")
		for line := range strings.Lines(o.log.String()) {
			if strings.Contains(line, `"route":"/yard/api/v1/things"`) || strings.Contains(line, `"kind":"yard.tidy"`) {
				require.Contains(t, line, `"trace_id":"`+callersTrace+`"`)
			}
		}
		require.Contains(t, o.log.String(), `"msg":"a job failed"`)
	})
}

func TestTraces_TellWhatFailedWithoutItsMessage(t *testing.T) {
	t.Parallel()
	databasetest.Each(t, func(t *testing.T, url string) {
		o := bootObserved(t, url)
		body := map[string]string{"name": "x", "password": "y"}
		trace := "00-" + callersTrace + "-" + callersSpan + "-01"
		// What is asked about the token and the company is kept from here on, so that it is not in the trace.
		o.Call(t, o.Owner.Token, "POST", "/yard/api/v1/wreck", body).Refused(t, 500, "web.internal")
		o.Call(t, o.Owner.Token, "POST", "/yard/api/v1/wreck", body, "Traceparent", trace).Refused(t, 500, "web.internal")
		o.Call(t, o.Owner.Token, "POST", "/yard/api/v1/explosion", body, "Traceparent", trace).Refused(t, 500, "web.internal")
		o.Call(t, "nobody", "POST", "/yard/api/v1/things", body, "Traceparent", trace)
		o.stop(t)

		tree := o.collector.tree(callersTrace)
		require.Equal(t, tracepb.Status_STATUS_CODE_ERROR, tree["yard_wreck"].GetStatus().GetCode())
		require.Equal(t, tracepb.Status_STATUS_CODE_ERROR, tree["yard_wreck > SELECT"].GetStatus().GetCode())
		require.Empty(t, tree["yard_wreck > SELECT"].GetStatus().GetMessage())
		require.Regexp(t, `22P02|\*sqlite\.Error`, attribute(tree["yard_wreck > SELECT"], "error.type"))
		require.Equal(t, tracepb.Status_STATUS_CODE_ERROR, tree["yard_explode"].GetStatus().GetCode(), "a panic")
		require.Equal(t, tracepb.Status_STATUS_CODE_UNSET, tree["yard_create_thing"].GetStatus().GetCode(), "a refusal is no failure")
		require.Contains(t, attribute(tree["yard_create_thing"], "http.response.status_code"), "401")
	})
}
