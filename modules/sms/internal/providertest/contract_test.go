package providertest_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/modules/sms/internal/providertest"
	"github.com/dispatchd/dispatchd/modules/sms/internal/sandbox"
	"github.com/dispatchd/dispatchd/modules/sms/internal/telnyx"
	"github.com/dispatchd/dispatchd/modules/sms/internal/twilio"
	"github.com/dispatchd/dispatchd/modules/sms/smstest"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/outbound/vendortest"
)

const refused = "+12025550105"

func TestSandbox_KeepsTheContract(t *testing.T) {
	t.Parallel()
	providertest.Run(t, func(*testing.T) providertest.Subject {
		return providertest.Subject{Provider: sandbox.Provider{}, Refused: refused}
	})
}

func TestTwilio_KeepsTheContract(t *testing.T) {
	t.Parallel()
	providertest.Run(t, func(t *testing.T) providertest.Subject {
		t.Helper()
		vendor := smstest.NewTwilio(1)
		vendor.RefuseMessagesTo(refused, 21610)
		network, url := vendortest.Serve(t, vendor)
		p, err := twilio.New(twilio.Settings{BaseURL: url + "/2010-04-01", MessagingURL: url + "/v1"}, network, clock.System{})
		require.NoError(t, err)

		return providertest.Subject{
			Provider: p, Credentials: vendor.Credentials(), Fail: vendor.Fail, Refused: refused, Remembers: true,
			Taken: func() int { return len(vendor.Messages()) }, ErrorBody: `{"code": 29999, "message": "Strange"}`,
			Receive: func(from, to, body string, at time.Time) string {
				id, _ := vendor.Receive(from, to, body, at)

				return id
			},
		}
	})
}

func TestTelnyx_KeepsTheContract(t *testing.T) {
	t.Parallel()
	providertest.Run(t, func(t *testing.T) providertest.Subject {
		t.Helper()
		vendor := smstest.NewTelnyx(make([]byte, 32))
		vendor.RefuseMessagesTo(refused, "40300")
		network, url := vendortest.Serve(t, vendor)
		p, err := telnyx.New(telnyx.Settings{BaseURL: url + "/v2"}, network, clock.System{})
		require.NoError(t, err)

		return providertest.Subject{
			Provider: p, Credentials: vendor.Credentials(), Fail: vendor.Fail, Refused: refused, Remembers: true,
			Taken: func() int { return len(vendor.Messages()) }, ErrorBody: `{"errors": [{"code": "49999", "title": "Strange"}]}`,
			Receive: func(from, to, body string, at time.Time) string { return vendor.Receive(from, to, body, at) },
		}
	})
}
