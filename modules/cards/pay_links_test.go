package cards

import (
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/moduletest"
)

const browser = "text/html,application/xhtml+xml,*/*;q=0.8"

// asked makes a pay link of 850.00 USD, and returns its id and the path of its page.
func (d till) asked(t *testing.T) (id, path string) {
	t.Helper()
	made := d.post(t, "/pay_links", map[string]any{"title": "Transport of a 2021 Honda Accord", "message": "Due on delivery.", "amount": "850", "currency": "USD"}).OK(t)
	link, err := url.Parse(made.Get("url").String())
	require.NoError(t, err)

	return made.Get("uuid").String(), link.Path
}

// pay sends a token by a link.
func (d till) pay(t *testing.T, path, token string) moduletest.Response {
	t.Helper()

	return d.Call(t, "", http.MethodPost, path, map[string]any{"token": token})
}

// stage waits until the latest payment has the state of a stage, and requires whoever has its link to see that stage.
func (d till) stage(t *testing.T, path, stage string) moduletest.Response {
	t.Helper()
	want := map[string]string{"paid": "captured", "declined": "failed", "closed": "failed", "confirm": "requires_action"}[stage]
	d.Eventually(t, func() bool {
		return d.get(t, "/payments?per_page=1&sort=-created_at").OK(t).Get("data.0.state").String() == want
	}, "the payment is "+want)
	seen := d.Call(t, "", http.MethodGet, path, nil).OK(t)
	require.Equal(t, stage, seen.Get("stage").String())

	return seen
}

func TestPayLink_IsPaidOnceHoweverOftenItIsSent(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d till) {
		t.Helper()
		id, path := d.asked(t)
		require.Equal(t, "open", d.Call(t, "", http.MethodGet, path, nil).OK(t).Get("stage").String())
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() { d.pay(t, path, "tok_ok").OK(t) })
		}
		all.Wait()
		d.stage(t, path, "paid")
		require.Equal(t, "paid", d.pay(t, path, "tok_ok").OK(t).Get("stage").String(), "again, with another card")
		payments := d.get(t, "/payments").OK(t)
		require.Equal(t, []string{"1", "850.00", "captured"},
			[]string{payments.Get("data.#").Raw, payments.Get("data.0.amount").String(), payments.Get("data.0.state").String()})
		link := d.get(t, "/pay_links/"+id).OK(t)
		require.Equal(t, payments.Get("data.0.uuid").String(), link.Get("payment_uuid").String())
		require.Equal(t, int64(1), link.Get("attempts").Int())
	})
}

func TestPayLink_IsTriedAgainAfterADeclineTenTimesAtMost(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d till) {
		t.Helper()
		_, path := d.asked(t)
		for range 9 {
			d.pay(t, path, "tok_declined").OK(t)
			require.NotEmpty(t, d.stage(t, path, "declined").Get("why").String())
		}
		d.pay(t, path, "tok_declined").OK(t)
		d.stage(t, path, "closed")
		d.pay(t, path, "tok_ok").Refused(t, http.StatusConflict, "cards.too_many_attempts")

		_, path = d.asked(t)
		d.pay(t, path, "tok_insufficient").OK(t)
		d.stage(t, path, "declined")
		d.pay(t, path, "tok_ok").OK(t)
		d.stage(t, path, "paid")
	})
}

func TestPayLink_AsksTheCardholderToConfirm(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d till) {
		t.Helper()
		_, path := d.asked(t)
		d.Call(t, "", http.MethodPost, path+"/confirm", map[string]any{"accept": true}).Refused(t, http.StatusConflict, "cards.not_asked")
		for _, answer := range []struct {
			accept bool
			stage  string
		}{{false, "declined"}, {true, "paid"}} {
			d.pay(t, path, "tok_3ds").OK(t)
			d.stage(t, path, "confirm")
			answered := d.Call(t, "", http.MethodPost, path+"/confirm", map[string]any{"accept": answer.accept}).OK(t)
			require.Contains(t, []string{"charging", answer.stage}, answered.Get("stage").String(), "charging until the vendor reports the answer")
			d.stage(t, path, answer.stage)
		}
	})
}

func TestPayLink_IsAPageThatWorksWithoutAScript(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d till) {
		t.Helper()
		_, path := d.asked(t)
		send := func(path string, form url.Values) moduletest.Response {
			return d.Call(t, "", http.MethodPost, path, form.Encode(), "Content-Type", "application/x-www-form-urlencoded", "Accept", browser)
		}
		shown := func() string { return string(d.Call(t, "", http.MethodGet, path, nil, "Accept", browser).OK(t).Body) }
		require.Contains(t, shown(), "Transport of a 2021 Honda Accord")
		require.Contains(t, shown(), "850.00")
		require.NotContains(t, shown(), "<script")
		require.Contains(t, string(send(path, url.Values{"token": {"tok_3ds"}}).OK(t).Body), "Transport of", "the browser was sent back to the page")
		d.stage(t, path, "confirm")
		require.Contains(t, shown(), "/confirm")
		require.Contains(t, string(send(path+"/confirm", url.Values{"accept": {"true"}}).OK(t).Body), "Transport of")
		d.stage(t, path, "paid")
		require.Contains(t, shown(), "Thank you")
		require.Contains(t, string(send(path, url.Values{"token": {"4242 4242 4242 4242"}}).Body), "card number")
	})
}

func TestPayLink_EndsAndBelongsToItsCompany(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d till) {
		t.Helper()
		id, path := d.asked(t)
		other := d.NewCompany(t)
		d.Call(t, other.Token, http.MethodGet, base+"/pay_links/"+id, nil).Refused(t, http.StatusNotFound, "cards.pay_link_not_found")
		d.Call(t, other.Token, http.MethodPost, base+"/pay_links/"+id+"/revoke", map[string]any{}).Refused(t, http.StatusNotFound, "cards.pay_link_not_found")
		d.post(t, "/pay_links/"+id+"/revoke", map[string]any{}).OK(t)
		d.post(t, "/pay_links/"+id+"/revoke", map[string]any{}).OK(t)
		require.NotEmpty(t, d.get(t, "/pay_links/"+id).OK(t).Get("revoked_at").String())
		d.pay(t, path, "tok_ok").Refused(t, http.StatusNotFound, "link.revoked")
		d.pay(t, base+"/pay/nonsense", "tok_ok").Refused(t, http.StatusNotFound, "link.unknown")

		text := strings.TrimPrefix(path, base+"/pay/")
		list := d.get(t, "/pay_links").OK(t)
		require.NotContains(t, string(list.Body), text, "only the response that made it has the text")
		require.NotContains(t, d.Logged(), text)
		for _, wrong := range []struct {
			body map[string]any
			code string
		}{
			{map[string]any{"title": "x", "amount": "0", "currency": "USD"}, "cards.invalid"},
			{map[string]any{"title": "x", "amount": "1.005", "currency": "USD"}, "money.scale"},
			{map[string]any{"title": "x", "amount": "1", "currency": "USD", "expires_at": "2020-01-01T00:00:00Z"}, "link.invalid"},
			{map[string]any{"title": "x", "amount": "1", "currency": "USD", "owner": map[string]any{"type": "nobodys.item", "uuid": id}}, "cards.invalid"},
			{map[string]any{"title": "4242424242424242", "amount": "1", "currency": "USD"}, "cards.card_number"},
		} {
			answer := d.post(t, "/pay_links", wrong.body)
			require.Equalf(t, wrong.code, answer.Get("code").String(), "%v: %s", wrong.body, answer.Body)
		}
	})
}
