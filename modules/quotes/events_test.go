package quotes_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestQuote_PublishesEachStepOfItsLife(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d desk) {
		t.Helper()
		said := func() []string { return d.EventNames(t, d.Owner, "quotes.quote.") }
		q := d.draft(t, d.priced(t))
		require.Empty(t, said(), "a draft is nobody else's business")
		link := d.offer(t, q)
		d.ask(t, http.MethodPost, link+"/viewed", object{"quote_uuid": q.Get("uuid").String()}).OK(t)
		d.ask(t, http.MethodPost, link+"/decline", object{"quote_uuid": q.Get("uuid").String()}).OK(t)
		require.Equal(t, []string{"quotes.quote.sent", "quotes.quote.viewed", "quotes.quote.declined"}, said())

		other := d.draft(t, d.priced(t))
		d.ask(t, http.MethodPost, d.offer(t, other)+"/accept", answer(other)).OK(t)
		require.Equal(t, []string{"quotes.quote.sent", "quotes.quote.accepted"}, said()[3:])
	})
}

func TestSend_NeedsAPrice(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d desk) {
		t.Helper()
		load := d.request(t, "2003 Honda Accord")
		line := object{"kind": "transport", "vehicle_uuid": load.Get("vehicles.0.uuid").String(), "amount": "0.00"}
		q := d.draft(t, load, object{"lines": []object{line}})
		d.post(t, path(q)+"/send", object{"tariff": "0.00"}).Refused(t, http.StatusConflict, "quotes.no_price")
		require.Equal(t, "draft", d.get(t, path(q)).Get("state").String())
		require.Empty(t, d.EventNames(t, d.Owner, "quotes.quote."))
	})
}
