package esign_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/modules/attachments"
	"github.com/dispatchd/dispatchd/modules/esign"
	"github.com/dispatchd/dispatchd/modules/esign/esigntest"
	"github.com/dispatchd/dispatchd/platform/module"
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

func TestSigningLink_WaitsForTheRecipientsTurn(t *testing.T) {
	t.Parallel()
	eachOffice(t, func(t *testing.T, o office) {
		t.Helper()
		envelope, both := o.envelope(o.vehicle), people()
		both[1]["embedded"] = true
		envelope["recipients"] = both
		id := post(t, o.App, "/envelopes", envelope).OK(t).Get("uuid").String()
		second := o.until(t, id, "state", "sent").Get("recipients.1.uuid").String()
		refused := post(t, o.App, "/envelopes/"+id+"/signing_link", object{"recipient_uuid": second, "return_url": "https://example.org/"}).
			Refused(t, http.StatusConflict, "esign.provider_refused")
		require.Equal(t, "RECIPIENT_NOT_IN_SEQUENCE", refused.Get("details.code").String(), string(refused.Body))
	})
}

func TestSigningLink_SaysThatTheProviderIsDown(t *testing.T) {
	t.Parallel()
	double, err := esigntest.NewDocuSign()
	require.NoError(t, err)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/views/recipient") {
			http.Error(w, "maintenance", http.StatusServiceUnavailable)

			return
		}
		double.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	moduletest.BootEach(t, []module.Module{attachments.Module, esign.Module}, func(t *testing.T, a *moduletest.App) {
		t.Helper()
		post(t, a, "/accounts", object{"name": "DocuSign", "provider": "docusign", "credentials": double.Credentials()}).OK(t)
		var template string
		a.Eventually(t, func() bool {
			template = get(t, a, "/templates").OK(t).Get(`data.#(name=="Bill of lading").uuid`).String()

			return template != "" && get(t, a, "/templates/"+template).OK(t).Get("roles.#").Int() > 0
		}, "the templates are there")
		all := append(people(), object{"role": "Office", "name": "Zoe", "email": "zoe@example.org"})
		all[0]["tabs"] = object{"vin": "1HGCM82633A004352"}
		at := "/envelopes/" + post(t, a, "/envelopes", object{"template_uuid": template, "recipients": all}).OK(t).Get("uuid").String()
		a.Eventually(t, func() bool { return get(t, a, at).OK(t).Get("state").String() == "sent" }, "it is sent")
		link := object{"recipient_uuid": get(t, a, at).OK(t).Get("recipients.0.uuid").String(), "return_url": "http://127.0.0.1/"}
		post(t, a, at+"/signing_link", link).Refused(t, http.StatusServiceUnavailable, "esign.provider_failed")
	}, moduletest.Set(
		"outbound.allow_http=true", "outbound.allow_networks=127.0.0.0/8", "outbound.breaker_failures=0", "outbound.retries=0",
		"modules.esign.docusign.demo_auth_url="+server.URL, "modules.esign.docusign.api_hosts=127.0.0.1",
	))
}
