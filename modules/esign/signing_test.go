package esign_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/moduletest"
)

func TestSigningLink_LeadsBackOnlyToHostsOfTheCompany(t *testing.T) {
	t.Parallel()
	eachOffice(t, func(t *testing.T, o office) {
		t.Helper()
		id := post(t, o.App, "/envelopes", o.envelope(o.vehicle)).OK(t).Get("uuid").String()
		signer := o.until(t, id, "state", "sent").Get("recipients.0.uuid").String()
		path := accountsBase + "/settings"
		returns := func(address string) moduletest.Response {
			return post(t, o.App, "/envelopes/"+id+"/signing_link", object{"recipient_uuid": signer, "return_url": address})
		}
		returns("https://evil.test/?x=example.org").Refused(t, http.StatusUnprocessableEntity, "esign.invalid")
		returns("https://example.org.evil.test/").Refused(t, http.StatusUnprocessableEntity, "esign.invalid")
		returns("https://EXAMPLE.org:8443/loads").OK(t)

		read := o.ask(t, http.MethodGet, path, nil).OK(t)
		require.JSONEq(t, `{"return_hosts": ["example.org"], "default": false, "version": 1}`, string(read.Body))
		for _, host := range []string{"https://a.test", "a.test/path", "", "ann@a.test", "*.test", "a b"} {
			o.ask(t, http.MethodPatch, path, object{"return_hosts": []string{host}}).Refused(t, http.StatusUnprocessableEntity, "esign.invalid")
		}
		o.ask(t, http.MethodPatch, path, object{"return_hosts": []string{"App.Example.com:8443", "app.example.com:8443"}}, "If-Match", read.Header.Get("ETag")).OK(t)
		o.ask(t, http.MethodPatch, path, object{"return_hosts": []string{}}, "If-Match", read.Header.Get("ETag")).Refused(t, http.StatusPreconditionFailed, "web.stale")
		returns("https://app.example.com:8443/").OK(t)
		refused := returns("https://app.example.com/").Refused(t, http.StatusUnprocessableEntity, "esign.invalid")
		require.Contains(t, string(refused.Body), "none of those to which recipients may return: app.example.com:8443")

		reset := o.ask(t, http.MethodPatch, path, object{"return_hosts": []string{}}).OK(t)
		require.JSONEq(t, `{"return_hosts": ["localhost", "127.0.0.1", "::1"], "default": true, "version": 3}`, string(reset.Body))
		returns("http://127.0.0.1:3000/").OK(t)
		returns("https://app.example.com:8443/").Refused(t, http.StatusUnprocessableEntity, "esign.invalid")
		program := o.Token(t, o.Owner, "esign:read", "esign:write", "esign:send")
		o.Call(t, program, http.MethodPatch, path, object{"return_hosts": []string{"evil.test"}}).Refused(t, http.StatusForbidden, "web.scope_missing")
	})
}
