package esign

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"go.uber.org/fx"

	"github.com/dispatchd/dispatchd/modules/attachments"
	"github.com/dispatchd/dispatchd/modules/esign/internal/accounts"
	"github.com/dispatchd/dispatchd/modules/esign/internal/connection"
	"github.com/dispatchd/dispatchd/modules/esign/internal/documents"
	"github.com/dispatchd/dispatchd/modules/esign/internal/provider"
	"github.com/dispatchd/dispatchd/modules/esign/internal/reports"
	"github.com/dispatchd/dispatchd/modules/esign/internal/settings"
	"github.com/dispatchd/dispatchd/modules/esign/internal/store"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/events"
	"github.com/dispatchd/dispatchd/platform/inbound"
	"github.com/dispatchd/dispatchd/platform/inbound/verify"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/jobs"
	"github.com/dispatchd/dispatchd/platform/module"
	"github.com/dispatchd/dispatchd/platform/moduletest"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/secret"
	"github.com/dispatchd/dispatchd/platform/state"
)

const (
	signatureHeader = "X-DocuSign-Signature-1"
	vendorAccount   = "4d8e3a52-7b7f-4f5e-9d3a-0c6f2b6f9a11"
)

// asker is a vendor that can be asked what has changed.
type asker struct {
	provider.Account

	changes func(since time.Time, from string) ([]provider.Update, string, error)
}

func (*asker) Name() string                                      { return "asker" }
func (*asker) Environments() []string                            { return []string{"demo"} }
func (a *asker) Open(provider.Opening) (provider.Account, error) { return a, nil }

func (a *asker) Changes(_ context.Context, since time.Time, from string) ([]provider.Update, string, error) {
	return a.changes(since, from)
}

// receiverFixture is a service with an account that hears from its vendor, and the area beside it.
type receiverFixture struct {
	*moduletest.App
	store      *store.Repository
	vendors    *accounts.Vendors
	clients    *connection.Clients
	leftovers  *reports.Leftovers
	schedule   *reports.Schedule
	reports    *reports.Service
	reconciler *reports.Reconciler
	states     *state.Log
	clock      clock.Clock

	vendor *asker
	ours   store.Account
}

// eachHearing boots a service on each database. Without a worker, jobs wait.
func eachHearing(t *testing.T, test func(t *testing.T, h *receiverFixture), set ...string) {
	t.Helper()
	var made sync.Map
	set = append([]string{"jobs.poll=10ms", "jobs.retry_delay=10ms", "web.services_url=https://services.example.com"}, set...)
	moduletest.BootEach(t, []module.Module{attachments.Module, Module, yard()}, func(t *testing.T, a *moduletest.App) {
		t.Helper()
		built, _ := made.Load(a.DB)
		h := built.(*receiverFixture)
		h.App = a
		h.ours = h.open(h.as(t), t, "Main")
		test(t, h)
	}, moduletest.Set(set...), moduletest.With(fx.Invoke(func(
		db *database.DB, states *state.Log, bus *events.Bus, queue *jobs.Queue, items *item.Registry, keys *secret.Keys,
	) {
		h := &receiverFixture{vendor: &asker{}}
		c := clock.System{}
		h.store, h.states, h.clock = store.NewRepository(db), states, c
		h.vendors = accounts.VendorsWithoutAddress(store.NewStore(db, c, keys), keys, settings.Defaults().CallTimeout, h.vendor)
		h.clients = connection.NewClients(h.store, h.vendors, c, settings.Defaults())
		h.leftovers = reports.NewLeftovers(h.store, c, settings.Defaults())
		h.schedule = reports.NewSchedule(h.vendors.Accounts, queue, c, settings.Defaults())
		progress := reports.NewProgress(h.store, documents.NewRequests(h.store, queue, bus, c), states, bus, c)
		h.reports = reports.New(h.store, h.vendors.Accounts, reports.NewMatcher(h.store, items, c), progress, c)
		h.reconciler = reports.NewReconciler(h.store, h.vendors, h.reports, h.schedule)
		made.Store(db, h)
	})))
}

// as is the service itself at work for the company.
func (h *receiverFixture) as(t *testing.T) context.Context {
	t.Helper()

	return principal.AsCompany(t.Context(), h.Owner.ID)
}

// open stores an account.
func (h *receiverFixture) open(ctx context.Context, t *testing.T, name string) store.Account {
	t.Helper()
	row := store.Account{
		Account: h.vendors.Accounts.NewAccount(name, "asker"), Environment: "demo", ExternalID: vendorAccount, EndpointID: uuid.New(), Verification: connection.VerifyAutomatic,
	}
	require.NoError(t, h.vendors.Accounts.Seal(ctx, &row, map[string]string{}))
	require.NoError(t, h.store.DB.InTx(ctx, func(ctx context.Context) error { return h.store.Insert(ctx, &row) }))

	return row
}

// yard is an area with items: those whose UUID ends in an even digit.
func yard() module.Module {
	return module.New("yard", "Yard", fx.Supply(yardOf{}, fx.Private), item.Type("yard.car", "Car", yardOf.describe, nil, nil))
}

type yardOf struct{}

func (yardOf) describe(_ context.Context, ids []uuid.UUID) (map[uuid.UUID]item.Description, error) {
	found := map[uuid.UUID]item.Description{}
	for _, id := range ids {
		if id[15]%2 == 0 {
			found[id] = item.Description{Title: "Car"}
		}
	}

	return found, nil
}

func (h *receiverFixture) path(row store.Account) string {
	return "/esign/api/v1/connection/callback/" + row.EndpointID.String()
}

func (h *receiverFixture) api(t *testing.T, method, path string, body any) moduletest.Response {
	t.Helper()

	return h.Call(t, h.Owner.Token, method, "/esign/api/v1/accounts/"+h.ours.ID.String()+path, body)
}

// key gives the account a key and has it verify alone.
func (h *receiverFixture) key(t *testing.T, text string) string {
	t.Helper()
	h.api(t, http.MethodPut, "/verification", map[string]any{"verification": connection.VerifyHMAC}).OK(t)

	return h.api(t, http.MethodPost, "/keys", map[string]any{"name": "key " + text, "secret": text}).OK(t).Get("uuid").String()
}

func sealed(text, body string) []string {
	return []string{signatureHeader, verify.SignDocuSign([]byte(text), []byte(body))}
}

func (h *receiverFixture) send(t *testing.T, body string, headers ...string) moduletest.Response {
	t.Helper()

	return h.Notify(t, h.path(h.ours), []byte(body), headers...)
}

// notice is a notification of a status that an envelope has come to at a second.
func notice(event, envelope, status string, second int, more string) string {
	at := time.Date(2026, 11, 2, 10, 0, second, 0, time.UTC).Format("2006-01-02T15:04:05.0000000Z")

	return fmt.Sprintf(`{"event": %q, "retryCount": 0, "generatedDateTime": %q, "data": {"accountId": %q, "envelopeId": %q, "envelopeSummary": {
"envelopeId": %q, "status": %q, "statusChangedDateTime": %q%s}}}`, event, at, vendorAccount, envelope, envelope, status, at, more)
}

// tie is the custom fields that tie an envelope to a car of the yard.
func tie(last byte) string {
	id := uuid.UUID{0: 1, 6: 0x70, 8: 0x80, 15: last}

	return `, "customFields": {"textCustomFields": [{"name": "service_item_type", "value": "yard.car"}, {"name": "service_item_uuid", "value": "` +
		id.String() + `"}, {"name": "service_source", "value": "gate"}]}`
}

func TestReceiver_StoresAnswersAndAppliesTheInterfacesSample(t *testing.T) {
	t.Parallel()
	eachHearing(t, func(t *testing.T, h *receiverFixture) {
		t.Helper()
		ctx := h.as(t)
		h.key(t, "connect-key-A")
		body := notice("recipient-sent", "e1", "sent", 1, tie(2)+`, "recipients": {"signers": [{"offlineAttributes": {"offlineSigningHash": "x"},
"creationReason": "sender", "name": "Sam", "email": "sam@example.org"}]}`)
		body = strings.Replace(body, `"envelopeId"`, `"recipientId": "1", "envelopeId"`, 1)
		answer := h.send(t, body, sealed("connect-key-A", body)...).OK(t)
		require.Equal(t, http.StatusOK, answer.Status)
		require.Equal(t, "{}", string(answer.Body))
		got := h.WaitHandled(t, h.Owner, 1)[0]
		require.Equal(t, inbound.Processed, got.State, got.Error)
		require.Equal(t, "esign.callback", got.Kind)

		row := h.envelope(ctx, t, "e1")
		require.Equal(t, store.Sent, row.State)
		require.Equal(t, store.OriginProvider, row.Origin)
		require.Equal(t, "yard.car", row.ItemType)
		require.Equal(t, "gate", row.Source)
		recipients, err := h.store.RecipientsOf(ctx, row.ID)
		require.NoError(t, err)
		require.Len(t, recipients, 1)
		require.Equal(t, store.RecipientSent, recipients[0].State)
		require.Equal(t, "Sam", recipients[0].Name)
		require.Equal(t, []string{"esign.envelope.sent", "esign.recipient.changed"}, h.EventNames(t, h.Owner))
		require.Equal(t, row.ItemID.String(), h.Events(t, h.Owner)[0].Get("item_uuid").String())

		again := strings.Replace(body, `"retryCount": 0`, `"retryCount": 1`, 1)
		h.send(t, again, sealed("connect-key-A", again)...).OK(t)
		require.Equal(t, 1, h.WaitHandled(t, h.Owner, 1)[0].Duplicates)
		require.Len(t, h.happenings(ctx, t, row.ID), 1)
		require.Contains(t, h.api(t, http.MethodGet, "/keys", nil).OK(t).Get("data.0.used_at").String(), "20")
	})
}

func TestReceiver_PublishesHowAnEnvelopeEnds(t *testing.T) {
	t.Parallel()
	eachHearing(t, func(t *testing.T, h *receiverFixture) {
		t.Helper()
		h.key(t, "connect-key-A")
		for i, body := range []string{
			notice("envelope-declined", "e1", "declined", 1, tie(2)+`, "recipients": {"signers": [{"recipientId": "1", "name": "Ann", "status": "declined",
"declinedDateTime": "2026-11-02T10:00:01Z", "declinedReason": "Wrong rate"}]}`),
			notice("envelope-voided", "e2", "voided", 2, tie(2)+`, "voidedReason": "Envelope has expired."`),
			notice("envelope-voided", "e3", "voided", 3, tie(2)+`, "voidedReason": "Another carrier has it"`),
		} {
			h.send(t, body, sealed("connect-key-A", body)...).OK(t)
			h.WaitHandled(t, h.Owner, i+1)
		}
		ends := map[string]string{}
		for _, e := range h.Events(t, h.Owner) {
			if strings.HasPrefix(e.Name, "esign.envelope.") {
				ends[e.Name] = e.Get("reason").String()
			}
		}
		require.Equal(t, map[string]string{
			"esign.envelope.declined": "Wrong rate", "esign.envelope.expired": "", "esign.envelope.voided": "Another carrier has it",
		}, ends)
	})
}

func TestReceiver_TakesCapitalsAndAByteOrderMark(t *testing.T) {
	t.Parallel()
	eachHearing(t, func(t *testing.T, h *receiverFixture) {
		t.Helper()
		ctx := h.as(t)
		h.key(t, "connect-key-A")
		const id = "9b1c7f0e-53a0-4a53-8a55-1f5c2f3f7d21"
		for i, body := range []string{
			notice("envelope-sent", id, "sent", 1, tie(2)),
			notice("envelope-delivered", strings.ToUpper(id), "delivered", 2, ""),
			"\xef\xbb\xbf" + notice("envelope-completed", id, "completed", 3, ""),
		} {
			h.send(t, body, sealed("connect-key-A", body)...).OK(t)
			for _, d := range h.WaitHandled(t, h.Owner, i+1) {
				require.Equal(t, inbound.Processed, d.State, d.Error)
			}
		}
		require.Equal(t, store.Completed, h.envelope(ctx, t, id).State)
	})
}

// envelope returns the envelope with a vendor's id.
func (h *receiverFixture) envelope(ctx context.Context, t *testing.T, external string) store.Envelope {
	t.Helper()
	row, err := database.IfAny[store.Envelope](h.store.DB.Conn(ctx), "external_id = ?", external)
	require.NoError(t, err)
	require.NotNil(t, row, external)

	return *row
}

func (h *receiverFixture) happenings(ctx context.Context, t *testing.T, id uuid.UUID) []store.HistoryEvent {
	t.Helper()
	rows, err := database.All[store.HistoryEvent](h.store.DB.Conn(ctx).Where("envelope_id = ?", id).Order("happened_at, event, dedupe_key"))
	require.NoError(t, err)

	return rows
}

func TestReceiver_RefusesForgeriesOfEveryKind(t *testing.T) {
	t.Parallel()
	eachHearing(t, func(t *testing.T, h *receiverFixture) {
		t.Helper()
		body, other := notice("envelope-sent", "e1", "sent", 1, ""), notice("envelope-sent", "e2", "sent", 1, "")
		refused := func(status int, code, body string, headers ...string) {
			t.Helper()
			h.send(t, body, headers...).Refused(t, status, code)
		}
		refused(http.StatusUnauthorized, "inbound.not_verified", body)
		first := h.key(t, "connect-key-A")
		h.key(t, "connect-key-B")
		refused(http.StatusUnauthorized, "inbound.not_verified", body)
		refused(http.StatusUnauthorized, "inbound.not_verified", body, sealed("connect-key-C", body)...)
		refused(http.StatusUnauthorized, "inbound.not_verified", body, sealed("connect-key-A", other)...)
		refused(http.StatusUnauthorized, "inbound.not_verified", body, signatureHeader, "not base64")
		h.send(t, body, "X-DocuSign-Signature-7", verify.SignDocuSign([]byte("connect-key-B"), []byte(body))).OK(t)
		h.send(t, other, sealed("connect-key-A", other)...).OK(t)
		h.api(t, http.MethodDelete, "/keys/"+first, nil).OK(t)
		refused(http.StatusUnauthorized, "inbound.not_verified", other, sealed("connect-key-A", other)...)

		key := "connect-key-B"
		refused(http.StatusBadRequest, "esign.notice_malformed", "{", sealed(key, "{")...)
		refused(http.StatusBadRequest, "esign.notice_malformed", "{}", sealed(key, "{}")...)
		strange := strings.Replace(body, vendorAccount, "5d8e3a52-7b7f-4f5e-9d3a-0c6f2b6f9a11", 1)
		refused(http.StatusForbidden, "esign.other_account", strange, sealed(key, strange)...)
		large := `{"event": "x", "data": "` + strings.Repeat("x", 2<<20) + `"}`
		refused(http.StatusRequestEntityTooLarge, "web.body_too_large", large, sealed(key, large)...)
		h.Notify(t, "/esign/api/v1/connection/callback/"+uuid.NewString(), []byte(body), sealed(key, body)...).
			Refused(t, http.StatusNotFound, "inbound.endpoint_unknown")
		old := h.path(h.ours)
		address := h.api(t, http.MethodPost, "/rotate_callback", nil).OK(t).Get("callback_url").String()
		h.Notify(t, old, []byte(body), sealed(key, body)...).Refused(t, http.StatusNotFound, "inbound.endpoint_unknown")
		fresh, err := url.Parse(address)
		require.NoError(t, err)
		require.Equal(t, "services.example.com", fresh.Host)
		h.Notify(t, fresh.Path, []byte(body), sealed(key, body)...).OK(t)
		_, err = h.DB.SQL().ExecContext(t.Context(), "UPDATE esign_accounts SET disabled_at = created_at")
		require.NoError(t, err)
		h.Notify(t, fresh.Path, []byte(body), sealed(key, body)...).Refused(t, http.StatusGone, "esign.connection_disabled")
		require.Len(t, h.Received(t, h.Owner), 2+1, "another address has another log")
		found, err := h.Inbox.Refusals(principal.AsCompany(t.Context(), h.Owner.ID))
		require.NoError(t, err)
		reasons := map[string]bool{}
		for _, r := range found {
			reasons[r.Reason] = true
		}
		require.Equal(t, map[string]bool{"unsigned": true, "mismatch": true, "esign.other_account": true, "esign.notice_malformed": true}, reasons)
	}, "modules.esign.max_notice=1MiB")
}

func (h *receiverFixture) bearer(t *testing.T, id, text string) string {
	t.Helper()
	form := url.Values{"grant_type": {"client_credentials"}, "scope": {"esign.callback"}, "client_id": {id}, "client_secret": {text}}

	return h.token(t, form).OK(t).Get("access_token").String()
}

func (h *receiverFixture) token(t *testing.T, form url.Values, headers ...string) moduletest.Response {
	t.Helper()

	return h.Call(t, "", http.MethodPost, "/esign/api/v1/connection/token", form.Encode(),
		append([]string{"Content-Type", "application/x-www-form-urlencoded"}, headers...)...)
}

func (h *receiverFixture) client(t *testing.T) (id, text string) {
	t.Helper()
	made := h.api(t, http.MethodPost, "/clients", map[string]any{"name": "DocuSign"}).OK(t)

	return made.Get("client_id").String(), made.Get("client_secret").String()
}

func TestReceiver_WantsWhatTheAccountSays(t *testing.T) {
	t.Parallel()
	eachHearing(t, func(t *testing.T, h *receiverFixture) {
		t.Helper()
		id, text := h.client(t)
		bearer := "Bearer " + h.bearer(t, id, text)
		n := 0
		status := func(headers ...string) int {
			n++
			body := notice("envelope-sent", fmt.Sprintf("e%d", n), "sent", 1, "")
			for i := range headers {
				if headers[i] == "sign" {
					headers[i] = verify.SignDocuSign([]byte("connect-key-A"), []byte(body))
				}
			}

			return h.send(t, body, headers...).Status
		}
		const ok, no = http.StatusOK, http.StatusUnauthorized
		token, signature := []string{"Authorization", bearer}, func() []string { return []string{signatureHeader, "sign"} }
		both := func() []string { return append(signature(), token...) }
		require.Equal(t, []int{no, ok}, []int{status(), status(token...)}, "automatic, without a key")
		h.api(t, http.MethodPost, "/keys", map[string]any{"name": "A", "secret": "connect-key-A"}).OK(t)
		for _, c := range []struct {
			how                                string
			none, token, signature, both, last int
		}{
			{connection.VerifyAutomatic, no, no, no, ok, ok},
			{connection.VerifyBearer, no, ok, no, ok, ok},
			{connection.VerifyHMAC, no, no, ok, ok, ok},
			{connection.VerifyBoth, no, no, no, ok, ok},
			{connection.VerifyEither, no, ok, ok, ok, ok},
		} {
			h.api(t, http.MethodPut, "/verification", map[string]any{"verification": c.how}).OK(t)
			require.Equal(t, []int{c.none, c.token, c.signature, c.both},
				[]int{status(), status(token...), status(signature()...), status(both()...)}, c.how)
		}
		h.api(t, http.MethodPut, "/verification", map[string]any{"verification": "none"}).Refused(t, http.StatusUnprocessableEntity, "web.invalid")
	})
}

func TestReceiver_TakesTokensOfThisConnectionAndOfThisCompanyAlone(t *testing.T) {
	t.Parallel()
	eachHearing(t, func(t *testing.T, h *receiverFixture) {
		t.Helper()
		ctx := h.as(t)
		other := h.open(ctx, t, "Other")
		stranger := h.NewCompany(t)
		id, text := h.client(t)
		issued := h.bearer(t, id, text)
		body := notice("envelope-sent", "e1", "sent", 1, "")
		status := func(row store.Account, token string) int {
			return h.Notify(t, h.path(row), []byte(body), "Authorization", "Bearer "+token).Status
		}
		require.Equal(t, http.StatusOK, status(h.ours, issued))
		require.Equal(t, http.StatusUnauthorized, status(other, issued), "another connection's")
		require.Equal(t, http.StatusOK, status(other, h.Token(t, h.Owner, "esign:callback")))
		require.Equal(t, http.StatusUnauthorized, status(other, h.Token(t, h.Owner, "esign:read", "esign:accounts")), "no scope for it")
		require.Equal(t, http.StatusUnauthorized, status(other, h.Token(t, stranger, "*")), "another company's")
		require.Equal(t, http.StatusUnauthorized, status(other, h.Operator(t, "*")))
		require.Equal(t, http.StatusUnauthorized, status(other, issued[:len(issued)-1]))
		h.Call(t, issued, http.MethodGet, "/esign/api/v1/accounts/"+h.ours.ID.String()+"/keys", nil).
			Refused(t, http.StatusUnauthorized, "identity.token_malformed")

		h.api(t, http.MethodDelete, "/clients/"+id, nil).OK(t)
		require.Equal(t, http.StatusUnauthorized, status(h.ours, issued), "its client was revoked")
		h.token(t, url.Values{"grant_type": {"client_credentials"}, "client_id": {id}, "client_secret": {text}}).
			Refused(t, http.StatusUnauthorized, "esign.invalid_client")
		require.NotEmpty(t, h.api(t, http.MethodGet, "/clients", nil).OK(t).Get("data.0.revoked_at").String())
		require.NotContains(t, string(h.api(t, http.MethodGet, "/clients", nil).Body), text)
		require.NotContains(t, h.Logged(), text)
		require.NotContains(t, h.Logged(), issued)
	})
}

func TestToken_IsIssuedAsRFC6749Says(t *testing.T) {
	t.Parallel()
	eachHearing(t, func(t *testing.T, h *receiverFixture) {
		t.Helper()
		ctx := h.as(t)
		id, text := h.client(t)
		grant := url.Values{"grant_type": {"client_credentials"}}
		with := func(pairs ...string) url.Values {
			form := url.Values{"grant_type": {"client_credentials"}, "client_id": {id}, "client_secret": {text}}
			for i := 0; i+1 < len(pairs); i += 2 {
				form.Set(pairs[i], pairs[i+1])
			}

			return form
		}
		basic := func(id, text string) []string {
			r := http.Request{Header: http.Header{}}
			r.SetBasicAuth(url.QueryEscape(id), url.QueryEscape(text))

			return []string{"Authorization", r.Header.Get("Authorization")}
		}
		answer := h.token(t, grant, basic(id, text)...).OK(t)
		require.Equal(t, "Bearer", answer.Get("token_type").String())
		require.Equal(t, int64(3600), answer.Get("expires_in").Int())
		require.Equal(t, "esign.callback", answer.Get("scope").String())
		require.Equal(t, "no-store", answer.Header.Get("Cache-Control"))
		require.Equal(t, "no-cache", answer.Header.Get("Pragma"))
		require.Equal(t, "application/json", answer.Header.Get("Content-Type"))
		h.token(t, with("scope", "")).OK(t)
		for code, forms := range map[string][]url.Values{
			"esign.invalid_client":         {grant, with("client_secret", "x"), with("client_id", uuid.NewString()), with("client_id", "x")},
			"esign.unsupported_grant_type": {with("grant_type", "password")},
			"esign.invalid_scope":          {with("scope", "esign.callback esign.read")},
			"esign.invalid_request":        {with("grant_type", ""), {"grant_type": {"client_credentials", "client_credentials"}}},
		} {
			for _, form := range forms {
				refused := h.token(t, form)
				require.Equal(t, code, refused.Get("code").String(), string(refused.Body))
				require.Equal(t, code, "esign."+refused.Get("error").String())
				require.NotEmpty(t, refused.Get("error_description").String())
				require.Equal(t, "no-store", refused.Header.Get("Cache-Control"))
				if code == "esign.invalid_client" {
					require.Equal(t, http.StatusUnauthorized, refused.Status)
					require.Contains(t, refused.Header.Get("WWW-Authenticate"), "Basic")
				} else {
					require.Equal(t, http.StatusBadRequest, refused.Status)
				}
			}
		}
		require.Equal(t, "invalid_client", h.token(t, grant, basic(id, "x")...).Get("error").String())
		require.Equal(t, "invalid_request", h.token(t, with(), basic(id, text)...).Get("error").String())
		require.Equal(t, "invalid_client", h.token(t, grant, "Authorization", "Bearer "+text).Get("error").String())
		h.api(t, http.MethodPost, "/disable", nil).OK(t)
		disabled := h.token(t, with())
		require.Equal(t, http.StatusBadRequest, disabled.Status)
		require.Equal(t, []string{"esign.unauthorized_client", "unauthorized_client"}, []string{disabled.Get("code").String(), disabled.Get("error").String()})
		h.api(t, http.MethodPost, "/enable", nil).OK(t)
		require.Equal(t, http.StatusUnsupportedMediaType, h.token(t, with(), "Content-Type", "application/json").Status)

		now := clock.System{}.Now()
		require.NoError(t, h.store.DB.InTx(ctx, func(ctx context.Context) error {
			return h.store.DB.Conn(ctx).Model(&store.Token{}).Where("account_id = ?", h.ours.ID).Update("expires_at", now).Error
		}))
		require.NoError(t, h.clients.DeleteExpiredTokens(t.Context(), connection.DeleteTokens{}))
		left, err := database.All[store.Token](h.store.DB.Conn(ctx))
		require.NoError(t, err)
		require.Empty(t, left)
	})
}

func TestToken_GuessingIsLimitedByAddress(t *testing.T) {
	t.Parallel()
	eachHearing(t, func(t *testing.T, h *receiverFixture) {
		t.Helper()
		id, text := h.client(t)
		form := url.Values{"grant_type": {"client_credentials"}, "client_id": {id}, "client_secret": {"guess"}}
		for range 3 {
			require.Equal(t, http.StatusUnauthorized, h.token(t, form).Status)
		}
		limited := h.token(t, form)
		require.Equal(t, http.StatusTooManyRequests, limited.Status)
		require.Equal(t, "temporarily_unavailable", limited.Get("error").String())
		require.NotEmpty(t, h.bearer(t, id, text), "who is right is not held up")
	}, "web.rate_limit.per_address=3")
}

func TestReceiver_TakesLargeBodiesWithDocuments(t *testing.T) {
	t.Parallel()
	eachHearing(t, func(t *testing.T, h *receiverFixture) {
		t.Helper()
		ctx := h.as(t)
		h.key(t, "connect-key-A")
		document := `, "envelopeDocuments": [{"documentId": "1", "name": "Order", "PDFBytes": "` + strings.Repeat("QUJD", 7_500_000) + `"}, {"PDFBytes": "%%% not base64"}]`
		body := notice("envelope-completed", "e1", "completed", 5, tie(2)+document)
		require.Greater(t, len(body), 30_000_000)
		h.send(t, body, sealed("connect-key-A", body)...).OK(t)
		require.Equal(t, inbound.Processed, h.WaitHandled(t, h.Owner, 1)[0].State)
		row := h.envelope(ctx, t, "e1")
		require.Equal(t, store.Completed, row.State)
		require.Equal(t, documents.DocumentsWanted, row.Documents)
		require.Less(t, len(row.Heard), 2000)
		require.NotContains(t, string(row.Heard), "QUJD")
		require.True(t, json.Valid(row.Heard))
	})
}

func TestReceiver_TakesWhatItDoesNotUnderstand(t *testing.T) {
	t.Parallel()
	eachHearing(t, func(t *testing.T, h *receiverFixture) {
		t.Helper()
		ctx := h.as(t)
		h.key(t, "connect-key-A")
		bodies := []string{
			notice("envelope-sent", "e1", "sent", 1, tie(2)),
			notice("envelope-levitated", "e1", "floating", 2, tie(2)+`, "levity": [1]`),
			strings.ReplaceAll(notice("envelope-delivered", "e1", "delivered", 3, ""), "2026-11-02T", "2026-99-99T"),
			`{"event": "template-modified", "data": {"templateId": "t1"}}`,
			`{"event": "envelope-purge", "generatedDateTime": "2026-11-02T11:00:00Z", "data": {"envelopeId": "e1", "purgeState": "documents_queued"}}`,
			`{"event": "x", "data": 7}`,
			notice("recipient-finish-later", "e1", "delivered", 4, `, "recipients": {"signers": [{"name": "Only"}, 7, null], "carbonCopies": "none"}`),
		}
		for _, body := range bodies {
			require.Equal(t, "{}", string(h.send(t, body, sealed("connect-key-A", body)...).OK(t).Body), body)
		}
		for _, d := range h.WaitHandled(t, h.Owner, len(bodies)) {
			require.NotEqual(t, inbound.Failed, d.State, d.Error)
		}
		row := h.envelope(ctx, t, "e1")
		require.Equal(t, store.Delivered, row.State, "a time that cannot be read does not hold it up")
		var names []string
		for _, one := range h.happenings(ctx, t, row.ID) {
			names = append(names, one.Event)
		}
		require.ElementsMatch(t, []string{"envelope-sent", "envelope-levitated", "envelope-delivered", "envelope-purge", "recipient-finish-later"}, names)
	})
}
