package esign

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/modules/attachments/attachmentsapi"
	"github.com/dispatchd/dispatchd/modules/esign/esignapi"
	"github.com/dispatchd/dispatchd/modules/esign/internal/documents"
	"github.com/dispatchd/dispatchd/modules/esign/internal/envelopes"
	"github.com/dispatchd/dispatchd/modules/esign/internal/provider"
	"github.com/dispatchd/dispatchd/modules/esign/internal/reports"
	"github.com/dispatchd/dispatchd/modules/esign/internal/settings"
	"github.com/dispatchd/dispatchd/modules/esign/internal/store"
	"github.com/dispatchd/dispatchd/modules/esign/internal/templates"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/jobs"
	"github.com/dispatchd/dispatchd/platform/state"
	"github.com/dispatchd/dispatchd/platform/vendoraccount"
	"github.com/dispatchd/dispatchd/platform/web"
)

// sent is an envelope that the provider has.
func (p *plant) sent(ctx context.Context, t *testing.T) store.Envelope {
	t.Helper()
	row := p.work(ctx, t, p.send(ctx, t).ID)
	require.Equal(t, store.Sent, row.State)

	return row
}

func TestVoid_IsDoneOnceAndForAll(t *testing.T) {
	t.Parallel()
	eachPlant(t, func(ctx context.Context, t *testing.T, p *plant) {
		t.Helper()
		row := p.sent(ctx, t)
		_, err := p.orders.Void(ctx, row.ID, web.IfMatch{}, " ")
		require.ErrorIs(t, err, store.ErrInvalid)
		_, err = p.orders.Void(ctx, row.ID, web.IfMatch{}, "The load was cancelled")
		require.NoError(t, err)
		p.call(http.MethodPost, base+"/envelopes/"+row.ID.String()+"/void", map[string]any{"reason": "again"}).
			Refused(t, http.StatusConflict, "esign.action_waiting")
		// Whether the provider answers or not: to void twice is as to void once.
		calls := 0
		p.vendor.fails = func(string) error {
			if calls++; calls == 1 {
				return errors.New("connection reset")
			}

			return nil
		}
		require.Equal(t, store.ActionDone, p.act(ctx, t, row.ID).State)
		row = p.now(ctx, t, row.ID)
		require.Equal(t, []string{"voided", "The load was cancelled"}, []string{string(row.State), row.Reason})
		require.Contains(t, p.events(), "esign.envelope.voided")
		_, err = p.orders.Void(ctx, row.ID, web.IfMatch{}, "again")
		require.ErrorIs(t, err, store.ErrEnded)
	})
}

func TestResend_IsNotRepeatedWhereNobodyKnowsWhetherItWasDone(t *testing.T) {
	t.Parallel()
	eachPlant(t, func(ctx context.Context, t *testing.T, p *plant) {
		t.Helper()
		row := p.sent(ctx, t)
		p.vendor.fails = func(string) error { return errors.New("connection reset") }
		p.order(ctx, t, row.ID, store.ActResend)
		done := p.act(ctx, t, row.ID)
		require.Equal(t, store.ActionUnknown, done.State)
		require.Equal(t, 1, p.vendor.count("resend"))
		require.Contains(t, *showAction(done).Explanation, "may have done it")

		// A process that dies between the call and its result leaves the same.
		p.vendor.fails = nil
		p.order(ctx, t, row.ID, store.ActResend)
		all, err := p.store.Actions(ctx, row.ID)
		require.NoError(t, err)
		begun, _, _, err := p.performer.BeginAction(ctx, all[0].ID)
		require.NoError(t, err)
		require.NotNil(t, begun)
		require.True(t, jobs.IsLater(p.performer.Perform(ctx, envelopes.ActArgs{Action: all[0].ID})), "the call may be going on")
		require.Equal(t, store.ActionUnknown, p.act(ctx, t, row.ID).State)
		require.Equal(t, 1, p.vendor.count("resend"))

		// One that is refused for the moment was not done.
		calls := 0
		p.vendor.fails = func(string) error {
			if calls++; calls <= 2 {
				return &provider.Error{Reason: provider.RateLimited, Retryable: true, RetryAfter: time.Minute}
			}

			return nil
		}
		p.order(ctx, t, row.ID, store.ActResend)
		require.Equal(t, store.ActionDone, p.act(ctx, t, row.ID).State)

		p.vendor.fails = func(string) error { return &provider.Error{Reason: provider.Conflict, Code: "INVALID_STATE"} }
		p.order(ctx, t, row.ID, store.ActResend)
		refused := p.act(ctx, t, row.ID)
		require.Equal(t, []string{store.ActionFailed, "conflict", "INVALID_STATE"}, []string{refused.State, refused.Reason, refused.Code})
	})
}

func TestCorrect_ChangesWhoHasNotSignedAndAddsOthers(t *testing.T) {
	t.Parallel()
	eachPlant(t, func(ctx context.Context, t *testing.T, p *plant) {
		t.Helper()
		row := p.sent(ctx, t)
		people, err := p.store.Recipients(ctx, row.ID)
		require.NoError(t, err)
		wrong := func(field string, changes ...envelopes.Correction) {
			t.Helper()
			_, err := p.orders.Correct(ctx, row.ID, web.IfMatch{}, changes)
			require.ErrorIs(t, err, store.ErrInvalid)
			require.Contains(t, fieldsOf(t, err), field)
		}
		wrong("recipients.0.uuid", envelopes.Correction{UUID: uuid.New(), Name: "X"})
		wrong("recipients.0.email", envelopes.Correction{UUID: people[0].ID, Email: "nowhere"})
		wrong("recipients.0.kind", envelopes.Correction{UUID: people[0].ID, Kind: "carbon_copy"})
		wrong("recipients.0.name", envelopes.Correction{Email: "new@example.org"})
		wrong("recipients", []envelopes.Correction{}...)
		people[1].State = store.RecipientCompleted
		require.NoError(t, p.store.DB.InTx(ctx, func(ctx context.Context) error { return p.store.SaveRecipient(ctx, &people[1]) }))
		wrong("recipients.0.uuid", envelopes.Correction{UUID: people[1].ID, Name: "X"})

		_, err = p.orders.Correct(ctx, row.ID, web.IfMatch{}, []envelopes.Correction{
			{UUID: people[0].ID, Email: "anne@example.org"}, {Kind: "carbon_copy", Name: "Cy", Email: "cy@example.org", RoutingOrder: 3},
		})
		require.NoError(t, err)
		require.Equal(t, store.ActionDone, p.act(ctx, t, row.ID).State)
		require.Equal(t, "anne@example.org", p.vendor.made[0].Recipients[0].Email)
		people, err = p.store.Recipients(ctx, row.ID)
		require.NoError(t, err)
		require.Len(t, people, 3)
		require.Equal(t, []string{"anne@example.org", "3", "cy@example.org"}, []string{people[0].Email, people[2].ExternalID, people[2].Email})
	})
}

func fieldsOf(t *testing.T, err error) []string {
	t.Helper()
	refusal, ok := errors.AsType[*errs.Error](err)
	require.True(t, ok)
	var names []string
	for name := range refusal.Fields {
		names = append(names, name)
	}

	return names
}

func TestSigningLink_IsForEmbeddedRecipientsAndKeptNowhere(t *testing.T) {
	t.Parallel()
	eachPlant(t, func(ctx context.Context, t *testing.T, p *plant) {
		t.Helper()
		waiting := p.send(ctx, t)
		people, err := p.store.Recipients(ctx, waiting.ID)
		require.NoError(t, err)
		bob := people[1].ID
		_, err = p.signing.URL(ctx, waiting.ID, bob, "https://example.org/")
		require.ErrorIs(t, err, store.ErrNotThere)
		row := p.work(ctx, t, waiting.ID)
		for _, address := range []string{"", "javascript:alert(1)", "ftp://example.org/", "https://", "https://ann@example.org/", "/loads"} {
			_, err = p.signing.URL(ctx, row.ID, bob, address)
			require.ErrorIs(t, err, store.ErrInvalid, address)
		}
		_, err = p.signing.URL(ctx, row.ID, people[0].ID, "https://example.org/")
		require.ErrorIs(t, err, store.ErrNotHere)
		_, err = p.signing.URL(ctx, row.ID, uuid.New(), "https://example.org/")
		require.ErrorIs(t, err, store.ErrRecipient)

		path := base + "/envelopes/" + row.ID.String() + "/signing_link"
		body := map[string]any{"recipient_uuid": bob, "return_url": "https://example.org/loads"}
		// Over HTTP the service asks the providers of its own list, which do not have this one.
		p.call(http.MethodPost, path, body, "Idempotency-Key", "k-1").Refused(t, http.StatusUnprocessableEntity, "esign.no_idempotency_key")

		address, err := p.signing.URL(ctx, row.ID, bob, "https://example.org/loads")
		require.NoError(t, err)
		require.Contains(t, address, "/"+bob.String()+"?to=https://example.org/loads")
		require.NotContains(t, p.logged(), "vendor.test/sign")
		p.vendor.fails = func(string) error {
			return &provider.Error{Reason: provider.Conflict, Code: "RECIPIENT_NOT_IN_SEQUENCE"}
		}
		_, err = p.signing.URL(ctx, row.ID, bob, "https://example.org/loads")
		require.ErrorIs(t, err, store.ErrRefused)
	})
}

func (p *plant) completed(ctx context.Context, t *testing.T) store.Envelope {
	t.Helper()
	row := p.sent(ctx, t)
	p.vendor.statuses[*row.ExternalID] = "completed"
	p.order(ctx, t, row.ID, store.ActRefresh)
	require.Equal(t, store.ActionDone, p.act(ctx, t, row.ID).State)
	row = p.now(ctx, t, row.ID)
	require.Equal(t, []string{"completed", documents.DocumentsWanted}, []string{string(row.State), row.Documents})

	return row
}

func (p *plant) filesOf(ctx context.Context, t *testing.T, row store.Envelope) []attachmentsapi.File {
	t.Helper()
	files, err := p.files.OfOwner(ctx, store.EnvelopeItem, row.ID.String())
	require.NoError(t, err)

	return files
}

func TestDocuments_AreStoredOnceWithTheirDigestsAndHeld(t *testing.T) {
	t.Parallel()
	eachPlant(t, func(ctx context.Context, t *testing.T, p *plant) {
		t.Helper()
		row := p.completed(ctx, t)
		job := documents.FetchDocuments{Company: row.CompanyID, Envelope: row.ID}
		require.NoError(t, p.archive.Fetch(ctx, job))
		row = p.now(ctx, t, row.ID)
		require.Equal(t, documents.DocumentsStored, row.Documents)
		files := p.filesOf(ctx, t, row)
		require.Len(t, files, 2)
		stored, err := p.store.Documents(ctx, row.ID)
		require.NoError(t, err)
		require.Len(t, stored, 2)
		for _, d := range stored {
			file, content, err := p.files.Open(ctx, d.AttachmentID.String())
			require.NoError(t, err)
			require.NoError(t, content.Close())
			require.Equal(t, []any{file.SHA256, file.Size, "application/pdf"}, []any{d.SHA256, d.Size, file.MediaType})
			require.Equal(t, map[provider.Document]string{provider.Combined: documents.CategorySigned, provider.Certificate: documents.CategoryCertificate}[d.Kind], file.Category)
			p.call(http.MethodDelete, "/attachments/api/v1/attachments/"+d.AttachmentID.String(), nil).
				Refused(t, http.StatusConflict, "attachments.held")
		}
		require.NoError(t, p.archive.Fetch(ctx, job), "a repeat does nothing")
		require.Equal(t, 1, p.vendor.count("document combined"))
		require.Contains(t, p.events(), "esign.envelope.documents_stored")
	})
}

func TestDocuments_OfARunThatDiedAreNotStoredTwice(t *testing.T) {
	t.Parallel()
	eachPlant(t, func(ctx context.Context, t *testing.T, p *plant) {
		t.Helper()
		row := p.completed(ctx, t)
		// It died between storing the file and noting that.
		d, err := p.requests.Reserve(ctx, row.ID, provider.Combined)
		require.NoError(t, err)
		_, err = p.files.Put(ctx, attachmentsapi.NewFile{
			UUID: d.AttachmentID.String(), OwnerType: store.EnvelopeItem, OwnerUUID: row.ID.String(), Category: documents.CategorySigned, FileName: "signed.pdf",
		}, strings.NewReader(somePDF))
		require.NoError(t, err)
		p.vendor.documents[provider.Combined] = somePDF + "%made anew" // a vendor may make it anew each time
		require.NoError(t, p.archive.Fetch(ctx, documents.FetchDocuments{Envelope: row.ID}))
		require.Len(t, p.filesOf(ctx, t, row), 2)
		again, err := p.requests.Reserve(ctx, row.ID, provider.Combined)
		require.NoError(t, err)
		require.Equal(t, d.AttachmentID, again.AttachmentID)
		require.NotEmpty(t, again.SHA256)
	})
}

func TestDocuments_AreTriedAgainAndFailVisibly(t *testing.T) {
	t.Parallel()
	eachPlant(t, func(ctx context.Context, t *testing.T, p *plant) {
		t.Helper()
		row := p.completed(ctx, t)
		job := documents.FetchDocuments{Envelope: row.ID}
		p.vendor.fails = func(string) error { return &provider.Error{Reason: provider.RateLimited, RetryAfter: time.Minute} }
		require.True(t, jobs.IsLater(p.archive.Fetch(ctx, job)))
		p.vendor.fails = func(string) error { return errors.New("connection reset") }
		err := p.archive.Fetch(ctx, job)
		require.Error(t, err)
		require.False(t, jobs.IsPermanent(err))
		p.vendor.fails = nil
		p.vendor.documents[provider.Certificate] = "<html>an error page</html>"
		require.ErrorIs(t, p.archive.Fetch(ctx, job), documents.ErrNoPDF)
		require.Len(t, p.filesOf(ctx, t, row), 1, "what is no document is not kept")
		p.vendor.fails = func(string) error { return &provider.Error{Reason: provider.Forbidden} }
		require.True(t, jobs.IsPermanent(p.archive.Fetch(ctx, job)))
		row = p.now(ctx, t, row.ID)
		require.Equal(t, documents.DocumentsFailed, row.Documents)
		require.Equal(t, provider.Forbidden.Explain(), row.DocumentsProblem)

		p.vendor.fails = nil
		p.vendor.documents[provider.Certificate] = somePDF
		path := base + "/envelopes/" + row.ID.String() + "/fetch_documents"
		require.Equal(t, "wanted", p.call(http.MethodPost, path, nil).OK(t).Get("documents").String())
		require.NoError(t, p.archive.Fetch(ctx, job))
		require.Equal(t, documents.DocumentsStored, p.now(ctx, t, row.ID).Documents)
		p.call(http.MethodPost, path, nil).Refused(t, http.StatusConflict, "esign.no_documents")
	})
}

func TestDocuments_LargerThanTheyMayBeAreNotKept(t *testing.T) {
	t.Parallel()
	eachPlant(t, func(ctx context.Context, t *testing.T, p *plant) {
		t.Helper()
		row := p.completed(ctx, t)
		small := settings.Defaults()
		small.MaxDocument = 100
		p.configure(small)
		p.vendor.documents[provider.Combined] = somePDF + strings.Repeat("x", 1000)
		require.ErrorIs(t, p.archive.Fetch(ctx, documents.FetchDocuments{Envelope: row.ID}), documents.ErrTooLarge)
		require.Empty(t, p.filesOf(ctx, t, row))
	})
}

func TestAttachments_AreHeldWhileTheyAreUnderSignature(t *testing.T) {
	t.Parallel()
	eachPlant(t, func(ctx context.Context, t *testing.T, p *plant) {
		t.Helper()
		put := func(name, text string) uuid.UUID {
			file, err := p.files.Put(ctx, attachmentsapi.NewFile{FileName: name}, strings.NewReader(text))
			require.NoError(t, err)

			return uuid.MustParse(file.UUID)
		}
		createEnvelope := func(asDraft bool, ids ...uuid.UUID) (store.Envelope, error) {
			return p.drafts.Create(ctx, envelopes.Draft{Account: p.account.ID, Subject: "Sign", Attachments: ids, Recipients: []envelopes.RecipientDraft{{Name: "Ann", Email: "ann@example.org"}}}, asDraft)
		}
		held := func(id uuid.UUID) bool {
			return p.call(http.MethodPatch, "/attachments/api/v1/attachments/"+id.String(), `{"title": "x"}`).Status == http.StatusConflict ||
				p.call(http.MethodDelete, "/attachments/api/v1/attachments/"+id.String(), nil).Status == http.StatusConflict
		}
		pdf, page := put("a.pdf", somePDF), put("a.html", "<html><body>x</body></html>")
		_, err := createEnvelope(true, page)
		require.Equal(t, []string{"attachments.0"}, fieldsOf(t, err))
		_, err = createEnvelope(true, pdf, pdf)
		require.Equal(t, []string{"attachments.1"}, fieldsOf(t, err))
		_, err = createEnvelope(true, uuid.New())
		require.Equal(t, []string{"attachments.0"}, fieldsOf(t, err))
		small := settings.Defaults()
		small.MaxFiles = 10
		p.configure(small)
		_, err = createEnvelope(true, pdf)
		require.Equal(t, []string{"attachments"}, fieldsOf(t, err))
		p.configure(settings.Defaults())

		row, err := createEnvelope(false, pdf)
		require.NoError(t, err)
		require.True(t, held(pdf))
		out := p.work(ctx, t, row.ID)
		require.Equal(t, store.Sent, out.State)
		require.Equal(t, [][]byte{[]byte(somePDF)}, p.vendor.read)
		told := provider.Update{ID: *out.ExternalID, Status: "deleted", At: p.at.Now().Add(time.Minute)}
		known, err := p.reports.Apply(ctx, p.account.ID, reports.PolledReport(told, told.At))
		require.NoError(t, err)
		require.True(t, known)
		require.Contains(t, p.events(), "esign.envelope.deleted")
		require.NoError(t, newListener(p.holdings).onDeleted(ctx, esignapi.EnvelopeDeleted{About: row.EventAbout()}))
		require.False(t, held(pdf))

		other := put("b.pdf", somePDF)
		row, err = createEnvelope(false, other)
		require.NoError(t, err)
		_, err = p.envelopes.Move(ctx, state.Move{Verb: store.VerbDiscard, UUID: row.ID}, web.IfMatch{})
		require.NoError(t, err)
		require.False(t, held(other))
		require.NoError(t, p.sender.Send(ctx, envelopes.SendArgs{Envelope: row.ID}), "nobody hands over what was discarded")
		require.Len(t, p.vendor.made, 1)
	})
}

func TestTemplates_AreSyncedAndMissed(t *testing.T) {
	t.Parallel()
	eachPlant(t, func(ctx context.Context, t *testing.T, p *plant) {
		t.Helper()
		second := lading()
		second.ID, second.Name, second.ChangedAt = "T-2", "Agreement", p.at.Now()
		p.vendor.templates = append(p.vendor.templates, second)
		first := p.known(ctx, t)
		require.Equal(t, 2, p.vendor.count("template"))
		require.NoError(t, p.templates.SyncOne(ctx, templates.SyncJob{Account: p.account.ID}))
		require.Equal(t, 3, p.vendor.count("template"), "one of which it is known that it has not changed is not read again")

		p.at.Advance(time.Hour)
		p.vendor.templates = []provider.Template{lading()}
		p.vendor.templates[0].Roles[0].Tabs[0].MaxSize = 10
		changed := p.known(ctx, t)
		require.NotEqual(t, first.Fingerprint, changed.Fingerprint)
		require.Equal(t, first.ID, changed.ID)
		gone, err := p.store.HeldTemplateOf(ctx, p.account.ID, "T-2")
		require.NoError(t, err)
		require.NotNil(t, gone.MissingAt)
		_, err = p.drafts.Create(ctx, envelopes.Draft{Template: gone.ID, Recipients: two()}, true)
		require.Equal(t, []string{"template_uuid"}, fieldsOf(t, err))

		p.at.Advance(time.Hour)
		p.vendor.templates = append(p.vendor.templates, second)
		p.known(ctx, t)
		back, err := p.store.HeldTemplateOf(ctx, p.account.ID, "T-2")
		require.NoError(t, err)
		require.Nil(t, back.MissingAt)

		p.vendor.fails = func(string) error { return &provider.Error{Reason: provider.RateLimited, RetryAfter: time.Hour} }
		require.True(t, jobs.IsLater(p.templates.SyncOne(ctx, templates.SyncJob{Account: p.account.ID})))
		p.vendor.fails = func(string) error { return &provider.Error{Reason: provider.ConsentRequired} }
		require.True(t, jobs.IsPermanent(p.templates.SyncOne(ctx, templates.SyncJob{Account: p.account.ID})))
		from, err := p.vendors.Accounts.One(ctx, p.account.ID)
		require.NoError(t, err)
		require.Equal(t, []string{vendoraccount.Failing, "consent_required"}, []string{from.Health, from.Problem})
	})
}

func TestFingerprint_IsOfWhatCanBeFilledInWhateverTheOrder(t *testing.T) {
	t.Parallel()
	is := lading().Roles
	other := lading().Roles
	other[0], other[1] = other[1], other[0]
	other[1].Tabs[0], other[1].Tabs[1] = other[1].Tabs[1], other[1].Tabs[0]
	other[1].Tabs[0].Value = "something else"
	require.Equal(t, templates.Fingerprint(is), templates.Fingerprint(other))
	other[1].Tabs[0].Required = !other[1].Tabs[0].Required
	require.NotEqual(t, templates.Fingerprint(is), templates.Fingerprint(other))
}

func TestAct_IsRetriedAtASteadyPause(t *testing.T) {
	t.Parallel()
	eachPlant(t, func(ctx context.Context, t *testing.T, p *plant) {
		t.Helper()
		row := p.sent(ctx, t)
		refusal := &provider.Error{Reason: provider.ProviderDown, Taken: provider.No, Retryable: true}
		p.vendor.fails = func(string) error { return refusal }
		p.order(ctx, t, row.ID, store.ActResend)
		all, err := p.store.Actions(ctx, row.ID)
		require.NoError(t, err)
		perform := func() error { return p.performer.Perform(ctx, envelopes.ActArgs{Action: all[0].ID}) }
		for range 4 {
			require.Equal(t, jobs.Later(10*time.Second), perform())
			p.at.Advance(10 * time.Second)
		}
		refusal.RetryAfter = time.Minute
		require.Equal(t, jobs.Later(time.Minute), perform(), "the vendor asks for a longer one")
	})
}
