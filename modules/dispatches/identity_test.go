package dispatches_test

import (
	"context"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"

	"github.com/dispatchd/dispatchd/platform/module"
	"github.com/dispatchd/dispatchd/platform/moduletest"
	"github.com/dispatchd/dispatchd/platform/notify"
)

// mailbox is the channel email of the tests.
type mailbox struct {
	mu   sync.Mutex
	sent []notify.Message
}

func (m *mailbox) keep(_ context.Context, message notify.Message) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.sent = append(m.sent, message)

	return nil
}

// last is the text of the last message to an address.
func (m *mailbox) last(to string) (text string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, one := range m.sent {
		if one.To == to {
			text = one.Text.Reveal()
		}
	}

	return text
}

// mailing sends e-mails to the mailbox that the service was booted with.
var mailing = module.New("mail", "Sends e-mails", notify.Channel(notify.Email, (*mailbox).keep))

// A thief has the link of a real carrier. The code goes to the regulator's record, and not to the thief.
func TestOffer_IsAcceptedByWhoeverProvesToBeTheCarrier(t *testing.T) {
	t.Parallel()
	eachMailing(t, func(t *testing.T, d desk, box *mailbox) {
		load, record := d.ready(t), "dispatch@carrier001.example"
		d.call(t, http.MethodPatch, base+"/settings", object{"identity_code": "new"}).OK(t)
		hauler := d.post(t, "/carriers/api/v1/carriers", object{
			"legal_name": "Sample Auto Lines 001", "usdot": "9900001", "email": "bo@haulage.example", "agreement_signed": day(-30), "w9_received": day(-30), "insurance": []object{{
				"kind": "cargo", "insurer": "Sample Insurance", "policy": "C-1", "each_occurrence": "250000.00", "expires": day(300), "verified": day(-20),
			}},
		}).OK(t).Get("uuid").String()
		sent := d.offers(t, load, object{"channels": []string{"email", "sms"}}, hauler)
		require.Equal(t, int64(1), sent.Get("offers.#").Int(), "%s", sent.Body)
		require.Equal(t, "sent", sent.Get("offers.0.share.deliveries.0.result").String(), "%s", sent.Body)
		require.JSONEq(t, `["sms"]`, sent.Get("offers.0.unreached").Raw, "it has no phone")
		_, path, found := strings.Cut(box.last("bo@haulage.example"), "https://dispatch.example")
		require.True(t, found)

		shown := d.ask(t, http.MethodGet, path, nil).OK(t)
		require.JSONEq(t, `[{"channel": "email", "to": "d***@carrier001.example"}]`, shown.Get("identity.channels").Raw)
		refused := d.yes(t, path, nil).Refused(t, http.StatusForbidden, "dispatches.identity_needed")
		require.NotContains(t, string(refused.Body), record)
		require.Equal(t, "ready", d.get(t, load).Get("state").String())
		html := string(d.Call(t, "", http.MethodGet, path, nil, "Accept", "text/html").OK(t).Body)
		require.Contains(t, html, "Send a code")
		require.NotContains(t, html, "Accept this load")

		d.ask(t, http.MethodPost, path+"/identify", object{"code": "123456"}).Refused(t, http.StatusConflict, "onetimecode.none")
		d.ask(t, http.MethodPost, path+"/code", object{"channel": "sms"}).Refused(t, http.StatusConflict, "notify.no_channel")
		d.ask(t, http.MethodPost, path+"/code", object{"channel": "email"}).OK(t)
		code := regexp.MustCompile(`[0-9]{6}`).FindString(box.last(record))
		wrong := "000000"
		if code == wrong {
			wrong = "000001"
		}
		d.ask(t, http.MethodPost, path+"/identify", object{"code": wrong}).Refused(t, http.StatusUnprocessableEntity, "onetimecode.wrong")
		require.JSONEq(t, "null", d.ask(t, http.MethodPost, path+"/identify", object{"code": code}).OK(t).Get("identity").Raw)
		d.yes(t, path, nil).OK(t)
		require.NotEmpty(t, d.offer(t, sent, "0").Get("identified_at").String())

		next := d.ready(t)
		d.call(t, http.MethodPatch, base+"/settings", object{"identity_code": "new"}).OK(t)
		again := d.offers(t, next, nil, hauler)
		require.JSONEq(t, "null", d.ask(t, http.MethodGet, link(again, "0")[len("https://dispatch.example"):], nil).OK(t).Get("identity").Raw, "it has proved that before")
		d.call(t, http.MethodPatch, base+"/settings", object{"identity_code": "always"}).OK(t)
		d.yes(t, link(again, "0")[len("https://dispatch.example"):], nil).Refused(t, http.StatusForbidden, "dispatches.identity_needed")
	}, "modules.carriers.regulator.adapter=sandbox")
}

// A carrier that the company does not have yet sees an offer, and gets the load once it has said who it is, has proved it, and nothing is against it.
func TestOffer_IsSeenByACarrierThatTheCompanyDoesNotHaveYet(t *testing.T) {
	t.Parallel()
	eachMailing(t, func(t *testing.T, d desk, box *mailbox) {
		load, record := d.ready(t), "dispatch@carrier001.example"
		stranger := object{"name": "Bo Haulage", "email": "bo@haulage.example"}
		body := func(more ...object) object {
			return object{"load_uuid": idOf(load), "amount": "900.00", "channels": []string{"email"}, "new_carriers": more, "pickup_date": day(3), "delivery_date": day(9)}
		}
		d.call(t, http.MethodPatch, base+"/settings", object{"identity_code": "off"}).OK(t)
		d.post(t, base+"/offers", object{"load_uuid": idOf(load)}).Refused(t, http.StatusUnprocessableEntity, "dispatches.invalid_offer")
		d.post(t, base+"/offers", body(object{"name": "Bo"})).Refused(t, http.StatusUnprocessableEntity, "dispatches.invalid_offer")
		sent := d.post(t, base+"/offers", body(stranger)).OK(t)
		carrier := sent.Get("offers.0.offer.carrier_uuid").String()
		require.Equal(t, "true", d.get(t, "/carriers/api/v1/carriers/"+carrier).Get("prospect").Raw)
		require.Equal(t, "dispatches.offer_open", d.post(t, base+"/offers", body(stranger)).OK(t).Get("refused.0.code").String(), "it is the same carrier")
		_, path, found := strings.Cut(box.last("bo@haulage.example"), "https://dispatch.example")
		require.True(t, found)

		require.Equal(t, []string{"true", "Dallas"}, []string{d.ask(t, http.MethodGet, path, nil).OK(t).Get("identity.usdot_needed").Raw, d.ask(t, http.MethodGet, path, nil).OK(t).Get("load.stops.0.venue.city").String()})
		require.Contains(t, string(d.Call(t, "", http.MethodGet, path, nil, "Accept", "text/html").OK(t).Body), "USDOT number")
		d.yes(t, path, nil).Refused(t, http.StatusForbidden, "dispatches.identity_needed")
		d.post(t, base+"/dispatches", object{"load_uuid": idOf(load), "carrier_pay": d.payOf(t, idOf(load)), "carrier_uuid": carrier}).Refused(t, http.StatusConflict, "carriers.blocked")

		d.ask(t, http.MethodPost, path+"/code", object{"channel": "email"}).Refused(t, http.StatusConflict, "dispatches.usdot_needed")
		d.ask(t, http.MethodPost, path+"/company", object{"usdot": "abc"}).Refused(t, http.StatusUnprocessableEntity, "carriers.invalid_number")
		require.Equal(t, "9900003", d.ask(t, http.MethodPost, path+"/company", object{"usdot": "9900003"}).OK(t).Get("identity.usdot").String())
		shown := d.ask(t, http.MethodPost, path+"/company", object{"usdot": "9900001"}).OK(t)
		require.JSONEq(t, `[{"channel": "email", "to": "d***@carrier001.example"}]`, shown.Get("identity.channels").Raw)
		require.Empty(t, d.get(t, "/carriers/api/v1/carriers/"+carrier).Get("usdot").String(), "a claim is kept with the offer")
		d.ask(t, http.MethodPost, path+"/code", object{"channel": "email"}).OK(t)
		d.ask(t, http.MethodPost, path+"/identify", object{"code": regexp.MustCompile(`[0-9]{6}`).FindString(box.last(record))}).OK(t)
		require.Equal(t, "false", d.get(t, "/carriers/api/v1/carriers/"+carrier).Get("prospect").Raw)
		require.Equal(t, "9900001", d.get(t, "/carriers/api/v1/carriers/"+carrier).Get("usdot").String())
		d.yes(t, path, nil).Refused(t, http.StatusConflict, "carriers.blocked") // nobody has seen its certificate of insurance
		d.call(t, http.MethodPatch, "/carriers/api/v1/carriers/"+carrier, object{"agreement_signed": day(-30), "w9_received": day(-30), "insurance": []object{{
			"kind": "cargo", "insurer": "Sample Insurance", "policy": "C-1", "each_occurrence": "250000.00", "expires": day(300), "verified": day(-20),
		}}}).OK(t)
		d.yes(t, path, nil).OK(t)
		require.Equal(t, "dispatched", d.get(t, load).Get("state").String())
	}, "modules.carriers.regulator.adapter=sandbox")
}

// A stranger names the number of a carrier. That carrier proves it all the same, by an offer of its own, and the company can enter it.
func TestOffer_KeepsAStrangersNumberToItselfUntilACodeProvesIt(t *testing.T) {
	t.Parallel()
	eachMailing(t, func(t *testing.T, d desk, box *mailbox) {
		const number, record = "9900001", "dispatch@carrier001.example"
		code := func() string { return regexp.MustCompile(`[0-9]{6}`).FindString(box.last(record)) }
		offered := func(name string) (at string, o func() gjson.Result) {
			sent := d.post(t, base+"/offers", object{
				"load_uuid": idOf(d.ready(t)), "new_carriers": []object{{"name": name, "email": strings.ToLower(name) + "@haulage.example"}}, "pickup_date": day(3), "delivery_date": day(9),
			}).OK(t)

			return strings.TrimPrefix(link(sent, "0"), "https://dispatch.example"), func() gjson.Result { return d.offer(t, sent, "0") }
		}
		claim := func(at string) { d.ask(t, http.MethodPost, at+"/company", object{"usdot": number}).OK(t) }
		prove := func(at string) {
			d.ask(t, http.MethodPost, at+"/code", object{"channel": "email"}).OK(t)
			d.ask(t, http.MethodPost, at+"/identify", object{"code": code()}).OK(t)
		}
		carrier := func(o func() gjson.Result) gjson.Result {
			return d.get(t, "/carriers/api/v1/carriers/"+o().Get("carrier_uuid").String())
		}
		stranger, strangers := offered("Stranger")
		claim(stranger)
		require.Equal(t, number, strangers().Get("claimed_usdot").String())
		require.Empty(t, carrier(strangers).Get("usdot").String())

		real, reals := offered("Real")
		claim(real)
		prove(real)
		require.Equal(t, []string{number, "false"}, []string{carrier(reals).Get("usdot").String(), carrier(reals).Get("prospect").Raw})
		require.NotEmpty(t, reals().Get("identified_at").String())

		other, others := offered("Other") // another address of the same carrier
		prospect := others().Get("carrier_uuid").String()
		claim(other)
		prove(other)
		require.Equal(t, reals().Get("carrier_uuid").String(), others().Get("carrier_uuid").String(), "it is the carrier that the company has")
		require.Equal(t, "true", d.get(t, "/carriers/api/v1/carriers/"+prospect).Get("prospect").Raw)

		d.ask(t, http.MethodPost, stranger+"/code", object{"channel": "email"}).OK(t)
		sent := code()
		d.ask(t, http.MethodPost, stranger+"/company", object{"usdot": "9900002"}).OK(t)
		d.ask(t, http.MethodPost, stranger+"/identify", object{"code": sent}).Refused(t, http.StatusConflict, "onetimecode.none")
		require.Equal(t, "true", carrier(strangers).Get("prospect").Raw)
		d.post(t, "/carriers/api/v1/carriers", object{"legal_name": "Sample 9900002", "usdot": "9900002"}).OK(t)
		d.yes(t, stranger, nil).Refused(t, http.StatusForbidden, "dispatches.identity_needed")
	}, "modules.carriers.regulator.adapter=sandbox")
}

// The customer pays the carrier at the delivery: the carrier says so by its link, and the load knows what is left.
func TestCarrier_SaysWhatItHasCollected(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d desk) {
		load := d.ready(t)
		d.post(t, load+"/payment_plan/propose", object{"template": "deposit_cod"}).OK(t)
		sent := d.offers(t, load, nil, d.carrier(t, "Haul", 300))
		path := link(sent, "0")
		collected := func(body object) moduletest.Response { return d.ask(t, http.MethodPost, path+"/collected", body) }
		collected(object{}).Refused(t, http.StatusConflict, "dispatches.no_load")
		d.yes(t, path, nil).OK(t)
		page := func() string {
			return string(d.Call(t, "", http.MethodGet, path, nil, "Accept", "text/html").OK(t).Body)
		}
		require.NotContains(t, page(), "The customer has paid me")
		for _, verb := range []string{"/pick_up", "/deliver"} {
			d.post(t, base+"/dispatches/"+d.get(t, base+"/dispatches").Get("data.0.uuid").String()+verb, object{}).OK(t)
		}
		require.Contains(t, page(), "The customer has paid me")
		collected(object{"amount": "900.01"}).Refused(t, http.StatusUnprocessableEntity, "loads.invalid_load")
		collected(object{"amount": "500.00", "method": "cash"}).OK(t)
		require.Contains(t, page(), "<dt>Left to be paid to you</dt><dd>$400.00</dd>")
		require.Equal(t, []string{"600.00", "400.00", "part"}, []string{d.get(t, load).Get("customer_balance").String(), d.get(t, load).Get("carrier_balance").String(), d.get(t, load).Get("billing").String()})
		d.Call(t, "", http.MethodPost, path+"/collected", "amount=400.00&method=zelle", "Content-Type", "application/x-www-form-urlencoded", "Accept", "text/html").OK(t)
		require.JSONEq(t, `["cash", "zelle"]`, d.get(t, load).Get("payments.#.method").Raw)
		collected(object{}).Refused(t, http.StatusConflict, "loads.nothing_to_collect")
		require.NotContains(t, page(), "The customer has paid me")
	})
}

// A carrier that the regulator's record cannot reach calls, and the company accepts for it.
func TestOffer_IsAcceptedByTheCompanyForACarrierWithoutARecord(t *testing.T) {
	t.Parallel()
	eachMailing(t, func(t *testing.T, d desk, _ *mailbox) {
		load := d.ready(t)
		d.call(t, http.MethodPatch, base+"/settings", object{"identity_code": "new"}).OK(t)
		sent := d.offers(t, load, nil, d.carrier(t, "Haul", 300))
		refused := d.yes(t, link(sent, "0"), nil).Refused(t, http.StatusForbidden, "dispatches.identity_needed")
		require.Equal(t, "[]", refused.Get("details.channels").Raw)
		code := d.ask(t, http.MethodPost, link(sent, "0")+"/code", object{"channel": "email"}).Refused(t, http.StatusConflict, "carriers.no_record")
		require.Contains(t, code.Get("message").String(), "call us")
		d.post(t, base+"/offers/"+sent.Get("offers.0.offer.uuid").String()+"/accept", object{"shown": 1, "note": "On the phone"}).OK(t)
		require.Equal(t, "dispatched", d.get(t, load).Get("state").String())
	})
}
