package dispatches_test

import (
	"context"
	"maps"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/moduletest"
)

// unsigned is a load that its customer has signed, and that has changed since.
func (d desk) unsigned(t *testing.T) string {
	t.Helper()
	load := d.ready(t)
	d.post(t, load+"/signatures", object{"name": "Ann Lee", "method": "phone"}).OK(t)
	d.call(t, http.MethodPatch, load, object{"transport_type": "enclosed"}).OK(t)
	require.Equal(t, "changed", d.get(t, load).Get("signature").String())

	return load
}

func TestAcceptance_NeedsTheCustomersSignatureThroughEveryDoor(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d desk) {
		load, hauler := d.unsigned(t), d.carrier(t, "Haul", 300)
		sent := d.offers(t, load, nil, hauler)
		require.Equal(t, []string{"loads.change_order_unsigned", `["transport_type"]`}, []string{
			sent.Get("warnings.0.code").String(), sent.Get("warnings.0.fields").Raw,
		}, "%s", sent.Body)
		d.yes(t, link(sent, "0"), nil).Refused(t, http.StatusConflict, "dispatches.not_now")
		one := base + "/offers/" + sent.Get("offers.0.offer.uuid").String()
		d.post(t, one+"/accept", object{"shown": 1}).Refused(t, http.StatusConflict, "loads.change_order_unsigned")
		dispatcher := d.Token(t, d.Owner, "dispatches:*", "loads:read", "loads:write")
		d.Call(t, dispatcher, http.MethodPost, one+"/accept", object{"shown": 1, "note": "On the phone"}).Refused(t, http.StatusConflict, "loads.change_order_unsigned")
		for path, body := range map[string]object{
			base + "/dispatches": {"load_uuid": idOf(load), "carrier_uuid": hauler, "note": "On the phone"},
			load + "/cover":      {"carrier_uuid": hauler, "note": "On the phone"},
		} {
			var answer moduletest.Response
			d.Eventually(t, func() bool { // who follows the load may change it between the two calls
				tag := d.call(t, http.MethodGet, load, nil).OK(t).Header.Get("ETag")
				answer = d.Call(t, dispatcher, http.MethodPost, path, body, "If-Match", tag)

				return answer.Status != http.StatusPreconditionFailed
			}, "the load is as it was read")
			answer.Refused(t, http.StatusConflict, "loads.change_order_unsigned")
		}
		require.Equal(t, "ready", d.get(t, load).Get("state").String())
		d.post(t, one+"/accept", object{"shown": 1, "note": "The customer agreed by e-mail."}).OK(t)
		require.Equal(t, "dispatched", d.get(t, load).Get("state").String())
	})
}

func TestSplit_TakesTheUnsignedChangesAlong(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d desk) {
		load := d.ready(t)
		d.post(t, load+"/vehicles", object{"vehicles": []object{{"make": "Honda", "model": "Civic", "type": "coupe", "tariff": "1100.00", "carrier_pay": "900.00"}}}).OK(t)
		d.post(t, load+"/signatures", object{"name": "Ann Lee", "method": "phone"}).OK(t)
		d.call(t, http.MethodPatch, load, object{"transport_type": "enclosed"}).OK(t)
		parts := d.post(t, load+"/split", object{"vehicle_uuids": []string{d.get(t, load).Get("vehicles.1.uuid").String()}, "reason": "Two trucks"}).OK(t)
		for _, part := range []string{"load", "new_load"} {
			require.Equal(t, "changed", parts.Get(part+".signature").String(), part)
		}
		sent := d.offers(t, parts.Get("new_load.uuid").String(), nil, d.carrier(t, "Haul", 300))
		d.yes(t, link(sent, "0"), nil).Refused(t, http.StatusConflict, "dispatches.not_now")
	})
}

func TestOffer_BindsNoCarrierToALoadThatItHasNotSeen(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d desk) {
		hauler := d.carrier(t, "Haul", 300)
		car := func(more object) object {
			v := object{"make": "Honda", "model": "Civic", "type": "coupe", "tariff": "1100.00", "carrier_pay": "900.00"}
			maps.Copy(v, more)

			return v
		}
		for field, change := range map[string]func(load string){
			"stops": func(load string) {
				d.call(t, http.MethodPatch, load, object{"stops": []object{
					{"kind": "pickup", "venue": object{"postal_code": "75201"}, "window": object{"from": day(2), "to": day(6)}},
					{"kind": "delivery", "venue": object{"postal_code": "98101"}, "window": object{"from": day(4), "to": day(12)}},
				}}).OK(t)
			},
			"vehicles": func(load string) {
				d.post(t, load+"/vehicles", object{"vehicles": []object{car(nil), car(nil), car(nil)}}).OK(t)
			},
			"transport_type": func(load string) { d.call(t, http.MethodPatch, load, object{"transport_type": "enclosed"}).OK(t) },
			"payment_plan": func(load string) {
				d.call(t, http.MethodPut, load+"/payment_plan", object{"payment_plan": []object{
					{"from": "customer", "to": "broker", "kind": "deposit", "amount": "1100.00", "due_event": "booking"},
					{"from": "broker", "to": "carrier", "kind": "balance", "amount": "900.00", "due_event": "signed_bol", "due_days": 30},
				}}).OK(t)
			},
			"available_from": func(load string) { d.call(t, http.MethodPatch, load, object{"available_from": day(2)}).OK(t) },
		} {
			load := d.ready(t)
			sent := d.offers(t, load, nil, hauler)
			at := link(sent, "0")
			shown := d.ask(t, http.MethodGet, at, nil).OK(t)
			key := shown.Get("offer.shown_key").String()
			change(load)
			for name, body := range map[string]object{
				"accept": {"shown": 1, "shown_key": key, "name": "Bo", "accepted": true}, "counter": {"shown": 1, "shown_key": key, "amount": "990.00"},
			} {
				refused := d.ask(t, http.MethodPost, at+"/"+name, body).Refused(t, http.StatusConflict, "dispatches.terms_changed")
				require.Contains(t, stringsOf(refused.Get("details.fields")), field, "%s", refused.Body)
			}
			d.ask(t, http.MethodPost, at+"/accept", object{"shown": 1, "name": "Bo", "accepted": true}).Refused(t, http.StatusConflict, "dispatches.terms_changed")
			require.Equal(t, "ready", d.get(t, load).Get("state").String())
			d.Eventually(t, func() bool { return d.ask(t, http.MethodGet, at, nil).OK(t).Get("offer.shown").Int() == 2 }, "the offer is revised")
			now := d.ask(t, http.MethodGet, at, nil).OK(t)
			require.Contains(t, stringsOf(now.Get("offer.changes.#.field")), field)
			require.Contains(t, string(d.Call(t, "", http.MethodGet, at, nil, "Accept", "text/html").OK(t).Body), "What has changed")
			require.Equal(t, "revise", d.offer(t, sent, "0").Get("transactions.1.type").String())
			d.yes(t, at, object{"shown_key": now.Get("offer.shown_key").String()}).OK(t)
			require.Equal(t, "dispatched", d.get(t, load).Get("state").String(), field)
		}
		require.Contains(t, d.EventNames(t, d.Owner), "dispatches.offer.revised")
	})
}

func TestOffer_StaysAsItWasWhenWhatCarriersSeeDoes(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d desk) {
		load := d.ready(t)
		sent := d.offers(t, load, nil, d.carrier(t, "Haul", 300))
		key := d.ask(t, http.MethodGet, link(sent, "0"), nil).OK(t).Get("offer.shown_key").String()
		d.call(t, http.MethodPatch, load, object{"instructions_private": "VIP", "stops": []object{
			{"kind": "pickup", "venue": object{"postal_code": "75201", "line1": "2 Other St"}, "window": object{"from": day(2), "to": day(6)}},
			{"kind": "delivery", "venue": object{"postal_code": "33101"}, "window": object{"from": day(4), "to": day(12)}},
		}}).OK(t)
		require.Equal(t, key, d.ask(t, http.MethodGet, link(sent, "0"), nil).OK(t).Get("offer.shown_key").String())
		require.Equal(t, key, d.offer(t, sent, "0").Get("shown_key").String())
		d.ask(t, http.MethodPost, link(sent, "0")+"/accept", object{"shown": 1, "shown_key": key, "name": "Bo", "accepted": true}).OK(t)
	})
}

func TestOffer_IsOfTheTermsOfTheSettingsThatWereShown(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d desk) {
		sent := d.offers(t, d.ready(t), nil, d.carrier(t, "Haul", 300))
		d.call(t, http.MethodPatch, base+"/settings", object{"terms": "Pay within 90 days."}).OK(t)
		refused := d.ask(t, http.MethodPost, link(sent, "0")+"/accept", object{"shown": 1, "name": "Bo", "accepted": true}).Refused(t, http.StatusConflict, "dispatches.terms_changed")
		require.JSONEq(t, `["terms"]`, refused.Get("details.fields").Raw)
		d.Eventually(t, func() bool { return d.ask(t, http.MethodGet, link(sent, "0"), nil).OK(t).Get("offer.shown").Int() > 1 }, "it is revised")
		d.yes(t, link(sent, "0"), nil).OK(t)
	})
}

func TestAcceptance_ByTheCompanySaysWhichTermsItAccepts(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d desk) {
		load := d.ready(t)
		sent := d.offers(t, load, nil, d.carrier(t, "Haul", 300))
		one := base + "/offers/" + sent.Get("offers.0.offer.uuid").String()
		tag := d.call(t, http.MethodGet, one, nil).OK(t).Header.Get("ETag")
		d.ask(t, http.MethodPost, link(sent, "0")+"/counter", object{"shown": 1, "amount": "1999.00"}).OK(t)
		for _, verb := range []string{"/accept", "/counter"} {
			refused := d.post(t, one+verb, object{}).Refused(t, http.StatusUnprocessableEntity, "dispatches.invalid_offer")
			require.Contains(t, refused.Get("errors.shown.0").String(), "If-Match")
			stale := d.post(t, one+verb, object{"shown": 1}).Refused(t, http.StatusConflict, "dispatches.terms_changed")
			require.JSONEq(t, `["amount"]`, stale.Get("details.fields").Raw)
			d.Call(t, d.Owner.Token, http.MethodPost, one+verb, object{}, "If-Match", tag).Refused(t, http.StatusPreconditionFailed, "web.stale")
			d.Call(t, d.Owner.Token, http.MethodPost, one+verb, object{}, "If-Match", "*").Refused(t, http.StatusUnprocessableEntity, "dispatches.invalid_offer")
		}
		d.post(t, one+"/decline", object{}).OK(t)
		d.post(t, one+"/reactivate", object{}).Refused(t, http.StatusUnprocessableEntity, "dispatches.invalid_offer")
		d.post(t, one+"/reactivate", object{"shown": 2}).Refused(t, http.StatusConflict, "dispatches.terms_changed")
		d.Call(t, d.Owner.Token, http.MethodPost, one+"/reactivate", object{}, "If-Match", tag).Refused(t, http.StatusPreconditionFailed, "web.stale")
		require.Equal(t, "1999.00", d.post(t, one+"/reactivate", object{"shown": 3}).OK(t).Get("offer.amount").String())
		tag = d.call(t, http.MethodGet, one, nil).OK(t).Header.Get("ETag")
		d.Call(t, d.Owner.Token, http.MethodPost, one+"/accept", object{}, "If-Match", tag).OK(t)
		require.Equal(t, "1999.00", d.get(t, load).Get("carrier_pay").String())
	})
}

func TestCounter_IsAcceptedForTheLoadThatItsCarrierSaw(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d desk) {
		load := d.ready(t)
		sent := d.offers(t, load, nil, d.carrier(t, "Haul", 300))
		one := base + "/offers/" + sent.Get("offers.0.offer.uuid").String()
		d.ask(t, http.MethodPost, link(sent, "0")+"/counter", object{"shown": 1, "amount": "990.00"}).OK(t)
		d.call(t, http.MethodPatch, load, object{"transport_type": "enclosed"}).OK(t)
		d.Eventually(t, func() bool { return d.get(t, one).Get("transactions.#").Int() == 3 }, "the offer is revised")
		refused := d.post(t, one+"/accept", object{"shown": 3}).Refused(t, http.StatusConflict, "dispatches.terms_changed")
		require.JSONEq(t, `["transport_type"]`, refused.Get("details.fields").Raw)
		require.Contains(t, refused.Get("message").String(), "since the carrier answered")
		d.post(t, one+"/counter", object{"shown": 3, "note": "It is enclosed now."}).OK(t)
		d.yes(t, link(sent, "0"), nil).OK(t)
		require.Equal(t, "990.00", d.get(t, load).Get("carrier_pay").String())
	})
}

// The company accepts at 900 while the carrier counters with 1950: between each two statements of the acceptance, one of the two is refused.
func TestAcceptance_IsOfTheTermsThatAreHeld(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d desk) {
		hauler := d.carrier(t, "Haul", 300)
		for n := range 12 {
			load := d.ready(t)
			sent := d.offers(t, load, nil, hauler)
			one := base + "/offers/" + sent.Get("offers.0.offer.uuid").String()
			var wait sync.WaitGroup
			var countered moduletest.Response
			var seen atomic.Int64
			var once sync.Once
			d.OnStatement(func(_ context.Context, s database.Statement) {
				if s.Table == "dispatches_offers" && seen.Add(1) > int64(n) {
					once.Do(func() {
						done := make(chan struct{})
						wait.Go(func() {
							defer close(done)
							countered = d.ask(t, http.MethodPost, link(sent, "0")+"/counter", object{"shown": 1, "amount": "1950.00"})
						})
						select { // it goes through now, or waits for the row
						case <-done:
						case <-time.After(300 * time.Millisecond):
						}
					})
				}
			})
			accepted := d.post(t, one+"/accept", object{"shown": 1})
			wait.Wait()
			d.OnStatement(func(context.Context, database.Statement) {})
			o := d.get(t, one)
			if accepted.Status == http.StatusOK {
				require.Equal(t, []string{"accepted", "900.00", "900.00"}, []string{
					o.Get("state").String(), o.Get("amount").String(), d.get(t, base+"/dispatches/"+o.Get("dispatch_uuid").String()).Get("carrier_pay").String(),
				})
				if countered.Status != 0 {
					countered.Refused(t, http.StatusConflict, "dispatches.not_open")
				}

				continue
			}
			accepted.Refused(t, http.StatusConflict, "dispatches.terms_changed")
			require.Equal(t, []string{"countered", "1950.00"}, []string{o.Get("state").String(), o.Get("amount").String()})
			d.post(t, one+"/withdraw", object{}).OK(t)
		}
	})
}

func TestAcceptance_AndACounterAtTheSameMomentHaveOneWinner(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d desk) {
		hauler := d.carrier(t, "Haul", 300)
		for range 12 {
			sent := d.offers(t, d.ready(t), nil, hauler)
			one := base + "/offers/" + sent.Get("offers.0.offer.uuid").String()
			var accepted, countered moduletest.Response
			var wait sync.WaitGroup
			wait.Go(func() { accepted = d.post(t, one+"/accept", object{"shown": 1}) })
			wait.Go(func() {
				countered = d.ask(t, http.MethodPost, link(sent, "0")+"/counter", object{"shown": 1, "amount": "1950.00"})
			})
			wait.Wait()
			o := d.get(t, one)
			if accepted.Status == http.StatusOK {
				countered.Refused(t, http.StatusConflict, "dispatches.not_open")
				require.Equal(t, []string{"900.00", "900.00"}, []string{
					o.Get("amount").String(), d.get(t, base+"/dispatches/"+o.Get("dispatch_uuid").String()).Get("carrier_pay").String(),
				})

				continue
			}
			accepted.Refused(t, http.StatusConflict, "dispatches.terms_changed")
			countered.OK(t)
			d.post(t, one+"/withdraw", object{}).OK(t)
		}
	})
}

func TestOfferPage_ShowsWindowsAndDaysBeforeTheCarrierIsIdentified(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d desk) {
		load := d.ready(t)
		d.call(t, http.MethodPatch, base+"/settings", object{"identity_code": "always"}).OK(t)
		sent := d.post(t, base+"/offers", object{
			"load_uuid": idOf(load), "new_carriers": []object{{"name": "Bo Haulage", "email": "bo@haulage.example"}}, "pickup_date": day(3), "delivery_date": day(6),
		}).OK(t)
		known := d.offers(t, load, nil, d.carrier(t, "Haul", 300))
		for _, at := range []string{link(sent, "0"), link(known, "0")} {
			html := string(d.Call(t, "", http.MethodGet, at, nil, "Accept", "text/html").OK(t).Body)
			for _, want := range []string{"<dt>Pickup</dt>", "<dt>Delivery</dt>", "<dt>Vehicles available from</dt>", written(t, day(2)) + " to " + written(t, day(6)), written(t, day(3))} {
				require.Contains(t, html, want)
			}
			require.NotContains(t, html, secretRoad)
		}
	})
}

// written is a day as pages write it.
func written(t *testing.T, day string) string {
	t.Helper()
	at, err := time.Parse(time.DateOnly, day)
	require.NoError(t, err)

	return at.Format("January 2, 2006")
}

func TestOffer_WarnsOfAPickupBeforeTheVehiclesAreAvailable(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d desk) {
		load, hauler := d.ready(t), d.carrier(t, "Haul", 300)
		d.call(t, http.MethodPatch, load, object{"available_from": day(5)}).OK(t)
		late := d.call(t, http.MethodPatch, load, object{"available_from": day(7)}).OK(t)
		require.Contains(t, stringsOf(late.Get("warnings.#.code")), "loads.window_before_available")
		require.NotContains(t, stringsOf(d.call(t, http.MethodPatch, load, object{"available_from": day(5)}).OK(t).Get("warnings.#.code")), "loads.window_before_available")
		sent := d.offers(t, load, nil, hauler)
		require.Equal(t, "dispatches.before_available", d.ask(t, http.MethodGet, link(sent, "0"), nil).OK(t).Get("warnings.0.code").String())
		require.Contains(t, string(d.Call(t, "", http.MethodGet, link(sent, "0"), nil, "Accept", "text/html").OK(t).Body), "available from "+written(t, day(5)))
		require.Equal(t, []string{"dispatches.before_available", "pickup_date"}, []string{sent.Get("warnings.0.code").String(), sent.Get("warnings.0.field").String()})
		one := base + "/offers/" + sent.Get("offers.0.offer.uuid").String()
		require.Equal(t, "dispatches.before_available", d.post(t, one+"/accept", object{"shown": 1}).OK(t).Get("warnings.0.code").String())

		again := d.ready(t)
		d.call(t, http.MethodPatch, again, object{"available_from": day(5)}).OK(t)
		body := object{"load_uuid": idOf(again), "carrier_uuid": hauler, "carrier_pay": "900.00", "pickup_date": day(4)}
		made := d.post(t, base+"/dispatches", body).OK(t)
		require.Equal(t, "dispatches.before_available", made.Get("warnings.0.code").String())
		at := made.Header.Get("Location")
		require.Equal(t, "dispatches.before_available", d.call(t, http.MethodPatch, at, object{"pickup_date": day(3)}).OK(t).Get("warnings.0.code").String())
		require.False(t, d.call(t, http.MethodPatch, at, object{"pickup_date": day(6)}).OK(t).Get("warnings").Exists())
	})
}

func TestOffers_ToABannedCarrierEnd(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d desk) {
		load, hauler := d.ready(t), d.carrier(t, "Haul", 300)
		sent := d.offers(t, load, object{"mode": "sequential", "channels": []string{}}, hauler, d.carrier(t, "Next", 300))
		d.post(t, "/carriers/api/v1/carriers/"+hauler+"/ban", object{"reason": "Fraud"}).OK(t)
		answer := d.yes(t, link(sent, "0"), nil)
		require.Equal(t, http.StatusConflict, answer.Status, "%s", answer.Body)
		d.Eventually(t, func() bool { return d.offer(t, sent, "0").Get("state").String() == "withdrawn" }, "the offer ends")
		d.Eventually(t, func() bool { return d.offer(t, sent, "1").Get("state").String() == "offered" }, "the next carrier is asked")
		d.yes(t, link(sent, "0"), nil).Refused(t, http.StatusConflict, "dispatches.not_open")
		d.post(t, base+"/offers/"+sent.Get("offers.0.offer.uuid").String()+"/reactivate", object{}).Refused(t, http.StatusConflict, "carriers.blocked")
		require.Contains(t, d.EventNames(t, d.Owner), "carriers.carrier.banned")
		require.Equal(t, "ready", d.get(t, load).Get("state").String())
	})
}

func TestOffer_ThatIsTakenSaysSoBeforeItAsksForACode(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d desk) {
		load := d.ready(t)
		d.call(t, http.MethodPatch, base+"/settings", object{"identity_code": "always"}).OK(t)
		sent := d.offers(t, load, nil, d.carrier(t, "Haul", 300))
		yes := object{"shown": 1, "name": "Bo", "accepted": true}
		d.ask(t, http.MethodPost, link(sent, "0")+"/accept", yes).Refused(t, http.StatusForbidden, "dispatches.identity_needed")
		d.post(t, load+"/cover", object{"carrier_uuid": d.carrier(t, "Tow", 300), "carrier_pay": d.get(t, load).Get("carrier_pay").String()}).OK(t)
		for path, body := range map[string]object{"/accept": yes, "/code": {"channel": "email"}, "/identify": {"code": "123456"}, "/company": {"usdot": "9900001"}} {
			answer := d.ask(t, http.MethodPost, link(sent, "0")+path, body)
			if path == "/accept" {
				answer.Refused(t, http.StatusConflict, "dispatches.vehicle_taken")
			}
		}
		require.Equal(t, "superseded", d.ask(t, http.MethodGet, link(sent, "0"), nil).OK(t).Get("offer.state").String())
		d.Eventually(t, func() bool { return d.offer(t, sent, "0").Get("state").String() == "superseded" }, "the offer ends")
		for path, body := range map[string]object{"/accept": yes, "/code": {"channel": "email"}, "/identify": {"code": "123456"}, "/company": {"usdot": "9900001"}} {
			d.ask(t, http.MethodPost, link(sent, "0")+path, body).Refused(t, http.StatusConflict, "dispatches.vehicle_taken")
		}
		require.Contains(t, string(d.Call(t, "", http.MethodGet, link(sent, "0"), nil, "Accept", "text/html").OK(t).Body), "This load is taken")
	})
}
