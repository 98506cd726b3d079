package demo_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/demo"
)

func TestWalk_FillsInWhatItKnowsAndWaits(t *testing.T) {
	t.Parallel()
	var asked atomic.Int64
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil || r.Header.Get("Authorization") != "Bearer secret" {
			w.WriteHeader(http.StatusUnauthorized)

			return
		}
		switch r.Method + " " + r.URL.Path {
		case "POST /doors":
			_, _ = io.WriteString(w, `{"door": {"id": 7}, "said": `+string(body)+`}`)
		case "GET /doors/7":
			_, _ = io.WriteString(w, `[{"state": "`+map[bool]string{true: "open", false: "closed"}[asked.Add(1) > 1]+`"}]`)
		default:
			w.WriteHeader(http.StatusConflict)
			_, _ = io.WriteString(w, `{"code": "doors.locked"}`)
		}
	}))
	t.Cleanup(service.Close)
	w := demo.Walk{Title: "A door", Steps: []demo.Step{
		{Say: "Door ${id} on ${day}.", Call: "POST /doors", Body: map[string]any{"on": "${today}"}, Save: map[string]string{"id": "door.id", "day": "said.on"}},
		{Say: "Open.", Call: "GET /doors/${id}", Until: map[string]string{"0.state": "open"}},
	}}
	var said strings.Builder
	on := time.Date(2026, 12, 1, 9, 0, 0, 0, time.UTC)
	require.NoError(t, w.Take(t.Context(), service.URL, "secret", on, &said))
	require.Equal(t, "A door\n  Door 7 on 2026-12-01.\n  Open.\n", said.String())
	require.Equal(t, int64(2), asked.Load())

	w.Steps = append(w.Steps, demo.Step{Call: "DELETE /doors/${id}"})
	require.ErrorContains(t, w.Take(t.Context(), service.URL, "secret", on, io.Discard), `step 3, DELETE /doors/${id}: 409: {"code": "doors.locked"}`)
	require.ErrorContains(t, w.Take(t.Context(), service.URL, "other", on, io.Discard), "step 1, POST /doors: 401")
}
