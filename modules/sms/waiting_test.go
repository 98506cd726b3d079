package sms_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/modules/companies"
	"github.com/dispatchd/dispatchd/modules/contacts"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/moduletest"
)

func TestSchedule_AsksAgainWhetherTheRecipientMayBeWrittenTo(t *testing.T) {
	t.Parallel()
	moduletest.BootEach(t, append(modules(), companies.Module, contacts.Module), func(t *testing.T, a *moduletest.App) {
		t.Helper()
		d := open(t, a)
		contact := d.Call(t, d.Owner.Token, http.MethodPost, "/contacts/api/v1/contacts", map[string]any{"name": "Ann", "phones": []map[string]any{{"number": "+12025550130"}}}).OK(t)
		later := func(to string) string {
			return d.post(t, "/messages", map[string]any{"to": to, "body": "Later", "from_uuid": d.number, "send_at": clock.System{}.Now().Add(3 * time.Second).Format(time.RFC3339Nano)}).OK(t).Get("uuid").String()
		}
		refused, sent := later("+12025550130"), later("+12025550131")
		d.Call(t, d.Owner.Token, http.MethodPatch, contact.Header.Get("Location"), map[string]any{"status": "do_not_contact"}).OK(t)
		d.until(t, "/messages/"+refused, "state", "failed")
		require.Equal(t, "recipient_refused", d.get(t, "/messages/"+refused).OK(t).Get("reason").String())
		d.until(t, "/messages/"+sent, "state", "delivered")
	})
}
