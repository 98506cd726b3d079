package esign

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/modules/esign/internal/connect"
	"github.com/dispatchd/dispatchd/modules/esign/internal/provider"
	"github.com/dispatchd/dispatchd/modules/esign/internal/reports"
	"github.com/dispatchd/dispatchd/modules/esign/internal/settings"
	"github.com/dispatchd/dispatchd/modules/esign/internal/store"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/database"
)

// simulated is an envelope at a vendor.
type simulated struct {
	id, status string
	at, sentAt time.Time
	item       uuid.UUID
	recipients []map[string]any
	said       []string
}

// notify has the vendor send a notification of how it is now. One in eight is bare, but not the first: by it the envelope
// is known for one of ours.
func (e *simulated) notify(r *rand.Rand, event, recipient string) {
	stamp := func(at time.Time) string { return at.Format("2006-01-02T15:04:05.0000000Z") }
	data := map[string]any{"accountId": vendorAccount, "envelopeId": e.id}
	if recipient != "" {
		data["recipientId"] = recipient
	}
	if r.IntN(8) > 0 || len(e.said) == 0 || event == "envelope-resent" { // that it is out again, its name does not say
		summary := map[string]any{
			"envelopeId": e.id, "status": e.status, "statusChangedDateTime": stamp(e.at), "emailSubject": fmt.Sprintf("Version %d", len(e.said)),
			"recipients": map[string]any{"signers": e.recipients},
			"customFields": map[string]any{"textCustomFields": []any{
				map[string]any{"name": "service_item_type", "value": "yard.car"}, map[string]any{"name": "service_item_uuid", "value": e.item.String()},
			}},
		}
		if !e.sentAt.IsZero() {
			summary["initialSentDateTime"] = stamp(e.sentAt)
		}
		data["envelopeSummary"] = summary
	}
	body, err := json.Marshal(map[string]any{"event": event, "generatedDateTime": stamp(e.at.Add(100 * time.Millisecond)), "data": data})
	if err != nil {
		panic(err)
	}
	e.said = append(e.said, string(body))
}

// live has it live for about ten notifications.
func live(r *rand.Rand, id string) *simulated {
	e := &simulated{id: id, at: time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC), item: uuid.UUID{0: 1, 6: 0x70, 8: 0x80, 15: 2}}
	tick := func() time.Time {
		e.at = e.at.Add(time.Duration(1+r.IntN(1000)) * time.Second)

		return e.at
	}
	stamp := func(at time.Time) string { return at.Format("2006-01-02T15:04:05.0000000Z") }
	to := func(status, event string) {
		e.status = status
		tick()
		if status == "sent" && e.sentAt.IsZero() {
			e.sentAt = e.at
		}
		e.notify(r, event, "")
	}
	for i := range 1 + r.IntN(2) {
		e.recipients = append(e.recipients, map[string]any{
			"recipientId": strconv.Itoa(i + 1), "name": fmt.Sprintf("Person %d", i), "status": "created", "email": "x@example.org",
		})
	}
	recipient := func(i int, status, when string) {
		e.recipients[i]["status"], e.recipients[i][when] = status, stamp(tick())
		e.notify(r, "recipient-"+status, strconv.Itoa(i+1))
	}
	to("created", "envelope-created")
	to("sent", "envelope-sent")
	for i := range e.recipients {
		recipient(i, "sent", "sentDateTime")
	}
	for range r.IntN(2) {
		recipient(0, "delivered", "deliveredDateTime")
		to("delivered", "envelope-delivered")
		to("correct", "envelope-corrected")
		delete(e.recipients[0], "deliveredDateTime")
		to("sent", "envelope-resent")
		recipient(0, "sent", "sentDateTime")
	}
	switch r.IntN(5) {
	case 0:
		to("voided", "envelope-voided")
	case 1:
		recipient(0, "declined", "declinedDateTime")
		to("declined", "envelope-declined")
	case 2: // nothing more
	default:
		for i := range e.recipients {
			recipient(i, "delivered", "deliveredDateTime")
		}
		to("delivered", "envelope-delivered")
		for i := range e.recipients {
			recipient(i, "completed", "signedDateTime")
		}
		to("completed", "envelope-completed")
	}

	return e
}

// outcome is what is stored of an envelope in the end, without what differs by nature.
func (h *receiverFixture) outcome(ctx context.Context, t *testing.T, account uuid.UUID) map[string]string {
	t.Helper()
	rows, err := database.All[store.Envelope](h.store.DB.Conn(ctx).Where("account_id = ?", account))
	require.NoError(t, err)
	outcome := map[string]string{}
	for _, row := range rows {
		recipients, err := h.store.RecipientsOf(ctx, row.ID)
		require.NoError(t, err)
		slices.SortFunc(recipients, func(a, b store.Recipient) int { return strings.Compare(a.ExternalID, b.ExternalID) })
		lines := []string{fmt.Sprint(
			row.State, orZero(row.HeardAt), orZero(row.SentAt), orZero(row.DeliveredAt), orZero(row.CompletedAt), orZero(row.EndedAt), orZero(row.ToldAt),
			row.Documents, row.Reason, row.Subject, string(row.Heard), row.ItemType, *row.ItemID,
		)}
		for _, r := range recipients {
			lines = append(lines, fmt.Sprint(r.ExternalID, r.State, orZero(r.HeardAt), orZero(r.SentAt), orZero(r.DeliveredAt), orZero(r.SignedAt), orZero(r.DeclinedAt), r.Name))
		}
		for _, one := range h.happenings(ctx, t, row.ID) {
			lines = append(lines, fmt.Sprint(one.Event, one.DedupeKey, one.HappenedAt, one.Detail))
		}
		outcome[*row.ExternalID] = strings.Join(lines, "\n")
	}

	return outcome
}

// process does with notifications what the receiver's job does, several in a transaction.
func (h *receiverFixture) process(ctx context.Context, t *testing.T, account uuid.UUID, bodies []string) {
	t.Helper()
	now := h.clock.Now()
	for batch := range slices.Chunk(bodies, 250) {
		require.NoError(t, h.store.DB.InTx(ctx, func(ctx context.Context) error {
			for _, body := range batch {
				n, err := connect.Read([]byte(body))
				if err != nil {
					return err
				}
				news := reports.FromNotice(n, database.NewID(), now)
				known, err := h.reports.Apply(ctx, account, news)
				if err == nil && !known {
					err = h.reports.StoreUnmatched(ctx, account, news)
				}
				if err != nil {
					return err
				}
			}

			return nil
		}))
	}
}

// TestApply_ShuffledWithRepeatsEndsAsTheOrderedRun is about 3,000 notifications of 300 envelopes on SQLite, others in each
// run, and a third of that on PostgreSQL, where each statement is a round trip.
func TestApply_ShuffledWithRepeatsEndsAsTheOrderedRun(t *testing.T) {
	t.Parallel()
	eachHearing(t, func(t *testing.T, h *receiverFixture) {
		t.Helper()
		ctx := h.as(t)
		envelopes, seed := 300, uint64(h.clock.Now().UnixNano())
		if h.DB.Dialect() == database.Postgres {
			envelopes = 100
		}
		t.Logf("seed %d", seed)
		r := rand.New(rand.NewPCG(seed, 1))
		var ordered []string
		truth := map[string]string{}
		for i := range envelopes {
			e := live(r, fmt.Sprintf("e%d", i))
			ordered, truth[e.id] = append(ordered, e.said...), e.status
		}
		t.Logf("%d notifications", len(ordered))
		require.Greater(t, len(ordered), 7*envelopes)
		shuffled := append(slices.Clone(ordered), ordered[:len(ordered)/6]...)
		r.Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
		other := h.open(ctx, t, "Shuffled")
		h.process(ctx, t, h.ours.ID, ordered)
		h.process(ctx, t, other.ID, shuffled)

		want, got := h.outcome(ctx, t, h.ours.ID), h.outcome(ctx, t, other.ID)
		require.Len(t, want, envelopes)
		require.Len(t, got, envelopes)
		for id := range want {
			require.Equal(t, want[id], got[id], id)
		}
		raised := map[string]int{}
		for _, e := range h.Events(t, h.Owner) {
			if strings.HasPrefix(e.Name, "esign.envelope.") {
				raised[e.Name+" "+e.Get("envelope_uuid").String()]++
			}
		}
		for name, n := range raised {
			require.Equal(t, 1, n, name)
		}
		ends := map[store.Status]string{store.Completed: "completed", store.Declined: "declined", store.Voided: "voided"}
		rows, err := database.All[store.Envelope](h.store.DB.Conn(ctx))
		require.NoError(t, err)
		for _, row := range rows {
			require.Equal(t, truth[*row.ExternalID], string(row.State), "as the vendor has it")
			if name, ended := ends[row.State]; ended {
				require.Equal(t, 1, raised["esign.envelope."+name+" "+row.ID.String()], row.ID)
			}
		}
		left, err := database.All[store.Unmatched](h.store.DB.Conn(ctx))
		require.NoError(t, err)
		require.Empty(t, left)
	}, "roles=api")
}

func TestApply_FindsOurOwnEnvelopeByItsNameAndItsCopyBesideIt(t *testing.T) {
	t.Parallel()
	eachHearing(t, func(t *testing.T, h *receiverFixture) {
		t.Helper()
		ctx := h.as(t)
		row := h.send0(ctx, t)
		fields := func(id string) string {
			return `, "customFields": {"textCustomFields": [{"name": "service_envelope_uuid", "value": "` + id + `"}]}`
		}
		h.process(ctx, t, h.ours.ID, []string{
			notice("envelope-delivered", "copy", "delivered", 1, fields(uuid.NewString())),
			notice("recipient-resent", "e1", "", 2, ""), // bare, so nobody knows whose it is
			notice("envelope-sent", "e1", "sent", 1, fields(row.ID.String())),
			notice("envelope-delivered", "copy", "delivered", 3, fields(row.ID.String())),
		})
		got := h.envelope(ctx, t, "e1")
		require.Equal(t, row.ID, got.ID)
		require.Equal(t, store.Sent, got.State)
		require.Equal(t, store.OriginHere, got.Origin)
		require.Len(t, h.happenings(ctx, t, row.ID), 2, "the one that came before its name was known is applied too")
		left, err := database.All[store.Unmatched](h.store.DB.Conn(ctx))
		require.NoError(t, err)
		require.Empty(t, left)
		twin := h.envelope(ctx, t, "copy")
		require.Equal(t, []any{store.Delivered, store.OriginProvider, row.ID, row.Source}, []any{twin.State, twin.Origin, *twin.CopyOf, twin.Source})
		require.Len(t, h.happenings(ctx, t, twin.ID), 2, "what named nobody we know is applied too, now that it is known")

		history, err := h.states.History(ctx, store.EnvelopeItem, row.ID)
		require.NoError(t, err)
		require.Equal(t, "sending", history[0].From)
		require.Equal(t, "sent", history[0].To)
	}, "roles=api")
}

// send0 is an envelope that was handed over, and whose answer has not come.
func (h *receiverFixture) send0(ctx context.Context, t *testing.T) store.Envelope {
	t.Helper()
	now := h.clock.Now()
	row := store.Envelope{
		ID: database.NewID(), AccountID: h.ours.ID, Origin: store.OriginHere, Subject: "Order", Heard: []byte("{}"),
		State: store.Sending, Version: 1, CreatedAt: now, UpdatedAt: now,
	}
	require.NoError(t, h.store.DB.InTx(ctx, func(ctx context.Context) error { return h.store.Insert(ctx, &row) }))

	return row
}

func TestStrays_AreAppliedInOrderWhenTheEnvelopeAppearsAndSweptElse(t *testing.T) {
	t.Parallel()
	eachHearing(t, func(t *testing.T, h *receiverFixture) {
		t.Helper()
		ctx := h.as(t)
		row := h.send0(ctx, t)
		odd := tie(3) // there is no such car
		h.process(ctx, t, h.ours.ID, []string{
			notice("envelope-completed", "e1", "completed", 9, odd), notice("envelope-sent", "e1", "sent", 1, odd),
			notice("envelope-sent", "e2", "sent", 1, strings.Replace(odd, "yard.car", "loads.load", 1)),
		})
		strays, err := database.All[store.Unmatched](h.store.DB.Conn(ctx))
		require.NoError(t, err)
		require.Len(t, strays, 3)
		require.Empty(t, h.EventNames(t, h.Owner))
		// The answer of the vendor comes.
		require.NoError(t, h.store.DB.InTx(ctx, func(ctx context.Context) error {
			id := "e1"
			row.ExternalID = &id
			if err := h.store.SaveReported(ctx, &row); err != nil {
				return err
			}

			return h.reports.ApplyUnmatched(ctx, h.ours.ID, "e1")
		}))
		require.Equal(t, store.Completed, h.envelope(ctx, t, "e1").State)
		require.Equal(t, []string{"esign.envelope.completed"}, h.EventNames(t, h.Owner))
		require.NoError(t, h.leftovers.DeleteOldUnmatched(t.Context(), reports.DeleteUnmatchedJob{}))
		strays, err = database.All[store.Unmatched](h.store.DB.Conn(ctx))
		require.NoError(t, err)
		require.Len(t, strays, 1, "not yet")
		later := reports.NewLeftovers(h.store, clock.NewFake(h.clock.Now().Add(31*24*time.Hour)), settings.Defaults())
		require.NoError(t, later.DeleteOldUnmatched(t.Context(), reports.DeleteUnmatchedJob{}))
		strays, err = database.All[store.Unmatched](h.store.DB.Conn(ctx))
		require.NoError(t, err)
		require.Empty(t, strays)
	}, "roles=api")
}

func TestApply_AtTheSameTimeAdoptsOnce(t *testing.T) {
	t.Parallel()
	eachHearing(t, func(t *testing.T, h *receiverFixture) {
		t.Helper()
		ctx := h.as(t)
		h.key(t, "connect-key-A")
		const notices = 12
		done := make(chan int, notices)
		for i := range notices {
			go func() {
				body := notice("recipient-sent", "e1", "sent", i+1, tie(2))
				done <- h.send(t, body, sealed("connect-key-A", body)...).Status
			}()
		}
		for range notices {
			require.Equal(t, 200, <-done)
		}
		h.WaitHandled(t, h.Owner, notices)
		rows, err := database.All[store.Envelope](h.store.DB.Conn(ctx))
		require.NoError(t, err)
		require.Len(t, rows, 1)
		require.Len(t, h.happenings(ctx, t, rows[0].ID), notices)
		require.Equal(t, []string{"esign.envelope.sent"}, h.EventNames(t, h.Owner))
	})
}

func TestAskChanges_AppliesPageByPageWhatWasMissed(t *testing.T) {
	t.Parallel()
	eachHearing(t, func(t *testing.T, h *receiverFixture) {
		t.Helper()
		ctx := h.as(t)
		known, begun := h.send0(ctx, t), h.clock.Now()
		var sinces []time.Time
		limited := true
		h.vendor.changes = func(since time.Time, from string) ([]provider.Update, string, error) {
			sinces = append(sinces, since)
			at := begun.Add(-time.Minute)
			switch {
			case from == "":
				return []provider.Update{{ID: "e1", Reference: known.ID.String(), Status: "delivered", At: at, SentAt: at, DeliveredAt: at}}, "2", nil
			case limited:
				limited = false

				return nil, "", &provider.Error{Reason: provider.RateLimited, Retryable: true, RetryAfter: time.Hour}
			default:
				fields := map[string]string{"service_item_type": "yard.car", "service_item_uuid": uuid.UUID{0: 1, 15: 2}.String()}

				return []provider.Update{
					{ID: "e2", Status: "completed", At: at, Fields: fields}, {ID: "e3", Status: "sent", At: at},
				}, "", nil
			}
		}
		require.NoError(t, h.schedule.StartAll(t.Context(), reports.ReconcileAll{}))
		require.Equal(t, 1, h.jobs(t, reports.ReconcileAccount{}.Kind()))
		args := reports.ReconcileAccount{Account: h.ours.ID}
		require.NoError(t, h.reconciler.ReconcilePage(ctx, args))
		require.Equal(t, 2, h.jobs(t, reports.ReconcileAccount{}.Kind()), "the next page is a job of its own")
		require.Nil(t, h.reconciled(ctx, t))
		args.From, args.Since, args.Begun = "2", sinces[0], begun
		require.ErrorContains(t, h.reconciler.ReconcilePage(ctx, args), "1h")
		require.NoError(t, h.reconciler.ReconcilePage(ctx, args))
		require.Equal(t, store.Delivered, h.envelope(ctx, t, "e1").State)
		require.Equal(t, store.Completed, h.envelope(ctx, t, "e2").State)
		found, err := h.store.KnowsEnvelope(ctx, h.ours.ID, "e3")
		require.NoError(t, err)
		require.False(t, found, "what belongs to nothing here is left alone")
		require.Equal(t, begun, *h.reconciled(ctx, t))
		require.WithinDuration(t, h.ours.CreatedAt.Add(-time.Hour), sinces[0], time.Second)
		require.ElementsMatch(t, []string{"esign.envelope.delivered", "esign.envelope.completed"}, h.EventNames(t, h.Owner))
		history := h.happenings(ctx, t, known.ID)
		require.Len(t, history, 1)
		require.Equal(t, "found", history[0].Event)

		require.NoError(t, h.reconciler.ReconcilePage(ctx, reports.ReconcileAccount{Account: h.ours.ID}))
		require.Equal(t, begun.Add(-time.Hour), sinces[len(sinces)-1], "from then on, and an hour more")
		require.Len(t, h.happenings(ctx, t, known.ID), 1, "asked again, nothing is new")
	}, "roles=api")
}

func (h *receiverFixture) jobs(t *testing.T, kind string) (n int) {
	t.Helper()
	require.NoError(t, h.DB.SQL().QueryRowContext(t.Context(), "SELECT count(*) FROM river_job WHERE kind = '"+kind+"'").Scan(&n))

	return n
}

func (h *receiverFixture) reconciled(ctx context.Context, t *testing.T) *time.Time {
	t.Helper()
	row, err := h.vendors.Accounts.One(ctx, h.ours.ID)
	require.NoError(t, err)

	return row.ReconciledTo
}

// orZero is the time that a column has, the zero time for none.
func orZero(at *time.Time) time.Time {
	if at == nil {
		return time.Time{}
	}

	return *at
}
