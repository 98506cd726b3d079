package square_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/url"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"go.uber.org/fx"

	"github.com/dispatchd/dispatchd/modules/cards"
	"github.com/dispatchd/dispatchd/modules/companies"
	"github.com/dispatchd/dispatchd/modules/square"
	"github.com/dispatchd/dispatchd/modules/square/squaretest"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/inbound"
	"github.com/dispatchd/dispatchd/platform/jobs"
	"github.com/dispatchd/dispatchd/platform/module"
	"github.com/dispatchd/dispatchd/platform/moduletest"
)

// market is a deployment with an application at Square, and a merchant who may allow it something.
type market struct {
	*till

	application *squaretest.Application
	at          *clock.Fake
	queue       *jobs.Queue
}

// renewal is the job that Square's tokens are renewed by, which the queue enqueues every hour of the machine's clock.
type renewal struct{}

// Kind implements jobs.Args.
func (renewal) Kind() string { return "square.renew_tokens" }

func eachMarket(t *testing.T, test func(t *testing.T, m *market)) {
	t.Helper()
	application := squaretest.NewApplication()
	hub := &squaretest.Hub{Application: application}
	server := httptest.NewServer(hub)
	t.Cleanup(server.Close)
	var made sync.Map // by the database of the app
	keep := fx.Invoke(func(db *database.DB, at clock.Clock, q *jobs.Queue) {
		made.Store(db, &market{application: application, at: at.(*clock.Fake), queue: q})
	})
	moduletest.BootEach(t, []module.Module{cards.Module, companies.Module, square.Module}, func(t *testing.T, a *moduletest.App) {
		t.Helper()
		kept, _ := made.Load(a.DB)
		m := kept.(*market)
		m.till = &till{App: a, hub: hub, vendor: squaretest.New("OAUTH" + uuid.NewString()[:6])}
		test(t, m)
	}, moduletest.Set(
		"modules.square.base_url="+server.URL, "modules.square.environment=sandbox", "modules.square.application.id="+application.ID,
		"modules.square.application.secret="+application.Secret, "modules.square.application.signature_key="+application.SignatureKey,
		"web.base_url=https://api.example.test", "web.services_url="+hooks, "jobs.poll=10ms",
		"outbound.allow_http=true", "outbound.allow_networks=127.0.0.0/8", "outbound.breaker_failures=0",
	), moduletest.With(fx.Decorate(func(clock.Clock) clock.Clock { return clock.NewFake(clock.System{}.Now()) }), keep))
}

// allow starts a connection for a company, and is the merchant who allows it: it returns state and code.
func (m *market) allow(t *testing.T, of moduletest.Company, body map[string]any) (back *url.URL) {
	t.Helper()
	address := m.Call(t, of.Token, http.MethodPost, base+"/oauth/start", body).OK(t).Get("url").String()
	back, err := m.application.Allow(address, m.vendor)
	require.NoError(t, err)
	require.Equal(t, "https://api.example.test"+base+"/oauth/callback", back.Scheme+"://"+back.Host+back.Path)

	return back
}

func (m *market) confirm(t *testing.T, back *url.URL) moduletest.Response {
	t.Helper()

	return m.Call(t, "", http.MethodPost, base+"/oauth/callback", map[string]any{"state": back.Query().Get("state"), "code": back.Query().Get("code")})
}

func (m *market) connected(t *testing.T, of moduletest.Company) string {
	t.Helper()
	m.confirm(t, m.allow(t, of, map[string]any{"name": "Main street"})).OK(t)
	all := m.Call(t, of.Token, http.MethodGet, base+"/accounts", nil).OK(t)
	require.Equal(t, "Main street", all.Get("accounts.0.name").String())
	require.True(t, all.Get("accounts.0.oauth").Bool())

	return all.Get("accounts.0.uuid").String()
}

func TestOAuth_ConnectsTheMerchantThatConfirms(t *testing.T) {
	t.Parallel()
	eachMarket(t, func(t *testing.T, m *market) {
		back := m.allow(t, m.Owner, map[string]any{"name": "Main street"})
		page := m.Call(t, "", http.MethodGet, base+"/oauth/callback?"+back.RawQuery, nil, "Accept", "text/html").OK(t)
		name := m.Call(t, "", http.MethodGet, base+"/oauth/callback?"+back.RawQuery, nil).OK(t).Get("brand.name").String()
		require.NotEmpty(t, name)
		require.Contains(t, string(page.Body), "Connect to "+name)
		require.Empty(t, m.get(t, base+"/accounts").OK(t).Get("accounts").Array(), "reading changes nothing")

		require.Equal(t, "Main street", m.confirm(t, back).OK(t).Get("name").String())
		m.confirm(t, back).Refused(t, http.StatusNotFound, "link.used_up")
		account := m.get(t, base+"/accounts").OK(t).Get("accounts.0")
		require.Equal(t, m.vendor.Location, account.Get("location_id").String(), "the main location")
		require.Equal(t, m.get(t, base+"/oauth").OK(t).Get("notify_url").String(), account.Get("notify_url").String())
		require.True(t, m.get(t, base+"/health").OK(t).Get("healthy").Bool())
		m.paid(t)
		require.Contains(t, m.Audited(t, m.Owner), "square.connected")
	})
}

func TestOAuth_RefusesWhatIsNotFromSquare(t *testing.T) {
	t.Parallel()
	eachMarket(t, func(t *testing.T, m *market) {
		back := m.allow(t, m.Owner, map[string]any{})
		for _, wrong := range []url.Values{
			{"state": {"made up"}, "code": {back.Query().Get("code")}}, {"state": {""}, "code": {"x"}},
		} {
			m.Call(t, "", http.MethodGet, base+"/oauth/callback?"+wrong.Encode(), nil).Refused(t, http.StatusNotFound, "link.unknown")
		}
		denied := url.Values{"state": {back.Query().Get("state")}, "error": {"access_denied"}}
		page := m.Call(t, "", http.MethodGet, base+"/oauth/callback?"+denied.Encode(), nil, "Accept", "text/html").OK(t)
		require.Contains(t, string(page.Body), "access was not allowed")
		require.NotContains(t, string(page.Body), "<form")

		wrong := *back
		wrong.RawQuery = url.Values{"state": {back.Query().Get("state")}, "code": {"sq0cgp-of-somebody"}}.Encode()
		m.confirm(t, &wrong).Refused(t, http.StatusConflict, "square.not_connected")
		m.application.Fail(squaretest.Fault{Status: http.StatusBadGateway})
		m.confirm(t, back).Refused(t, http.StatusServiceUnavailable, "square.unavailable")
		m.confirm(t, back).OK(t)

		m.post(t, base+"/oauth/start", map[string]any{}).Refused(t, http.StatusUnprocessableEntity, "square.invalid") // the name is taken
		m.post(t, base+"/oauth/start", map[string]any{"account_uuid": uuid.NewString()}).Refused(t, http.StatusNotFound, "cards.account_not_found")
		m.at.Advance(16 * time.Minute)
		m.confirm(t, m.allow(t, m.NewCompany(t), map[string]any{})).OK(t)
		late := m.allow(t, m.NewCompany(t), map[string]any{})
		m.at.Advance(16 * time.Minute)
		m.confirm(t, late).Refused(t, http.StatusNotFound, "link.expired")
	})
}

func TestOAuth_TellsEveryCompanyOfTheMerchantAndNobodyElse(t *testing.T) {
	t.Parallel()
	eachMarket(t, func(t *testing.T, m *market) {
		branch, stranger := m.NewCompany(t), m.NewCompany(t)
		m.connected(t, m.Owner)
		m.connected(t, branch)
		// Whoever says that a merchant is theirs is not told what becomes of it.
		liar := m.vendor.Credentials()
		liar["merchant_id"], liar["refresh_token"] = m.vendor.Merchant, "made up"
		m.Call(t, stranger.Token, http.MethodPost, cardsBase+"/accounts", map[string]any{"name": "Liar", "provider": "square", "credentials": liar}).OK(t)

		address := m.get(t, base+"/oauth").OK(t).Get("notify_url").String()
		payment := m.paid(t).Get("payment")
		m.vendor.Change(payment.Get("id").String(), func(there map[string]any) {
			there["processing_fee"] = []any{map[string]any{"amount_money": map[string]any{"amount": 59, "currency": "USD"}}}
		})
		there := m.vendor.Payment(payment.Get("id").String())
		body, _ := m.vendor.Notification(address, "payment.updated", "payment", there)
		to, err := url.Parse(address)
		require.NoError(t, err)
		m.Notify(t, to.Path, body, squaretest.SignatureHeader, m.application.Sign(address, body)).OK(t)
		require.Equal(t, inbound.Processed, m.WaitHandled(t, m.Owner, 1)[0].State)
		require.Equal(t, inbound.Skipped, m.WaitHandled(t, branch, 1)[0].State, "the payment was not made here")
		require.Empty(t, m.Received(t, stranger))
		require.Equal(t, int64(59), m.get(t, base+"/payments/"+payment.Get("uuid").String()).OK(t).Get("payment.processing_fee_money.amount").Int())

		_, signature := m.vendor.Notification(address, "payment.updated", "payment", there)
		m.Notify(t, to.Path, body, squaretest.SignatureHeader, signature).Refused(t, http.StatusUnauthorized, "inbound.not_verified")
	})
}

func TestOAuth_RenewsTokensEveryWeekUntilTheMerchantRevokes(t *testing.T) {
	t.Parallel()
	eachMarket(t, func(t *testing.T, m *market) {
		account := m.connected(t, m.Owner)
		version := func() int64 {
			return m.get(t, cardsBase+"/accounts/"+account).OK(t).Get("version").Int()
		}
		require.Equal(t, int64(1), version())
		m.at.Advance(7*24*time.Hour + time.Hour)
		require.NoError(t, m.DB.InTx(t.Context(), func(ctx context.Context) error { return m.queue.Enqueue(ctx, renewal{}) }))
		m.Eventually(t, func() bool { return version() == 2 }, "the token is renewed")
		m.paid(t)

		m.post(t, base+"/oauth/revoke", map[string]any{}, "Idempotency-Key", "1").Refused(t, http.StatusUnprocessableEntity, "square.idempotency_key_header")
		m.post(t, base+"/oauth/revoke", map[string]any{}).OK(t)
		require.False(t, m.get(t, base+"/health").OK(t).Get("healthy").Bool())
		m.post(t, base+"/oauth/revoke", map[string]any{}).Refused(t, http.StatusConflict, "square.not_connected")

		m.confirm(t, m.allow(t, m.Owner, map[string]any{"account_uuid": account})).OK(t)
		require.True(t, m.get(t, base+"/health").OK(t).Get("healthy").Bool(), "it is connected again")
	})
}
