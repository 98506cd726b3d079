package connect_test

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/modules/esign/internal/connect"
	"github.com/dispatchd/dispatchd/modules/esign/internal/provider"
)

func vector(t testing.TB, name string) []byte {
	t.Helper()
	body, err := os.ReadFile("testdata/" + name + ".json")
	require.NoError(t, err)

	return body
}

func read(t *testing.T, body []byte) connect.Notice {
	t.Helper()
	n, err := connect.Read(body)
	require.NoError(t, err)

	return n
}

func at(t *testing.T, text string) time.Time {
	t.Helper()
	moment, err := time.Parse(time.RFC3339Nano, text)
	require.NoError(t, err)

	return moment
}

func TestRead_UnderstandsTheInterfacesOwnSample(t *testing.T) {
	t.Parallel()
	n := read(t, vector(t, "interface-cut-short"))
	const envelope, account = "9b1c7f0e-53a0-4a53-8a55-1f5c2f3f7d21", "4d8e3a52-7b7f-4f5e-9d3a-0c6f2b6f9a11"
	sent := at(t, "2026-03-04T15:16:16.733Z")
	require.JSONEq(t, field(t, vector(t, "interface-cut-short"), "data", "envelopeSummary"), string(n.Update.Whole), "every field is kept")
	n.Update.Whole = nil
	require.Equal(t, connect.Notice{
		Event: "recipient-sent", APIVersion: "v2.1", URI: "/restapi/v2.1/accounts/" + account + "/envelopes/" + envelope,
		ConfigurationID: "10539144", GeneratedAt: at(t, "2026-03-04T15:16:17.890123Z"),
		AccountID: account, UserID: "b0f1a9d4-6a3e-4b7e-8c55-2d9a7c1e4f60", EnvelopeID: envelope, RecipientID: "1",
		Update: provider.Update{
			ID: envelope, Status: "sent", At: sent, Subject: "Please sign: order 1024", Message: "Your transport order is ready.",
			Fields: map[string]string{
				"envelopeTypes": "", "templateUsageRestriction": "allOptions", "service_item_type": "custom_modules.record",
				"service_item_uuid": "01920f6a-7f00-7c00-8000-000000000001", "service_source": "orders",
			},
			CreatedAt: at(t, "2026-03-04T15:16:15.827Z"), SentAt: sent, ExpiresAt: at(t, "2026-07-02T15:16:16.733Z"),
			Recipients: []provider.RecipientUpdate{{
				ID: "1", Kind: provider.Signer, Name: "Sam Shipper", Email: "sam@example.org",
				Status: "sent", SentAt: at(t, "2026-03-04T15:16:17.890123Z"), Bound: true,
			}},
		},
	}, n, "the entry has no id and no status: the event says both")
}

// field returns a member of an object as JSON.
func field(t *testing.T, raw []byte, path ...string) string {
	t.Helper()
	for _, name := range path {
		var members map[string]json.RawMessage
		require.NoError(t, json.Unmarshal(raw, &members))
		raw = members[name]
	}

	return string(raw)
}

func TestRead_TakesRecipientsWithTheirOwnTimes(t *testing.T) {
	t.Parallel()
	n := read(t, vector(t, "sheet-recipient-completed"))
	require.Equal(t, "delivered", n.Update.Status)
	require.Equal(t, at(t, "2026-11-02T10:11:11Z"), n.Update.At)
	require.Equal(t, []provider.RecipientUpdate{{
		ID: "1", Kind: provider.Signer, Role: "Shipper", Name: "Ann", Email: "ann@example.test", RoutingOrder: 1,
		Status: "completed", SignedAt: at(t, "2026-11-02T10:11:11Z"),
	}}, n.Update.Recipients)
}

func TestRead_IsLenient(t *testing.T) {
	t.Parallel()
	n := read(t, vector(t, "lenient"))
	require.Equal(t, "recipient-reassign", n.Event)
	require.Equal(t, 3, n.RetryCount)
	require.Equal(t, "1001", n.ConfigurationID)
	require.Zero(t, n.GeneratedAt)
	require.Equal(t, []string{"7", "2", "3", "documents_queued"}, []string{n.AccountID, n.RecipientID, n.ReassignedRecipientID, n.PurgeState})
	require.Equal(t, "sent", n.Update.Status)
	require.Equal(t, at(t, "2026-11-02T08:11:11Z").UTC(), n.Update.At, "a time that cannot be read is as one that is not said")
	require.Equal(t, at(t, "2026-12-02T08:11:11Z").UTC(), n.Update.ExpiresAt)
	require.Equal(t, "ab\uFFFD", n.Update.Subject)
	require.Equal(t, "01920f6a-7f00-7c00-8000-000000000002", n.Update.Reference)
	require.Equal(t, []provider.RecipientUpdate{
		{ID: "2", Kind: provider.Signer, RoutingOrder: 2, Embedded: true, Status: "sent"},
		{Kind: provider.Signer, Name: "Only A Name"},
		{ID: "4", Kind: provider.InPersonSigner, Name: "Ina", Email: "ina@example.org", Status: "created"},
		{ID: "5", Kind: provider.CarbonCopy, Email: "cc@example.org"},
		{ID: "6", Kind: "witness"},
	}, n.Update.Recipients)
	require.NotContains(t, string(n.Update.Whole), "JVBER")
	require.NotContains(t, string(n.Update.Whole), `\u0000`)
	require.Contains(t, string(n.Update.Whole), `"huge":"1e999999"`)
	require.Contains(t, string(n.Update.Whole), `"name":"Order"`)
	require.Contains(t, string(n.Update.Whole), `"tabLabel":"vin"`)
}

func TestRead_TellsExpiryFromVoiding(t *testing.T) {
	t.Parallel()
	require.True(t, read(t, vector(t, "voided-by-expiry")).Update.Expired)
	by := func(summary string) provider.Update {
		return read(t, []byte(`{"event": "envelope-voided", "data": {"envelopeSummary": {"status": "voided", `+summary+`}}}`)).Update
	}
	require.False(t, by(`"voidedReason": "Contract expired, a new one follows"`).Expired)
	require.Equal(t, "Wrong rate", by(`"voidedReason": "Wrong rate"`).Reason)
	require.True(t, by(`"voidedReason": "Abgelaufen", "voidedDateTime": "2026-11-02T10:00:00Z", "expireDateTime": "2026-11-02T10:00:00Z"`).Expired)
	require.False(t, by(`"voidedReason": "Abgelehnt", "voidedDateTime": "2026-11-02T09:00:00Z", "expireDateTime": "2026-11-02T10:00:00Z"`).Expired)
}

func TestRead_BelievesTheEventWhereNothingElseIsSaid(t *testing.T) {
	t.Parallel()
	n := read(t, vector(t, "no-summary"))
	require.Equal(t, provider.Update{ID: "e4", Status: "completed", At: at(t, "2026-11-02T10:11:12.5Z"), Bound: true}, n.Update)
	stale := read(t, []byte(`{"event": "envelope-declined", "data": {"envelopeId": "e", "envelopeSummary": {"status": "delivered"}}}`))
	require.Equal(t, "declined", stale.Update.Status)
	early := read(t, []byte(`{"event": "envelope-sent", "data": {"envelopeId": "e", "envelopeSummary": {"status": "completed"}}}`))
	require.Equal(t, "completed", early.Update.Status)
	for _, event := range []string{"envelope-levitated", "template-created", "click-agreed", "sms-opt-out", "envelope-purge"} {
		require.Empty(t, read(t, []byte(`{"event": "`+event+`", "data": {"envelopeId": "e"}}`)).Update.Status)
	}
}

func TestRead_RefusesOnlyWhatIsNoMessage(t *testing.T) {
	t.Parallel()
	for _, body := range []string{"", "{", "[]", "null", `"x"`, `{"event":"a"} x`, "{\"event\":\"a\xff\"", strings.Repeat("[", 1<<20)} {
		_, err := connect.Read([]byte(body))
		require.ErrorIs(t, err, connect.ErrMalformed, body[:min(len(body), 20)])
	}
	for _, body := range []string{"{}", `{"event": ""}`, `{"event": {}}`, `{"data": {}}`} {
		_, err := connect.Read([]byte(body))
		require.ErrorIs(t, err, connect.ErrNoEvent, body)
	}
	for _, body := range []string{`{"event": 1, "data": 7}`, "\xef\xbb\xbf" + `{"event": "a", "data": {"envelopeSummary": []}}`} {
		require.True(t, connect.Valid([]byte(body)))
		require.NotEmpty(t, connect.ReadHead([]byte(body)).Event)
		_, err := connect.Read([]byte(body))
		require.NoError(t, err)
	}
}

func TestEvents_AreThirtyOfOneSpelling(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, e := range connect.Events {
		require.False(t, seen[e.Name], e.Name)
		seen[e.Name] = true
		require.Equal(t, e.Name, read(t, []byte(`{"event": "`+e.Name+`"}`)).Event)
		require.True(t, strings.HasPrefix(e.Name, string(e.Of)+"-"), e.Name)
	}
	require.Len(t, seen, 30)
}

func TestRead_KnowsAnEnvelopeInEitherCase(t *testing.T) {
	t.Parallel()
	const id = "9b1c7f0e-53a0-4a53-8a55-1f5c2f3f7d21"
	body := func(id string) []byte {
		return []byte(`{"event": "envelope-sent", "generatedDateTime": "x", "data": {"envelopeId": "` + id + `", "envelopeSummary": {"envelopeId": "` + id + `"}}}`)
	}
	n := read(t, body(strings.ToUpper(id)))
	require.Equal(t, []string{id, id}, []string{n.EnvelopeID, n.Update.ID})
	require.Equal(t, connect.Key(body(id)), connect.Key(body(strings.ToUpper(id))))
	require.Equal(t, "E1", read(t, body("E1")).EnvelopeID, "of what is no UUID the case may count")
}

func TestKey_LeavesOutTheRetryCount(t *testing.T) {
	t.Parallel()
	first := string(vector(t, "sheet-recipient-completed"))
	again := strings.Replace(first, `"retryCount":0`, `"retryCount":4`, 1)
	require.Equal(t, "a1|e1|recipient-completed|1|2026-11-02T10:11:12.3456789Z", connect.Key([]byte(first)))
	require.Equal(t, connect.Key([]byte(first)), connect.Key([]byte(again)))
	bare := func(count, more string) string {
		return connect.Key([]byte(`{"event": "e", "retryCount": ` + count + more + `}`))
	}
	require.Equal(t, bare("0", ""), bare("12", ""))
	require.NotEqual(t, bare("0", ""), bare("0", `, "data": {"recipientId": "1"}`))
	require.NotEqual(t, connect.Key([]byte(`{"event": "e"}`)), connect.Key([]byte(`{"event": "f"}`)))
}

func TestRead_KeepsNoDocumentsAndNotTooMuch(t *testing.T) {
	t.Parallel()
	body := func(documents int, tabs int) []byte {
		var b strings.Builder
		b.WriteString(`{"event": "envelope-completed", "data": {"envelopeId": "e", "envelopeSummary": {"status": "completed", "envelopeDocuments": [`)
		for i := range documents {
			fmt.Fprintf(&b, `{"documentId": "%d", "PDFBytes": "%s"},`, i, strings.Repeat("QUJD", 250_000))
		}
		b.WriteString(`{}], "recipients": {"signers": [{"recipientId": "1", "tabs": {"textTabs": [`)
		for i := range tabs {
			fmt.Fprintf(&b, `{"tabLabel": "label %d", "value": "%s"},`, i, strings.Repeat("v", 100))
		}
		b.WriteString(`{}]}}]}}}}`)

		return []byte(b.String())
	}
	large := read(t, body(30, 10))
	require.Less(t, len(large.Update.Whole), 10_000)
	require.Contains(t, string(large.Update.Whole), `"documentId":"29"`)
	require.Contains(t, string(large.Update.Whole), `"label 9"`)
	tabs := read(t, body(0, 20_000))
	require.NotContains(t, string(tabs.Update.Whole), "textTabs")
	require.Contains(t, string(tabs.Update.Whole), `"recipientId":"1"`)
}

func TestReadEnvelope_ReadsTheSameShape(t *testing.T) {
	t.Parallel()
	u, err := connect.ReadEnvelope([]byte(field(t, vector(t, "interface-cut-short"), "data", "envelopeSummary")))
	require.NoError(t, err)
	require.Equal(t, "sent", u.Status)
	require.Equal(t, "9b1c7f0e-53a0-4a53-8a55-1f5c2f3f7d21", u.ID)
	require.NotEmpty(t, u.Whole)
	_, err = connect.ReadEnvelope([]byte("<html>"))
	require.ErrorIs(t, err, connect.ErrMalformed)
}

// FuzzRead throws bytes at the reader: what it takes can be kept by both databases.
func FuzzRead(f *testing.F) {
	for _, name := range []string{"interface-cut-short", "sheet-recipient-completed", "lenient", "voided-by-expiry", "no-summary"} {
		f.Add(vector(f, name))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		n, err := connect.Read(body)
		if err != nil {
			return
		}
		require.NotEmpty(t, n.Event)
		require.NotEmpty(t, connect.Key(body))
		kept, err := json.Marshal(n)
		require.NoError(t, err)
		require.NotContains(t, strings.ReplaceAll(string(kept), `\\`, ""), `\u0000`)
		require.Less(t, len(n.Update.Whole), 2<<20)
		if n.Update.Whole != nil {
			require.True(t, json.Valid(n.Update.Whole), string(n.Update.Whole))
		}
		var back connect.Notice
		require.NoError(t, json.Unmarshal(kept, &back))
		require.Equal(t, n.EnvelopeID, back.EnvelopeID)
	})
}

func BenchmarkValid(b *testing.B) {
	body := []byte(`{"event": "envelope-completed", "data": {"PDFBytes": "` + strings.Repeat("QUJD", 7_500_000) + `"}}`)
	b.SetBytes(int64(len(body)))
	for b.Loop() {
		require.True(b, connect.Valid(body))
	}
}
