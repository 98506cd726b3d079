package providertest_test

import (
	"net/http"
	"net/url"
	"sync"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"go.uber.org/fx"

	"github.com/dispatchd/dispatchd/modules/attachments"
	"github.com/dispatchd/dispatchd/modules/esign"
	"github.com/dispatchd/dispatchd/modules/esign/internal/provider"
	"github.com/dispatchd/dispatchd/modules/esign/internal/providertest"
	"github.com/dispatchd/dispatchd/modules/esign/internal/sandbox"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/jobs"
	"github.com/dispatchd/dispatchd/platform/link"
	"github.com/dispatchd/dispatchd/platform/module"
	"github.com/dispatchd/dispatchd/platform/moduletest"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/secret"
	"github.com/dispatchd/dispatchd/platform/web"
)

// loading are the tabs without which the shipper does not sign.
func loading() []provider.Value {
	return []provider.Value{{Label: "load_number", Text: "1024"}, {Label: "pickup_address", Text: "1 Main St"}, {Label: "delivery_address", Text: "2 Side St"}}
}

func TestSandbox_KeepsTheContract(t *testing.T) {
	t.Parallel()
	var boxes sync.Map
	take := moduletest.With(fx.Invoke(func(db *database.DB, q *jobs.Queue, c clock.Clock, l *link.Service, w web.Settings) {
		boxes.Store(db, sandbox.New(db, q, c, l, w))
	}))
	moduletest.BootEach(t, []module.Module{attachments.Module, esign.Module}, func(t *testing.T, a *moduletest.App) {
		t.Helper()
		found, _ := boxes.Load(a.DB)
		box := found.(*sandbox.Sandbox) //nolint:forcetypeassert // it was put there
		providertest.Run(t, func(t *testing.T) providertest.Subject {
			t.Helper()
			s := providertest.Subject{
				Provider: box, Context: principal.With(t.Context(), principal.ForCompany(a.Owner.ID)), Key: uuid.NewString(),
				Template: sandbox.BillOfLading, Refused: "invalid@sandbox.test", Filled: loading(),
			}
			s.Complete = func(t *testing.T, id string) { t.Helper(); complete(t, a, s, id) }

			return s
		})
	}, take)
}

// complete has both people of an envelope sign: the first embedded, the second as by an e-mail.
func complete(t *testing.T, a *moduletest.App, s providertest.Subject, id string) {
	t.Helper()
	at, err := s.Provider.Open(provider.Opening{Credentials: secret.Hide(s.Credentials), Key: s.Key})
	require.NoError(t, err)
	view, err := at.SigningURL(s.Context, id, provider.Recipient{ExternalID: "1", Name: "Ann", Email: "ann@example.org", ClientID: "c-1"}, "https://example.org/")
	require.NoError(t, err)
	ask, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+a.API.Address()+view, nil)
	require.NoError(t, err)
	moved, err := http.DefaultTransport.RoundTrip(ask)
	require.NoError(t, err)
	require.NoError(t, moved.Body.Close())
	mail := func() string {
		return a.Call(t, a.Owner.Token, http.MethodPost, "/esign/api/v1/sandbox/links", map[string]any{"envelope_id": id, "recipient_id": "2"}).OK(t).Get("url").String()
	}
	sign := func(page string, form url.Values) {
		form.Set("action", "sign")
		form.Set("signature", "Signed")
		a.Call(t, "", http.MethodPost, page, form.Encode(), "Content-Type", "application/x-www-form-urlencoded").OK(t)
	}
	first := url.Values{"tab.vin": {providertest.ChangedVIN}, "tab.operable": {"true"}}
	for _, v := range loading() {
		first.Set("tab."+v.Label, v.Text)
	}
	sign(moved.Header.Get("Location"), first)
	sign(mail(), url.Values{"tab.carrier_name": {"Fast"}})
}
