package loads_test

import (
	"encoding/base64"
	"fmt"
	"maps"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"
	"go.uber.org/fx"

	"github.com/dispatchd/dispatchd/platform/moduletest"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/share"
)

const inquiryMail = "Message-ID: <%s@example.com>\r\nFrom: data@example.com\r\nSubject: New lead\r\nContent-Type: text/plain\r\n\r\n" +
	"First Name: Ann\r\nLast Name: Lee\r\nEmail: ann@example.com\r\nPhone Number: (214) 555-0143\r\nMove Date: 12/20/2030\r\nShip Via: Enclosed\r\n" +
	"Origin City: Dallas\r\nOrigin State: TX\r\nOrigin Zip: 75201\r\nDestination Zip: 33101\r\nVehicle: 2012 BMW X6\r\nVehicle Condition: Not running\r\nFavorite Color: Blue\r\n"

// source is where requests come from.
func (o office) source(t *testing.T) string {
	t.Helper()

	return o.post(t, base+"/sources", object{"name": "Leads", "kind": "lead_vendor"}).OK(t).Get("uuid").String()
}

// sends has a source send something.
func (o office) sends(t *testing.T, source, format, payload string) []gjson.Result {
	t.Helper()

	return o.post(t, base+"/loads/from_source", object{"source_uuid": source, "format": format, "payload": payload}).OK(t).Get("data").Array()
}

func TestIntake_MakesALeadOfAMailOnce(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, o office) {
		t.Helper()
		source := o.source(t)
		made := o.sends(t, source, "mail", fmt.Sprintf(inquiryMail, "1"))[0]
		require.Equal(t, "lead", made.Get("state").String())
		l := o.get(t, loadsPath+"/"+made.Get("uuid").String())
		require.Equal(t, []string{"Dallas", "Miami", "enclosed", "2030-12-20", "X6", "false", "lead_vendor", source}, []string{
			l.Get("stops.0.venue.city").String(), l.Get("stops.1.venue.city").String(), l.Get("transport_type").String(), l.Get("available_from").String(),
			l.Get("vehicles.0.model").String(), l.Get("vehicles.0.operable").String(), l.Get("source_kind").String(), l.Get("source_uuid").String(),
		})
		require.Contains(t, l.Get("instructions_private").String(), "Favorite Color: Blue")
		require.NotEmpty(t, l.Get("customer_uuid").String())

		again := o.sends(t, source, "mail", fmt.Sprintf(inquiryMail, "1"))[0]
		require.Equal(t, made.Get("uuid").String(), again.Get("uuid").String())
		require.True(t, again.Get("repeat").Bool())

		reply := "Message-ID: <2@example.com>\r\nIn-Reply-To: <1@example.com>\r\nSubject: Re: New lead\r\n\r\nAnd a second car, please."
		require.Equal(t, made.Get("uuid").String(), o.sends(t, source, "mail", reply)[0].Get("uuid").String())
		numbered := "Message-ID: <3@example.com>\r\nSubject: Your request [" + made.Get("number").String() + "]\r\n\r\nThanks."
		require.Equal(t, made.Get("uuid").String(), o.sends(t, source, "mail", numbered)[0].Get("uuid").String())
		record := o.get(t, loadsPath+"/"+made.Get("uuid").String()+"/intakes").Get("data").Array()
		require.Len(t, record, 3)
		require.InDelta(t, 1, record[2].Get("found.fields.email.confidence").Float(), 0)
		require.Contains(t, record[2].Get("original").String(), "Favorite Color")
	})
}

func TestIntake_KeepsWhatItDoesNotUnderstandForReview(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, o office) {
		t.Helper()
		source := o.source(t)
		picture := "Message-ID: <9@example.com>\r\nSubject: My car\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\nContent-Type: image/png; name=car.png\r\n" +
			"Content-Transfer-Encoding: base64\r\n\r\n" + base64.StdEncoding.EncodeToString([]byte("png")) + "\r\n--b--\r\n"
		made := o.sends(t, source, "mail", picture)[0]
		require.Equal(t, "draft", made.Get("state").String())
		at := loadsPath + "/" + made.Get("uuid").String()
		require.Equal(t, "car.png", o.get(t, at+"/intakes").Get("data.0.letter.attached.0").String())
		require.Len(t, o.get(t, loadsPath+"?filter[state]=draft").Get("data").Array(), 1)
		files := "/attachments/api/v1/attachments?filter[owner_type]=loads.load&filter[owner_uuid]=" + made.Get("uuid").String()
		o.Eventually(t, func() bool { return o.get(t, files).Get("data.0.file_name").String() == "car.png" }, "what was attached is kept with the load")
		refused := o.post(t, at+"/accept_draft", nil).Refused(t, http.StatusConflict, "loads.draft_incomplete")
		require.Equal(t, `["customer","stops"]`, refused.Get("details.missing").Raw)
		o.call(t, http.MethodPatch, at, object{"customer_uuid": o.customer, "stops": stops()}).OK(t)
		require.Equal(t, "lead", o.step(t, at, "accept_draft").Get("state").String())

		for name, payload := range map[string]string{"adf": "<adf>", "json": "{", "csv": "\"", "mail": "no headers", "html": "<table><tr>", "text": "\x01 nothing"} {
			require.Equal(t, "draft", o.sends(t, source, name, payload)[0].Get("state").String(), name)
		}
		o.call(t, http.MethodPatch, base+"/sources/"+source, object{"active": false}).OK(t)
		o.post(t, base+"/loads/from_source", object{"source_uuid": source, "format": "text", "payload": "x"}).Refused(t, http.StatusConflict, "loads.source_inactive")
	})
}

func TestIntake_KeepsARequestWithAnUnknownPlace(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, o office) {
		source := o.source(t)
		text := "Name: Ann Lee\nPhone: 214 555 0143\nPickup: 00999\nDelivery: 33101\nVehicle: 2012 BMW X6\nMove Date: 2030-12-20"
		made := o.sends(t, source, "text", text)[0]
		require.Equal(t, "draft", made.Get("state").String())
		require.Contains(t, made.Get("problem").String(), "00999")
		at := loadsPath + "/" + made.Get("uuid").String()
		l := o.get(t, at)
		require.Equal(t, []string{"X6", "2030-12-20", "0"}, []string{l.Get("vehicles.0.model").String(), l.Get("available_from").String(), l.Get("stops.#").Raw})
		require.NotEmpty(t, l.Get("customer_uuid").String())
		require.Contains(t, l.Get("instructions_private").String(), "The ZIP code 00999 is not known.")
		require.Contains(t, l.Get("instructions_private").String(), "Delivery: 33101")
		require.Contains(t, o.get(t, at+"/intakes").Get("data.0.problem").String(), "00999")

		key := o.post(t, base+"/sources/"+source+"/keys", object{}).OK(t).Get("key").String()
		body := request(key)
		body["origin_zip"] = "00999"
		require.Equal(t, "draft", o.Call(t, "", http.MethodPost, base+"/from-source", body).OK(t).Get("state").String())
		known := o.sends(t, source, "text", strings.NewReplacer("00999", "75201", "33101", "00999").Replace(text))[0]
		require.Equal(t, `["75201"]`, o.get(t, loadsPath+"/"+known.Get("uuid").String()).Get("stops.#.venue.postal_code").Raw, "what is known stays")
		keyed := object{"source_uuid": source, "format": "text", "payload": text + "!"}
		require.Equal(t, "draft", o.Call(t, o.Owner.Token, http.MethodPost, base+"/loads/from_source", keyed, "Idempotency-Key", "once").OK(t).Get("data.0.state").String())
	})
}

func TestIntake_LearnsTheLabelsOfWhatPeopleHaveCompleted(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, o office) {
		source := o.source(t)
		text := "Kunde: Ann Lee\nRückruf: (214) 555-0143\nStart-PLZ: 75201\nZiel-PLZ: 33101\nVehicle: 2012 BMW X6"
		at := loadsPath + "/" + o.sends(t, source, "text", text)[0].Get("uuid").String()
		require.JSONEq(t, "[]", o.post(t, at+"/intakes/learn", nil).OK(t).Get("labels").Raw, "the load says nothing yet")
		customer := o.post(t, "/contacts/api/v1/contacts", object{"name": "ann lee", "phones": []object{{"number": "+12145550143"}}}).OK(t).Get("uuid").String()
		o.call(t, http.MethodPatch, at, object{"customer_uuid": customer, "stops": stops()}).OK(t)
		require.JSONEq(t, `["Kunde", "Rückruf", "Start-PLZ", "Ziel-PLZ"]`, o.post(t, at+"/intakes/learn", nil).OK(t).Get("labels.#.label").Raw)
		require.Equal(t, "lead", o.sends(t, source, "text", text+"\n")[0].Get("state").String(), "it is understood from now on")
	})
}

func TestIntake_KeepsWhatIsAttachedToATableOnce(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, o office) {
		attached := func(kind, name, content string) string {
			return "--b\r\nContent-Type: " + kind + "; name=" + name + "\r\nContent-Transfer-Encoding: base64\r\n\r\n" + base64.StdEncoding.EncodeToString([]byte(content)) + "\r\n"
		}
		long := strings.Repeat("long ", 8000)
		made := o.sends(t, o.source(t), "mail", "Message-ID: <8@example.com>\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n"+
			attached("text/csv", "loads.csv", "Name,Phone\nAnn Lee,2145550143\nBo Chen,2145550144\n")+attached("text/plain", "terms.txt", long)+"--b--\r\n")
		require.Len(t, made, 2)
		files := "/attachments/api/v1/attachments?filter[category]=request"
		o.Eventually(t, func() bool { return o.get(t, files).Get("data.#").Int() == 1 }, "with the first load")
		require.Equal(t, []string{made[0].Get("uuid").String(), "40000"}, []string{o.get(t, files).Get("data.0.owner_uuid").String(), o.get(t, files).Get("data.0.size").Raw}, "whole")
	})
}

func TestIntake_RepliesWithThePageOfTheLoad(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, o office) {
		source := o.source(t)
		o.call(t, http.MethodPatch, base+"/sources/"+source, object{"reply": true}).OK(t)
		body := "\r\nName: Ann Lee\r\nEmail: ann@example.com\r\nPickup: 75201\r\nDelivery: 33101\r\nVehicle: 2012 BMW X6\r\n"
		given := func(headers string) int {
			made := o.sends(t, source, "mail", headers+body)[0]
			require.Equal(t, "lead", made.Get("state").String())

			return len(o.get(t, loadsPath+"/"+made.Get("uuid").String()+"/shares").Get("data").Array())
		}
		require.Equal(t, []int{1, 1, 0}, []int{given("Message-ID: <1@example.com>\r\n"), given("Message-ID: <1@example.com>\r\n"), given("Message-ID: <2@example.com>\r\nAuto-Submitted: auto-generated\r\n")},
			"once, and to no program")
	})
}

// The key of a source cannot flood a recipient with replies, and all requests are kept.
func TestIntake_RepliesToOneWhoAsksAFewTimesAnHour(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, o office) {
		source := o.source(t)
		o.call(t, http.MethodPatch, base+"/sources/"+source, object{"reply": true}).OK(t)
		replied := 0
		for n := range 7 {
			mail := "Message-ID: <m" + strconv.Itoa(n) + "@example.com>\r\n\r\nName: Ann Lee\r\nEmail: ann@example.com\r\nPickup: 75201\r\nDelivery: 33101\r\nVehicle: 2012 BMW X" + strconv.Itoa(n) + "\r\n"
			made := o.sends(t, source, "mail", mail)[0]
			replied += len(o.get(t, loadsPath+"/"+made.Get("uuid").String()+"/shares").Get("data").Array())
		}
		require.Equal(t, 5, replied)
	})
}

func TestIntake_UsesTheLabelsThatItWasTaught(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, o office) {
		t.Helper()
		source := o.source(t)
		text := "Wer: Ann Lee\nTelefon: 214 555 0143\nVon: 75201\nNach: 33101\nAuto: 2012 BMW X6"
		require.Equal(t, "draft", o.sends(t, source, "text", text)[0].Get("state").String())
		o.call(t, http.MethodPatch, base+"/sources/"+source, object{"labels": []object{
			{"label": "Wer", "field": "name"}, {"label": "Telefon", "field": "phone"}, {"label": "Von", "field": "origin"}, {"label": "Nach", "field": "destination"},
		}}).OK(t)
		require.Equal(t, "lead", o.sends(t, source, "text", text+"\n")[0].Get("state").String())
	})
}

func TestIntake_ReadsATableRowByRow(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, o office) {
		t.Helper()
		source := o.source(t)
		table := "Name,Phone,Origin Zip,Destination Zip,Vehicle\nAnn Lee,2145550143,75201,33101,2012 BMW X6\nBo Ray,2145550144,75201,33101,\n"
		made := o.sends(t, source, "csv", table)
		require.Len(t, made, 2)
		require.Equal(t, []string{"lead", "draft"}, []string{made[0].Get("state").String(), made[1].Get("state").String()})
	})
}

// request is what a source sends from outside.
func request(key string) object {
	return object{
		"api_key": key, "trailer_type": "OPEN", "first_avail": "2030-01-07", "origin_zip": 75201, "destination_city": "Miami", "destination_state": "FL",
		"customer_first_name": "Ann", "customer_last_name": "Lee", "customer_phone_1": "214 555 0143", "customer_email": "ann@example.com", "utm_source": "search",
		"vehicles": []object{{"vehicle_year": "2012", "vehicle_make": "BMW", "vehicle_model": "X6", "vehicle_type": "SUV", "is_operational": false}},
	}
}

func TestFromSource_HasACap(t *testing.T) {
	t.Parallel()
	moduletest.Each(t, areas(), func(t *testing.T, boot func(...moduletest.Option) *moduletest.App) {
		t.Helper()
		var given *share.Service
		o := office{App: boot(moduletest.With(fx.Populate(&given)))}
		source := o.source(t)
		key := o.post(t, base+"/sources/"+source+"/keys", object{}).OK(t).Get("key").String()
		o.Call(t, "", http.MethodPost, base+"/from-source", request(key)).OK(t)
		ctx := principal.With(t.Context(), principal.ForCompany(o.Owner.ID))
		require.NoError(t, given.AllowEntries(ctx, "requests of "+source, 999, 1_000, 5_000))
		refused := o.Call(t, "", http.MethodPost, base+"/from-source", request(key)).Refused(t, http.StatusTooManyRequests, "link.too_often")
		require.NotEmpty(t, refused.Header.Get("Retry-After"))
	})
}

func TestFromSource_MakesALoadByAKey(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, o office) {
		t.Helper()
		source := o.source(t)
		made := o.post(t, base+"/sources/"+source+"/keys", object{}).OK(t)
		key := made.Get("key").String()
		send := func(body object) gjson.Result {
			return gjson.ParseBytes(o.Call(t, "", http.MethodPost, base+"/from-source", body).OK(t).Body)
		}
		var wg sync.WaitGroup
		answers := make([]gjson.Result, 3)
		for i := range answers {
			wg.Go(func() { answers[i] = send(request(key)) })
		}
		wg.Wait()
		for _, a := range answers {
			require.Equal(t, answers[0].Get("uuid").String(), a.Get("uuid").String(), "the same body is the same load")
		}
		require.Equal(t, "lead", answers[0].Get("state").String())
		at := loadsPath + "/" + answers[0].Get("uuid").String()
		l := o.get(t, at)
		require.Equal(t, []string{"Miami", "X6", "false", "2030-01-07"}, []string{
			l.Get("stops.1.venue.city").String(), l.Get("vehicles.0.model").String(), l.Get("vehicles.0.operable").String(), l.Get("available_from").String(),
		})
		record := o.get(t, at+"/intakes")
		require.Contains(t, record.Get("data.0.found.unparsed").Raw, "utm_source")
		require.NotContains(t, record.Raw, key)
		require.NotContains(t, l.Raw, key)
		require.NotContains(t, o.Logged(), key)

		o.Call(t, "", http.MethodPost, base+"/from-source", request("dsl_"+strings.Repeat("x", 43))).Refused(t, http.StatusUnauthorized, "loads.source_key_unknown")
		o.Call(t, "", http.MethodPost, base+"/from-source", object{}).Refused(t, http.StatusUnauthorized, "loads.source_key_unknown")
		bad := request(key)
		delete(bad, "customer_email")
		bad["vehicles"] = []object{{"vehicle_year": 2012}}
		refused := o.Call(t, "", http.MethodPost, base+"/from-source", bad).Refused(t, http.StatusUnprocessableEntity, "loads.invalid_request")
		require.Contains(t, refused.Get("errors").Raw, "vehicles.0.vehicle_make")
		require.Contains(t, refused.Get("errors").Raw, "customer_email")

		o.call(t, http.MethodDelete, base+"/sources/"+source+"/keys/"+made.Get("uuid").String(), nil).OK(t)
		o.Call(t, "", http.MethodPost, base+"/from-source", request(key)).Refused(t, http.StatusUnauthorized, "loads.source_key_unknown")
	})
}

func TestRefusal_NamesWhatWasSent(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, o office) {
		t.Helper()
		refused := func(r moduletest.Response, code string) string {
			return r.Refused(t, http.StatusUnprocessableEntity, code).Get("errors.@keys").Raw
		}
		for query, field := range map[string]string{"phone=1": "phone", "email=nobody": "email"} {
			require.JSONEq(t, `["`+field+`"]`, refused(o.call(t, http.MethodGet, base+"/duplicates?"+query, nil), "loads.nothing_to_compare"))
		}
		quick := func(more object) moduletest.Response {
			body := object{"from": "75201", "to": "33101", "vehicles": []string{"2 x 2012 BMW X6", "1HGCM82633A004352"}, "customer_uuid": o.customer}
			maps.Copy(body, more)

			return o.post(t, base+"/quick_loads", body)
		}
		require.JSONEq(t, `["from"]`, refused(quick(object{"from": "99999"}), "loads.invalid_load"))
		require.JSONEq(t, `["to"]`, refused(quick(object{"to": "99999"}), "loads.invalid_load"))
		twice := []string{"2012 BMW X6", "1HGCM82633A004352", "1HGCM82633A004352"}
		require.JSONEq(t, `["vehicles.2"]`, refused(quick(object{"vehicles": twice}), "loads.invalid_load"))
		caller := object{"customer_uuid": nil, "customer": object{"name": "Ann Lee", "phone": "1"}}
		require.JSONEq(t, `["customer.phone"]`, refused(quick(caller), "loads.invalid_load"))
	})
}
