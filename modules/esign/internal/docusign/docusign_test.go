package docusign_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/modules/esign/esigntest"
	"github.com/dispatchd/dispatchd/modules/esign/internal/docusign"
	"github.com/dispatchd/dispatchd/modules/esign/internal/provider"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/config"
	"github.com/dispatchd/dispatchd/platform/outbound"
	"github.com/dispatchd/dispatchd/platform/secret"
)

// place is DocuSign at a server of this process, and an account there.
type place struct {
	provider.Account

	provider *docusign.Provider
	vendor   *esigntest.DocuSign
	opening  provider.Opening
	server   *httptest.Server
}

func open(t *testing.T, change func(*docusign.Settings)) place {
	t.Helper()
	vendor, err := esigntest.NewDocuSign()
	require.NoError(t, err)
	p := place{vendor: vendor, server: httptest.NewServer(vendor)}
	t.Cleanup(p.server.Close)
	settings := outbound.Defaults()
	settings.AllowHTTP, settings.AllowNetworks, settings.BreakerFailures = true, []string{"127.0.0.0/8"}, 0
	network, err := outbound.New(settings, clock.System{})
	require.NoError(t, err)
	s := docusign.Defaults()
	s.DemoAuthURL, s.ProductionAuthURL, s.APIHosts = p.server.URL, p.server.URL, []string{"127.0.0.1"}
	if change != nil {
		change(&s)
	}
	p.provider, err = docusign.New(s, 64*config.MiB, network, clock.System{})
	require.NoError(t, err)
	p.opening = provider.Opening{
		Credentials: secret.Hide(vendor.Credentials()), Key: "account", Environment: "demo", CallbackURL: "https://services.example.com/callback/1",
	}
	p.Account, err = p.provider.Open(p.opening)
	require.NoError(t, err)

	return p
}

func refusal(t *testing.T, err error) *provider.Error {
	t.Helper()
	e, ok := errors.AsType[*provider.Error](err)
	require.Truef(t, ok, "%v", err)

	return e
}

func TestToken_IsHadOnceForAllAndAnewAfterA401(t *testing.T) {
	t.Parallel()
	p := open(t, nil)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			_, _, err := p.Templates(t.Context(), "")
			require.NoError(t, err)
		})
	}
	all.Wait()
	again, err := p.provider.Open(p.opening)
	require.NoError(t, err)
	_, _, err = again.Templates(t.Context(), "")
	require.NoError(t, err)
	require.Equal(t, 1, p.vendor.Grants())
	p.vendor.Revoke()
	made, err := p.Create(t.Context(), provider.Envelope{TemplateID: "t-1", Subject: "x", Recipients: []provider.Recipient{{Role: "Shipper", Name: "A", Email: "a@example.org"}}})
	require.NoError(t, err, "it was refused for its token, and so not taken")
	require.NotEmpty(t, made.ID)
	require.Equal(t, 2, p.vendor.Grants())
	require.Len(t, p.vendor.Envelopes(), 1)

	p.vendor.Fail(esigntest.Fault{Status: 401}, esigntest.Fault{Status: 401})
	_, _, err = p.Templates(t.Context(), "")
	require.Equal(t, provider.Auth, refusal(t, err).Reason, "once, and not for ever")
}

func TestConsent_IsAskedForAtAnAddress(t *testing.T) {
	t.Parallel()
	p := open(t, nil)
	p.vendor.Consent(false)
	_, err := p.Check(t.Context())
	e := refusal(t, err)
	require.Equal(t, provider.ConsentRequired, e.Reason)
	require.Equal(t, provider.No, e.Taken)
	require.False(t, e.Retryable)
	u, err := url.Parse(p.provider.ConsentURL(p.opening))
	require.NoError(t, err)
	require.Equal(t, "/oauth/auth", u.Path)
	require.Equal(t, url.Values{
		"response_type": {"code"}, "scope": {"signature impersonation"}, "client_id": {p.vendor.Integration}, "redirect_uri": {"https://www.docusign.com"},
	}, u.Query())
	p.vendor.Consent(true)
	found, err := p.Check(t.Context())
	require.NoError(t, err)
	require.Equal(t, provider.Found{ExternalID: p.vendor.Account, BaseURL: p.server.URL, Name: "Acme"}, found)
}

func TestCredentials_AreRefusedByName(t *testing.T) {
	t.Parallel()
	p := open(t, nil)
	good := p.vendor.Credentials()
	for name, value := range map[string]string{
		"integration_key": "x", "user_id": "ann@example.org", "private_key": "-----BEGIN RSA PRIVATE KEY-----\nAAAA\n-----END RSA PRIVATE KEY-----", "account_id": "7",
	} {
		bad := map[string]string{name: value}
		for other, text := range good {
			if other != name {
				bad[other] = text
			}
		}
		_, err := p.provider.Open(provider.Opening{Credentials: secret.Hide(bad)})
		require.Contains(t, refusal(t, err).Detail, name)
	}
	other, err := esigntest.NewDocuSign()
	require.NoError(t, err)
	good["private_key"] = other.Credentials()["private_key"]
	wrong, err := p.provider.Open(provider.Opening{Credentials: secret.Hide(good), Key: "account"})
	require.NoError(t, err)
	_, err = wrong.Check(t.Context())
	e := refusal(t, err)
	require.Equal(t, []string{"auth", "invalid_grant"}, []string{string(e.Reason), e.Code})
	require.NotContains(t, e.Error(), "PRIVATE KEY")
	good = p.vendor.Credentials()
	good["account_id"] = "0190d0c0-0000-7000-8000-0000000000ff"
	nobody, err := p.provider.Open(provider.Opening{Credentials: secret.Hide(good), Key: "account"})
	require.NoError(t, err)
	_, err = nobody.Check(t.Context())
	require.Contains(t, refusal(t, err).Detail, "account_id")
}

func TestBaseURL_IsDocuSignsAlone(t *testing.T) {
	t.Parallel()
	for _, base := range []string{
		"http://demo.docusign.net", "https://demo.docusign.net.example.com", "https://evildocusign.net", "https://user@demo.docusign.net", "https://169.254.169.254", "file:///etc", "",
	} {
		p := open(t, func(s *docusign.Settings) { s.APIHosts = nil })
		p.vendor.Move(base)
		_, err := p.Check(t.Context())
		require.Contains(t, refusal(t, err).Detail, "not one of its own", base)
		require.Zero(t, p.vendor.Calls(), base)
	}
}

func TestRateLimits_SayHowLong(t *testing.T) {
	t.Parallel()
	p := open(t, nil)
	soon := strconv.FormatInt(time.Now().Add(7*time.Minute).Unix(), 10) //nolint:forbidigo // of the vendor
	for name, test := range map[string]struct {
		fault esigntest.Fault
		after time.Duration
	}{
		"by the hour, 400": {esigntest.Fault{Status: 400, Header: map[string]string{"X-RateLimit-Reset": soon}, Body: `{"errorCode": "HOURLY_APIINVOCATION_LIMIT_EXCEEDED"}`}, 7 * time.Minute},
		"a burst, 429":     {esigntest.Fault{Status: 429, Body: `{"errorCode": "Burst_APIInvocation_Limit_Exceeded"}`}, 30 * time.Second},
		"of one envelope":  {esigntest.Fault{Status: 400, Body: `{"errorCode": "burst_envelope_polling_limit_exceeded"}`}, 30 * time.Second},
		"of documents":     {esigntest.Fault{Status: 400, Body: `{"errorCode": "API_REQUEST_IS_THROTTLED"}`}, 15 * time.Minute},
		"for years":        {esigntest.Fault{Status: 429, Header: map[string]string{"X-RateLimit-Reset": "99999999999"}}, time.Hour},
	} {
		p.vendor.Fail(test.fault)
		_, err := p.Fetch(t.Context(), "x")
		e := refusal(t, err)
		require.Equal(t, []any{provider.RateLimited, provider.No, true}, []any{e.Reason, e.Taken, e.Retryable}, name)
		require.InDelta(t, test.after.Seconds(), e.RetryAfter.Seconds(), 3, name)
	}
}

func TestErrors_MeanWhatTheTableSays(t *testing.T) {
	t.Parallel()
	p := open(t, nil)
	for code, reason := range map[string]provider.Reason{
		"ACCOUNT_LACKS_PERMISSIONS": provider.Forbidden, "User_Lacks_Permissions": provider.Forbidden, "ENVELOPE_DOES_NOT_EXIST": provider.NotFound,
		"DOCUMENT_DOES_NOT_EXIST": provider.NotFound, "RECIPIENT_NOT_IN_SEQUENCE": provider.Conflict, "ENVELOPE_CANNOT_VOID_INVALID_STATE": provider.Conflict,
		"ENVELOPE_IS_INCOMPLETE": provider.Invalid, "SOMETHING_NEW": provider.Invalid,
	} {
		p.vendor.Fail(esigntest.Fault{Status: http.StatusBadRequest, Body: `{"errorCode": "` + code + `", "message": "m\u0000"}`})
		_, err := p.Fetch(t.Context(), "x")
		e := refusal(t, err)
		require.Equal(t, []any{reason, provider.No, false, strings.ToUpper(code), "m"}, []any{e.Reason, e.Taken, e.Retryable, e.Code, e.Detail})
	}
}

func TestCreate_AsksForEverythingThatHappens(t *testing.T) {
	t.Parallel()
	p := open(t, nil)
	_, err := p.Create(t.Context(), provider.Envelope{
		Reference: "0190d0c0-0000-7000-8000-000000000001", TemplateID: "t-1", Subject: "Load", Fields: map[string]string{"service_source": "orders"},
		ReminderDelay: 2, ReminderEvery: 3, ExpireAfter: 30, ExpireWarn: 5,
		Recipients: []provider.Recipient{{Role: "Shipper", Name: "Ann", Email: "ann@example.org", ClientID: "c", RoutingOrder: 1, Tabs: []provider.Value{
			{Label: "vin", Type: "text", Text: "V"},
			{Label: "operable", Type: "checkbox", Text: "true"},
			{Label: "keys", Type: "radio_group", Text: "yes"},
			{Label: "condition", Type: "list", Text: "bad"},
			{Label: "phone", Type: "phone_number", Text: "1"},
		}}},
	})
	require.NoError(t, err)
	d := p.vendor.Envelopes()[0].Definition
	require.Equal(t, "0190d0c0-0000-7000-8000-000000000001", d["transactionId"])
	require.JSONEq(t, `{
		"useAccountDefaults": "false", "reminders": {"reminderEnabled": "true", "reminderDelay": "2", "reminderFrequency": "3"},
		"expirations": {"expireEnabled": "true", "expireAfter": "30", "expireWarn": "5"}}`, text(t, d["notification"]))
	require.JSONEq(t, `[{"roleName": "Shipper", "name": "Ann", "email": "ann@example.org", "clientUserId": "c", "routingOrder": "1", "tabs": {
		"textTabs": [{"tabLabel": "vin", "value": "V"}], "checkboxTabs": [{"tabLabel": "operable", "selected": "true"}],
		"radioGroupTabs": [{"groupName": "keys", "radios": [{"value": "yes", "selected": "true"}]}],
		"listTabs": [{"tabLabel": "condition", "value": "bad"}], "phoneNumberTabs": [{"tabLabel": "phone", "value": "1"}]}}]`, text(t, d["templateRoles"]))
	told := d["eventNotification"].(map[string]any) //nolint:forcetypeassert // a failure is one of the test
	require.Equal(t, "https://services.example.com/callback/1", told["url"])
	require.Equal(t, []any{"SIM", "true", "true", "true"}, []any{told["deliveryMode"], told["includeHMAC"], told["includeOAuth"], told["requireAcknowledgment"]})
	require.JSONEq(t, `{"version": "restv2.1", "format": "json", "includeData": ["recipients", "custom_fields"]}`, text(t, told["eventData"]))
	for _, event := range []string{"envelope-voided", "recipient-autoresponded", "envelope-purge"} {
		require.Contains(t, told["events"], event)
	}
	for _, event := range []string{"template-created", "envelope-removed", "envelope-reminder-sent"} {
		require.NotContains(t, told["events"], event)
		s := docusign.Defaults()
		s.Events = []string{event}
		require.ErrorContains(t, s.Validate(), event)
	}
	require.Contains(t, text(t, d["customFields"]), `{"name":"service_source","required":"false","show":"false","value":"orders"}`)

	_, err = p.Create(t.Context(), provider.Envelope{TemplateID: "t-1", Fields: map[string]string{"x": strings.Repeat("y", 101)}})
	require.Contains(t, refusal(t, err).Detail, "100 characters")
	_, err = p.Create(t.Context(), provider.Envelope{Subject: "x", Files: []provider.File{{Name: "a.pdf", Open: func(context.Context) (io.ReadCloser, error) {
		return nil, errors.New("the bucket is away")
	}}}})
	require.True(t, refusal(t, err).Retryable)
	require.Equal(t, provider.No, refusal(t, err).Taken)
}

func text(t *testing.T, value any) string {
	t.Helper()
	raw, err := json.Marshal(value)
	require.NoError(t, err)

	return string(raw)
}

func TestTemplates_AreReadPageByPage(t *testing.T) {
	t.Parallel()
	p := open(t, nil)
	var all []esigntest.Object
	for i := range 230 {
		all = append(all, esigntest.Object{"templateId": "t" + strconv.Itoa(i), "name": "T"})
	}
	p.vendor.SetTemplates(all...)
	seen := map[string]bool{}
	for from, pages := "", 0; pages == 0 || from != ""; pages++ {
		page, next, err := p.Templates(t.Context(), from)
		require.NoError(t, err)
		for _, one := range page {
			require.False(t, seen[one.ID])
			seen[one.ID] = true
		}
		from = next
		require.Less(t, pages, 4)
	}
	require.Len(t, seen, 230)
	_, _, err := p.Templates(t.Context(), "-1")
	require.Equal(t, provider.Invalid, refusal(t, err).Reason)
}

func TestFind_DoesNotSayNoTooEarly(t *testing.T) {
	t.Parallel()
	p := open(t, nil)
	now := time.Now() //nolint:forbidigo // the vendor has the system's clock
	for called, complete := range map[time.Duration]bool{time.Minute: false, 14 * time.Minute: false, 16 * time.Minute: true, time.Hour: true, 7 * 24 * time.Hour: false} {
		found, done, err := p.Find(t.Context(), "0190d0c0-0000-7000-8000-000000000009", now.Add(-8*24*time.Hour), now.Add(-called))
		require.NoError(t, err)
		require.Empty(t, found)
		require.Equal(t, complete, done, called)
	}
}
