package cards

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/modules/cards/internal/sandbox"
	"github.com/dispatchd/dispatchd/modules/cards/internal/store"
	"github.com/dispatchd/dispatchd/modules/companies"
	"github.com/dispatchd/dispatchd/platform/inbound"
	"github.com/dispatchd/dispatchd/platform/inbound/verify"
	"github.com/dispatchd/dispatchd/platform/module"
	"github.com/dispatchd/dispatchd/platform/moduletest"
	"github.com/dispatchd/dispatchd/platform/principal"
)

// till is a company that can charge.
type till struct {
	*moduletest.App

	account string
}

const testKey = "a key of the test"

func each(t *testing.T, test func(t *testing.T, d till)) {
	t.Helper()
	moduletest.BootEach(t, []module.Module{companies.Module, Module}, func(t *testing.T, a *moduletest.App) {
		t.Helper()
		d := till{App: a}
		d.account = d.post(t, "/accounts", map[string]any{
			"name": "Sandbox", "provider": "sandbox", "credentials": map[string]string{sandbox.SignatureKey: testKey},
		}).OK(t).Get("uuid").String()
		test(t, d)
	})
}

func (d till) post(t *testing.T, path string, body any, headers ...string) moduletest.Response {
	t.Helper()

	return d.Call(t, d.Owner.Token, http.MethodPost, base+path, body, headers...)
}

func (d till) get(t *testing.T, path string) moduletest.Response {
	t.Helper()

	return d.Call(t, d.Owner.Token, http.MethodGet, base+path, nil)
}

// until waits until a key of a resource has a value, and returns the resource.
func (d till) until(t *testing.T, path, key, value string) moduletest.Response {
	t.Helper()
	var last moduletest.Response
	d.Eventually(t, func() bool {
		last = d.get(t, path).OK(t)

		return last.Get(key).String() == value
	}, path+": "+key+" is "+value)

	return last
}

// charge orders a payment of 100.00 USD with a token, and returns its path.
func (d till) charge(t *testing.T, token string, more ...string) string {
	t.Helper()
	body := map[string]any{"amount": "100.00", "currency": "USD", "token": token}
	for _, key := range more {
		body[key] = true
	}

	return "/payments/" + d.post(t, "/payments", body).OK(t).Get("uuid").String()
}

// captured returns the path of a payment that was captured.
func (d till) captured(t *testing.T, token string) string {
	t.Helper()
	path := d.charge(t, token)
	d.until(t, path, "state", "captured")

	return path
}

func TestCharge_EndsAsItsTokenSays(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d till) {
		for token, want := range map[string][2]string{
			"tok_ok": {"captured", ""}, "tok_declined": {"failed", "declined"}, "tok_insufficient": {"failed", "insufficient_funds"},
			"tok_expired": {"failed", "expired_card"}, "tok_cvv": {"failed", "cvv"}, "tok_avs": {"failed", "avs"}, "tok_stolen": {"failed", "declined"},
			"tok_3ds": {"failed", "action_required"}, "tok_nonsense": {"failed", "invalid_token"}, "tok_later_declined": {"failed", "declined"},
		} {
			row := d.until(t, d.charge(t, token), "state", want[0])
			require.Equal(t, want[1], row.Get("reason").String(), token)
			require.Equal(t, want[1] == "", row.Get("explanation").String() == "", token)
			require.Equal(t, token == "tok_stolen" || token == "tok_expired", row.Get("final").Bool(), token)
			require.NotContains(t, string(row.Body), token, "a token is in no answer")
		}
		ok := d.captured(t, "tok_ok")
		require.Equal(t, "3.20", d.get(t, ok).Get("fee").String(), "2.9 % and 0.30")
		require.Equal(t, "1", d.get(t, ok).Get("attempts").String())
		require.Contains(t, d.EventNames(t, d.Owner), "cards.payment.captured")
		require.Contains(t, d.EventNames(t, d.Owner), "cards.payment.failed")
	})
}

func TestCharge_AsksAPresentCardholder(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d till) {
		asked := d.charge(t, "tok_3ds", "present")
		row := d.until(t, asked, "state", "requires_action")
		require.NotEmpty(t, row.Get("action_url").String())
		d.post(t, "/sandbox"+asked+"/play", map[string]any{"event": "confirm"}).OK(t)
		require.Empty(t, d.until(t, asked, "state", "captured").Get("action_url").String())
		d.post(t, "/sandbox"+asked+"/play", map[string]any{"event": "confirm"}).Refused(t, http.StatusConflict, "cards.vendor_refused")

		refuses := d.charge(t, "tok_3ds", "present")
		d.until(t, refuses, "state", "requires_action")
		d.post(t, "/sandbox"+refuses+"/play", map[string]any{"event": "refuse"}).OK(t)
		require.Equal(t, "action_required", d.until(t, refuses, "state", "failed").Get("reason").String())

		reserved := d.charge(t, "tok_3ds", "present", "authorize")
		d.until(t, reserved, "state", "requires_action")
		d.post(t, "/sandbox"+reserved+"/play", map[string]any{"event": "confirm"}).OK(t)
		d.until(t, reserved, "state", "authorized")
	})
}

func TestAuthorize_ReservesUntilCapturedOrCanceled(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d till) {
		taken, released := d.charge(t, "tok_ok", "authorize"), d.charge(t, "tok_ok", "authorize")
		d.until(t, taken, "state", "authorized")
		d.post(t, taken+"/refunds", map[string]any{}).Refused(t, http.StatusConflict, "cards.not_refundable")
		require.Equal(t, "capture", d.post(t, taken+"/capture", nil).OK(t).Get("ordered").String())
		d.post(t, taken+"/cancel", nil).Refused(t, http.StatusConflict, "cards.not_authorized")
		require.Empty(t, d.until(t, taken, "state", "captured").Get("ordered").String())
		d.until(t, released, "state", "authorized")
		d.post(t, released+"/cancel", nil).OK(t)
		d.until(t, released, "state", "canceled")
		d.post(t, released+"/capture", nil).Refused(t, http.StatusConflict, "cards.not_authorized")
		require.Contains(t, d.EventNames(t, d.Owner), "cards.payment.canceled")
	})
}

func TestCards_AreSavedChargedAndRemoved(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d till) {
		saved := d.post(t, "/cards", map[string]any{"token": "tok_ok", "reference": "card of Ann", "name": "Ann"}).OK(t).Get("uuid").String()
		row := d.until(t, "/cards/"+saved, "state", "active")
		require.Equal(t, "1111", row.Get("last4").String())
		require.Equal(t, saved, d.post(t, "/cards", map[string]any{"token": "tok_ok", "reference": "card of Ann", "name": "Ann"}).OK(t).Get("uuid").String())
		d.post(t, "/cards", map[string]any{"token": "tok_cvv", "reference": "card of Ann"}).Refused(t, http.StatusConflict, "cards.reference_conflict")

		bad := d.post(t, "/cards", map[string]any{"token": "tok_declined"}).OK(t).Get("uuid").String()
		require.Equal(t, "declined", d.until(t, "/cards/"+bad, "state", "failed").Get("reason").String())
		order := map[string]any{"amount": "12.50", "currency": "USD", "card_uuid": bad}
		d.post(t, "/payments", order).Refused(t, http.StatusConflict, "cards.card_not_active")

		order["card_uuid"] = saved
		for range 2 {
			d.until(t, "/payments/"+d.post(t, "/payments", order).OK(t).Get("uuid").String(), "state", "captured")
		}
		order["token"] = "tok_ok"
		d.post(t, "/payments", order).Refused(t, http.StatusUnprocessableEntity, "cards.invalid")
		delete(order, "token")

		require.Equal(t, "removed", d.post(t, "/cards/"+saved+"/remove", nil).OK(t).Get("state").String())
		d.post(t, "/cards/"+saved+"/remove", nil).Refused(t, http.StatusConflict, "state.not_allowed")
		d.post(t, "/payments", order).Refused(t, http.StatusConflict, "cards.card_not_active")

		later := d.post(t, "/cards", map[string]any{"token": "tok_later_declined"}).OK(t).Get("uuid").String()
		d.until(t, "/cards/"+later, "state", "active")
		order["card_uuid"] = later
		declined := d.post(t, "/payments", order).OK(t).Get("uuid").String()
		require.Equal(t, "declined", d.until(t, "/payments/"+declined, "state", "failed").Get("reason").String())
		for _, name := range []string{"cards.card.saved", "cards.card.failed", "cards.card.removed"} {
			require.Contains(t, d.EventNames(t, d.Owner), name)
		}
	})
}

func TestCharge_TakesTheSameReferenceOnce(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d till) {
		order := map[string]any{"amount": "5.00", "currency": "USD", "token": "tok_ok", "reference": "invoice 7"}
		first := d.post(t, "/payments", order).OK(t).Get("uuid").String()
		require.Equal(t, first, d.post(t, "/payments", order).OK(t).Get("uuid").String())
		order["amount"] = "6.00"
		d.post(t, "/payments", order).Refused(t, http.StatusConflict, "cards.reference_conflict")
		d.until(t, "/payments/"+first, "state", "captured")
	})
}

func TestCharge_OfOneReferenceAtATimeIsOnePayment(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d till) {
		var all sync.WaitGroup
		var made sync.Map
		for range 4 {
			all.Go(func() {
				answer := d.post(t, "/payments", `{"amount": "5.00", "currency": "USD", "token": "tok_ok", "reference": "once"}`)
				made.Store(fmt.Sprint(answer.Status, answer.Get("uuid")), true)
			})
		}
		all.Wait()
		n := 0
		made.Range(func(answer, _ any) bool {
			require.Contains(t, answer, "200 ")
			n++

			return true
		})
		require.Equal(t, 1, n)
	})
}

func TestCharge_RefusesWhatNoVendorTakes(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d till) {
		for _, body := range []string{
			`{"amount": "0.00", "currency": "USD", "token": "tok_ok"}`,
			`{"amount": "-1.00", "currency": "USD", "token": "tok_ok"}`,
			`{"amount": "100000000.00", "currency": "USD", "token": "tok_ok"}`,
			`{"amount": "1.00", "currency": "USD"}`,
		} {
			d.post(t, "/payments", body).Refused(t, http.StatusUnprocessableEntity, "cards.invalid")
		}
		d.post(t, "/payments", `{"amount": "1.005", "currency": "USD", "token": "tok_ok"}`).Refused(t, http.StatusUnprocessableEntity, "money.scale")
		paid := d.captured(t, "tok_ok")
		d.post(t, paid+"/refunds", `{"amount": "1.00", "currency": "EUR"}`).Refused(t, http.StatusUnprocessableEntity, "cards.currency_mismatch")
		d.post(t, "/accounts/"+d.account+"/disable", nil).OK(t)
		d.post(t, "/payments", `{"amount": "1.00", "currency": "USD", "token": "tok_ok"}`).Refused(t, http.StatusConflict, "cards.account_disabled")
		stranger := d.NewCompany(t)
		d.Call(t, stranger.Token, http.MethodPost, base+"/payments", `{"amount": "1.00", "currency": "USD", "token": "tok_ok"}`).
			Refused(t, http.StatusConflict, "cards.no_account")
	})
}

func TestIDs_OfAnotherCompanyAreNotFound(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d till) {
		paid := d.captured(t, "tok_ok")
		card := "/cards/" + d.post(t, "/cards", `{"token": "tok_ok"}`).OK(t).Get("uuid").String()
		window := map[string]any{"from": time.Now().Add(-time.Hour), "to": time.Now()} //nolint:forbidigo // the window of a test
		run := "/reconciliations/" + d.post(t, "/reconciliations", window).OK(t).Get("uuid").String()
		stranger := d.NewCompany(t)
		call := func(method, path, body string) moduletest.Response {
			return d.Call(t, stranger.Token, method, base+path, body)
		}
		d.Call(t, stranger.Token, http.MethodPost, base+"/accounts", `{"name": "S", "provider": "sandbox"}`).OK(t)
		for _, path := range []string{paid, card, run, "/accounts/" + d.account} {
			require.Equal(t, http.StatusNotFound, d.Call(t, stranger.Token, http.MethodGet, base+path, nil).Status, path)
		}
		for path, body := range map[string]string{
			paid + "/refunds": `{}`, paid + "/capture": "", paid + "/cancel": "", paid + "/ask_again": "", paid + "/give_up": `{"reason": "x"}`,
			card + "/remove": "", run + "/apply": "", "/sandbox" + paid + "/play": `{"event": "forget"}`, "/accounts/" + d.account + "/disable": "",
			"/payments":        fmt.Sprintf(`{"amount": "1.00", "currency": "USD", "card_uuid": %q}`, strings.TrimPrefix(card, "/cards/")),
			"/reconciliations": fmt.Sprintf(`{"account_uuid": %q, "from": "2026-01-01T00:00:00Z", "to": "2026-01-02T00:00:00Z"}`, d.account),
		} {
			require.Equal(t, http.StatusNotFound, call(http.MethodPost, path, body).Status, path)
		}
	})
}

func TestRefund_NeverGivesBackMoreThanWasTaken(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d till) {
		paid := d.captured(t, "tok_ok")
		over := d.post(t, paid+"/refunds", `{"amount": "150.00"}`).Refused(t, http.StatusConflict, "cards.not_refundable")
		require.Equal(t, "100.00", over.Get("details.max").String())

		var answers sync.Map
		var both sync.WaitGroup
		for i := range 2 {
			both.Go(func() { answers.Store(i, d.post(t, paid+"/refunds", `{"amount": "60.00"}`).Status) })
		}
		both.Wait()
		statuses := map[any]int{}
		answers.Range(func(_, status any) bool {
			statuses[status]++

			return true
		})
		require.Equal(t, map[any]int{http.StatusOK: 1, http.StatusConflict: 1}, statuses)

		d.until(t, paid, "refunded", "60.00")
		body := map[string]any{"reference": "the rest"}
		rest := d.post(t, paid+"/refunds", body).OK(t)
		require.Equal(t, "40.00", rest.Get("amount").String())
		require.Equal(t, rest.Get("uuid").String(), d.post(t, paid+"/refunds", body).OK(t).Get("uuid").String())
		d.until(t, paid, "refunded", "100.00")

		other, key := d.captured(t, "tok_ok"), uuid.NewString()
		once := d.post(t, other+"/refunds", `{"amount": "60.00"}`, "Idempotency-Key", key).OK(t).Get("uuid").String()
		require.Equal(t, once, d.post(t, other+"/refunds", `{"amount": "60.00"}`, "Idempotency-Key", key).OK(t).Get("uuid").String())
		d.until(t, other, "refunded", "60.00")
		d.post(t, paid+"/refunds", `{}`).Refused(t, http.StatusConflict, "cards.not_refundable")
		require.Contains(t, d.EventNames(t, d.Owner), "cards.refund.completed")
	})
}

func TestRefund_ThatFailsGivesItsAmountFree(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d till) {
		paid := d.captured(t, "tok_refund_fails")
		refund := d.post(t, paid+"/refunds", `{}`).OK(t).Get("uuid").String()
		require.Equal(t, "not_refundable", d.until(t, "/refunds/"+refund, "state", "failed").Get("reason").String())
		require.Equal(t, "0.00", d.get(t, paid).OK(t).Get("refunded").String())
		d.post(t, paid+"/refunds", `{}`).OK(t)
		require.Contains(t, d.EventNames(t, d.Owner), "cards.refund.failed")
	})
}

func TestDispute_TakesTheAmountUntilItIsWon(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d till) {
		play := func(path, event string) { d.post(t, "/sandbox"+path+"/play", map[string]any{"event": event}).OK(t) }
		won, lost := d.captured(t, "tok_ok"), d.captured(t, "tok_ok")
		play(won, "dispute_open")
		d.until(t, won, "disputed", "100.00")
		d.post(t, won+"/refunds", `{}`).Refused(t, http.StatusConflict, "cards.not_refundable")
		play(won, "dispute_won")
		d.until(t, won, "disputed", "0.00")
		d.post(t, won+"/refunds", `{"amount": "1.00"}`).OK(t)
		play(lost, "dispute_open")
		play(lost, "dispute_lost")
		d.until(t, "/disputes?filter[payment_uuid]="+strings.TrimPrefix(lost, "/payments/"), "data.0.state", "lost")
		require.Equal(t, "100.00", d.get(t, lost).OK(t).Get("disputed").String())
		require.Equal(t, "captured", d.get(t, lost).OK(t).Get("state").String())
		for _, name := range []string{"cards.dispute.opened", "cards.dispute.won", "cards.dispute.lost"} {
			require.Contains(t, d.EventNames(t, d.Owner), name)
		}
	})
}

// endpoint is the path of the notifications of the account.
func (d till) endpoint(t *testing.T) string {
	t.Helper()
	rows, err := store.NewRepository(d.DB).AccountsAt(principal.AsCompany(t.Context(), d.Owner.ID), sandbox.Name)
	require.NoError(t, err)

	return base + "/sandbox/" + rows[0].EndpointID.String() + "/notifications"
}

// notify sends a notification about a payment, as the sandbox does.
func (d till) notify(t *testing.T, payment moduletest.Response, status string, at time.Time, key string) moduletest.Response {
	t.Helper()
	path := d.endpoint(t)
	body, err := json.Marshal(map[string]any{
		"type": "payment.updated", "event_id": status + at.String(), "data": map[string]any{"object": map[string]any{"payment": map[string]any{
			"id": payment.Get("vendor_id").String(), "status": status, "amount_money": map[string]any{"amount": 10000, "currency": "USD"}, "updated_at": at,
		}}},
	})
	require.NoError(t, err)

	return d.Notify(t, path, body, signatureHeader, verify.SignSquare([]byte(key), path, body))
}

func TestNotification_NeverMovesAPaymentBack(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d till) {
		paid := d.captured(t, "tok_ok")
		row := d.get(t, paid).OK(t)
		n := len(d.WaitHandled(t, d.Owner, 1)) // the sandbox's own
		at := time.Now()                       //nolint:forbidigo // the time of a notification
		for _, status := range []string{"APPROVED", "CANCELED", "FAILED", "PENDING"} {
			d.notify(t, row, status, at.Add(time.Minute), testKey).OK(t)
		}
		d.notify(t, row, "APPROVED", at.Add(time.Minute), testKey).OK(t) // repeated
		d.notify(t, row, "COMPLETED", at.Add(-time.Hour), testKey).OK(t) // late
		d.notify(t, row, "NONSENSE", at, testKey).OK(t)
		for _, delivery := range d.WaitHandled(t, d.Owner, n+6) {
			require.Equal(t, inbound.Processed, delivery.State)
		}
		require.Equal(t, "captured", d.get(t, paid).OK(t).Get("state").String())
		d.Eventually(t, func() bool { return count(d.EventNames(t, d.Owner), "cards.payment.captured") == 1 }, "it was captured once")

		require.Equal(t, http.StatusUnauthorized, d.notify(t, row, "FAILED", at, "a forged key").Status)
		require.Equal(t, "captured", d.get(t, paid).OK(t).Get("state").String())
	})
}

func count(all []string, name string) (n int) {
	for _, one := range all {
		if one == name {
			n++
		}
	}

	return n
}

func TestNotification_OfAPaymentMadeElsewhereIsIgnored(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d till) {
		d.notify(t, moduletest.Response{Body: fmt.Appendf(nil, `{"vendor_id": %q}`, uuid.NewString())}, "COMPLETED", time.Now(), testKey).OK(t) //nolint:forbidigo // the time of a notification
		require.Equal(t, "ignored", string(d.WaitHandled(t, d.Owner, 1)[0].State))
		require.Equal(t, int64(0), d.get(t, "/payments").OK(t).Get("data.#").Int())
	})
}

func TestBodies_WithACardNumberLeaveNoTrace(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d till) {
		for _, number := range []string{"4111111111111111", "4111 1111 1111 1111", "4111-1111-1111-1111", `\u0034111 1111 1111 1111 12/27`} {
			for path, body := range map[string]string{
				"/payments": `{"amount": "1.00", "currency": "USD", "token": "tok_ok", "note": "card %s"}`,
				"/cards":    `{"token": "%s"}`, "/accounts": `{"name": "%s", "provider": "sandbox"}`,
				"/reconciliations": `{"unknown %s": 1`,
			} {
				refused := d.post(t, path, fmt.Sprintf(body, number), "Idempotency-Key", uuid.NewString()).
					Refused(t, http.StatusUnprocessableEntity, "cards.card_number")
				require.NotContains(t, string(refused.Body), "1111")
			}
		}
		d.Call(t, d.Owner.Token, http.MethodPatch, base+"/accounts/"+d.account, `{"name": "4111111111111111"}`).
			Refused(t, http.StatusUnprocessableEntity, "cards.card_number")
		require.NotContains(t, d.Logged(), "1111 1111")
		require.NotContains(t, d.Logged(), "11111111")
		for _, table := range []string{"idempotency_answers", "audit_entries", "cards_payments", "cards_cards", "events_log"} {
			require.NotContains(t, d.dump(t, table), "1111111", table)
		}
	})
}

// dump is all that a table has, as text.
func (d till) dump(t *testing.T, table string) string {
	t.Helper()
	rows, err := d.DB.SQL().QueryContext(context.Background(), "SELECT * FROM "+table) //nolint:usetesting // the context of the test has no part in it
	require.NoError(t, err)
	defer func() { require.NoError(t, rows.Close()) }()
	columns, err := rows.Columns()
	require.NoError(t, err)
	var text strings.Builder
	for rows.Next() {
		values, into := make([]any, len(columns)), make([]any, len(columns))
		for i := range values {
			into[i] = &values[i]
		}
		require.NoError(t, rows.Scan(into...))
		for _, v := range values {
			if raw, ok := v.([]byte); ok {
				v = string(raw)
			}
			fmt.Fprintln(&text, v)
		}
	}
	require.NoError(t, rows.Err())

	return text.String()
}

func TestReconcile_FindsAndCorrectsDifferencesOnce(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d till) {
		play := func(path, event string) { d.post(t, "/sandbox"+path+"/play", map[string]any{"event": event}).OK(t) }
		same, lost, changed := d.captured(t, "tok_ok"), d.captured(t, "tok_ok"), d.captured(t, "tok_ok")
		play(lost, "forget")
		play(changed, "change")
		added := d.post(t, "/sandbox/payments", `{"amount": "7.00", "currency": "USD"}`).OK(t).Get("vendor_id").String()
		run := func() moduletest.Response {
			window := map[string]any{"from": time.Now().Add(-time.Hour), "to": time.Now().Add(time.Hour)} //nolint:forbidigo // the window of a test
			id := d.post(t, "/reconciliations", window).OK(t).Get("uuid").String()

			return d.until(t, "/reconciliations/"+id, "state", "done")
		}
		found := run()
		require.Equal(t, int64(1), found.Get("matched").Int())
		require.Equal(t, int64(3), found.Get("findings.#").Int(), string(found.Body))
		kinds := map[string]string{}
		for _, f := range found.Get("findings").Array() {
			kinds[f.Get("kind").String()] = f.Get("remedy").String() + " " + f.Get("here.amount").String() + " " + f.Get("there.amount").String()
		}
		require.Equal(t, map[string]string{"missing_here": "add  7.00", "missing_there": "fail 100.00 ", "differing": "take_over 100.00 101.00"}, kinds)

		path := "/reconciliations/" + found.Get("uuid").String()
		applied := d.post(t, path+"/apply", nil).OK(t)
		require.Equal(t, "applied", applied.Get("findings.0.outcome").String())
		once := d.get(t, path).OK(t)
		require.Equal(t, string(once.Body), string(d.post(t, path+"/apply", nil).OK(t).Body))
		require.Equal(t, "failed", d.get(t, lost).OK(t).Get("state").String())
		require.Equal(t, "101.00", d.get(t, changed).OK(t).Get("amount").String())
		require.Equal(t, "captured", d.get(t, same).OK(t).Get("state").String())
		require.Equal(t, "captured", d.get(t, "/payments?filter[vendor_id]="+added).OK(t).Get("data.0.state").String())
		require.Equal(t, 3, count(d.EventNames(t, d.Owner), "cards.payment.corrected"))

		again := run()
		require.Equal(t, int64(0), again.Get("findings.#").Int(), string(again.Body))
		require.Equal(t, int64(3), again.Get("matched").Int())
	})
}

func TestReconcile_LeavesAloneWhatHasChangedSince(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d till) {
		reserved := d.charge(t, "tok_ok", "authorize")
		d.until(t, reserved, "state", "authorized")
		d.post(t, "/sandbox"+reserved+"/play", `{"event": "change"}`).OK(t)
		window := map[string]any{"from": time.Now().Add(-time.Hour), "to": time.Now().Add(time.Hour)} //nolint:forbidigo // the window of a test
		path := "/reconciliations/" + d.post(t, "/reconciliations", window).OK(t).Get("uuid").String()
		require.Equal(t, "differing", d.until(t, path, "state", "done").Get("findings.0.kind").String())
		d.post(t, reserved+"/capture", nil).OK(t)
		d.until(t, reserved, "state", "captured")
		require.Equal(t, "stale", d.post(t, path+"/apply", nil).OK(t).Get("findings.0.outcome").String())
		require.Equal(t, "100.00", d.get(t, reserved).OK(t).Get("amount").String())
	})
}

func TestAccounts_NeverShowCredentials(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d till) {
		read := d.get(t, "/accounts/"+d.account).OK(t)
		require.NotContains(t, string(read.Body), testKey)
		require.Equal(t, "sandbox", read.Get("page.application").String())
		require.True(t, d.get(t, "/accounts/"+d.account+"/health").OK(t).Get("healthy").Bool())
		refuses := d.post(t, "/accounts", `{"name": "Revoked", "provider": "sandbox", "credentials": {"revoked": "yes"}}`).OK(t).Get("uuid").String()
		require.Equal(t, "auth", d.get(t, "/accounts/"+refuses+"/health").OK(t).Get("reason").String())
		d.post(t, "/accounts", `{"name": "X", "provider": "pigeon"}`).Refused(t, http.StatusUnprocessableEntity, "cards.invalid")
		d.post(t, "/accounts", `{"name": "X", "provider": "sandbox", "credentials": {"token": "x"}}`).Refused(t, http.StatusUnprocessableEntity, "cards.invalid")
		order := map[string]any{"amount": "1.00", "currency": "USD", "token": "tok_ok", "account_uuid": refuses}
		row := d.until(t, "/payments/"+d.post(t, "/payments", order).OK(t).Get("uuid").String(), "state", "failed")
		require.Equal(t, "auth", row.Get("reason").String())
		d.Call(t, d.Owner.Token, http.MethodDelete, base+"/accounts/"+refuses, nil).Refused(t, http.StatusConflict, "cards.account_used")
		require.NotContains(t, d.Logged(), testKey)
	})
}

func TestRefund_WithOneReferenceIsOneHoweverOftenItIsAskedFor(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d till) {
		t.Helper()
		paid := "/payments/" + d.post(t, "/payments", map[string]any{"token": "tok_ok", "amount": "100.00", "currency": "USD"}).OK(t).Get("uuid").String()
		d.until(t, paid, "state", "captured")
		answers := make([]moduletest.Response, 8)
		var all sync.WaitGroup
		for i := range answers {
			all.Go(func() { answers[i] = d.post(t, paid+"/refunds", `{"reference": "back-1"}`) })
		}
		all.Wait()
		for _, one := range answers {
			require.Equal(t, answers[0].Get("uuid").String(), one.OK(t).Get("uuid").String())
		}
		d.post(t, paid+"/refunds", `{"reference": "back-1", "amount": "50.00"}`).Refused(t, http.StatusConflict, "cards.reference_conflict")
		d.post(t, paid+"/refunds", `{"reference": "back-2"}`).Refused(t, http.StatusConflict, "cards.not_refundable")
	})
}
