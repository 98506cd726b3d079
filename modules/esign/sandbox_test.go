package esign_test

import (
	"context"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"go.uber.org/fx"

	"github.com/dispatchd/dispatchd/modules/attachments"
	"github.com/dispatchd/dispatchd/modules/esign"
	"github.com/dispatchd/dispatchd/modules/esign/internal/provider"
	"github.com/dispatchd/dispatchd/modules/esign/internal/sandbox"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/jobs"
	"github.com/dispatchd/dispatchd/platform/link"
	"github.com/dispatchd/dispatchd/platform/module"
	"github.com/dispatchd/dispatchd/platform/moduletest"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/web"
)

// theater is a service with an account at the sandbox.
type theater struct {
	*moduletest.App
	provider.Account

	box *sandbox.Sandbox
	id  string
}

func eachTheater(t *testing.T, test func(t *testing.T, p theater), options ...moduletest.Option) {
	t.Helper()
	var boxes sync.Map
	take := moduletest.With(fx.Invoke(func(db *database.DB, q *jobs.Queue, c clock.Clock, l *link.Service, w web.Settings) {
		boxes.Store(db, sandbox.New(db, q, c, l, w))
	}))
	moduletest.BootEach(t, []module.Module{attachments.Module, esign.Module}, func(t *testing.T, a *moduletest.App) {
		t.Helper()
		box, _ := boxes.Load(a.DB)
		p := theater{App: a, box: box.(*sandbox.Sandbox)}
		p.id = post(t, a, "/accounts", `{"name": "Sandbox"}`).OK(t).Get("uuid").String()
		var err error
		p.Account, err = p.box.Open(provider.Opening{Key: p.id, Environment: "sandbox", ExternalID: p.id})
		require.NoError(t, err)
		test(t, p)
	}, append(options, take)...)
}

func (p theater) as(t *testing.T) context.Context {
	t.Helper()

	return principal.AsCompany(t.Context(), p.Owner.ID)
}

// lading is a bill of lading for two people.
func lading() provider.Envelope {
	return provider.Envelope{
		Reference: uuid.NewString(), TemplateID: sandbox.BillOfLading, Subject: "Load <1024>",
		Fields: map[string]string{"service_item_type": "load"},
		Recipients: []provider.Recipient{
			{ExternalID: "1", Role: "shipper", Name: "Ann", Email: "ann@example.org", Tabs: []provider.Value{
				{Label: "load_number", Text: "1024"},
				{Label: "pickup_address", Text: "1 \"Main\" St"},
				{Label: "delivery_address", Text: "2 Side St"},
				{Label: "vin", Text: "1HGCM82633A004352"},
				{Label: "nowhere", Text: "x"},
			}},
			{ExternalID: "2", Role: "Carrier", Name: "Bob", Email: "bob@example.org"},
		},
	}
}

// open returns the page of a recipient who has got an e-mail.
func (p theater) open(t *testing.T, envelope, recipient string) string {
	t.Helper()

	return post(t, p.App, "/sandbox/links", map[string]any{"envelope_id": envelope, "recipient_id": recipient}).OK(t).Get("url").String()
}

// submit sends the form of a page, as a browser does.
func (p theater) submit(t *testing.T, page string, values ...string) moduletest.Response {
	t.Helper()
	form := url.Values{}
	for i := 0; i < len(values); i += 2 {
		form.Set(values[i], values[i+1])
	}

	return p.Call(t, "", http.MethodPost, page, form.Encode(), "Content-Type", "application/x-www-form-urlencoded", "Accept", browser)
}

const browser = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"

func (p theater) look(t *testing.T, page string) string {
	t.Helper()

	return string(p.Call(t, "", http.MethodGet, page, nil, "Accept", browser).Body)
}

// follow returns where an address leads.
func (p theater) follow(t *testing.T, address string) string {
	t.Helper()
	ask, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+p.API.Address()+address, nil)
	require.NoError(t, err)
	answer, err := http.DefaultTransport.RoundTrip(ask)
	require.NoError(t, err)
	require.NoError(t, answer.Body.Close())
	require.Equal(t, http.StatusSeeOther, answer.StatusCode)

	return answer.Header.Get("Location")
}

func (p theater) status(t *testing.T, id string) (status string, recipients []string) {
	t.Helper()
	u, err := p.Fetch(p.as(t), id)
	require.NoError(t, err)
	for _, r := range u.Recipients {
		recipients = append(recipients, r.Status)
	}

	return u.Status, recipients
}

func TestSandbox_HasPeopleSignOneAfterTheOther(t *testing.T) {
	t.Parallel()
	eachTheater(t, func(t *testing.T, p theater) {
		t.Helper()
		e := lading()
		u, err := p.Create(p.as(t), e)
		require.NoError(t, err)
		require.Equal(t, []string{"sent", e.Reference, "load"}, []string{u.Status, u.Reference, u.Fields["service_item_type"]})
		inbox := get(t, p.App, "/sandbox/inbox").OK(t)
		require.EqualValues(t, 1, inbox.Get("data.#").Int())
		require.Equal(t, []string{u.ID, "1"}, []string{inbox.Get("data.0.envelope_id").String(), inbox.Get("data.0.recipient_id").String()})
		post(t, p.App, "/sandbox/links", map[string]any{"envelope_id": u.ID, "recipient_id": "2"}).
			Refused(t, http.StatusConflict, "esign.sandbox_not_in_sequence")

		page := p.open(t, u.ID, "1")
		shown := p.look(t, page)
		require.Contains(t, shown, "Load &lt;1024&gt;")
		require.Contains(t, shown, `value="1 &#34;Main&#34; St"`)
		require.NotContains(t, shown, "<script")
		refused := p.submit(t, page, "action", "sign", "signature", " ", "tab.load_number", "1024")
		require.Equal(t, http.StatusUnprocessableEntity, refused.Status)
		require.Contains(t, string(refused.Body), "Please write your name")
		require.Contains(t, string(refused.Body), "Delivery address: This is required.")
		status, states := p.status(t, u.ID)
		require.Equal(t, []string{"sent", "delivered", "created"}, append([]string{status}, states...))

		signed := p.submit(t, page, "action", "sign", "signature", "Ann", "tab.load_number", "1024", "tab.pickup_address", "1 Main St",
			"tab.delivery_address", "2 Side St", "tab.vin", "1HGCM82633A004352", "tab.condition", "damaged")
		require.Equal(t, http.StatusOK, signed.Status, string(signed.Body))
		require.Contains(t, string(signed.Body), "Thank you!")
		p.Call(t, "", http.MethodPost, page, "action=sign&signature=Ann", "Content-Type", "application/x-www-form-urlencoded").
			Refused(t, http.StatusConflict, "esign.sandbox_done")
		require.Contains(t, p.look(t, page), "You have signed this")
		require.Contains(t, string(p.submit(t, p.open(t, u.ID, "2"), "action", "sign", "signature", "Bob", "tab.carrier_name", "Fast (Müller) \\ Co").Body), "Thank you!")
		status, states = p.status(t, u.ID)
		require.Equal(t, []string{"completed", "completed", "completed"}, append([]string{status}, states...))

		for _, which := range []provider.Document{provider.Combined, provider.Certificate} {
			pdf, err := p.Document(p.as(t), u.ID, which)
			require.NoError(t, err)
			content, err := io.ReadAll(pdf)
			require.NoError(t, err)
			require.NoError(t, pdf.Close())
			require.True(t, strings.HasPrefix(string(content), "%PDF-1.4\n"))
			require.Contains(t, string(content), "Ann")
		}
	})
}

func TestSandbox_EndsWhenSomebodyDeclines(t *testing.T) {
	t.Parallel()
	eachTheater(t, func(t *testing.T, p theater) {
		t.Helper()
		u, err := p.Create(p.as(t), lading())
		require.NoError(t, err)
		page := p.open(t, u.ID, "1")
		require.Equal(t, http.StatusUnprocessableEntity, p.submit(t, page, "action", "decline", "reason", "").Status)
		require.Contains(t, string(p.submit(t, page, "action", "later").Body), "See you later")
		require.Contains(t, string(p.submit(t, page, "action", "decline", "reason", "Wrong rate").Body), "You have declined")
		u, err = p.Fetch(p.as(t), u.ID)
		require.NoError(t, err)
		require.Equal(t, []string{"declined", "Wrong rate"}, []string{u.Status, u.Reason})
		require.Contains(t, p.look(t, page), "You have declined this")
		post(t, p.App, "/sandbox/links", map[string]any{"envelope_id": u.ID, "recipient_id": "2"}).Refused(t, http.StatusConflict, "esign.sandbox_closed")
		post(t, p.App, "/sandbox/links", map[string]any{"envelope_id": u.ID, "recipient_id": "7"}).Refused(t, http.StatusNotFound, "esign.sandbox_recipient_not_found")
		post(t, p.App, "/sandbox/links", map[string]any{"envelope_id": someID, "recipient_id": "1"}).Refused(t, http.StatusNotFound, "esign.sandbox_recipient_not_found")
		require.Error(t, p.Void(p.as(t), u.ID, "late"))
		require.Zero(t, get(t, p.App, "/sandbox/inbox").OK(t).Get("data.#").Int())
	})
}

func TestSandbox_LetsARecipientSignEmbeddedOnce(t *testing.T) {
	t.Parallel()
	eachTheater(t, func(t *testing.T, p theater) {
		t.Helper()
		e := lading()
		e.Recipients[0].ClientID = "client-1"
		u, err := p.Create(p.as(t), e)
		require.NoError(t, err)
		post(t, p.App, "/sandbox/links", map[string]any{"envelope_id": u.ID, "recipient_id": "1"}).Refused(t, http.StatusConflict, "esign.sandbox_no_mail")
		for _, bad := range []string{"", "javascript:alert(1)", "ftp://example.org", "https://", "https://a b/", "https://user:pw@example.org/", "/relative", "https://example.org/\"><x>"} {
			_, err := p.SigningURL(p.as(t), u.ID, e.Recipients[0], bad)
			require.Error(t, err, bad)
		}
		_, err = p.SigningURL(p.as(t), u.ID, e.Recipients[1], "https://example.org/")
		require.ErrorContains(t, err, "UNKNOWN_ENVELOPE_RECIPIENT")
		address, err := p.SigningURL(p.as(t), u.ID, e.Recipients[0], "https://example.org/back?load=7&x=a;b")
		require.NoError(t, err)

		page := p.follow(t, address)
		require.Equal(t, http.StatusNotFound, p.Call(t, "", http.MethodGet, address, nil, "Accept", browser).Status, "it works once")
		require.Contains(t, p.look(t, address), "This link is no longer valid")
		require.Contains(t, p.look(t, page), "Load &lt;1024&gt;")
		done := p.submit(t, page, "action", "decline", "reason", "No")
		onward := regexp.MustCompile(`http-equiv="refresh" content="0; url=([^"]*)"`).FindStringSubmatch(string(done.Body))
		require.Len(t, onward, 2, string(done.Body))
		require.Contains(t, onward[1], "https://example.org/back?event=decline&amp;")
		require.Contains(t, p.look(t, page), "event=viewing_complete")
		require.Equal(t, http.StatusNotFound, p.Call(t, "", http.MethodGet, accountsBase+"/sandbox/signing/dsl_"+strings.Repeat("A", 43), nil).Status)
	})
}

func TestSandbox_VoidsTheLinkOfWhoWasReplaced(t *testing.T) {
	t.Parallel()
	eachTheater(t, func(t *testing.T, p theater) {
		t.Helper()
		e := lading()
		e.Recipients[0].ClientID = "client-1"
		u, err := p.Create(p.as(t), e)
		require.NoError(t, err)
		view, err := p.SigningURL(p.as(t), u.ID, e.Recipients[0], "https://example.org/")
		require.NoError(t, err)
		unused, err := p.SigningURL(p.as(t), u.ID, e.Recipients[0], "https://example.org/")
		require.NoError(t, err)
		page := p.follow(t, view)
		require.Contains(t, p.look(t, page), "Load")
		zoe := provider.Recipient{ExternalID: "1", Name: "Zoe", Email: "zoe@example.org"}
		require.NoError(t, p.Correct(p.as(t), u.ID, []provider.Recipient{zoe}))
		for _, old := range []string{page, p.follow(t, unused)} {
			require.Contains(t, p.look(t, old), "This link is not valid")
			require.Equal(t, http.StatusNotFound, p.submit(t, old, "action", "sign", "signature", "Ann").Status)
		}
		fresh := p.open(t, u.ID, "1")
		require.Contains(t, p.look(t, fresh), "Write your name, Zoe")
		require.NoError(t, p.Correct(p.as(t), u.ID, []provider.Recipient{zoe}), "and again")
		require.Contains(t, p.look(t, fresh), "This link is not valid")
	})
}

func TestSandbox_FailsAsItsMagicAddressesSay(t *testing.T) {
	t.Parallel()
	eachTheater(t, func(t *testing.T, p theater) {
		t.Helper()
		for _, c := range sandbox.Cases {
			e := lading()
			e.Recipients[1].Email = c.Name + "@sandbox.test"
			_, err := p.Create(p.as(t), e)
			found, complete, failed := p.Find(p.as(t), e.Reference, time.Time{}, time.Time{})
			require.NoError(t, failed)
			require.True(t, complete)
			require.Equal(t, c.Refuses != nil || c.Loses != nil, err != nil, c.Name)
			require.Equal(t, c.Refuses == nil, len(found) == 1, c.Name)
		}
		e := lading()
		e.Recipients[0].Email = "expires@sandbox.test"
		u, err := p.Create(p.as(t), e)
		require.NoError(t, err)
		p.Eventually(t, func() bool {
			u, err = p.Fetch(p.as(t), u.ID)

			return err == nil && u.Status == "voided"
		}, "it expires")
		require.True(t, u.Expired)
	})
}
