package loads_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/modules/cards"
	"github.com/dispatchd/dispatchd/platform/moduletest"
)

const cardsBase = "/cards/api/v1"

// withCards runs a test of a company that charges cards.
func withCards(t *testing.T, test func(t *testing.T, o office)) {
	t.Helper()
	moduletest.BootEach(t, append(areas(), cards.Module), func(t *testing.T, a *moduletest.App) {
		t.Helper()
		o := office{App: a}
		o.customer = o.post(t, "/contacts/api/v1/contacts", object{"name": "Ann Lee"}).OK(t).Get("uuid").String()
		o.post(t, cardsBase+"/accounts", object{"name": "Sandbox", "provider": "sandbox"}).OK(t)
		test(t, o)
	})
}

// byCard pays by a link with a token of the sandbox.
func (o office) byCard(t *testing.T, made moduletest.Response, token string) {
	t.Helper()
	link, err := url.Parse(made.OK(t).Get("url").String())
	require.NoError(t, err)
	o.Call(t, "", http.MethodPost, link.Path, object{"token": token}).OK(t)
}

func TestPayLink_OfALoadIsAPaymentOfIt(t *testing.T) {
	t.Parallel()
	withCards(t, func(t *testing.T, o office) {
		o.call(t, http.MethodPatch, base+"/settings", object{"required_for_ready": []string{"deposit"}}).OK(t)
		path := o.made(t, o.sold(car("1100.00", "900.00")))
		lines := o.post(t, path+"/payment_plan/propose", object{"template": "deposit_cod"}).OK(t).Get("payment_plan.#.uuid").Array()
		deposit, cod := lines[0].String(), lines[1].String()
		o.step(t, path, "book")
		o.post(t, path+"/payments", object{"line_uuid": deposit, "amount": "50.00", "method": "check"}).OK(t)
		o.Call(t, o.Token(t, o.Owner, "loads:write", "loads:read"), http.MethodPost, path+"/pay_links", object{"line_uuid": deposit}).Refused(t, http.StatusForbidden, "state.not_yours")
		o.post(t, path+"/pay_links", object{"line_uuid": cod}).Refused(t, http.StatusUnprocessableEntity, "loads.invalid_load")
		o.post(t, path+"/pay_links", object{"line_uuid": o.customer}).Refused(t, http.StatusNotFound, "loads.payment_line_not_found")
		first := o.post(t, path+"/pay_links", object{"line_uuid": deposit}).OK(t)
		made := o.post(t, path+"/pay_links", object{"line_uuid": deposit}).OK(t)
		require.Equal(t, []string{"150.00", "USD", o.customer, deposit}, []string{made.Get("amount").String(), made.Get("currency").String(), made.Get("customer_uuid").String(), made.Get("line_uuid").String()})
		link, err := url.Parse(first.Get("url").String())
		require.NoError(t, err)
		require.Equal(t, http.StatusNotFound, o.Call(t, "", http.MethodGet, link.Path, nil).Status, "the earlier one ended")
		row := o.get(t, cardsBase+"/pay_links/"+made.Get("uuid").String())
		require.Contains(t, row.Get("title").String(), o.get(t, path).Get("number").String()+": deposit")
		require.Contains(t, row.Get("message").String(), "For Ann Lee, 2003 Honda Accord, from Dallas, TX")

		o.byCard(t, made, "tok_ok")
		o.Eventually(t, func() bool { return o.get(t, path).Get("state").String() == "ready" }, "the deposit is paid")
		require.Equal(t, []string{"part", "900.00", "900.00"}, o.owed(t, path))
		paid := o.get(t, path).Get("payments.1")
		require.Equal(t, []string{"150.00", "credit_card", deposit}, []string{paid.Get("amount").String(), paid.Get("method").String(), paid.Get("line_uuid").String()})
		source := paid.Get("source").String()
		require.True(t, strings.HasPrefix(source, "cards.payment:"), source)
		o.post(t, path+"/pay_links", object{"line_uuid": deposit}).Refused(t, http.StatusConflict, "loads.paid_already")

		charge := cardsBase + "/payments/" + strings.TrimPrefix(source, "cards.payment:")
		o.post(t, charge+"/refunds", object{"amount": "100.00"}).OK(t)
		o.Eventually(t, func() bool { return o.owed(t, path)[1] == "1000.00" }, "the refund is noted")
		require.JSONEq(t, `["50.00", "150.00", "-100.00"]`, o.get(t, path).Get("payments.#.amount").Raw)
		require.Equal(t, deposit, o.get(t, path).Get("payments.2.line_uuid").String())

		other := o.post(t, cardsBase+"/pay_links", object{"title": "More", "amount": "300.00", "currency": "USD", "owner": object{"type": "loads.load", "uuid": o.get(t, path).Get("uuid").String()}})
		o.byCard(t, other, "tok_ok")
		o.Eventually(t, func() bool { return o.owed(t, path)[1] == "700.00" }, "what was paid is noted, whatever the plan asks for")
		o.post(t, path+"/cancel", object{"reason": "customer"}).OK(t)
		o.post(t, path+"/pay_links", object{"line_uuid": deposit}).Refused(t, http.StatusConflict, "loads.nothing_to_pay")
	})
}

func TestPayLink_NeedsCards(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, o office) {
		path := o.made(t, o.sold(car("1100.00", "900.00")))
		line := o.post(t, path+"/payment_plan/propose", object{"template": "full_pay"}).OK(t).Get("payment_plan.0.uuid").String()
		o.post(t, path+"/pay_links", object{"line_uuid": line}).Refused(t, http.StatusConflict, "loads.no_card_payments")
	})
}
