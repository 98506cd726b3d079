package sms

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"go.uber.org/fx"

	"github.com/dispatchd/dispatchd/modules/attachments"
	"github.com/dispatchd/dispatchd/modules/sms/internal/accounts"
	"github.com/dispatchd/dispatchd/modules/sms/internal/company"
	"github.com/dispatchd/dispatchd/modules/sms/internal/composing"
	"github.com/dispatchd/dispatchd/modules/sms/internal/delivery"
	"github.com/dispatchd/dispatchd/modules/sms/internal/incoming"
	"github.com/dispatchd/dispatchd/modules/sms/internal/messages"
	"github.com/dispatchd/dispatchd/modules/sms/internal/numbers"
	"github.com/dispatchd/dispatchd/modules/sms/internal/provider"
	"github.com/dispatchd/dispatchd/modules/sms/internal/sandbox"
	"github.com/dispatchd/dispatchd/modules/sms/internal/settings"
	"github.com/dispatchd/dispatchd/modules/sms/internal/store"
	"github.com/dispatchd/dispatchd/modules/sms/internal/vendors"
	"github.com/dispatchd/dispatchd/platform/audit"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/events"
	"github.com/dispatchd/dispatchd/platform/identity"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/jobs"
	"github.com/dispatchd/dispatchd/platform/limit"
	"github.com/dispatchd/dispatchd/platform/module"
	"github.com/dispatchd/dispatchd/platform/moduletest"
	"github.com/dispatchd/dispatchd/platform/notify"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/secret"
	"github.com/dispatchd/dispatchd/platform/state"
)

// vendor counts what it takes.
type vendor struct {
	sandbox.Provider

	can   provider.Capabilities
	fails func(m provider.Outgoing) error          // before it takes a message
	loses bool                                     // the answer, after it took a message
	tells func(id string) (provider.Update, error) // nil for a vendor that cannot be asked

	mu    sync.Mutex
	taken []provider.Outgoing
	asked []string
	owned []provider.Owned // nil for the sandbox's

	missed      []provider.Inbound // messages from outside that nobody has brought
	missedSince []time.Time
}

func (*vendor) Name() string { return "vendor" }

func (v *vendor) Capabilities() provider.Capabilities { return v.can }

func (v *vendor) Open(o provider.Opening) (provider.Account, error) {
	inner, err := v.Provider.Open(o)

	return vendorAccount{Account: inner, vendor: v}, err
}

type vendorAccount struct {
	provider.Account

	vendor *vendor
}

func (a vendorAccount) Send(_ context.Context, m provider.Outgoing) (provider.Accepted, error) {
	v := a.vendor
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.fails != nil {
		if err := v.fails(m); err != nil {
			return provider.Accepted{}, err
		}
	}
	known := false
	for _, t := range v.taken {
		known = known || t.Reference == m.Reference
	}
	if !known || v.can.DedupesFor == 0 {
		v.taken = append(v.taken, m)
	}
	if v.loses {
		return provider.Accepted{}, errors.New("connection reset")
	}

	return provider.Accepted{ID: sandbox.ID(m.Reference), Status: provider.Sending, Raw: "queued"}, nil
}

func (a vendorAccount) List(ctx context.Context) ([]provider.Owned, error) {
	if a.vendor.owned != nil {
		return a.vendor.owned, nil
	}

	return a.Account.List(ctx)
}

func (a vendorAccount) FetchInbound(ctx context.Context, m provider.Missed) ([]provider.Inbound, error) {
	a.vendor.missedSince = append(a.vendor.missedSince, m.Since)
	var all []provider.Inbound
	for _, in := range a.vendor.missed {
		known, err := m.Known(ctx, in.ID)
		if err != nil {
			return nil, err
		}
		if !known && !in.At.Before(m.Since) {
			all = append(all, in)
		}
	}

	return all, nil
}

func (a vendorAccount) Find(_ context.Context, s provider.Search) ([]provider.Update, bool, error) {
	v := a.vendor
	v.mu.Lock()
	defer v.mu.Unlock()
	var found []provider.Update
	for _, t := range v.taken {
		if t.From == s.From && t.To == s.To && t.Body == s.Body {
			found = append(found, provider.Update{ID: sandbox.ID(t.Reference), Status: provider.Sent, Raw: "sent"})
		}
	}

	return found, v.can.MaxMedia == 7, nil // a vendor of which an absent message was not taken
}

// plant is the area beside that of the app, with a vendor and a clock of its own. Nobody runs its jobs.
type plant struct {
	db       *database.DB
	settings *settings.Settings
	store    *store.Repository
	vendors  *vendors.Service

	accounts      *accounts.Service
	numbers       *numbers.Editor
	purchases     *numbers.Purchases
	releases      *numbers.Releases
	provisioner   *numbers.Provisioner
	importer      *numbers.Importer
	messages      *messages.Desk
	outgoing      *composing.Outgoing
	outbox        *delivery.Outbox
	sender        *delivery.Sender
	beginner      *delivery.Beginner
	caller        *delivery.Caller
	polls         *delivery.PollSchedule
	sweeper       *delivery.Sweeper
	reports       *delivery.Reports
	statusPoller  *delivery.StatusPoller
	receiver      *incoming.Receiver
	notifications *incoming.Notifications
	fetcher       *incoming.Fetcher
	optOuts       *delivery.OptOuts
	throttles     *delivery.Throttles

	vendor *vendor
	at     *clock.Fake
	http   func(method, path string) moduletest.Response // to the same database
	from   store.Number
}

func eachPlant(t *testing.T, can provider.Capabilities, test func(ctx context.Context, t *testing.T, p *plant)) {
	t.Helper()
	can.MaxBody = 1600
	if can.MaxMedia == 0 {
		can.MaxMedia = 10
	}
	var made sync.Map
	moduletest.BootEach(t, []module.Module{attachments.Module, Module}, func(t *testing.T, a *moduletest.App) {
		t.Helper()
		built, _ := made.Load(a.DB)
		p := built.(*plant)
		p.http = func(method, path string) moduletest.Response {
			return a.Call(t, a.Owner.Token, method, store.BasePath+path, nil)
		}
		ctx := principal.AsCompany(t.Context(), a.Owner.ID)
		account, err := p.accounts.Create(ctx, "Vendor", "vendor", nil)
		require.NoError(t, err)
		p.from = store.Number{
			ID: database.NewID(), AccountID: account.ID, Number: "+12025550160", Kind: provider.Local, State: store.NumberActive, SMS: true,
			Registration: provider.Registered, Version: 1, CreatedAt: p.at.Now(), UpdatedAt: p.at.Now(),
		}
		require.NoError(t, p.db.InTx(ctx, func(ctx context.Context) error { return p.store.Insert(ctx, &p.from) }))
		test(ctx, t, p)
	}, moduletest.Set("roles=api"), moduletest.With(fx.Invoke(func(
		db *database.DB, states *state.Log, bus *events.Bus, queue *jobs.Queue, items *item.Registry, keys *secret.Keys, who *identity.Service, log *audit.Log, meter *limit.Meter,
	) {
		p := &plant{vendor: &vendor{can: can}, at: clock.NewFake(time.Date(2026, 6, 1, 17, 0, 0, 0, time.UTC))}
		p.db, p.settings, p.store = db, new(settings.Defaults()), store.NewRepository(db)
		p.vendors = vendors.Of(store.NewAccounts(db, p.at, keys, log), p.vendor, sandbox.Provider{})
		profile, standard, quiet := company.NewProfile(p.store, company.NewTrail(log), p.at), numbers.NewDefaults(p.store, company.NewTrail(log), p.at), delivery.NewQuietHours(who)
		bad := delivery.NewBadNumbers(p.store, p.at, p.settings)
		outcomes := delivery.NewOutcomes(p.store, bad, states, bus, p.at)
		p.accounts = accounts.NewService(p.vendors, p.store, queue, p.at, p.settings)
		p.provisioner = numbers.NewProvisioner(p.store, p.vendors, queue, p.at, p.settings)
		p.importer = numbers.NewImporter(p.store, p.vendors, queue, p.at, p.settings)
		p.numbers = numbers.NewEditor(p.store, company.NewTrail(log), p.at)
		p.purchases = numbers.NewPurchases(p.store, p.vendors, profile, p.provisioner, p.settings)
		p.releases = numbers.NewReleases(p.store, p.vendors, p.numbers, standard, p.provisioner)
		p.optOuts, p.throttles = delivery.NewOptOuts(p.store, bus, p.at), delivery.NewThrottles(p.store, p.settings)
		p.reports = delivery.NewReports(p.store, outcomes, p.optOuts, p.at)
		p.outbox = delivery.NewOutbox(p.store, queue, bus, p.at)
		composer := composing.NewComposer(p.store, composing.NewSenders(p.store, standard), composing.NewRenderer(p.store, items), composing.NewChecks(p.vendors, p.at, p.settings), notify.New(nil))
		p.messages = messages.NewDesk(p.store, p.vendors, states, p.outbox, p.at)
		texts := store.NewTexts(keys)
		p.outgoing = composing.NewOutgoing(p.store, composer, composing.NewCreator(composing.NewRecipients(p.store, bad, quiet, p.at), composing.NewConcealer(p.vendors, texts), meter, p.outbox, p.at))
		player := delivery.NewPlayer(p.store, p.reports, p.outbox, queue, p.at)
		turns, guard := delivery.NewTurns(p.store, p.throttles, quiet, p.at), delivery.NewGuard(p.store, notify.New(nil), p.at)
		p.beginner = delivery.NewBeginner(p.store, p.vendors, turns, guard, delivery.NewAttempts(p.store, p.vendors, outcomes, p.at, p.settings))
		p.caller = delivery.NewCaller(p.store, texts, p.at)
		results := delivery.NewResults(p.reports, player, p.optOuts, outcomes)
		p.sender = delivery.NewSender(p.store, p.vendors, p.beginner, p.caller, delivery.NewFinisher(p.store, outcomes, results, p.at, p.settings))
		p.sweeper = delivery.NewSweeper(p.store, queue, p.at, p.settings)
		p.polls = delivery.NewPollSchedule(p.store, queue, p.at, p.settings)
		p.statusPoller = delivery.NewStatusPoller(p.store, p.vendors, p.reports, p.at, p.settings)
		words := incoming.NewKeywords(p.store, p.vendors, p.outbox, p.optOuts, p.at)
		p.receiver = incoming.NewReceiver(p.store, words, bus, queue, p.at)
		p.notifications = incoming.NewNotifications(db, incoming.NewEndpoints(p.store, p.vendors, p.at, p.settings), p.receiver, words, p.reports)
		p.fetcher = incoming.NewFetcher(p.store, p.vendors, p.receiver, p.at, p.settings)
		made.Store(db, p)
	})))
}

func (p *plant) send(ctx context.Context, t *testing.T) store.Message {
	t.Helper()
	row, err := p.outgoing.Send(ctx, composing.Draft{To: "+12025550130", Body: "Hi", FromUUID: p.from.ID})
	require.NoError(t, err)

	return row
}

// work runs the job of a message for hours, as often as it wants.
func (p *plant) work(ctx context.Context, t *testing.T, id uuid.UUID) store.Message {
	t.Helper()
	for range 200 {
		if p.sender.Send(ctx, delivery.SendMessage{Message: id}) == nil {
			break
		}
		p.at.Advance(time.Minute)
	}
	row, err := p.store.Message(ctx, id)
	require.NoError(t, err)

	return row
}

// crash is a point at which the process dies.
type crash string

const (
	beforeTheCall   crash = "between our commit and the call"
	beforeTheResult crash = "between the vendor's answer and our commit"
	lostAnswer      crash = "nowhere, but the answer is lost"
)

func TestHand_NeverSendsTwiceWhereverItDies(t *testing.T) {
	t.Parallel()
	tests := []struct {
		vendor string
		can    provider.Capabilities
		dies   crash
		taken  int
		ends   store.Status
	}{
		{"knows repeats", provider.Capabilities{DedupesFor: 24 * time.Hour}, beforeTheCall, 1, store.Sending},
		{"knows repeats", provider.Capabilities{DedupesFor: 24 * time.Hour}, beforeTheResult, 1, store.Sending},
		{"knows repeats", provider.Capabilities{DedupesFor: 24 * time.Hour}, lostAnswer, 1, store.Sending},
		{"can be searched", provider.Capabilities{Finds: true}, beforeTheCall, 0, store.Unknown},
		{"can be searched", provider.Capabilities{Finds: true}, beforeTheResult, 1, store.Sent},
		{"can be searched", provider.Capabilities{Finds: true}, lostAnswer, 1, store.Sent},
		{"is sure what it has not", provider.Capabilities{Finds: true, MaxMedia: 7}, beforeTheCall, 1, store.Sending},
		{"is sure what it has not", provider.Capabilities{Finds: true, MaxMedia: 7}, beforeTheResult, 1, store.Sent},
		{"tells nothing", provider.Capabilities{}, beforeTheCall, 0, store.Unknown},
		{"tells nothing", provider.Capabilities{}, beforeTheResult, 1, store.Unknown},
		{"tells nothing", provider.Capabilities{}, lostAnswer, 1, store.Unknown},
	}
	for _, test := range tests {
		t.Run(test.vendor+", "+string(test.dies), func(t *testing.T) {
			t.Parallel()
			eachPlant(t, test.can, func(ctx context.Context, t *testing.T, p *plant) {
				t.Helper()
				row := p.send(ctx, t)
				switch test.dies {
				case lostAnswer:
					p.vendor.loses = true
					require.NotEqual(t, store.Delivered, p.message1(ctx, t, row.ID))
					p.vendor.loses = false
				default:
					c, wait, err := p.beginner.Begin(ctx, row.ID)
					require.NoError(t, err)
					require.Zero(t, wait)
					if test.dies == beforeTheResult {
						_, err = p.caller.Call(ctx, *c)
						require.NoError(t, err)
					}
				}
				row = p.work(ctx, t, row.ID)
				require.Equal(t, test.ends, row.State)
				require.Len(t, p.vendor.taken, test.taken)
				require.NoError(t, p.sender.Send(ctx, delivery.SendMessage{Message: row.ID}), "another run changes nothing")
				require.Len(t, p.vendor.taken, test.taken)
			})
		})
	}
}

// message1 runs the job of a message once.
func (p *plant) message1(ctx context.Context, t *testing.T, id uuid.UUID) store.Status {
	t.Helper()
	_ = p.sender.Send(ctx, delivery.SendMessage{Message: id}) // it may want to be run later
	row, err := p.store.Message(ctx, id)
	require.NoError(t, err)

	return row.State
}

func TestHand_TriesAgainOnlyWhatWasNotTaken(t *testing.T) {
	t.Parallel()
	eachPlant(t, provider.Capabilities{}, func(ctx context.Context, t *testing.T, p *plant) {
		t.Helper()
		calls := 0
		p.vendor.fails = func(provider.Outgoing) error {
			if calls++; calls < 4 {
				return &provider.Error{Reason: provider.RateLimited, Taken: provider.No, Retryable: true, RetryAfter: 3 * time.Second, Code: "20429"}
			}

			return nil
		}
		row := p.work(ctx, t, p.send(ctx, t).ID)
		require.Equal(t, store.Sending, row.State)
		require.Len(t, p.vendor.taken, 1)
		tried, err := p.store.Attempts(ctx, row.ID)
		require.NoError(t, err)
		require.Len(t, tried, 4)

		p.vendor.fails = func(provider.Outgoing) error {
			return &provider.Error{Reason: provider.ProviderDown, Taken: provider.No, Retryable: true}
		}
		row = p.work(ctx, t, p.send(ctx, t).ID)
		require.Equal(t, store.Failed, row.State)
		require.Equal(t, int64(settings.Defaults().MaxAttempts), row.Attempts)
		require.Len(t, p.vendor.taken, 1)
	})
}

func TestHand_ARefusedRepeatSaysNothingOfTheFirstCall(t *testing.T) {
	t.Parallel()
	eachPlant(t, provider.Capabilities{DedupesFor: 24 * time.Hour}, func(ctx context.Context, t *testing.T, p *plant) {
		t.Helper()
		p.vendor.loses = true
		row := p.send(ctx, t)
		require.Equal(t, store.Sending, p.message1(ctx, t, row.ID))
		p.vendor.fails = func(provider.Outgoing) error {
			return &provider.Error{Reason: provider.RateLimited, Taken: provider.No, Retryable: true}
		}
		row = p.work(ctx, t, row.ID)
		require.Equal(t, store.Unknown, row.State)
		require.Len(t, p.vendor.taken, 1)
		require.Equal(t, int64(1), row.Attempts)
	})
}

func TestApplyStatus_ANotificationEndsTheDoubt(t *testing.T) {
	t.Parallel()
	eachPlant(t, provider.Capabilities{}, func(ctx context.Context, t *testing.T, p *plant) {
		t.Helper()
		p.vendor.loses = true
		row := p.work(ctx, t, p.send(ctx, t).ID)
		require.Equal(t, store.Unknown, row.State)
		a, err := p.store.LastAttempt(ctx, row.ID)
		require.NoError(t, err)
		update := provider.Update{ID: "V1", Reference: a.ID.String(), Status: provider.Delivered}
		require.ErrorIs(t, p.reports.ApplyStatus(ctx, uuid.New(), update), store.ErrBadMessageID, "another account's")
		require.NoError(t, p.reports.ApplyStatus(ctx, p.from.AccountID, update))
		require.NoError(t, p.reports.ApplyStatus(ctx, p.from.AccountID, provider.Update{ID: "V1", Status: provider.Sent}))
		row, err = p.store.Message(ctx, row.ID)
		require.NoError(t, err)
		require.Equal(t, store.Delivered, row.State)
		require.ErrorIs(t, p.reports.ApplyStatus(ctx, p.from.AccountID, provider.Update{ID: "V2", Status: provider.Sent}), store.ErrBadMessageID)
	})
}

func TestApplyStatus_InAnyOrderAndAtOnceEndsTheSame(t *testing.T) {
	t.Parallel()
	eachPlant(t, provider.Capabilities{}, func(ctx context.Context, t *testing.T, p *plant) {
		t.Helper()
		row := p.work(ctx, t, p.send(ctx, t).ID)
		var group sync.WaitGroup
		for _, s := range []provider.Status{provider.Delivered, provider.Sent, provider.Sending, provider.Sent, provider.Delivered, provider.Failed} {
			group.Go(func() {
				if s != provider.Failed {
					require.NoError(t, p.reports.ApplyStatus(ctx, p.from.AccountID, provider.Update{ID: *row.ProviderID, Status: s}))
				}
			})
		}
		group.Wait()
		require.NoError(t, p.reports.ApplyStatus(ctx, p.from.AccountID, provider.Update{ID: *row.ProviderID, Status: provider.Failed}))
		row, err := p.store.Message(ctx, row.ID)
		require.NoError(t, err)
		require.Equal(t, store.Delivered, row.State)
		require.NotNil(t, row.SentAt)
	})
}

func TestOptOut_RacingASendIsDecidedByWhoIsFirst(t *testing.T) {
	t.Parallel()
	eachPlant(t, provider.Capabilities{}, func(ctx context.Context, t *testing.T, p *plant) {
		t.Helper()
		for range 10 {
			row := p.send(ctx, t)
			before := len(p.vendor.taken)
			var group sync.WaitGroup
			var out error
			group.Go(func() { _, out = p.optOuts.AddManually(ctx, "+12025550130", "") })
			state := p.message1(ctx, t, row.ID)
			group.Wait()
			require.NoError(t, out)
			if state == store.Failed {
				require.Len(t, p.vendor.taken, before)
			} else {
				require.Equal(t, store.Sending, state)
				require.Len(t, p.vendor.taken, before+1)
			}
			after, err := p.outgoing.Send(ctx, composing.Draft{To: "+12025550130", Body: "Hi", FromUUID: p.from.ID})
			require.ErrorIs(t, err, store.ErrOptedOut, after.ID)
			require.NoError(t, p.db.InTx(ctx, func(ctx context.Context) error { return p.optOuts.Remove(ctx, "+12025550130", delivery.OptOutCause{}) }))
		}
		queuedFirst := p.send(ctx, t)
		_, err := p.optOuts.AddManually(ctx, "+12025550130", "")
		require.NoError(t, err)
		before := len(p.vendor.taken)
		row := p.work(ctx, t, queuedFirst.ID)
		require.Equal(t, store.Failed, row.State)
		require.Equal(t, "opted_out", row.Reason)
		require.Len(t, p.vendor.taken, before)
	})
}

func TestQuietHours_DeferAMessageToTheirEnd(t *testing.T) {
	t.Parallel()
	eachPlant(t, provider.Capabilities{}, func(ctx context.Context, t *testing.T, p *plant) {
		t.Helper()
		require.NoError(t, p.db.InTx(ctx, func(ctx context.Context) error {
			s, err := p.store.LockPreferences(ctx, p.at.Now())
			s.QuietFrom, s.QuietTo = "12:00", "14:00" // in Washington it is 13:00

			return store.OrElse(err, p.store.SavePreferences(ctx, &s))
		}))
		row := p.send(ctx, t)
		require.Equal(t, store.Queued, p.message1(ctx, t, row.ID))
		require.Empty(t, p.vendor.taken)
		row, err := p.store.Message(ctx, row.ID)
		require.NoError(t, err)
		require.Equal(t, p.at.Now().Add(time.Hour), row.DueAt)
		p.at.Advance(time.Hour)
		require.Equal(t, store.Sending, p.message1(ctx, t, row.ID))
		p.at.Advance(-time.Hour)
		urgent, err := p.outgoing.Send(ctx, composing.Draft{To: "+12025550130", Body: "Hi", FromUUID: p.from.ID, Urgent: true})
		require.NoError(t, err)
		require.Equal(t, store.Sending, p.message1(ctx, t, urgent.ID))
	})
}

func TestThroughput_KeepsToTheRateOfTheNumber(t *testing.T) {
	t.Parallel()
	eachPlant(t, provider.Capabilities{}, func(ctx context.Context, t *testing.T, p *plant) {
		t.Helper()
		_, err := p.numbers.Change(ctx, p.from.ID, anyVersion(), func(_ context.Context, row *store.Number) error {
			row.PerMinute = 60

			return nil
		})
		require.NoError(t, err)
		var all []uuid.UUID
		for range 15 {
			all = append(all, p.send(ctx, t).ID)
		}
		for second := range 6 {
			for _, id := range all {
				p.message1(ctx, t, id)
			}
			require.Len(t, p.vendor.taken, 10+second, "a burst of ten, then one each second")
			p.at.Advance(time.Second)
		}
	})
}

func TestPurge_RemovesTextsAndKeepsTheRest(t *testing.T) {
	t.Parallel()
	eachPlant(t, provider.Capabilities{}, func(ctx context.Context, t *testing.T, p *plant) {
		t.Helper()
		p.settings.KeepBodies = 24 * time.Hour
		row := p.work(ctx, t, p.send(ctx, t).ID)
		require.NoError(t, p.reports.ApplyStatus(ctx, p.from.AccountID, provider.Update{ID: *row.ProviderID, Status: provider.Delivered}))
		waiting := p.send(ctx, t)
		require.NoError(t, p.sweeper.PurgeAll(ctx, delivery.Purge{}))
		p.at.Advance(25 * time.Hour)
		require.NoError(t, p.sweeper.PurgeAll(ctx, delivery.Purge{}))
		row, err := p.store.Message(ctx, row.ID)
		require.NoError(t, err)
		require.Empty(t, row.Body)
		require.NotNil(t, row.BodyPurgedAt)
		require.Equal(t, int64(1), row.Segments)
		waiting, err = p.store.Message(ctx, waiting.ID)
		require.NoError(t, err)
		require.Equal(t, "Hi", waiting.Body)
		require.NoError(t, p.sweeper.SweepAll(ctx, delivery.Sweep{}))
	})
}

func TestBuyOne_MayRunTwiceAndSaysWhyItFailed(t *testing.T) {
	t.Parallel()
	eachPlant(t, provider.Capabilities{}, func(ctx context.Context, t *testing.T, p *plant) {
		t.Helper()
		row, err := p.purchases.Buy(ctx, uuid.Nil, "+12025550170", "")
		require.NoError(t, err)
		require.Equal(t, store.NumberPending, row.State)
		require.ErrorIs(t, row.Usable(nil), store.ErrNotSending)
		for range 2 {
			require.NoError(t, p.provisioner.BuyOne(ctx, numbers.BuyNumber{Number: row.ID}))
		}
		row, err = p.releases.Release(ctx, row.ID, anyVersion())
		require.NoError(t, err)
		require.Equal(t, store.NumberReleasing, row.State)
		for range 2 {
			require.NoError(t, p.provisioner.ReleaseOne(ctx, numbers.ReleaseNumber{Number: row.ID}))
		}
		row, err = p.store.Number(ctx, row.ID)
		require.NoError(t, err)
		require.Equal(t, store.NumberReleased, row.State)

		gone, err := p.purchases.Buy(ctx, uuid.Nil, "+12025550199", "")
		require.NoError(t, err)
		require.NoError(t, p.provisioner.BuyOne(ctx, numbers.BuyNumber{Number: gone.ID}))
		gone, err = p.store.Number(ctx, gone.ID)
		require.NoError(t, err)
		require.Equal(t, store.NumberFailed, gone.State)
		require.Equal(t, "number_not_available", gone.Problem)
	})
}
