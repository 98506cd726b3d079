package esign

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/modules/esign/esigntest"
	"github.com/dispatchd/dispatchd/modules/esign/internal/accounts"
	"github.com/dispatchd/dispatchd/modules/esign/internal/docusign"
	"github.com/dispatchd/dispatchd/modules/esign/internal/envelopes"
	"github.com/dispatchd/dispatchd/modules/esign/internal/store"
	"github.com/dispatchd/dispatchd/modules/esign/internal/templates"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/config"
	"github.com/dispatchd/dispatchd/platform/jobs"
	"github.com/dispatchd/dispatchd/platform/outbound"
)

// atDocuSign has the plant's account be one at a server that speaks as DocuSign does, whose clock is the system's.
func (p *plant) atDocuSign(ctx context.Context, t *testing.T) *esigntest.DocuSign {
	t.Helper()
	double, err := esigntest.NewDocuSign()
	require.NoError(t, err)
	server := httptest.NewServer(double)
	t.Cleanup(server.Close)
	open := outbound.Defaults()
	open.AllowHTTP, open.AllowNetworks, open.BreakerFailures = true, []string{"127.0.0.0/8"}, 0
	network, err := outbound.New(open, clock.System{})
	require.NoError(t, err)
	s := docusign.Defaults()
	s.DemoAuthURL, s.ProductionAuthURL, s.APIHosts = server.URL, server.URL, []string{"127.0.0.1"}
	vendor, err := docusign.New(s, config.MiB, network, p.at)
	require.NoError(t, err)
	p.at.Advance(clock.System{}.Now().Sub(p.at.Now()))
	p.vendors.ByName[docusign.Name] = vendor
	p.account, err = p.accounts.Create(ctx, accounts.NewAccount{Name: "DocuSign", Provider: docusign.Name, Credentials: double.Credentials()})
	require.NoError(t, err)

	return double
}

func TestHand_DoesNotRepeatACallThatDocuSignMayBeWorkingOn(t *testing.T) {
	t.Parallel()
	eachPlant(t, func(ctx context.Context, t *testing.T, p *plant) {
		t.Helper()
		double := p.atDocuSign(ctx, t)
		require.NoError(t, p.templates.SyncOne(ctx, templates.SyncJob{Account: p.account.ID}))
		template, err := p.store.HeldTemplateOf(ctx, p.account.ID, "t-1")
		require.NoError(t, err)
		people := two()
		people[0].Tabs = map[string]string{"vin": "1HGCM82633A004352"}
		row, err := p.drafts.Create(ctx, envelopes.Draft{Template: template.ID, Recipients: people}, false)
		require.NoError(t, err)

		lost := esigntest.Fault{Method: http.MethodPost, Status: http.StatusGatewayTimeout, Drops: true}
		double.Fail(lost)
		require.True(t, jobs.IsLater(p.sender.Send(ctx, envelopes.SendArgs{Envelope: row.ID})))
		for range 14 {
			p.at.Advance(time.Minute)
			require.True(t, jobs.IsLater(p.sender.Send(ctx, envelopes.SendArgs{Envelope: row.ID})))
			require.Equal(t, store.Sending, p.now(ctx, t, row.ID).State)
			require.Empty(t, double.Envelopes(), "it may be working on the first one")
		}
		// And so it was: the first one appears.
		c, err := p.sender.Load(ctx, row.ID)
		require.NoError(t, err)
		_, err = p.contents.Call(ctx, *c)
		require.NoError(t, err)
		p.at.Advance(time.Minute)
		require.NoError(t, p.sender.Send(ctx, envelopes.SendArgs{Envelope: row.ID}))
		row = p.now(ctx, t, row.ID)
		require.Equal(t, store.Sent, row.State)
		require.Len(t, double.Envelopes(), 1)
		require.Equal(t, double.Envelopes()[0].Shown["envelopeId"], *row.ExternalID)

		// One that was lost for good is made anew, after a quarter of an hour.
		row, err = p.drafts.Create(ctx, envelopes.Draft{Template: template.ID, Recipients: people}, false)
		require.NoError(t, err)
		double.Fail(lost)
		require.Equal(t, store.Sent, p.work(ctx, t, row.ID).State)
		require.Len(t, double.Envelopes(), 2)
	})
}
