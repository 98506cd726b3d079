package sms_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/moduletest"
)

func TestSend_IsLimitedByThePlanOfTheMonth(t *testing.T) {
	t.Parallel()
	plan := moduletest.Limiting(map[string]int64{"sms": 2})
	moduletest.BootEach(t, append(modules(), plan), func(t *testing.T, a *moduletest.App) {
		t.Helper()
		d := open(t, a)
		text := map[string]any{"to": "+12025550130", "body": "Hi", "from_uuid": d.number}
		d.post(t, "/messages", text).OK(t)
		many := d.post(t, "/messages/bulk", map[string]any{"items": []any{text, text}, "atomic": false}).OK(t)
		require.Contains(t, string(many.Body), "billing.limit_reached")
		refused := d.post(t, "/messages", text).Refused(t, http.StatusConflict, "billing.limit_reached")
		require.Equal(t, "sms 2", refused.Get("details.limit").String()+" "+refused.Get("details.used").String(), "what was refused is not counted")
	})
}
