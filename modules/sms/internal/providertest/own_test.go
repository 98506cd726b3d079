package providertest_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/modules/sms/internal/provider"
	"github.com/dispatchd/dispatchd/modules/sms/internal/telnyx"
	"github.com/dispatchd/dispatchd/modules/sms/internal/twilio"
	"github.com/dispatchd/dispatchd/modules/sms/smstest"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/outbound/vendortest"
	"github.com/dispatchd/dispatchd/platform/secret"
)

// What only one vendor has.

const (
	apiKey  = "SK00000000000000000000000000000001"
	service = "MG00000000000000000000000000000001"
	ours    = "https://x.example/m"
)

func openTwilio(t *testing.T, vendor *smstest.Twilio, more map[string]string) provider.Account {
	t.Helper()
	network, url := vendortest.Serve(t, vendor)
	p, err := twilio.New(twilio.Settings{BaseURL: url + "/2010-04-01", MessagingURL: url + "/v1"}, network, clock.System{})
	require.NoError(t, err)
	a, err := p.Open(provider.Opening{Credentials: secret.Hide(more), Key: "account", MessageURL: ours})
	require.NoError(t, err)

	return a
}

func openTelnyx(t *testing.T, vendor *smstest.Telnyx, profile string) provider.Account {
	t.Helper()
	network, url := vendortest.Serve(t, vendor)
	p, err := telnyx.New(telnyx.Settings{BaseURL: url + "/v2"}, network, clock.System{})
	require.NoError(t, err)
	credentials := vendor.Credentials()
	if profile != "" {
		credentials["messaging_profile_id"] = profile
	}
	a, err := p.Open(provider.Opening{Credentials: secret.Hide(credentials), Key: "account", MessageURL: ours})
	require.NoError(t, err)

	return a
}

func TestTwilio_SignsInByAnAPIKey(t *testing.T) {
	t.Parallel()
	vendor := smstest.NewTwilio(1)
	vendor.AddKey(apiKey, "right")
	credentials := map[string]string{"account_sid": vendor.SID, "api_key_sid": apiKey, "api_key_secret": "right"}
	require.NoError(t, openTwilio(t, vendor, credentials).Health(t.Context()))
	credentials["api_key_secret"] = "wrong"
	err := openTwilio(t, vendor, credentials).Health(t.Context())
	require.Equal(t, provider.Auth, reasonOf(t, err))
}

func TestTwilio_SendsByTheMessagingService(t *testing.T) {
	t.Parallel()
	vendor := smstest.NewTwilio(1)
	credentials := vendor.Credentials()
	credentials["messaging_service_sid"] = service
	a := openTwilio(t, vendor, credentials)
	require.Equal(t, provider.InvalidSender, reasonOf(t, a.Health(t.Context())), "there is no such service")
	vendor.Serve(smstest.TwilioService{SID: service})
	require.NoError(t, a.Health(t.Context()))
	_, err := a.Send(t.Context(), provider.Outgoing{Reference: "r", From: "+12025550160", To: "+12025550130", Body: "Near"})
	require.NoError(t, err)
	sent := vendor.Messages()[0].Form
	require.Equal(t, service, sent.Get("MessagingServiceSid"))
	require.Equal(t, "+12025550160", sent.Get("From"), "and from the number that was chosen")
}

func TestTwilio_ListsNumbersOfAllPages(t *testing.T) {
	t.Parallel()
	vendor := smstest.NewTwilio(1)
	vendor.PageLimit = 2
	want := []string{"+12025550161", "+12025550162", "+12025550163", "+12025550164", "+12025550165"}
	for _, number := range want {
		vendor.AddNumber(number)
	}
	requireNumbers(t, openTwilio(t, vendor, vendor.Credentials()), want)
}

func TestTelnyx_PointsANumberAtUsByItsProfile(t *testing.T) {
	t.Parallel()
	vendor := smstest.NewTelnyx(make([]byte, 32))
	a := openTelnyx(t, vendor, "profile-1")
	require.Equal(t, provider.InvalidSender, reasonOf(t, a.Health(t.Context())), "there is no such profile")
	vendor.Serve("profile-1")
	require.NoError(t, a.Health(t.Context()))
	_, err := a.Buy(t.Context(), "+12025550160")
	require.NoError(t, err)
	all, err := a.List(t.Context())
	require.NoError(t, err)
	require.NoError(t, a.SetCallbacks(t.Context(), all[0]))
	got := vendor.Profile()
	require.Equal(t, ours, got.Webhook)
	require.Contains(t, got.Numbers, all[0].ID)

	err = openTelnyx(t, vendor, "").SetCallbacks(t.Context(), all[0])
	require.Equal(t, provider.NotSupported, reasonOf(t, err), "nothing says which profile")
}

func TestTelnyx_ListsNumbersOfAllPages(t *testing.T) {
	t.Parallel()
	vendor := smstest.NewTelnyx(make([]byte, 32))
	vendor.PageLimit = 2
	a := openTelnyx(t, vendor, "")
	want := []string{"+12025550161", "+12025550162", "+12025550163"}
	for _, number := range want {
		_, err := a.Buy(t.Context(), number)
		require.NoError(t, err)
	}
	requireNumbers(t, a, want)
}

func requireNumbers(t *testing.T, a provider.Account, want []string) {
	t.Helper()
	all, err := a.List(t.Context())
	require.NoError(t, err)
	var got []string
	for _, o := range all {
		got = append(got, o.Number)
	}
	require.ElementsMatch(t, want, got)
}

func reasonOf(t *testing.T, err error) provider.Reason {
	t.Helper()
	var refusal *provider.Error
	require.ErrorAs(t, err, &refusal)

	return refusal.Reason
}
