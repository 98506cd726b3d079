package providertest_test

import (
	"net/url"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/modules/esign/esigntest"
	"github.com/dispatchd/dispatchd/modules/esign/internal/docusign"
	"github.com/dispatchd/dispatchd/modules/esign/internal/providertest"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/config"
	"github.com/dispatchd/dispatchd/platform/outbound/vendortest"
)

// docuSign is DocuSign at a server of this process.
func docuSign(t *testing.T) (*docusign.Provider, *esigntest.DocuSign) {
	t.Helper()
	vendor, err := esigntest.NewDocuSign()
	require.NoError(t, err)
	network, address := vendortest.Serve(t, vendor)
	u, err := url.Parse(address)
	require.NoError(t, err)
	s := docusign.Defaults()
	s.DemoAuthURL, s.ProductionAuthURL, s.APIHosts = address, address, []string{u.Hostname()}
	p, err := docusign.New(s, 64*config.MiB, network, clock.System{})
	require.NoError(t, err)

	return p, vendor
}

func TestDocuSign_KeepsTheContract(t *testing.T) {
	t.Parallel()
	providertest.Run(t, func(t *testing.T) providertest.Subject {
		t.Helper()
		p, vendor := docuSign(t)

		return providertest.Subject{
			Provider: p, Credentials: vendor.Credentials(), Context: t.Context(), Key: "account", Template: "t-1", Refused: "nobody",
			Fail: vendor.Fail, Taken: func() int { return len(vendor.Envelopes()) },
			Complete: func(t *testing.T, id string) {
				t.Helper()
				now := esigntest.FormatTime(time.Now()) //nolint:forbidigo // of the vendor
				vendor.Show(id, func(shown esigntest.Object) {
					shown["status"], shown["completedDateTime"], shown["statusChangedDateTime"] = "completed", now, now
				})
				vendor.Type(id, "1", "vin", providertest.ChangedVIN)
				vendor.Attach(id, "combined", []byte("%PDF-1.7 combined"))
				vendor.Attach(id, "certificate", []byte("%PDF-1.7 certificate"))
			},
		}
	})
}
