package esign

import (
	"context"
	"errors"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"go.uber.org/fx"

	"github.com/dispatchd/dispatchd/modules/attachments"
	"github.com/dispatchd/dispatchd/modules/attachments/attachmentsapi"
	"github.com/dispatchd/dispatchd/modules/esign/internal/accounts"
	"github.com/dispatchd/dispatchd/modules/esign/internal/documents"
	"github.com/dispatchd/dispatchd/modules/esign/internal/envelopes"
	"github.com/dispatchd/dispatchd/modules/esign/internal/provider"
	"github.com/dispatchd/dispatchd/modules/esign/internal/reports"
	"github.com/dispatchd/dispatchd/modules/esign/internal/sending"
	"github.com/dispatchd/dispatchd/modules/esign/internal/settings"
	"github.com/dispatchd/dispatchd/modules/esign/internal/store"
	"github.com/dispatchd/dispatchd/modules/esign/internal/templates"
	"github.com/dispatchd/dispatchd/platform/audit"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/events"
	"github.com/dispatchd/dispatchd/platform/identity"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/jobs"
	"github.com/dispatchd/dispatchd/platform/module"
	"github.com/dispatchd/dispatchd/platform/moduletest"
	"github.com/dispatchd/dispatchd/platform/notify"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/secret"
	"github.com/dispatchd/dispatchd/platform/state"
	"github.com/dispatchd/dispatchd/platform/web"
)

// vendor keeps in memory what it is asked for, and fails as it is told.
type vendor struct {
	mu        sync.Mutex
	templates []provider.Template
	made      []provider.Envelope
	read      [][]byte // the files of what was made
	asked     []string // the calls, by name
	voided    map[string]string
	statuses  map[string]string // by id
	documents map[provider.Document]string

	fails    func(call string) error // before anything is done
	loses    bool                    // the answer, after it has made an envelope
	complete bool                    // what is not found was not made
	signed   map[string][]provider.SignedTab
	hides    bool // what it has made, from Find
}

func (*vendor) Name() string           { return "vendor" }
func (*vendor) Environments() []string { return []string{"test"} }

func (v *vendor) Open(o provider.Opening) (provider.Account, error) {
	if o.Credentials.Reveal()["key"] == "wrong" {
		return nil, &provider.Error{Reason: provider.Auth, Taken: provider.No, Detail: "the key is wrong"}
	}

	return v, nil
}

func (v *vendor) enter(call string) error {
	v.asked = append(v.asked, call)
	if v.fails != nil {
		return v.fails(call)
	}

	return nil
}

func (v *vendor) Check(context.Context) (provider.Found, error) {
	return provider.Found{ExternalID: "A-1"}, nil
}

func (v *vendor) Templates(_ context.Context, from string) (page []provider.Template, next string, err error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if err := v.enter("templates"); err != nil {
		return nil, "", err
	}
	for i, t := range v.templates {
		if from == "" && i == 0 || from == t.ID {
			t.Roles = nil
			if i+1 < len(v.templates) {
				next = v.templates[i+1].ID
			}

			return []provider.Template{t}, next, nil
		}
	}

	return nil, "", nil
}

func (v *vendor) Template(_ context.Context, id string) (provider.Template, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if err := v.enter("template"); err != nil {
		return provider.Template{}, err
	}
	for _, t := range v.templates {
		if t.ID == id {
			return t, nil
		}
	}

	return provider.Template{}, &provider.Error{Reason: provider.NotFound, Taken: provider.No, Code: "TEMPLATE_ID_INVALID"}
}

func (v *vendor) Create(ctx context.Context, e provider.Envelope) (provider.Update, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if err := v.enter("create"); err != nil {
		return provider.Update{}, err
	}
	for _, f := range e.Files {
		content, err := f.Open(ctx)
		if err != nil {
			return provider.Update{}, err
		}
		text, err := io.ReadAll(content)
		if err := errors.Join(err, content.Close()); err != nil {
			return provider.Update{}, err
		}
		v.read = append(v.read, text)
	}
	v.made = append(v.made, e)
	if v.loses {
		return provider.Update{}, errors.New("connection reset")
	}

	return v.update(e), nil
}

func (v *vendor) update(e provider.Envelope) provider.Update {
	id := "E-" + e.Reference
	u := provider.Update{ID: id, Reference: e.Reference, Status: "sent", Fields: e.Fields}
	if s := v.statuses[id]; s != "" {
		u.Status = s
	}
	if reason, ok := v.voided[id]; ok {
		u.Status, u.Reason = "voided", reason
	}

	return u
}

func (v *vendor) Find(_ context.Context, reference string, _, _ time.Time) (found []provider.Update, complete bool, err error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if err := v.enter("find"); err != nil {
		return nil, false, err
	}
	for _, e := range v.made {
		if e.Reference == reference && !v.hides {
			found = append(found, v.update(e))
		}
	}

	return found, v.complete, nil
}

func (v *vendor) Fetch(_ context.Context, id string) (provider.Update, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if err := v.enter("fetch"); err != nil {
		return provider.Update{}, err
	}
	for _, e := range v.made {
		if "E-"+e.Reference == id {
			return v.update(e), nil
		}
	}

	return provider.Update{}, &provider.Error{Reason: provider.NotFound, Taken: provider.No}
}

func (v *vendor) Changes(context.Context, time.Time, string) ([]provider.Update, string, error) {
	return nil, "", nil
}
func (v *vendor) Send(context.Context, string) error { return nil }

func (v *vendor) Resend(context.Context, string) error {
	v.mu.Lock()
	defer v.mu.Unlock()

	return v.enter("resend")
}

func (v *vendor) Void(_ context.Context, id, reason string) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	if err := v.enter("void"); err != nil {
		return err
	}
	v.voided[id] = reason

	return nil
}

func (v *vendor) Correct(_ context.Context, _ string, changed []provider.Recipient) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	if err := v.enter("correct"); err != nil {
		return err
	}
	for i := range v.made[0].Recipients {
		for _, c := range changed {
			if v.made[0].Recipients[i].ExternalID == c.ExternalID {
				v.made[0].Recipients[i].Email = c.Email
			}
		}
	}

	return nil
}

func (v *vendor) SigningURL(_ context.Context, id string, r provider.Recipient, returnURL string) (string, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if err := v.enter("sign"); err != nil {
		return "", err
	}

	return "https://vendor.test/sign/" + id + "/" + r.ClientID + "?to=" + returnURL, nil
}

func (v *vendor) SignedTabs(context.Context, string) (map[string][]provider.SignedTab, error) {
	v.mu.Lock()
	defer v.mu.Unlock()

	return v.signed, v.enter("tabs")
}

func (v *vendor) Document(_ context.Context, _ string, which provider.Document) (io.ReadCloser, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if err := v.enter("document " + string(which)); err != nil {
		return nil, err
	}

	return io.NopCloser(strings.NewReader(v.documents[which])), nil
}

func (v *vendor) count(call string) (n int) {
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, asked := range v.asked {
		if asked == call {
			n++
		}
	}

	return n
}

// plant is the area beside that of the app, with a vendor and a clock of its own. Nobody runs its jobs.
type plant struct {
	store     *store.Repository
	vendors   *accounts.Vendors
	accounts  *accounts.Service
	reports   *reports.Service
	mappings  *templates.Mappings
	items     *item.Registry
	holdings  *envelopes.Holdings
	filing    *documents.Filing
	configure func(settings.Settings) // makes what has limits anew
	orders    *envelopes.Orders
	performer *sending.Performer
	sweeper   *sending.Sweeper
	drafts    *envelopes.Drafts
	envelopes *envelopes.Service
	requests  *documents.Requests
	contents  *sending.Contents
	sender    *sending.Sender
	signing   *envelopes.Signing
	templates *templates.Service
	archive   *documents.Archive
	files     attachmentsapi.Files
	holds     attachmentsapi.Holds
	vendor    *vendor
	at        *clock.Fake
	account   store.Account

	call    func(method, path string, body any, headers ...string) moduletest.Response // to the same database
	events  func() []string
	logged  func() string
	company func() uuid.UUID // another one
}

const somePDF = "%PDF-1.4\n1 0 obj\n<<>>\nendobj\ntrailer\n<<>>\n%%EOF\n"

func lading() provider.Template {
	text := func(label string, required bool) provider.Tab {
		return provider.Tab{Label: label, Type: "text", Required: required, MaxSize: 40, Fillable: true}
	}

	return provider.Template{ID: "T-1", Name: "Bill of lading", Subject: "Please sign", Message: "Here it is.", Roles: []provider.Role{
		{Name: "Shipper", Kind: provider.Signer, RoutingOrder: 1, Tabs: []provider.Tab{
			text("subject", true), text("note", false), {Label: "signature", Type: "sign_here", Required: true},
		}},
		{Name: "Carrier", Kind: provider.Signer, RoutingOrder: 2, Tabs: []provider.Tab{{Label: "signature", Type: "sign_here"}}},
	}}
}

func eachPlant(t *testing.T, test func(ctx context.Context, t *testing.T, p *plant)) {
	t.Helper()
	var made sync.Map
	moduletest.BootEach(t, []module.Module{attachments.Module, Module}, func(t *testing.T, a *moduletest.App) {
		t.Helper()
		built, _ := made.Load(a.DB)
		p := built.(*plant)
		p.call = func(method, path string, body any, headers ...string) moduletest.Response {
			return a.Call(t, a.Owner.Token, method, path, body, headers...)
		}
		p.events, p.logged = func() []string { return a.EventNames(t, a.Owner) }, a.Logged
		p.company = func() uuid.UUID { return a.NewCompany(t).ID }
		ctx := principal.AsCompany(t.Context(), a.Owner.ID)
		var err error
		p.account, err = p.accounts.Create(ctx, accounts.NewAccount{Name: "Vendor", Provider: "vendor"})
		require.NoError(t, err)
		test(ctx, t, p)
	}, moduletest.Set("roles=api"), moduletest.With(fx.Invoke(func(
		db *database.DB, mapped *resource.Resource[store.Mapping], states *state.Log, bus *events.Bus, queue *jobs.Queue, items *item.Registry, keys *secret.Keys, who *identity.Service, trail *audit.Log,
		files attachmentsapi.Files, holds attachmentsapi.Holds,
	) {
		p := &plant{at: clock.NewFake(time.Date(2026, 6, 1, 17, 0, 0, 0, time.UTC)), files: files, holds: holds}
		p.vendor = &vendor{
			templates: []provider.Template{lading()}, voided: map[string]string{}, statuses: map[string]string{},
			documents: map[provider.Document]string{provider.Combined: somePDF, provider.Certificate: somePDF + "%certificate"},
		}
		p.store, p.items = store.NewRepository(db), items
		p.vendors = accounts.VendorsWithoutAddress(store.NewStore(db, p.at, keys), keys, settings.Defaults().CallTimeout, p.vendor)
		p.accounts = accounts.New(p.store, p.vendors, queue, p.at, nil)
		p.templates = templates.New(p.store, p.vendors, queue, p.at)
		p.mappings = templates.NewMappings(p.store, mapped, items, who)
		p.requests = documents.NewRequests(p.store, queue, bus, p.at)
		progress := reports.NewProgress(p.store, p.requests, states, bus, p.at)
		p.reports = reports.New(p.store, p.vendors.Accounts, reports.NewMatcher(p.store, items, p.at), progress, p.at)
		gate := envelopes.NewGate(notify.New(nil))
		p.configure = func(s settings.Settings) {
			p.holdings = envelopes.NewHoldings(p.store, files, holds, s)
			starter := envelopes.NewStarter(p.vendors, envelopes.NewFiller(p.store, p.mappings), p.holdings, gate, queue)
			p.drafts = envelopes.NewDrafts(p.store, envelopes.NewComposer(p.store, p.vendors, p.mappings, items, p.holdings), starter, p.at)
			p.envelopes = envelopes.New(p.store, starter, states, bus, p.at)
			p.filing = documents.NewFiling(p.store, files, holds, items, s)
			p.archive = documents.NewArchive(p.store, p.vendors, p.requests, p.filing)
		}
		p.configure(settings.Defaults())
		outcomes := sending.NewOutcomes(p.store, states, bus, p.at)
		p.contents = sending.NewContents(p.templates, files, p.vendors, outcomes)
		p.sender = sending.NewSender(p.store, p.vendors, p.contents, outcomes, sending.NewFinisher(p.store, p.vendors, p.reports, outcomes, settings.Defaults()))
		p.orders, p.performer, p.sweeper = envelopes.NewOrders(p.store, queue, gate, p.at), sending.NewPerformer(p.store, p.vendors, p.reports, p.at, settings.Defaults()), sending.NewSweeper(p.store, queue, p.at)
		p.signing = envelopes.NewSigning(p.store, p.vendors, p.at, trail, web.Settings{BaseURL: "https://example.org/api"})
		made.Store(db, p)
	})))
}

// known returns the vendor's template, as it is known here.
func (p *plant) known(ctx context.Context, t *testing.T) store.Template {
	t.Helper()
	require.NoError(t, p.templates.SyncOne(ctx, templates.SyncJob{Account: p.account.ID}))
	row, err := p.store.HeldTemplateOf(ctx, p.account.ID, "T-1")
	require.NoError(t, err)

	return row
}

// two are people for both roles.
func two() []envelopes.RecipientDraft {
	return []envelopes.RecipientDraft{
		{Role: "Shipper", Name: "Ann", Email: "ann@example.org", Tabs: map[string]string{"subject": "A car"}},
		{Role: "Carrier", Name: "Bob", Email: "bob@example.org", Embedded: true},
	}
}

// send makes an envelope from the template that waits to be handed over.
func (p *plant) send(ctx context.Context, t *testing.T) store.Envelope {
	t.Helper()
	row, err := p.drafts.Create(ctx, envelopes.Draft{Template: p.known(ctx, t).ID, Recipients: two()}, false)
	require.NoError(t, err)
	require.Equal(t, store.Queued, row.State)

	return row
}

// work runs the job of an envelope for hours, as often as it wants.
func (p *plant) work(ctx context.Context, t *testing.T, id uuid.UUID) store.Envelope {
	t.Helper()
	for range 300 {
		if err := p.sender.Send(ctx, envelopes.SendArgs{Envelope: id}); err == nil {
			break
		}
		p.at.Advance(time.Minute)
	}

	return p.now(ctx, t, id)
}

func (p *plant) now(ctx context.Context, t *testing.T, id uuid.UUID) store.Envelope {
	t.Helper()
	row, err := p.store.Envelope(ctx, id)
	require.NoError(t, err)

	return row
}
