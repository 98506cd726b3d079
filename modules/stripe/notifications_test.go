package stripe_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/modules/stripe/stripetest"
	"github.com/dispatchd/dispatchd/platform/inbound"
	"github.com/dispatchd/dispatchd/platform/moduletest"
)

func TestNotification_IsAppliedOnceAndNeverMovesAPaymentBack(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d *till) {
		path, row := d.paid(t)
		there := d.vendor.Payment(row.Get("vendor_id").String())
		for _, status := range []string{"requires_action", "requires_capture", "canceled"} {
			there["status"] = status
			require.Equal(t, inbound.Processed, d.notify(t, "payment_intent."+status, there).State)
		}
		require.Equal(t, "captured", d.get(t, path).OK(t).Get("state").String())
		there["status"] = "succeeded"
		body, signature := d.vendor.Event("payment_intent.succeeded", there)
		for range 2 {
			d.Notify(t, d.path(t), body, stripetest.SignatureHeader, signature).OK(t)
		}
		require.Equal(t, 1, d.handled(t).Duplicates)
		for kind, about := range map[string]map[string]any{
			"customer.created": {"id": "cus_1"}, "payment_intent.processing": {"id": there["id"], "status": "processing"},
			"payment_intent.succeeded": {"id": "pi_ofSomebody", "status": "succeeded"}, "payment_method.detached": {"id": "pm_ofSomebody"},
		} {
			require.Equal(t, "ignored", string(d.notify(t, kind, about).State), kind)
		}
	})
}

func TestNotification_IsRefusedUnlessStripeSignedIt(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d *till) {
		path := d.path(t)
		body, signature := d.vendor.Event("payment_intent.succeeded", map[string]any{"id": "pi_1", "status": "succeeded"})
		for name, forged := range map[string]string{
			"none": "", "another secret": d.vendor.Sign("whsec_another", body), "an empty secret": d.vendor.Sign("", body),
			"long ago": strings.Replace(signature, "t=", "t=1,t=", 1) + ",t=1700000000", "of another body": d.vendor.Sign(d.vendor.SigningSecret, []byte("{}")),
		} {
			require.Equal(t, http.StatusUnauthorized, d.Notify(t, path, body, stripetest.SignatureHeader, forged).Status, name)
		}
		require.Equal(t, http.StatusUnauthorized, d.Notify(t, path, append(body, ' '), stripetest.SignatureHeader, signature).Status)
		d.Notify(t, path, body, stripetest.SignatureHeader, signature).OK(t)
		require.Equal(t, "ignored", string(d.handled(t).State), "the payment was not made here")

		unsigned := d.vendor.Credentials()
		delete(unsigned, "signing_secret")
		d.Call(t, d.Owner.Token, http.MethodPatch, base+"/accounts/"+d.account, map[string]any{"credentials": unsigned}).OK(t)
		require.Equal(t, http.StatusUnauthorized, d.Notify(t, path, body, stripetest.SignatureHeader, d.vendor.Sign("", body)).Status)
	})
}

func TestNotification_OfAnotherAccountIsIgnored(t *testing.T) {
	t.Parallel()
	moduletest.BootEach(t, modules(), func(t *testing.T, a *moduletest.App) {
		t.Helper()
		d := connect(t, a, "acct_EXAMPLE")
		d.vendor.Fail(stripetest.Fault{Method: http.MethodPost, Drops: true, Takes: true})
		path := d.pay(t, "token", stripetest.OK)
		row := d.until(t, path, "state", "unknown")
		there := d.vendor.Payment(row.Get("uuid").String())
		for _, account := range []string{"acct_OTHER", ""} {
			require.Equal(t, "ignored", string(d.notify(t, "payment_intent.succeeded", there, "account", account).State))
			require.Equal(t, "ignored", string(d.notify(t, "account.application.deauthorized", map[string]any{"id": "ca_1"}, "account", account).State))
		}
		require.NotContains(t, d.EventNames(t, d.Owner), "cards.account.revoked")
		require.Equal(t, inbound.Processed, d.notify(t, "payment_intent.succeeded", there).State)
		d.until(t, path, "state", "captured")
		require.Equal(t, inbound.Processed, d.notify(t, "account.application.deauthorized", map[string]any{"id": "ca_1"}).State)
		require.Contains(t, d.EventNames(t, d.Owner), "cards.account.revoked")
		d.vendor.Disconnect()
		require.Equal(t, "revoked", d.get(t, "/accounts/"+d.account+"/health").OK(t).Get("reason").String())
	})
}

func TestCard_ThatIsDetachedAtStripeIsRemoved(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d *till) {
		card := d.saved(t, stripetest.OK)
		id := d.get(t, card).OK(t).Get("vendor_id").String()
		require.Equal(t, inbound.Processed, d.notify(t, "payment_method.detached", map[string]any{"id": id, "customer": nil}).State)
		d.until(t, card, "state", "removed")
	})
}

func TestCard_ThatIsRenewedHasItsNewNumberAndExpiry(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d *till) {
		card := d.saved(t, stripetest.OK)
		id := d.get(t, card).OK(t).Get("vendor_id").String()
		require.Equal(t, inbound.Processed, d.notify(t, "payment_method.automatically_updated", map[string]any{
			"id": id, "card": map[string]any{"brand": "visa", "last4": "1881", "exp_month": 2, "exp_year": 2032},
		}).State)
		row := d.until(t, card, "last4", "1881")
		require.Equal(t, []string{"2032-02-29", "active"}, []string{row.Get("expires_on").String(), row.Get("state").String()})
	})
}

func TestPayout_IsPaidOnceTheBankHasItAndCanComeBack(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d *till) {
		_, row := d.paid(t)
		id := d.vendor.PayOut(row.Get("vendor_id").String())
		say := func(event, status, reconciled string) {
			d.vendor.ChangePayout(id, func(there map[string]any) {
				there["status"], there["reconciliation_status"] = status, reconciled
				if status == "failed" {
					there["failure_code"] = "account_closed"
				}
			})
			require.Equal(t, inbound.Processed, d.notify(t, event, d.vendor.Payout(id)).State)
		}
		say("payout.created", "pending", "in_progress")
		path := "/payouts/" + d.until(t, "/payouts", "data.0.state", "pending").Get("data.0.uuid").String()
		require.Equal(t, "null", d.get(t, path).OK(t).Get("gross").Raw, "Stripe does not know yet what it is of")
		say("payout.updated", "in_transit", "in_progress")
		d.until(t, path, "state", "in_transit")
		require.NotContains(t, d.EventNames(t, d.Owner), "cards.payout.paid")
		say("payout.paid", "paid", "completed")
		paid := d.until(t, path, "gross", "12.50")
		require.Equal(t, "paid", paid.Get("state").String())
		require.NotEqual(t, "null", paid.Get("paid_at").Raw)
		say("payout.failed", "failed", "completed")
		failed := d.until(t, path, "state", "failed")
		require.Equal(t, []string{"account_closed", "null"}, []string{failed.Get("reason").String(), failed.Get("paid_at").Raw})
		names := d.EventNames(t, d.Owner)
		require.Subset(t, names, []string{"cards.payout.paid", "cards.payout.failed"})

		other := d.vendor.PayOut()
		d.vendor.ChangePayout(other, func(there map[string]any) { there["status"] = "new_word" })
		require.Equal(t, inbound.Processed, d.notify(t, "payout.created", d.vendor.Payout(other)).State)
		d.until(t, "/payouts?filter[vendor_id]="+other, "data.0.vendor_status", "new_word")
		require.Equal(t, "pending", d.get(t, "/payouts?filter[vendor_id]="+other).OK(t).Get("data.0.state").String())
	})
}

func TestDispute_CanBePreventedOrWonByAnAppeal(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d *till) {
		path, row := d.paid(t)
		say := func(id, status, taken string) {
			require.Equal(t, inbound.Processed, d.notify(t, "charge.dispute.updated", map[string]any{
				"id": id, "status": status, "amount": 1250, "currency": "usd", "reason": "fraudulent", "payment_intent": row.Get("vendor_id").String(),
			}).State)
			d.until(t, path, "disputed", taken)
		}
		say("dp_1", "needs_response", "12.50")
		say("dp_1", "prevented", "0.00")
		d.post(t, path+"/refunds", `{"amount": "1.00"}`).OK(t)
		say("dp_2", "needs_response", "12.50")
		say("dp_2", "lost", "12.50")
		say("dp_2", "appeal_under_review", "12.50")
		say("dp_2", "won", "0.00")
		say("dp_3", "new_word", "0.00")
		require.Subset(t, d.EventNames(t, d.Owner), []string{"cards.dispute.prevented", "cards.dispute.lost", "cards.dispute.won"})
	})
}

func TestRefund_IsPendingUntilStripeHasGivenIt(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d *till) {
		d.vendor.Pends = true
		path, _ := d.paid(t)
		refund := "/refunds/" + d.post(t, path+"/refunds", `{"amount": "5.00", "note": "A complaint"}`).OK(t).Get("uuid").String()
		id := d.until(t, refund, "state", "pending").Get("vendor_id").String()
		require.Equal(t, inbound.Processed, d.notify(t, "refund.updated", d.vendor.Settle(id, "succeeded")).State)
		d.until(t, refund, "state", "completed")
		d.until(t, path, "refunded", "5.00")
		require.Equal(t, inbound.Processed, d.notify(t, "refund.failed", d.vendor.Settle(id, "failed")).State)
		require.Equal(t, "not_refundable", d.until(t, refund, "state", "failed").Get("reason").String())
		d.until(t, path, "refunded", "0.00")
	})
}

func TestRefund_ThatIsGivenAtStripeIsAdded(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d *till) {
		path, row := d.paid(t)
		require.Equal(t, inbound.Processed, d.notify(t, "refund.created", map[string]any{
			"id": "re_ofSomebody", "status": "succeeded", "amount": 250, "currency": "usd", "payment_intent": row.Get("vendor_id").String(),
		}).State)
		d.until(t, path, "refunded", "2.50")
	})
}

func TestDispute_TakesTheAmountUntilItIsWon(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d *till) {
		path, row := d.paid(t)
		for _, step := range []struct{ event, status, taken string }{
			{"created", "warning_needs_response", "0.00"}, {"created", "needs_response", "12.50"}, {"updated", "under_review", "12.50"}, {"closed", "won", "0.00"},
		} {
			d.notify(t, "charge.dispute."+step.event, map[string]any{
				"id": "dp_" + d.account, "status": step.status, "amount": 1250, "currency": "usd", "reason": "fraudulent",
				"payment_intent": row.Get("vendor_id").String(), "evidence_details": map[string]any{"due_by": 1798675200},
			})
			d.until(t, path, "disputed", step.taken)
		}
		require.Subset(t, d.EventNames(t, d.Owner), []string{"cards.dispute.opened", "cards.dispute.won"})
	})
}
