package esign_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/modules/attachments"
	"github.com/dispatchd/dispatchd/modules/companies"
	"github.com/dispatchd/dispatchd/modules/contacts"
	"github.com/dispatchd/dispatchd/modules/esign"
	"github.com/dispatchd/dispatchd/platform/module"
	"github.com/dispatchd/dispatchd/platform/moduletest"
)

func TestEnvelope_GoesToNoRecipientWhoMustNotBeWrittenTo(t *testing.T) {
	t.Parallel()
	moduletest.BootEach(t, []module.Module{attachments.Module, companies.Module, contacts.Module, esign.Module}, func(t *testing.T, a *moduletest.App) {
		t.Helper()
		post(t, a, "/accounts", `{"name": "Sandbox"}`).OK(t)
		a.Eventually(t, func() bool { return get(t, a, "/templates").OK(t).Get("data.#").Int() > 0 }, "the templates are there")
		template := get(t, a, "/templates").OK(t).Get(`data.#(name%"*ading*").uuid`).String()
		contact := a.Call(t, a.Owner.Token, http.MethodPost, "/contacts/api/v1/contacts", object{"name": "Bob", "emails": []object{{"address": "bob@example.org"}}}).OK(t)
		status := func(to string) {
			a.Call(t, a.Owner.Token, http.MethodPatch, contact.Header.Get("Location"), object{"status": to}).OK(t)
		}
		to := people() // Ann signs here, and gets no e-mail
		to[0]["tabs"] = object{"load_number": "1024", "pickup_address": "1 Main St", "delivery_address": "2 Side St", "vin": "1HGCM82633A004352"}
		draft := object{"template_uuid": template, "draft": true, "recipients": to}
		made := post(t, a, "/envelopes", draft).OK(t)
		at := "/envelopes/" + made.Get("uuid").String()
		status("do_not_contact")
		delete(draft, "draft")
		for path, body := range map[string]any{"/envelopes": draft, at + "/send": nil} {
			refused := post(t, a, path, body).Refused(t, http.StatusConflict, "notify.recipient_refused")
			require.Contains(t, refused.Get("details.reasons.0").String(), "do_not_contact", path)
		}
		require.Equal(t, "draft", get(t, a, at).OK(t).Get("state").String())
		status("active")
		post(t, a, at+"/send", nil).OK(t)
		a.Eventually(t, func() bool { return get(t, a, at).OK(t).Get("state").String() == "sent" }, "it is sent")

		status("do_not_contact")
		post(t, a, at+"/resend", nil).Refused(t, http.StatusConflict, "notify.recipient_refused")
		post(t, a, at+"/correct", object{"recipients": []object{{"name": "Bob Two", "email": "bob@example.org"}}}).Refused(t, http.StatusConflict, "notify.recipient_refused")
		status("active")
		post(t, a, at+"/resend", nil).OK(t)
	})
}
