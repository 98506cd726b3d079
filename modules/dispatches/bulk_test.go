package dispatches_test

import (
	"maps"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/modules/collections"
	"github.com/dispatchd/dispatchd/platform/moduletest"
)

func bulkPath(collection string) string {
	return "/collections/api/v1/collections/" + collection + "/bulk"
}

// eachWithBulk is each with the area that takes bulk requests.
func eachWithBulk(t *testing.T, test func(t *testing.T, d desk)) {
	t.Helper()
	moduletest.BootEach(t, append(areas(), collections.Module), func(t *testing.T, a *moduletest.App) {
		t.Helper()
		test(t, desk{a})
	})
}

func TestBulk_OffersLoadsAndMovesDispatchesByTheirOwnOperations(t *testing.T) {
	t.Parallel()
	eachWithBulk(t, func(t *testing.T, d desk) {
		haul := d.carrier(t, "Haul", 300)
		one, two := idOf(d.ready(t)), idOf(d.ready(t))
		offer := object{"carrier_uuids": []string{haul}, "pickup_date": day(3), "delivery_date": day(6)}
		sent := d.post(t, bulkPath("loads.load"), object{"items": []object{
			{"do": "act", "verb": "offer", "uuid": one, "body": offer}, {"do": "act", "verb": "reassign", "uuid": two, "body": object{}},
		}}).OK(t)
		require.Equal(t, int64(2), sent.Get("meta.succeeded").Int())
		require.Equal(t, "offered", sent.Get("data.0.answer.offers.0.offer.state").String(), "what the operation answers: %s", sent.Body)
		require.NotEmpty(t, sent.Get("data.0.answer.offers.0.share.url").String())
		require.Equal(t, one, sent.Get("data.0.record.uuid").String())
		require.False(t, sent.Get("data.1.answer").Exists(), "it answered the row")
		require.Equal(t, two, sent.Get("data.1.record.uuid").String())

		made := d.post(t, bulkPath("loads.load"), object{"items": []object{
			{"do": "act", "verb": "dispatch", "uuid": one, "body": object{"carrier_uuid": haul, "carrier_pay": "900.00", "pickup_date": day(3), "delivery_date": day(6)}},
			{"do": "act", "verb": "dispatch", "uuid": two, "body": object{"carrier_uuid": haul, "carrier_pay": "900.00", "pickup_date": day(3), "delivery_date": day(6)}},
		}}).OK(t)
		first, second := made.Get("data.0.answer.uuid").String(), made.Get("data.1.answer.uuid").String()
		require.NotEmpty(t, first)

		moved := d.post(t, bulkPath("dispatches.dispatch"), object{"items": []object{
			{"do": "act", "verb": "pick_up", "uuid": first, "version": 1, "body": object{"note": "On time"}}, {"do": "act", "verb": "pick_up", "uuid": second},
		}}).OK(t)
		require.JSONEq(t, `["picked_up", "picked_up"]`, moved.Get("data.#.record.state").Raw)
		require.Equal(t, "picked_up", d.get(t, loadsPath+"/"+one).Get("state").String(), "the load follows, as after its own operation")
		require.Contains(t, d.EventNames(t, d.Owner), "dispatches.dispatch.picked_up")
	})
}

func TestBulk_AnActFailsAsItsOperationDoes(t *testing.T) {
	t.Parallel()
	eachWithBulk(t, func(t *testing.T, d desk) {
		haul := d.carrier(t, "Haul", 300)
		dispatched := func() string {
			return d.post(t, base+"/dispatches", object{
				"load_uuid": idOf(d.ready(t)), "carrier_uuid": haul, "carrier_pay": "900.00", "pickup_date": day(3), "delivery_date": day(6),
			}).OK(t).Get("uuid").String()
		}
		one, two, three := dispatched(), dispatched(), dispatched()
		act := func(verb, id string, more object) object {
			item := object{"do": "act", "verb": verb, "uuid": id}
			maps.Copy(item, more)

			return item
		}
		bulk := func(token string, atomic bool, items ...object) moduletest.Response {
			return d.Call(t, token, http.MethodPost, bulkPath("dispatches.dispatch"), object{"atomic": atomic, "items": items})
		}

		alone := bulk(d.Owner.Token, false,
			act("pick_up", one, nil), act("settle", two, nil), act("pick_up", two, object{"version": 7}),
			act("pick_up", three, object{"body": object{"nte": "x"}}), act("cancel", three, object{"body": object{"reason": 1}})).OK(t)
		require.JSONEq(t, `[true, false, false, false, false]`, alone.Get("data.#.ok").Raw)
		require.Equal(t, "state.not_allowed", alone.Get("data.1.error.code").String())
		require.Equal(t, "accepted", alone.Get("data.1.error.details.current").String())
		require.Equal(t, "web.stale", alone.Get("data.2.error.code").String())
		require.Contains(t, alone.Get(`data.3.error.errors.body\.nte.0`).String(), "note")
		require.NotEmpty(t, alone.Get(`data.4.error.errors.body\.reason.0`).String())

		whole := bulk(d.Owner.Token, true, act("deliver", one, nil), act("settle", two, nil)).Refused(t, http.StatusUnprocessableEntity, "collection.bulk_refused")
		require.Equal(t, "state.not_allowed", whole.Get("details.items.0.code").String())
		require.Equal(t, int64(1), whole.Get("details.items.0.item").Int())
		require.Equal(t, "picked_up", d.get(t, base+"/dispatches/"+one).Get("state").String(), "nothing has happened")

		unknown := bulk(d.Owner.Token, true, act("pickup", one, nil)).Refused(t, http.StatusUnprocessableEntity, "collection.invalid_bulk")
		require.Contains(t, unknown.Get(`errors.items\.0\.verb.0`).String(), "Did you mean pick_up?")
		require.Contains(t, unknown.Get(`errors.items\.0\.verb.0`).String(), "cancel")

		reader := d.Token(t, d.Owner, "collections:write", "dispatches:read")
		refused := bulk(reader, true, act("deliver", one, nil)).Refused(t, http.StatusForbidden, "web.scope_missing")
		require.Equal(t, "dispatches:write", refused.Get("details.scope").String())
		writer := d.Token(t, d.Owner, "collections:write", "dispatches:read", "dispatches:write")
		mixed := bulk(writer, false, act("deliver", one, nil), act("abandon", two, object{"body": object{"reason": "breakdown"}})).OK(t)
		require.Equal(t, "delivered", mixed.Get("data.0.record.state").String())
		require.Equal(t, "web.scope_missing", mixed.Get("data.1.error.code").String())
		require.Equal(t, "dispatches:override", mixed.Get("data.1.error.details.scope").String())
	})
}
