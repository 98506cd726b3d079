//go:build soak

package main_test

import (
	"net/http"
	"os/exec"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A power cut in the middle of a change: it goes on where it was, and no record is changed twice.
func TestKill_InTheMiddleOfAFieldChangeLosesAndRepeatsNothing(t *testing.T) {
	t.Parallel()
	const bulks, size = 10, 500
	dir := t.TempDir()
	p := start(t, dir)
	token := company(t, dir)
	const modules = "/custom_modules/api/v1/modules"
	made := p.ok(t, token, http.MethodPost, modules, map[string]any{
		"name": "Parts", "fields": []any{map[string]any{"key": "n", "type": "text", "indexed": true}},
	})
	module, field := made.get("uuid").String(), made.get("fields.0.uuid").String()
	for b := range bulks {
		var items []any
		for i := range size {
			items = append(items, map[string]any{"do": "create", "payload": map[string]any{"n": strconv.Itoa(b*size + i)}})
		}
		p.ok(t, token, http.MethodPost, "/custom_modules/api/v1/records/bulk", map[string]any{"module_uuid": module, "items": items})
	}
	at := modules + "/" + module
	plan := p.ok(t, token, http.MethodPost, at+"/fields/"+field+"/plan", map[string]any{"change": "type", "type": "integer"})
	require.EqualValues(t, bulks*size, plan.get("report.converts").Int(), string(plan.body))
	change := at + "/field_changes/" + plan.get("uuid").String()
	p.ok(t, token, http.MethodPost, at+"/fields/"+field+"/apply", map[string]any{"plan_uuid": plan.get("uuid").String()})
	require.Eventually(t, func() bool {
		return p.ok(t, token, http.MethodGet, change, nil).get("progress.done").Int() > 0
	}, time.Minute, time.Millisecond)
	p.kill(t)

	p = start(t, dir)
	before := p.ok(t, token, http.MethodGet, change, nil)
	require.Less(t, before.get("progress.done").Int(), int64(bulks*size), "killed in the middle")
	require.Equal(t, "applying", before.get("state").String())
	p.ok(t, token, http.MethodPost, change+"/resume", nil)
	var after answer
	require.Eventually(t, func() bool {
		after = p.ok(t, token, http.MethodGet, change, nil)

		return after.get("state").String() == "applied"
	}, time.Minute, 20*time.Millisecond)
	require.EqualValues(t, bulks*size, after.get("progress.changed").Int())
	seen := 0
	for next := ""; ; {
		page := p.ok(t, token, http.MethodGet, "/custom_modules/api/v1/records?module_uuid="+module+"&sort=n&per_page=200"+next, nil)
		for _, record := range page.get("data").Array() {
			require.EqualValues(t, seen, record.Get("payload.n").Int())
			require.EqualValues(t, 2, record.Get("version").Int())
			seen++
		}
		cursor := page.get("meta.next_cursor").String()
		if cursor == "" {
			break
		}
		next = "&cursor=" + cursor
	}
	require.Equal(t, bulks*size, seen)
	p.interrupt(t)
	path, err := binary()
	require.NoError(t, err)
	cmd := exec.CommandContext(t.Context(), path, "custom-modules", "verify")
	cmd.Env = environment(dir, nil)
	out, err := cmd.CombinedOutput()
	require.NoErrorf(t, err, "%.2000s", out)
}
