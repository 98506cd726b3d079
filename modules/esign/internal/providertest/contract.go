// Package providertest is what every vendor behind the port promises, as tests.
package providertest

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/modules/esign/esigntest"
	"github.com/dispatchd/dispatchd/modules/esign/internal/provider"
	"github.com/dispatchd/dispatchd/platform/secret"
)

// Subject is a vendor under test; Run gives each test one of its own.
type Subject struct {
	Provider    provider.Provider
	Credentials map[string]string
	// Context is that of a company; Key the id of the account.
	Context context.Context //nolint:containedctx // of a test
	Key     string
	// Template is the id of a template with the roles Shipper and Carrier, and in the first a text and a checkbox: vin and
	// operable. Refused is an address that the vendor refuses.
	Template, Refused string
	// Filled are tabs of the template that it does not go out without.
	Filled []provider.Value
	// Complete has an envelope completed by its people, the first of whom changes the VIN to ChangedVIN.
	Complete func(t *testing.T, id string)
	// Fail has the next requests fail; nil for what makes none. Taken is how many envelopes were made.
	Fail  func(...esigntest.Fault)
	Taken func() int
}

func (s Subject) open(t *testing.T) provider.Account {
	t.Helper()
	a, err := s.Provider.Open(provider.Opening{
		Credentials: secret.Hide(s.Credentials), Key: s.Key, Environment: s.Provider.Environments()[0], CallbackURL: "https://services.example.com/callback",
	})
	require.NoError(t, err)

	return a
}

// envelope is one for two people, the first of whom signs embedded.
func (s Subject) envelope() provider.Envelope {
	return provider.Envelope{
		Reference: uuid.NewString(), TemplateID: s.Template, Subject: "Load 1024", Message: "Please", Fields: map[string]string{"service_item_type": "load"},
		Recipients: []provider.Recipient{
			{ExternalID: "1", Role: "Shipper", Name: "Ann", Email: "ann@example.org", ClientID: "c-1", Tabs: append([]provider.Value{
				{Label: "vin", Type: "text", Text: "1HGCM82633A004352"}, {Label: "operable", Type: "checkbox", Text: "true"},
			}, s.Filled...)},
			{ExternalID: "2", Role: "Carrier", Name: "Bob", Email: "bob@example.org"},
		},
	}
}

// refusal is an error as one of the port.
func refusal(t *testing.T, err error) *provider.Error {
	t.Helper()
	e, ok := errors.AsType[*provider.Error](err)
	require.Truef(t, ok, "%v", err)

	return e
}

// Run runs the contract.
func Run(t *testing.T, newSubject func(t *testing.T) Subject) {
	t.Helper()
	for name, rule := range map[string]func(*testing.T, Subject){
		"says what its templates ask for":        testTemplates,
		"makes an envelope, and brings it back":  testCreate,
		"finds an envelope by its reference":     testFind,
		"ends an envelope as it is told":         testEnd,
		"corrects recipients":                    testCorrect,
		"hands out documents and addresses":      testSigningURL,
		"tells what was signed":                  testTabValues,
		"refuses what it cannot do":              testRefusals,
		"promises nothing that it does not know": testUncertainOutcomes,
		"ends with its context":                  testCancellation,
	} {
		t.Run(name, func(t *testing.T) { t.Parallel(); rule(t, newSubject(t)) })
	}
}

func testTemplates(t *testing.T, s Subject) {
	t.Helper()
	a := s.open(t)
	found, err := a.Check(s.Context)
	require.NoError(t, err)
	require.NotEmpty(t, found.ExternalID)
	page, next, err := a.Templates(s.Context, "")
	require.NoError(t, err)
	require.Empty(t, next)
	require.Equal(t, s.Template, page[0].ID)
	require.Empty(t, page[0].Roles)
	template, err := a.Template(s.Context, s.Template)
	require.NoError(t, err)
	require.Equal(t, "Bill of lading", template.Name)
	require.False(t, template.ChangedAt.IsZero())
	require.Equal(t, []string{"Shipper", "Carrier"}, []string{template.Roles[0].Name, template.Roles[1].Name})
	tabs := map[string]provider.Tab{}
	for _, tab := range template.Roles[0].Tabs {
		tabs[tab.Type] = tab
		if tab.Label == "vin" {
			require.Equal(t, provider.Tab{Label: "vin", Type: "text", Required: true, MaxSize: 17, Fillable: true}, tab)
		}
	}
	require.True(t, tabs["checkbox"].Fillable)
	require.False(t, tabs["sign_here"].Fillable)
	require.NotEmpty(t, tabs["list"].Options)
	_, err = a.Template(s.Context, "none")
	require.Equal(t, provider.NotFound, refusal(t, err).Reason)
}

func testCreate(t *testing.T, s Subject) {
	t.Helper()
	a, e := s.open(t), s.envelope()
	made, err := a.Create(s.Context, e)
	require.NoError(t, err)
	require.Equal(t, []string{e.Reference, "sent"}, []string{made.Reference, made.Status})
	u, err := a.Fetch(s.Context, made.ID)
	require.NoError(t, err)
	require.Equal(t, []string{made.ID, e.Reference, "sent", "Load 1024", "load"}, []string{u.ID, u.Reference, u.Status, u.Subject, u.Fields["service_item_type"]})
	require.False(t, u.At.IsZero())
	require.NotEmpty(t, u.Whole)
	require.Len(t, u.Recipients, 2)
	first := u.Recipients[0]
	require.Equal(t, []string{"1", "Shipper", "Ann", "ann@example.org", "sent"}, []string{first.ID, first.Role, first.Name, first.Email, first.Status})
	require.True(t, first.Embedded)
	require.False(t, u.Recipients[1].Embedded)

	e = s.envelope()
	e.Draft = true
	draft, err := a.Create(s.Context, e)
	require.NoError(t, err)
	require.Equal(t, "created", draft.Status)
	require.NoError(t, a.Send(s.Context, draft.ID))
	u, err = a.Fetch(s.Context, draft.ID)
	require.NoError(t, err)
	require.Equal(t, "sent", u.Status)
	require.Equal(t, provider.Conflict, refusal(t, a.Send(s.Context, draft.ID)).Reason)

	e = s.envelope()
	e.TemplateID, e.Recipients[0].Tabs = "", nil
	e.Files = []provider.File{{Name: "Agreement.pdf", MediaType: "application/pdf", Size: 8, Open: content("%PDF-1.7")}}
	u, err = a.Create(s.Context, e)
	require.NoError(t, err)
	require.Equal(t, "sent", u.Status)
	for _, size := range []int64{25<<20 + 1, 1} { // said, and not said
		e.Files[0].Size, e.Files[0].Open = size, content(strings.Repeat("x", 25<<20+1))
		_, err = a.Create(s.Context, e)
		require.Equal(t, provider.Invalid, refusal(t, err).Reason)
		require.Equal(t, provider.No, refusal(t, err).Taken)
	}
}

func content(text string) func(context.Context) (io.ReadCloser, error) {
	return func(context.Context) (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(text)), nil }
}

func testFind(t *testing.T, s Subject) {
	t.Helper()
	a, e := s.open(t), s.envelope()
	before := time.Now().Add(-time.Hour) //nolint:forbidigo // the vendor has the system's clock
	made, err := a.Create(s.Context, e)
	require.NoError(t, err)
	_, err = a.Create(s.Context, s.envelope())
	require.NoError(t, err)
	found, complete, err := a.Find(s.Context, e.Reference, before, before)
	require.NoError(t, err)
	require.True(t, complete)
	require.Len(t, found, 1)
	require.Equal(t, made.ID, found[0].ID)
	found, _, err = a.Find(s.Context, uuid.NewString(), before, before)
	require.NoError(t, err)
	require.Empty(t, found)
	changed, next, err := a.Changes(s.Context, before, "")
	require.NoError(t, err)
	require.Empty(t, next)
	require.Len(t, changed, 2)
	require.NotEmpty(t, changed[0].Recipients)
	changed, _, err = a.Changes(s.Context, before.Add(2*time.Hour), "")
	require.NoError(t, err)
	require.Empty(t, changed)
	_, _, err = a.Changes(s.Context, before, "x")
	require.Equal(t, provider.Invalid, refusal(t, err).Reason)
}

func testEnd(t *testing.T, s Subject) {
	t.Helper()
	a := s.open(t)
	made, err := a.Create(s.Context, s.envelope())
	require.NoError(t, err)
	require.NoError(t, a.Resend(s.Context, made.ID))
	require.NoError(t, a.Void(s.Context, made.ID, "Wrong rate"))
	u, err := a.Fetch(s.Context, made.ID)
	require.NoError(t, err)
	require.Equal(t, []string{"voided", "Wrong rate"}, []string{u.Status, u.Reason})
	require.False(t, u.Expired)
	require.Equal(t, provider.Conflict, refusal(t, a.Void(s.Context, made.ID, "again")).Reason)
	require.Equal(t, provider.Conflict, refusal(t, a.Resend(s.Context, made.ID)).Reason)
	require.Equal(t, provider.NotFound, refusal(t, a.Void(s.Context, uuid.NewString(), "none")).Reason)
	_, err = a.Fetch(s.Context, "../../users")
	require.Equal(t, provider.No, refusal(t, err).Taken)
	require.False(t, refusal(t, err).Retryable)
}

func testCorrect(t *testing.T, s Subject) {
	t.Helper()
	a := s.open(t)
	made, err := a.Create(s.Context, s.envelope())
	require.NoError(t, err)
	require.NoError(t, a.Correct(s.Context, made.ID, []provider.Recipient{
		{ExternalID: "2", Kind: provider.Signer, Role: "Carrier", Name: "Bert", Email: "bert@example.org", RoutingOrder: 2},
		{ExternalID: "3", Kind: provider.Signer, Name: "Cleo", Email: "cleo@example.org", RoutingOrder: 3},
	}))
	u, err := a.Fetch(s.Context, made.ID)
	require.NoError(t, err)
	names := map[string]string{}
	for _, r := range u.Recipients {
		names[r.ID] = r.Name
	}
	require.Equal(t, map[string]string{"1": "Ann", "2": "Bert", "3": "Cleo"}, names)
	require.NoError(t, a.Void(s.Context, made.ID, "Over"))
	err = a.Correct(s.Context, made.ID, []provider.Recipient{{ExternalID: "1", Kind: provider.Signer, Name: "Ann", Email: "ann@example.net"}})
	require.Equal(t, provider.Conflict, refusal(t, err).Reason)
}

func testSigningURL(t *testing.T, s Subject) {
	t.Helper()
	a, e := s.open(t), s.envelope()
	made, err := a.Create(s.Context, e)
	require.NoError(t, err)
	address, err := a.SigningURL(s.Context, made.ID, e.Recipients[0], "https://app.example.com/back")
	require.NoError(t, err)
	require.NotEmpty(t, address)
	again, err := a.SigningURL(s.Context, made.ID, e.Recipients[0], "https://app.example.com/back")
	require.NoError(t, err)
	require.NotEqual(t, address, again)
	for _, wrong := range []func(*provider.Recipient){
		func(r *provider.Recipient) { r.ClientID = "c-2" }, func(r *provider.Recipient) { r.Email = "x@example.org" }, func(r *provider.Recipient) { r.Name = "Eve" },
	} {
		r := e.Recipients[0]
		wrong(&r)
		_, err = a.SigningURL(s.Context, made.ID, r, "https://app.example.com/back")
		require.Equal(t, provider.Conflict, refusal(t, err).Reason)
	}
	s.Complete(t, made.ID)
	u, err := a.Fetch(s.Context, made.ID)
	require.NoError(t, err)
	require.Equal(t, "completed", u.Status)
	require.False(t, u.CompletedAt.IsZero())
	for _, which := range []provider.Document{provider.Combined, provider.Certificate} {
		document, err := a.Document(s.Context, made.ID, which)
		require.NoError(t, err)
		text, err := io.ReadAll(document)
		require.NoError(t, err)
		require.NoError(t, document.Close())
		require.True(t, strings.HasPrefix(string(text), "%PDF-"))
	}
	_, err = a.Document(s.Context, made.ID, "7")
	require.Equal(t, provider.NotFound, refusal(t, err).Reason)
}

// ChangedVIN is what the shipper writes instead of the VIN that an envelope was sent with.
const ChangedVIN = "2T1BURHE0JC034461"

func testTabValues(t *testing.T, s Subject) {
	t.Helper()
	a := s.open(t)
	made, err := a.Create(s.Context, s.envelope())
	require.NoError(t, err)
	s.Complete(t, made.ID)
	all, err := a.SignedTabs(s.Context, made.ID)
	require.NoError(t, err)
	signed := map[string]provider.SignedTab{}
	for _, tab := range all["1"] {
		signed[tab.Label] = tab
	}
	require.Equal(t, provider.SignedTab{Label: "vin", Value: ChangedVIN, Prefilled: "1HGCM82633A004352"}, signed["vin"])
	require.NotEmpty(t, signed["operable"].Value, "the box stays checked")
	require.Equal(t, signed["operable"].Prefilled, signed["operable"].Value)
	_, err = a.SignedTabs(s.Context, uuid.NewString())
	require.Equal(t, provider.NotFound, refusal(t, err).Reason)
}

func testRefusals(t *testing.T, s Subject) {
	t.Helper()
	a, e := s.open(t), s.envelope()
	e.Recipients[1].Email = s.Refused
	_, err := a.Create(s.Context, e)
	refused := refusal(t, err)
	require.Equal(t, provider.Invalid, refused.Reason)
	require.Equal(t, provider.No, refused.Taken)
	require.False(t, refused.Retryable)
	require.NotEmpty(t, refused.Code)
	_, err = s.Provider.Open(provider.Opening{Credentials: secret.Hide(map[string]string{"pass word": "hunter2"})})
	require.Equal(t, provider.Auth, refusal(t, err).Reason)
	require.NotEmpty(t, refusal(t, err).Detail)
	require.NotContains(t, refusal(t, err).Detail, "hunter2")
}

func testUncertainOutcomes(t *testing.T, s Subject) {
	t.Helper()
	if s.Fail == nil {
		return
	}
	const code = `{"errorCode": "Something_Strange", "message": "Strange"}`
	tests := map[string]struct {
		fault     esigntest.Fault
		taken     provider.Taken
		reason    provider.Reason
		retryable bool
	}{
		"429":             {esigntest.Fault{Status: 429}, provider.No, provider.RateLimited, true},
		"unknown code":    {esigntest.Fault{Status: 400, Body: code}, provider.No, provider.Invalid, false},
		"a proxy's 400":   {esigntest.Fault{Status: 400, Body: "<html>", Takes: true}, provider.Unknown, provider.ProviderDown, false},
		"500":             {esigntest.Fault{Status: 500, Body: "oops", Takes: true}, provider.Unknown, provider.ProviderDown, true},
		"503 with a code": {esigntest.Fault{Status: 503, Body: code, Takes: true}, provider.Unknown, provider.ProviderDown, true},
		"dropped":         {esigntest.Fault{Drops: true, Takes: true}, provider.Unknown, provider.ProviderDown, true},
		"cut off":         {esigntest.Fault{Cuts: true, Takes: true}, provider.Unknown, provider.ProviderDown, true},
		"not JSON":        {esigntest.Fault{Status: 201, Body: `{"envelopeId": `, Takes: true}, provider.Unknown, provider.ProviderDown, true},
		"without an id":   {esigntest.Fault{Status: 201, Body: `{}`, Takes: true}, provider.Unknown, provider.ProviderDown, false},
		"a redirect":      {esigntest.Fault{Status: 302, Header: map[string]string{"Location": "https://example.com"}}, provider.Unknown, provider.ProviderDown, false},
	}
	a := s.open(t)
	for name, test := range tests {
		before := s.Taken()
		s.Fail(esigntest.Fault{Method: http.MethodPost, Status: test.fault.Status, Header: test.fault.Header, Body: test.fault.Body, Takes: test.fault.Takes, Drops: test.fault.Drops, Cuts: test.fault.Cuts})
		_, err := a.Create(s.Context, s.envelope())
		e := refusal(t, err)
		require.Equal(t, test.taken, e.Taken, name)
		require.Equal(t, test.reason, e.Reason, name)
		require.Equal(t, test.retryable, e.Retryable, name)
		require.LessOrEqual(t, s.Taken(), before+1, name+": never made twice")
		for _, credential := range s.Credentials {
			require.NotContains(t, e.Error()+e.Detail, credential, name)
		}
	}
	s.Fail(esigntest.Fault{Status: http.StatusServiceUnavailable})
	_, _, err := a.Templates(s.Context, "")
	require.NoError(t, err, "what changes nothing is asked again")
}

func testCancellation(t *testing.T, s Subject) {
	t.Helper()
	if s.Fail == nil {
		return
	}
	a := s.open(t)
	_, err := a.Check(s.Context)
	require.NoError(t, err)
	s.Fail(esigntest.Fault{Hangs: time.Minute, Takes: true})
	ctx, cancel := context.WithTimeout(s.Context, 200*time.Millisecond)
	defer cancel()
	_, err = a.Create(ctx, s.envelope())
	require.Equal(t, provider.Unknown, refusal(t, err).Taken)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	gone, stop := context.WithCancel(s.Context)
	stop()
	_, err = a.Create(gone, s.envelope())
	require.Equal(t, provider.No, refusal(t, err).Taken, "nothing of it was sent")
}
